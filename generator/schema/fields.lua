-- fields.lua: the fields every spec has whatever its features: what they are called, their types and defaults.
-- Checks nothing between fields; that is spec/init.lua's and the features' part.
local dtypes = require "schema.dtypes"
local kinds = require "schema.kinds"
local types = require "schema.types"

local function set_of(words)
  local set = {}
  for word in words:gmatch("%S+") do set[word] = true end
  return set
end

local RESERVED = set_of([[alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
  char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue
  decltype default delete do double dynamic_cast else enum explicit export extern false float for friend ga goto if
  inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
  register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
  template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile
  wchar_t while xor xor_eq]])

-- <name>.h must not stand in for a header that C, POSIX or what is generated includes, nor for one that these include:
-- the folder with it is searched before the system's. Vector intrinsics are told by how their headers end.
local HEADERS = set_of([[
  aio aliases alloca ar arena argp argz assert batches byteswap cache call call_ranks cet complex cpio cpu cpuid crypt
  ctype dirent dlfcn elementary elf endian envz err errno error execinfo facts fcntl features fenv float fmtmsg fnmatch
  fstab fts ftw gather gconv genattn getopt glob grp gshadow iconv ifaddrs inttypes iso646 jansson jansson_config
  langinfo lastlog libgen libintl limits link load locale malloc math mcheck memory min_max mm3dnow mm_malloc mntent
  model monetary moved_watch mqueue netdb nl_types nss obstack omp packed_parts paths poll printf proc_service program
  pthread pty pwd quadmath re_comp regex regexp resolv safetensors sched search semaphore setjmp sgtty shadow signal
  spawn stab status stdalign stdarg stdatomic stdbool stddef stdfix stdint stdio stdio_ext stdlib stdnoreturn string
  strings stropts syscall sysexits syslimits syslog tar tensor termio termios tgmath thread_db threads time trace ttyent
  uchar ucontext ulimit unistd unwind utime utmp utmpx values varargs wait watch wchar wctype weights wordexp]])

-- Nor lib<name> for a library that the compiler links.
local LIBRARIES = set_of([[asan atomic c dl gcc gcc_s gomp jansson m pthread rt stdc tsan ubsan util]])

-- Letters of a name that somebody gives: as many as a repository at Hugging Face may have. With all that the generator
-- adds, names of files stay below 143 bytes, the least that common file systems take. Of a symbol 63 letters count by
-- C11 (5.2.4.1), or 31 between files; in the compilers and linkers there are, thousands do.
local MOST_LETTERS = 96

local function name(value, most)
  if type(value) ~= "string" or not value:match("^[a-z][a-z0-9_]*$") or #value > (most or MOST_LETTERS) then
    return nil, ("must be small letters, digits and _, a letter first, at most %d, found %s"):format(
      MOST_LETTERS, types.shown(value))
  end
  if RESERVED[value] or value:match("^ga_") then
    return nil, ("%q is taken: a C or C++ keyword, main, or the runtime's prefix ga_"):format(value)
  end
  if HEADERS[value] or value:match("intrin$") then
    return nil, ("%q is taken: %s.h is a header of C, of the system or of the runtime"):format(value, value)
  end
  if LIBRARIES[value] then return nil, ("%q is taken: lib%s is a library of the system"):format(value, value) end
  if value:match("__") or value:match("_$") then
    return nil, ("%q holds __ or ends in _, which part names from what the generator adds to them"):format(value)
  end
  return value
end

-- The name of a model's part, as long as the house makes it.
local function part_name(value)
  return name(value, math.huge)
end

-- Attention alone has no width but that of its heads.
local function is_layer(raw)
  return raw.kind ~= "sdpa"
end

-- Stacks without attention have no heads.
local function has_heads(raw)
  return not kinds.is_stack(raw.kind) or (raw.n_layers ~= 0 and raw["layer.attention"] ~= false)
end

-- In the order of --help and of the banner. A field without `flag` is not on the command line. `value` and `parse` are
-- there only where the check does not tell them (schema/types.lua).
-- `default` is what --help prints; spec/init.lua computes it. `group`,
-- `example` and, where --help speaks of words of a command line, `meaning` are for docs/spec.md, which
-- tools/write_docs.lua writes.
-- `required` says whether a table of fields must have the field; `check_part`: the check in place of `check` for a part
-- of a model, which the generator names.
return {
  { field = "kind", flag = "--kind", default = "mha",
    check = types.choice({ "mha", "sdpa", "encoder", "decoder", "transformer" }),
    help = "sdpa: attention alone, on heads in the shape [batch, heads, length, d_head]; encoder: a stack of " ..
    "layers, causal or not; decoder: a stack that also attends to an encoder's output; transformer: both",
    group = "shape", example = 'kind = "encoder"',
    meaning = 'what the model is. `"mha"`: one layer of multi-head attention. `"sdpa"`: scaled dot-product ' ..
      'attention alone, on heads in the shape [batch, heads, length, d_head], without weights. `"encoder"`: a ' ..
      'stack of layers, causal or not. `"decoder"`: a stack that also attends to the output of an encoder. ' ..
      '`"transformer"`: an encoder and a decoder' },
  { field = "name", flag = "--name", value = "NAME",
    check = types.described("a word: a letter, then letters, digits and `_`, in lower case", name),
    check_part = part_name, default = "mha_<d_model>_<heads>", most_letters = MOST_LETTERS,
    help = ("prefix of every symbol, and the program's name; at most %d letters"):format(MOST_LETTERS),
    group = "build", example = 'name = "reader"' },
  { field = "d_model", flag = "--d-model", check = types.count(1, 65536), required = is_layer, default = "512",
    help = "width of the layer's input and output",
    group = "shape", example = "d_model = 384" },
  { field = "n_heads", flag = "--heads", check = types.count(1, 1024), required = has_heads, default = "8",
    help = "attention heads",
    group = "shape", example = "n_heads = 12" },
  { field = "d_head", flag = "--d-head", check = types.count(1, 1024), default = "d_model / n_heads",
    help = "width of one head",
    group = "shape", example = "d_head = 128" },
  { field = "seq_len", flag = "--seq-len", check = types.length(65536), default = "1..512",
    help = "rows of a query sequence: exactly N, or any number from MIN to MAX",
    group = "shape", example = 'seq_len = "1..128"' },
  { field = "kv_seq_len", flag = "--kv-seq-len", check = types.length(65536), default = "as --seq-len",
    help = "rows of a key and value sequence",
    group = "shape", example = 'kv_seq_len = "1..77"' },
  { field = "batch", flag = "--batch", check = types.count(1, 65536), default = "any",
    help = "fixed number of sequences in a call",
    group = "shape", example = "batch = 1" },
  { field = "dtype", flag = "--dtype", value = table.concat(dtypes.WORDS, "|") .. ",NAME=...",
    check = dtypes.check, parse = dtypes.parse, default = "f32",
    help = "numbers that linears and attention multiply: floats, or floats rounded to bf16 or integers; any: all " ..
      "of these, so that `precision` can choose for linears of layers; after a word, other words for some of " ..
      table.concat(dtypes.LINEARS, ", ") .. ", attention, " .. table.concat(dtypes.LAST, ", ") ..
      "; embedding, the tables of token rows, learned positions and token types: f32 if the table does not name " ..
      "it, or bf16 or int8" ..
      ". In a model with a window, outputs, mask_fill, sinks, added keys or a cache, attention stays f32 if the " ..
      "table does not name it",
    group = "build", example = 'dtype = "int8"' },
  { field = "unroll", flag = "--unroll", check = types.count(1, 8), default = "2",
    help = "unrolled steps of the inner product in every kernel; more steps cost code and gain nothing",
    group = "build", example = "unroll = 4" },
}
