-- roles.lua: which tests take which test models, where all models would take minutes. Each spec of tests/specs says its
-- own roles in a line "-- test: ROLE, ROLE"; without one, only the facts of `ninja check-all` are about the model. How
-- models are built is in binaries.lua.
local fs = require "base.fs"
local text = require "base.text"

local FOLDER = "tests/specs"

-- The roles that a spec may say; also: those that it has with them. roles_test.lua and cover_test.lua check what is
-- said here.
local ROLES = {
  -- Between them these use every template and every stage of the fragments: at random shapes, and as hashes.
  every_template = { also = { "soak", "bits" } },
  -- Of those fewer, which between them use every line of the templates and every intrinsic that those do. Every set
  -- compiles all of these. A second compiler has other warnings, and other ways to be wrong, about the text of
  -- templates; the same text with other numbers it need not see again, nor need sanitizers and `ninja check`.
  every_line = { also = { "every_template", "check", "some_bits" } },
  -- What `ninja check` is about besides the configured models: every line of templates, and of whole models each kind.
  -- Small.
  check = {},
  -- tests/pytorch/test_goldens.c names them.
  goldens = { also = { "check" } },
  -- Results have a row in tests/bits/bits.txt: layers and whole models of each kind, each format of numbers alone and
  -- in a stack, caches in each format, tokens one after the other.
  bits = {},
  -- Rows that other compilers make too.
  some_bits = { also = { "bits" } },
  -- Random calls: few enough that each model is met often, small enough that a round takes milliseconds.
  soak = {},
  -- Both Luas generate them in `ninja check`: most of the text of templates.
  both_luas = {},
  -- Programs, for tests/program/program_models.lua: with a cache, a memory, two sides; of rows, a residual alone; with
  -- attention as an output; that pool token ids; that rank, by one label and by several; that choose dtypes; whose
  -- weights are in groups, and one of these in floats; with a mask of its memory.
  programs = {},
  -- Python wheels: every intermediate, masks of either kind, a cache, token ids, and of whole models each kind.
  wheels = { also = { "check" } },
  -- Modules for Lua: four widths and every intermediate, a mask, a cache, token ids, a whole model, one that makes
  -- vectors of texts.
  lua = { also = { "check" } },
  -- tests/host/linking links them as users do.
  linked = {},
  -- docs/numbers.md has figures of them, a layer or stack of each kind.
  numbers = {},
  -- Calls share weights and threads, where races are looked for: each way in which layers and whole models hand parts
  -- of a call to threads (rows, heads, slices of a head, columns, an encoder's and a decoder's), with a cache and
  -- without.
  shared = {},
  -- Of those a layer and a whole model, as the thread sanitizer makes them twenty times as slow. An emulated CPU of
  -- 2008 runs them too.
  races = {},
  -- Kernels emulated in terms of AVX2, which take half a minute a model to compile: heads of whole and of part vectors,
  -- masks, lengths, token ids, products of integers, of one kind and of both. None of bf16: its instructions are not
  -- emulated.
  emulated = {},
  -- Sanitizers look at the kernels of the widest vectors: features with code of their own for whole vectors, one that
  -- ends in one, each kind of narrow products and weights in groups.
  wide = {},
  -- The memory sanitizer looks at portable code: every intermediate, masks and learned keys, a cache, a stack with an
  -- encoder. valgrind, some fifty times as slow, looks at all that it can run.
  memory = {}, valgrind = {},
  -- Another architecture, in an emulator that is some ten times as slow.
  cross = { also = { "bits" } },
}

-- The roles in a spec's text, in order.
local function said_in(content)
  local line, list = content:match("^%-%- test: ([^\n]*)") or content:match("\n%-%- test: ([^\n]*)"), {}
  for role in (line or ""):gmatch("[^, ]+") do list[#list + 1] = role end
  return list
end

local function refuse(path, role)
  error(("%s: a test model has no role '%s'; roles: %s"):format(path, role,
    table.concat(text.sorted_keys(ROLES), ", ")), 0)
end

local function add(roles, path, role)
  if not ROLES[role] then refuse(path, role) end
  roles[role][path:match("([^/]*)%.lua$")] = true
  for _, other in ipairs(ROLES[role].also or {}) do add(roles, path, other) end
end

-- The models of score modifiers, whose specs modifier_models.lua makes, are among those that use every line.
local OF_MODIFIERS = { __index = function(_, name) return name:find("^modifier_") and true or nil end }

local function add_modifiers(roles, role)
  setmetatable(roles[role], OF_MODIFIERS)
  for _, other in ipairs(ROLES[role].also or {}) do add_modifiers(roles, other) end
end

-- The roles of the specs in a folder: { [role] = { [name] = true } }.
local function read(folder)
  local roles = {}
  for role in pairs(ROLES) do roles[role] = {} end
  for _, file in ipairs(assert(fs.list(folder))) do
    local path = folder .. "/" .. file
    for _, role in ipairs(said_in(assert(fs.read(path)))) do add(roles, path, role) end
  end
  add_modifiers(roles, "every_line")
  return roles
end

-- The roles of the specs in tests/specs; read: for others.
return setmetatable(read(FOLDER), { __index = { read = read } })
