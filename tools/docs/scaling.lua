-- scaling.lua: how far ranks go, as tables of Markdown and an SVG picture: a model of latency and bandwidth from parts
-- that were measured (docs/scaling.md says where) and parts that it assumes. Measures nothing.
local scaling = {}

-- What bench/ranks/run.sh gave, seconds and bytes a second: between two ranks on one node, and of MPI's messages
-- within one machine.
local SHARED = { latency = 0.6e-6, bandwidth = 9e9 }
local MESSAGE = 8e-6
-- What a network adds to a message there: the card, the wire, a switch.
local WIRE = 20e-6

-- Links between ranks. steps: how often a gather of n ranks waits for another rank, one after the other.
local function in_turn(n) return n - 1 end
local function by_doubling(n) return math.ceil(math.log(n) / math.log(2) - 1e-9) end
local function network(bits) return { latency = MESSAGE + WIRE, bandwidth = bits / 8, steps = by_doubling } end

local LLAMA_7B = { layers = 32, heads = 4096, d_model = 4096, d_ff = 11008, vocab = 32000, bytes = 7.2e9 }
local LLAMA_70B = { layers = 80, heads = 8192, d_model = 8192, d_ff = 28672, vocab = 128256, bytes = 74e9 }

-- memory: bytes a second that one rank reads its weights with, which is assumed.
local CASES = {
  sockets = { name = "70 B, sockets of one machine", of = LLAMA_70B, memory = 200e9, most = 8,
    link = { latency = 2 * SHARED.latency, bandwidth = SHARED.bandwidth, steps = in_turn } },
  fast = { name = "7 B, nodes at 10 Gb/s", of = LLAMA_7B, memory = 50e9, most = 8, link = network(10e9) },
  slow = { name = "7 B, nodes at 1 Gb/s", of = LLAMA_7B, memory = 50e9, most = 8, link = network(1e9) },
}
local ORDER = { "sockets", "fast", "slow" }

-- Seconds of one token of one sequence: reading the weights, waiting in gathers, moving their bytes.
local function token(case, n)
  local of, link = case.of, case.link
  local floats = of.layers * (of.heads + 2 * of.d_model + of.d_ff) + of.vocab
  local gathers = of.layers * 4 + 1
  return {
    weights = of.bytes / (n * case.memory),
    waiting = n == 1 and 0 or gathers * link.steps(n) * link.latency,
    moving = floats * 4 * (n - 1) / n / link.bandwidth,
  }
end

-- As milliseconds; halves of the last digit are rounded alike under both Luas.
local function ms(seconds) return seconds * 1e3 + 1e-9 end

local function total(parts) return parts.weights + parts.waiting + parts.moving end

local function speedup(case, n) return total(token(case, 1)) / total(token(case, n)) end

local function tokens()
  local lines = { "| case | ranks | weights, ms | waiting, ms | moving, ms | tokens/s | speedup |",
    "| --- | --: | --: | --: | --: | --: | --: |" }
  for _, id in ipairs(ORDER) do
    local case, n = CASES[id], 1
    while n <= case.most do
      local parts = token(case, n)
      lines[#lines + 1] = ("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.2f |"):format(case.name, n, ms(parts.weights),
        ms(parts.waiting), ms(parts.moving), 1 / total(parts), speedup(case, n))
      n = n * 2
    end
  end
  return table.concat(lines, "\n")
end

-- -- Texts ------------------------------------------------------------------------------------------------------------

-- A core's int8 MiniLM texts a second (bench/results/amd-epyc-family-26-model-2/text_in), a text's bytes, bytes a
-- second that a program scans, what a file system gives all ranks together, and texts of a block.
local TEXTS = { rate = 1155, bytes = 100, scan = 1e9, files = 20e9, block = 8192 }

-- Seconds of a corpus of so many texts in `parts` files, each by its own group of the ranks.
local function corpus(texts, ranks, parts)
  local each, file = ranks / parts, texts * TEXTS.bytes / parts
  return {
    computing = texts / ranks / TEXTS.rate,
    reading = math.max(2 * file / TEXTS.scan, 2 * file * ranks / TEXTS.files),
    tail = math.min(TEXTS.block, texts / parts / each / 8) / TEXTS.rate / 2,
  }
end

local function texts()
  local lines = { "| ranks | files | computing, s | reading, s | last blocks, s | texts/s for each rank |",
    "| --: | --: | --: | --: | --: | --: |" }
  for _, row in ipairs { { 10, 1 }, { 100, 1 }, { 1000, 1 }, { 1000, 10 }, { 1000, 100 } } do
    local count = 1e9
    local parts = corpus(count, row[1], row[2])
    local seconds = parts.computing + parts.reading + parts.tail
    lines[#lines + 1] = ("| %d | %d | %.0f | %.0f | %.1f | %.0f |"):format(row[1], row[2], parts.computing,
      parts.reading, parts.tail, count / row[1] / seconds)
  end
  return table.concat(lines, "\n")
end

local TABLES = { tokens = tokens, texts = texts }

-- A table of docs/scaling.md.
function scaling.table(name)
  return TABLES[name]()
end

-- -- Drawing ----------------------------------------------------------------------------------------------------------

local LEFT, TOP, WIDTH, HEIGHT, MOST = 50, 20, 420, 280, 8
local COLORS = { sockets = "#0969da", fast = "#1a7f37", slow = "#bc4c00" }

local STYLE = [[
<style>
  text { font: 12px sans-serif; fill: #1f2328; }
  path { fill: none; stroke-width: 2; }
  .axis { stroke: #8c959f; stroke-width: 1; } .ideal { stroke: #8c959f; stroke-dasharray: 4 4; stroke-width: 1; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
</style>]]

local function x_of(n) return LEFT + WIDTH * math.log(n) / math.log(MOST) end
local function y_of(times) return TOP + HEIGHT - HEIGHT * math.log(times) / math.log(MOST) end

local function line_of(f)
  local points, n = {}, 1
  while n <= MOST + 0.001 do
    points[#points + 1] = ("%.1f %.1f"):format(x_of(n), y_of(f(n)))
    n = n * 2
  end
  return "M" .. table.concat(points, " ")
end

-- How many times as fast as one rank each case is, by ranks.
function scaling.picture()
  local lines = { ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">'):format(LEFT + WIDTH + 220,
    TOP + HEIGHT + 50), "<title>Speedup of a token by the number of ranks, as the model predicts it</title>", STYLE }
  local function out(format, ...) lines[#lines + 1] = format:format(...) end
  out('<path class="axis" d="M%d %d %d %d %d %d"/>', LEFT, TOP, LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT)
  for _, n in ipairs { 1, 2, 4, 8 } do
    out('<text x="%.1f" y="%d" text-anchor="middle">%d</text>', x_of(n), TOP + HEIGHT + 18, n)
    out('<text x="%d" y="%.1f" text-anchor="end">%d</text>', LEFT - 8, y_of(n) + 4, n)
  end
  out('<text x="%d" y="%d" text-anchor="middle">ranks; upwards: times the speed of one</text>', LEFT + WIDTH / 2,
    TOP + HEIGHT + 38)
  out('<path class="ideal" d="%s"/>', line_of(function(n) return n end))
  for _, id in ipairs(ORDER) do
    out('<path stroke="%s" d="%s"/>', COLORS[id], line_of(function(n) return speedup(CASES[id], n) end))
    out('<text x="%d" y="%.1f">%s</text>', LEFT + WIDTH + 8, y_of(speedup(CASES[id], MOST)) + 4, CASES[id].name)
  end
  return table.concat(lines, "\n") .. "\n</svg>\n"
end

return scaling
