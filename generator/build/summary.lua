-- summary.lua: what configure says at its end: the models, the tools, what is off and why, what to type next.
-- Prints nothing itself and asks nothing.
local formats = require "formats"
local plan_files = require "plan.files"
local text = require "base.text"

local summary = {}

local function length(range)
  return range.min == range.max and ("%d"):format(range.min) or ("%d..%d"):format(range.min, range.max)
end

-- What a whole model is: its kind and its layers; nothing of one layer.
local function stack_words(s)
  if not s.stack then return "" end
  if s.kind == "transformer" then
    return ("transformer, %d and %d layers, "):format(s.n_layers, s.n_decoder_layers)
  end
  local is_causal = s.causal and s.kind == "encoder"
  return ("%s%s, %d layer%s, "):format(is_causal and "causal " or "", s.kind, s.n_layers, s.n_layers == 1 and "" or "s")
end

-- What it makes of the last layer's rows.
local function last_words(s)
  if not s.stack then return "" end
  local words = ", pool " .. (s.pool and s.pool.kind or "none")
  if s.classifier then words = words .. (", %d label%s"):format(s.classifier.labels,
    s.classifier.labels == 1 and "" or "s") end
  return words .. (s.logits and ", logits" or "")
end

-- What linears multiply, each word once, in order.
local function linear_words(s)
  if s.chooses then return "any that a call chooses" end
  local words, is_said = {}, {}
  for _, list in ipairs({ s.linears, s.last_linears }) do
    for _, name in ipairs(list) do
      local word = formats.word(s.arithmetic_of[name])
      words[#words + 1] = not is_said[word] and word or nil
      is_said[word] = true
    end
  end
  return text.join(words)
end

-- Formats of numbers: of products, of weights, of the cache. Nothing of one layer in floats.
local function number_words(s)
  local linears, parts = linear_words(s), {}
  if linears ~= "" and (s.stack or s.narrow) then parts[1] = "linears " .. linears end
  if s.attends and (#parts > 0 or s.attends_in ~= "f32") then parts[#parts + 1] = "attention " .. s.attends_in end
  if s.weights_dtype ~= "f32" then parts[#parts + 1] = "weights " .. s.weights_dtype end
  if s.cache and s.cache_dtype ~= "f32" then parts[#parts + 1] = "cache " .. s.cache_dtype end
  if s.embedding_dtype ~= "f32" then parts[#parts + 1] = "embedding " .. s.embedding_dtype end
  return #parts > 0 and "; " .. table.concat(parts, ", ") or ""
end

local function shape(s)
  local heads = s.attends and (", %d heads of %d"):format(s.n_heads, s.d_head) or ""
  local words = ("%sd_model %d%s, seq_len %s"):format(stack_words(s), s.d_model, heads, length(s.seq_len))
  if s.attends and s.n_kv_heads and s.n_kv_heads ~= s.n_heads then
    words = words .. (", %d kv heads"):format(s.n_kv_heads)
  end
  if length(s.kv_seq_len) ~= length(s.seq_len) then words = words .. ", kv_seq_len " .. length(s.kv_seq_len) end
  if s.cache then words = words .. (", cache %d"):format(s.cache) end
  return words .. last_words(s) .. number_words(s)
end

local function isa_words(answers)
  local words = {}
  for _, entry in ipairs(answers.isas) do
    if entry.built then
      words[#words + 1] = entry.name .. (entry.runs and "" or " (built, but this CPU cannot run it)")
    end
  end
  return table.concat(words, ", ")
end

-- Parts that may be missing: the answer they stand on, what is off without it, the Debian package. Those of
-- maintainers serve work on genattn itself, and users are not told of them unasked.
local USERS = {
  { key = "jansson", what = "programs, weights of files, tests", why = "no jansson for this compiler's machine",
    package = "libjansson-dev, of that architecture" },
  { key = "text", what = "commands that take text", why = "no utf8proc or no PCRE2",
    package = "libutf8proc-dev libpcre2-dev" },
  { key = "sqlite", what = "extensions of SQLite", why = "no sqlite3ext.h, or no commands that take text",
    package = "libsqlite3-dev" },
  { key = "criterion", what = "C tests of 'ninja check'", why = "no Criterion", package = "libcriterion-dev" },
  { key = "dkjson", what = "--from-hf", why = "no dkjson for this Lua", package = "lua-dkjson" },
}
local MAINTAINERS = {
  { key = "simde", what = "'ninja check-emulated', what this CPU lacks", why = "no SIMDe", package = "libsimde-dev" },
  { key = "second_lua", what = "the test that both Luas generate the same bytes", why = "only one Lua",
    package = "lua5.4 luajit" },
  { key = "clang", what = "a second compiler in CI, 'ninja check-fuzz'", why = "no clang",
    package = "clang libclang-rt-dev" },
  { key = "msan", what = "the memory sanitizer's part of 'ninja check-memory'", why = "no clang that has it",
    package = "clang libclang-rt-dev" },
  { key = "valgrind", what = "valgrind's part of 'ninja check-memory'", why = "no valgrind", package = "valgrind" },
  { key = "luacheck", what = "'ninja lint' of Lua", why = "no luacheck", package = "lua-check" },
  { key = "shellcheck", what = "'ninja lint' of sh", why = "no shellcheck", package = "shellcheck" },
  { key = "clang_format", what = "'ninja lint' and 'ninja format' of C", why = "no clang-format",
    package = "clang-format" },
  { key = "qemu", what = "the test on a CPU without AVX", why = "no qemu-x86_64", package = "qemu-user" },
  { key = "cross", what = "the kernels' facts on AArch64", why = "no cross compiler or no qemu-aarch64",
    package = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" },
  { key = "cmake", what = "the tests that use an installed library from CMake", why = "no cmake", package = "cmake" },
  { key = "pkg_config", what = "the tests that use one by pkg-config", why = "no pkg-config", package = "pkgconf" },
  { key = "musl", what = "the test of a model's archive with musl", why = "no musl-gcc", package = "musl-tools" },
  { key = "numpy", what = "tests of the Python wheels", why = "no python3 with numpy", package = "python3-numpy" },
  { key = "torch", what = "tests/pytorch, the comparison with the real PyTorch (its results are committed)",
    why = "no torch for python3", package = nil },
}

-- Lines about the parts in a table that are not there.
local function missing_lines(rows, answers)
  local lines = {}
  for _, row in ipairs(rows) do
    if not answers[row.key] then
      local cure = row.package and (" (Debian: %s)"):format(row.package) or ""
      lines[#lines + 1] = ("%s: %s%s"):format(row.what, row.why, cure)
    end
  end
  return lines
end

-- Appends what becomes of a model on the instruction sets of the build that do not multiply what its dtype says, and on
-- those that could if this CPU had more.
local function add_dtype_lines(lines, s, answers)
  local emulated = plan_files.emulated(s, answers.built)
  if #emulated > 0 then
    lines[#lines + 1] = ("%s: products of bf16 are emulated by multiply-adds of f32 on %s"):format(s.name,
      text.join(emulated))
  end
  for _, entry in ipairs(answers.isas) do
    local lacking = entry.runs and plan_files.lacking(s, entry.name, answers.features) or {}
    if #lacking > 0 then
      lines[#lines + 1] = ('%s: %s by %s needs %s, which this CPU lacks: a run takes the next set'):format(
        s.name, s.narrow_field, entry.name, text.join(lacking))
    end
  end
end

-- Lines about wisdom and dtypes, and about a CPU that has more than the build's best.
local function note_lines(models, answers)
  local lines = {}
  for _, line in ipairs(models.wisdom or {}) do lines[#lines + 1] = line end
  for _, model in ipairs(models.configured) do add_dtype_lines(lines, model.spec, answers) end
  for _, entry in ipairs(answers.isas) do
    if entry.runs then break end
    if entry.cpu == "disabled" then
      lines[#lines + 1] = entry.name .. " is not used, though this CPU has it: the operating system has not enabled " ..
        "its registers"
    elseif entry.cpu == "usable" then
      lines[#lines + 1] = ("%s is not used, though this CPU has it: %s"):format(entry.name, entry.off)
    end
  end
  if answers.targets_avx then
    lines[#lines + 1] = "the compiler, told nothing, makes code for CPUs with AVX (its default, or -march): no " ..
      "other can run the library"
  end
  return lines
end

-- Lines about what is off for work on genattn itself, and why.
function summary.maintainers(answers)
  return missing_lines(MAINTAINERS, answers)
end

-- What --lua asks for and a user without it is not told of.
local ASKED_OF_LUA = {
  { key = "lua54", what = "modules for Lua 5.4; those for LuaJIT are made", why = "no headers of Lua 5.4",
    package = "liblua5.4-dev" },
}

-- Lines about what is switched off and why. Instruction sets of other machines are no news.
local function off_lines(settings, answers)
  local lines = {}
  for _, entry in ipairs(answers.isas) do
    if entry.off and entry.is_of then lines[#lines + 1] = ("ISA %s: %s"):format(entry.name, entry.off) end
  end
  for _, line in ipairs(missing_lines(USERS, answers)) do lines[#lines + 1] = line end
  for _, line in ipairs(settings.lua and missing_lines(ASKED_OF_LUA, answers) or {}) do lines[#lines + 1] = line end
  for _, line in ipairs(settings.verbose and summary.maintainers(answers) or {}) do lines[#lines + 1] = line end
  return lines
end

local function add(lines, title, values)
  for i, value in ipairs(values) do
    lines[#lines + 1] = ("  %-9s %s"):format(i == 1 and title or "", value)
  end
end

local function mode_words(settings)
  local words = {}
  if settings.debug then words[#words + 1] = "debug" end
  if settings.sanitize then words[#words + 1] = "sanitizers" end
  if settings.werror then words[#words + 1] = "warnings are errors" end
  return words
end

-- What to type next, of which a build for another machine has only the first.
local function next_lines(name, answers)
  local made = (answers.jansson and "out/bin/@, " or "") .. "out/lib/lib@.a and out/include/@.h" ..
    (answers.makes_wheels and ", and a wheel in out/python" or "")
  local lines = { "ninja                 makes " .. made:gsub("@", name),
    "ninja demo            attention over real token sequences, with a picture",
    "ninja check           tests: your own shape, and every feature once" }
  return answers.runs and lines or { lines[1] }
end

-- The closing summary. answers: isas (array of { name, built, runs, cpu, off }), built, features, compiler, lua,
-- targets_avx, and one field for each key of USERS and of MAINTAINERS, and runs.
function summary.text(settings, models, answers)
  local lines = { "" }
  local shapes, names = {}, {}
  for i, model in ipairs(models.configured) do
    names[i] = model.spec.name
    shapes[i] = ("%s: %s"):format(model.spec.name, shape(model.spec))
  end
  add(lines, #shapes == 1 and "model" or "models", shapes)
  add(lines, "ISA", { isa_words(answers) })
  add(lines, "note", note_lines(models, answers))
  add(lines, "compiler", { answers.compiler })
  add(lines, "Lua", { answers.lua })
  local modes = mode_words(settings)
  if #modes > 0 then add(lines, "build", { text.join(modes) }) end
  add(lines, "off", off_lines(settings, answers))
  add(lines, "next", next_lines(names[1], answers))
  return table.concat(lines, "\n") .. "\n"
end

return summary
