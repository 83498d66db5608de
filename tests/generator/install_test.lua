-- install_test.lua: the list of the installation, and the texts by which other builds find a library, for paths of all
-- kinds. That pkg-config and CMake read them is tests/packaging/installed_test.lua's part.
local fact = dofile("tests/generator/fact.lua")
local install = require "build.install"

local ANSWERS = { jansson = { libraries = "-L/j -ljansson" } }
local RELEASE = { abi = 8, version = "1.2.3" }

-- The settings of configure for these folders, of which the prefix is the first.
local function settings(prefix, libdir, includedir)
  return { prefix = prefix, bindir = prefix .. "/bin", libdir = libdir or prefix .. "/lib",
    includedir = includedir or prefix .. "/include", mandir = prefix .. "/share/man", datadir = prefix .. "/share" }
end

-- The text of one file of the model tiny.
local function text_of(name, folders, answers)
  for _, file in ipairs(install.texts({ "tiny" }, folders, answers or ANSWERS, RELEASE)) do
    if file[1] == name then return file[2] end
  end
end

fact.holds("a file of pkg-config has the folders, the version and what a static link needs", function()
  local text = text_of("tiny.pc", settings("/usr", "/usr/lib/x86_64-linux-gnu"))
  for _, line in ipairs({ "prefix=/usr", "libdir=/usr/lib/x86_64-linux-gnu", "includedir=/usr/include", "Name: tiny",
    "Version: 1.2.3", 'Libs: -L"${libdir}" -ltiny', "Libs.private: -lm -pthread" }) do
    fact.contains(text, "\n" .. line .. "\n")
  end
  fact.contains(text_of("tiny-weights.pc", settings("/usr")), "-lga_weights -L/j -ljansson\n")
end)

local TEXT = { jansson = ANSWERS.jansson, text = { requires = "libutf8proc libpcre2-8", plain = "-L/j -ljansson" } }

fact.holds("libga_text has a file of pkg-config, which says what an archive of it needs", function()
  local text = text_of("ga_text.pc", settings("/usr", "/usr/lib64"), TEXT)
  for _, line in ipairs({ "libdir=/usr/lib64", 'Libs: -L"${libdir}" -lga_text', 'Cflags: -I"${includedir}"',
    "Requires.private: libutf8proc libpcre2-8", "Libs.private: -L/j -ljansson -lm", "Version: 1.2.3" }) do
    fact.contains(text, "\n" .. line .. "\n")
  end
  fact.equal(text_of("ga_text.pc", settings("/usr")), nil)
end)

fact.holds("signs that pkg-config reads otherwise are escaped", function()
  fact.contains(text_of("tiny.pc", settings("/p $q #r\"s;t\\u")), [[prefix=/p $$q \#r\"s;t\\u]] .. "\n")
end)

fact.holds("CMake finds folders below the prefix from its own, and others where they are", function()
  local text = text_of("tiny-config.cmake", settings("/opt/a b", "/opt/a b/lib/$x", "/elsewhere"))
  fact.contains(text, '"${CMAKE_CURRENT_LIST_DIR}/../../../../" ABSOLUTE)\n')
  fact.contains(text, 'set(_ga_libdir "${_ga_prefix}/lib/\\$x")\n')
  fact.contains(text, "set(_ga_includedir [==[/elsewhere]==])\n")
  fact.contains(text, '"tiny::tiny;-L/j;-ljansson"')
  fact.contains(text_of("tiny-config-version.cmake", settings("/usr")), 'STREQUAL "1.2"')
end)

fact.holds("no word of a template is left", function()
  for _, file in ipairs(install.texts({ "a", "b" }, settings("/usr"), ANSWERS, RELEASE)) do
    assert(not file[2]:find("@%l+@"), file[1])
  end
end)

local GIVEN = { names = { "tiny" }, programs = { "out/bin/tiny" },
  shared = { "out/lib/libtiny.so.8", "out/lib/libtiny.so" }, archives = { "out/lib/libtiny.a" },
  headers = { "out/include/tiny.h" }, runtime_headers = { "out/include/genattn/model.h" }, prints = true }

fact.holds("the list says what goes where, and links stay links", function()
  local list = install.list(GIVEN, settings("/u r"), ANSWERS)
  for _, line in ipairs({ "755\tout/bin/tiny\t/u r/bin/tiny", "755\tout/lib/libtiny.so.8\t/u r/lib/libtiny.so.8",
    "link\tout/lib/libtiny.so\t/u r/lib/libtiny.so", "644\tout/lib/libtiny.a\t/u r/lib/libtiny.a",
    "644\tout/include/genattn/model.h\t/u r/include/genattn/model.h",
    "644\tout/install/tiny-weights.pc\t/u r/lib/pkgconfig/tiny-weights.pc",
    "644\tout/install/tiny-config.cmake\t/u r/lib/cmake/tiny/tiny-config.cmake",
    "644\tout/install/tiny.1\t/u r/share/man/man1/tiny.1",
    "644\tout/install/tiny.bash\t/u r/share/bash-completion/completions/tiny",
    "644\tout/install/tiny.zsh\t/u r/share/zsh/site-functions/_tiny",
    "644\tout/install/tiny.fish\t/u r/share/fish/vendor_completions.d/tiny.fish" }) do
    fact.contains("\n" .. list, "\n" .. line .. "\n")
  end
end)

fact.holds("several models share what reads weights", function()
  local given = { names = { "tiny", "small" }, programs = {}, shared = {}, headers = {}, runtime_headers = {},
    archives = { "out/lib/libtiny.a", "out/lib/libsmall.a", "out/lib/libga_weights.a" } }
  local list = install.list(given, settings("/usr"), ANSWERS)
  local _, count = list:gsub("/libga_weights%.a\n", "")
  fact.equal(count, 1)
  for _, name in ipairs(given.names) do fact.contains(list, ("/usr/lib/pkgconfig/%s-weights.pc\n"):format(name)) end
end)

fact.holds("without jansson there is nothing for files of weights, and without a program no page of it", function()
  local given = { names = { "tiny" }, programs = {}, shared = {}, archives = {}, headers = {}, runtime_headers = {} }
  local list = install.list(given, settings("/usr"), {})
  assert(not list:find("weights", 1, true) and not list:find("tiny.1", 1, true), list)
  fact.equal(text_of("tiny-weights.pc", settings("/usr"), {}), nil)
  fact.contains(list, "out/install/tiny.pc\t/usr/lib/pkgconfig/tiny.pc\n")
end)

fact.finish()
