-- program.lua: slips in the program, each with the test that must fail. Read by tests/mutants/mutants.lua.
local function unit(filter) return { "criterion", "test_heatmap", filter } end

local function blocks(filter) return { "criterion", "test_shard", filter } end

return {
  { name = "last_block_lost", file = "program/io/shard.c",
    from = "(shard->texts % shard->block > 0)", to = "(shard->texts % shard->block > 1)",
    test = blocks("shard/each_text_is_in_one_block"),
    why = "the last text of a corpus is in no shard" },
  { name = "blocks_in_a_row", file = "program/io/shard.c",
    from = "(shard->index + i * shard->of) * shard->block", to = "(shard->index * shard->of + i) * shard->block",
    test = blocks("shard/each_text_is_in_one_block"),
    why = "two shards have the same blocks" },
  { name = "bins_cut_off", file = "program/heatmap/heatmap_grid.c",
    from = "return (count + by - 1) / by;", to = "return count / by;",
    test = unit("heatmap/bins_keep_the_sums_of_rows"),
    why = "the last rows of a map are not drawn" },
  { name = "masked_by_one_cell", file = "program/heatmap/heatmap_grid.c",
    from = "bin.masked += panel->masked && panel->masked[i * map->cols + j];",
    to = "bin.masked |= panel->masked && panel->masked[i * map->cols + j];",
    test = unit("heatmap/a_bin_is_masked_where_all_of_it_is"),
    why = "masked cells look like weights of zero" },
  { name = "overlong_utf8", file = "program/io/utf8.c",
    from = "{0xe0, 0xc0, 1, 0x80}", to = "{0xe0, 0xc0, 1, 0}",
    test = unit("heatmap/utf8_refuses_what_is_none"),
    why = "a label spells a character by more bytes than it has" },
}
