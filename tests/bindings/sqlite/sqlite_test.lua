-- sqlite_test.lua: the SQLite extension of examples/encoder.lua in the program sqlite3, held against the model's own
-- program.
--
--     lua tests/bindings/sqlite/sqlite_test.lua FOLDER     FOLDER has bin/encoder and lib/sqlite_encoder.so
package.path = "generator/?.lua;tests/program/?.lua;" .. package.path

local compat = require "base.compat"
local bert_tokenizer = dofile("tests/examples/bert_tokenizer.lua")
local encoder_weights = dofile("tests/examples/encoder_weights.lua")
local files = require "program_files"
local fmt = require "base.fmt"
local fs = require "base.fs"

local folder = arg[1]
local WORK = folder .. "/sqlite"
local EXTENSION, PROGRAM, WEIGHTS = folder .. "/lib/sqlite_encoder", folder .. "/bin/encoder", WORK .. "/w.safetensors"
local passed, failed = 0, 0

local function check(truth, name, got)
  if truth then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAIL %s: got %s"):format(name, got))
  end
end

-- What sqlite3 prints of these statements, after the extension was loaded into a database in memory.
local function sql(statements)
  local words = { "sqlite3", ":memory:" }
  for _, statement in ipairs({ ".load " .. EXTENSION, compat.unpack(statements) }) do
    words[#words + 1] = fmt.sh_quote(statement)
  end
  return (compat.capture(table.concat(words, " ") .. " 2>&1"):gsub("\n$", ""))
end

-- -- What it is given -----------------------------------------------------------------------------------------------

local function make_files()
  local info, code = compat.capture(PROGRAM .. " info --json")
  check(code == 0, "info", info)
  assert(fs.write_if_changed(WORK .. "/tokenizer.json", bert_tokenizer()) ~= nil)
  encoder_weights(WEIGHTS, info)
end

-- The vector that the program makes of these ids, as hexadecimal digits of its bytes.
local function expected(ids)
  local input, output = WORK .. "/in.safetensors", WORK .. "/out.safetensors"
  files.write(input, { files.tensor("tokens", "I32", { 1, #ids }, ids) })
  local said, code = compat.capture(("%s run --weights %s --input %s --output %s"):format(PROGRAM, WEIGHTS, input,
    output))
  check(code == 0, "run", said)
  files.write(input, { files.tensor("embedding", "F32", { 64 }, files.read(output).embedding.values) })
  local bytes = files.slurp(input):sub(-64 * 4)
  return (bytes:gsub(".", function(byte) return ("%02X"):format(byte:byte()) end))
end

-- -- Facts ----------------------------------------------------------------------------------------------------------

-- Loads the weights, and gives no row.
local LOAD = ("SELECT NULL WHERE encoder_load('%s') IS NULL"):format(WEIGHTS)

local function equal(name, got, wanted)
  check(got == wanted, name, ("%s, expected %s"):format(got, wanted))
end

-- A statement that fails says why in its last line.
local function refuses(statements, why)
  local got = sql(statements)
  check(got:find(why, 1, true) ~= nil, why, got)
end

local function check_vectors()
  equal("the program's bits", sql({ LOAD, "SELECT hex(encoder('The cats sat'))" }), expected({ 2, 9, 5, 11, 7, 3 }))
  equal("no text", sql({ LOAD, "SELECT encoder(NULL) IS NULL" }), "1")
  equal("what is no UTF-8", sql({ LOAD, "SELECT encoder(CAST(x'61ff20636174' AS TEXT)) = encoder('a cat')" }), "1")
  equal("a text that is cut", sql({ LOAD, ("SELECT encoder('%s') = encoder('%s')"):format(("cat "):rep(30),
    ("cat "):rep(99)) }), "1")
  check(sql({ ("SELECT encoder_load('%s')"):format(WEIGHTS) }):find("^encoder: %w+, vectors of 64 floats$"), "words")
end

-- The tokenizer that the packed weights hold, with none beside them.
local function check_packed()
  local packed = folder .. "/sqlite_packed.gap"
  local said, code = compat.capture(("%s pack --weights %s --output %s"):format(PROGRAM, WEIGHTS, packed))
  check(code == 0 and said:find("tokenizer %x+ of ") ~= nil, "pack", said)
  equal("the tokenizer of packed weights", sql({ ("SELECT NULL WHERE encoder_load('%s') IS NULL"):format(packed),
    "SELECT hex(encoder('The cats sat'))" }), expected({ 2, 9, 5, 11, 7, 3 }))
  said, code = compat.capture(("%s pack --weights %s --output %s --no-tokenizer"):format(PROGRAM, WEIGHTS, packed))
  check(code == 0 and not said:find("tokenizer"), "pack --no-tokenizer", said)
  refuses({ ("SELECT encoder_load('%s')"):format(packed) }, folder .. "/tokenizer.json: cannot be opened: No such file")
end

local function check_cosine()
  equal("the same", sql({ "SELECT round(cosine(x'0000803F00000040', x'0000003F0000803F'), 9)" }), "1.0")
  equal("across", sql({ "SELECT cosine(x'0000803F00000000', x'000000000000803F')" }), "0.0")
  equal("zeros", sql({ "SELECT cosine(x'00000000', x'0000803F')" }), "0.0")
  equal("of nothing", sql({ "SELECT cosine(NULL, x'00') IS NULL" }), "1")
  refuses({ "SELECT cosine(x'00', x'0000')" }, "cosine of 1 and 2 bytes; expected two vectors of as many floats")
end

local ROWS = "CREATE TABLE notes(body, v); INSERT INTO notes(body) VALUES ('a dog'), ('the cat sat'), (NULL), ('mats');"

local VECTORS = "UPDATE notes SET v = encoder(body)"

local function check_nearest()
  for _, column in ipairs({ "body", "v" }) do
    local got = sql({ LOAD, ROWS, VECTORS,
      ("SELECT id, round(score, 5) FROM encoder_nearest('notes', '%s', 'the cat sat', 2)"):format(column) })
    check(got:find("^2|1.0\n%d|%-?0%.%d+$") ~= nil, "the two nearest by " .. column, got)
  end
  local both = sql({ LOAD, ROWS, VECTORS, "SELECT count(*), sum(a.score = b.score) FROM " ..
    "encoder_nearest('notes', 'body', 'a mat', 9) a JOIN encoder_nearest('notes', 'v', 'a mat', 9) b USING (id)" })
  equal("texts and their vectors", both, "3|3")
end

-- Vectors of another bits revision, or of an unknown one, are computed again as docs/sqlite.md has it, others are left.
local function check_revisions()
  local again = "UPDATE notes SET v = encoder(body), v_bits = encoder_version() ->> 'bits_revision' " ..
    "WHERE v_bits IS NOT encoder_version() ->> 'bits_revision'; SELECT changes()"
  equal("vectors of other revisions", sql({ LOAD, ROWS, "ALTER TABLE notes ADD COLUMN v_bits", again, again,
    "UPDATE notes SET v_bits = v_bits + 1 WHERE body = 'mats'", again }), "4\n0\n1")
end

-- What the extension says of itself, before weights are loaded and after.
local function check_version()
  local release = fs.read("program/commands/program.h"):match('GA_VERSION "([^"]+)"')
  local parts = "SELECT v ->> 'genattn', v ->> 'model', v ->> 'format', v ->> 'loaded' " ..
    "FROM (SELECT encoder_version() AS v)"
  equal("the version", sql({ parts }), release .. "|encoder|f32[64]|0")
  equal("the bits revision", sql({ "SELECT encoder_version() ->> 'bits_revision'" }),
    fs.read("runtime/include/genattn/model.h"):match("GA_BITS_REVISION = (%d+)"))
  local isa = sql({ ("SELECT encoder_load('%s')"):format(WEIGHTS) }):match("^encoder: (%w+),")
  equal("the version of what is loaded", sql({ LOAD, parts, "SELECT encoder_version() ->> 'isa'" }),
    ("%s|encoder|f32[64]|1\n%s"):format(release, isa))
end

-- Allowed or not, twice the same, and weights load after it. What a database brings with it cannot ask.
local function check_matrix_registers()
  local ask = "SELECT encoder_allow_amx()"
  local twice, loaded = sql({ ask, ask, LOAD, "SELECT encoder_version() ->> 'loaded'" }):match("^([01]\n[01])\n(1)$")
  check(twice == "0\n0" or twice == "1\n1", "whether the process may use AMX", twice)
  equal("weights that load after it", loaded, "1")
  refuses({ "CREATE VIEW w AS SELECT encoder_allow_amx() AS x", "SELECT x FROM w" }, "unsafe use of")
end

-- The search is within the statement that is stopped: of its hundreds of rows one step is not done.
local function check_interrupt()
  refuses({ LOAD, "CREATE TABLE t(v); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n " ..
    "WHERE i < 300) SELECT 'cat ' || i FROM n", ".progress 200 --limit 1",
    "SELECT count(*) FROM encoder_nearest('t', 'v', 'a cat', 3)" }, "interrupted")
end

-- The parts in which docs/sqlite.md embeds a large table, two rows each.
local function check_parts()
  local part = fs.read("docs/sqlite.md"):match("\n    (UPDATE notes SET v = minilm%(body%)\n.-FROM notes;)\n")
  part = part:gsub("minilm", "encoder"):gsub("LIMIT %d+", "LIMIT 2")
  equal("a table in parts", sql({ LOAD, ROWS, part, part, part,
    "SELECT count(*) FROM notes WHERE v IS NOT encoder(body)" }), "2|2 of 3\n1|3 of 3\n0|3 of 3\n0")
end

-- Names of a table and a column that end a quoted name of each kind, and begin another statement.
local HOSTILE = { [[t"; DROP TABLE notes; --]], [[c"] FROM notes); DROP TABLE notes; --'`]] }

local function check_names()
  local function identifier(name) return '"' .. name:gsub('"', '""') .. '"' end
  local function literal(name) return "'" .. name:gsub("'", "''") .. "'" end
  local found = { LOAD, ROWS, ("CREATE TABLE %s(%s); INSERT INTO %s VALUES ('a cat')"):format(identifier(HOSTILE[1]),
    identifier(HOSTILE[2]), identifier(HOSTILE[1])) }
  local nearest = "SELECT id, value FROM encoder_nearest(%s, %s, 'the cat', 2)"
  found[#found + 1] = nearest:format(literal(HOSTILE[1]), literal(HOSTILE[2]))
  found[#found + 1] = "SELECT count(*) FROM notes"
  equal("names that end a quoted name", sql(found), "1|a cat\n4")
  for i, name in ipairs(HOSTILE) do
    local got = sql({ LOAD, ROWS, nearest:format(i == 1 and literal(name) or "'notes'", literal(name)) })
    check(got:find("no such " .. (i == 1 and "table: " or "column: t.") .. name, 1, true), "a hostile name", got)
  end
  refuses({ LOAD, ROWS, nearest:format("'notes' || char(0)", "'body'") }, "table is NULL or has a NUL within")
  refuses({ LOAD, ROWS, nearest:format("'notes'", "'body' || char(0) || 'x'") }, "column is NULL or has a NUL within")
  refuses({ ("SELECT encoder_load('%s' || char(0))"):format(WEIGHTS) }, "weights is NULL or has a NUL within")
  refuses({ ("SELECT encoder_load('%s', 'a' || char(0))"):format(WEIGHTS) }, "tokenizer is NULL or has a NUL within")
end

local function check_refusals()
  refuses({ "SELECT encoder('a')" }, "encoder has no weights; call encoder_load(weights) first")
  refuses({ ("SELECT encoder_load('%s/none')"):format(WORK) }, "none")
  refuses({ ("SELECT encoder_load('%s', '%s/none.json')"):format(WEIGHTS, WORK) }, "none.json")
  refuses({ "SELECT encoder_load(NULL)" }, "encoder_load: weights is NULL or has a NUL within; expected a path")
  refuses({ LOAD, ROWS, "SELECT * FROM encoder_nearest('nothing', 'body', 'a', 1)" }, "no such table: nothing")
  refuses({ ".dbconfig dqs_dml on", LOAD, ROWS, "SELECT * FROM encoder_nearest('notes', 'bodyy', 'a', 1)" },
    "no such column: t.bodyy")
  refuses({ LOAD, "CREATE TEMP VIEW w AS SELECT id AS rowid, value FROM encoder_nearest('w', 'value', 'a', 1)",
    "SELECT * FROM w" }, '8 searches within each other; does "w" search itself?')
  refuses({ LOAD, ROWS, "SELECT * FROM encoder_nearest('notes', 'body', 'a', 0)" }, "k is 0; expected 1 to 100000")
  refuses({ LOAD, ROWS, "SELECT * FROM encoder_nearest('notes')" }, "encoder_nearest takes (table, column, text, k)")
  refuses({ LOAD, "CREATE TABLE t(v); INSERT INTO t VALUES (x'00')",
    "SELECT * FROM encoder_nearest('t', 'v', 'a', 1)" }, "a vector of 1 bytes; expected 256, 64 floats")
  refuses({ ("CREATE VIEW w AS SELECT encoder_load('%s') AS x"):format(WEIGHTS), "SELECT x FROM w" }, "unsafe use of")
end

-- examples/search.sql as its users run it, where the weights are.
local function check_example()
  assert(compat.execute(("cp %s %s/encoder.safetensors"):format(WEIGHTS, WORK)))
  local got, code = compat.capture(("here=$PWD && cd %s && sqlite3 -bail :memory: \".load $here/%s\" " ..
    "\".read $here/examples/search.sql\" 2>&1"):format(WORK, EXTENSION))
  check(code == 0, "examples/search.sql", got)
  local lines = {}
  for line in got:gmatch("[^\n]+") do lines[#lines + 1] = line end
  check(#lines == 6, "lines of examples/search.sql", got)
  check(lines[1]:find("^encoder: %w+, vectors of 64 floats$"), "what was loaded", lines[1])
  local scores = {}
  for i = 1, 3 do scores[i] = tonumber((lines[i + 1] or ""):match("^(%-?[%d.]+)|[%l ]+$")) or math.huge end
  check(1 >= scores[1] and scores[1] >= scores[2] and scores[2] >= scores[3], "the best first", got)
  check(math.abs(tonumber(lines[5]) or 2) <= 1, "a cosine", lines[5])
  equal("a vector that a trigger made anew", lines[6], "1")
end

if not compat.execute("command -v sqlite3 >/dev/null 2>&1") then
  print("skipped: no sqlite3 (Debian: sqlite3)")
else
  make_files()
  check_vectors()
  check_packed()
  check_cosine()
  check_nearest()
  check_version()
  check_matrix_registers()
  check_revisions()
  check_interrupt()
  check_parts()
  check_names()
  check_refusals()
  check_example()
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
