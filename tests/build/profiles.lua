-- profiles.lua: the ways in which tests are built, in addition to the products': where files go, and what is added to
-- the flags. Adds no edge.
local Edges = require "build.edges"
local ninja = require "ninja"

local profiles = { PORTABLE = "scalar" }

-- The test models of `ninja check`, each for the portable and the best instruction set; and all of them, for all sets.
-- Their objects, and what is linked with neither, lie where those of the products do.
local function models_profile(test, gen, kernel_variables)
  local profile = { test = test, gen = gen, kernel_variables = kernel_variables }
  return setmetatable(profile, { __index = Edges.PLAIN })
end
-- The facts hold whatever the optimization, and gcc compiles with -Og in half the time of -O2. Portable C has the fused
-- multiply-add of this CPU here; the products have the one in C, as do models that use every template.
profiles.CHECK = models_profile("out/test/check", "out/gen/check/", { { "opt", ninja.raw("$check_opt") } })
profiles.CHECK.portable_flags = "$fused"
profiles.ALL = models_profile("out/test/all", "out/gen/test/")
-- Models that are other models' text with other numbers. gcc takes two to four times as long for it with -O2, which it
-- has in the models that use every line of the templates. With check's flags they also have its compiled intrinsics.
profiles.ALL_QUICK = models_profile(profiles.CHECK.test, profiles.ALL.gen, profiles.CHECK.kernel_variables)
profiles.ALL_QUICK.portable_flags = profiles.CHECK.portable_flags

-- Variants that are written in terms of AVX2, by SIMDe or by tests/emulate, with its flags.
local BY_AVX2 = "-isystem tests/emulate $runtime_includes -I out/include -mavx2 -mfma -Wno-psabi"
profiles.EMULATED = { avx512 = BY_AVX2, avx512amx = BY_AVX2, avx2vnni = BY_AVX2 }
profiles.EMULATION = { obj = "out/emulated/obj", test = "out/emulated/test", variables = { { "opt", "-O1" } } }

-- Data races are looked for apart: one binary has one sanitizer of memory.
profiles.RACES = { obj = "out/races/obj", lib = "out/races/lib", test = "out/races/test",
  variables = { { "mode", ninja.raw("$races") }, { "opt", "-O2" } } }
-- Numbers that nobody wrote, which only clang looks for, and only in what it compiled: the portable kernels, of models
-- generated without others. What it does not see write has something to stand before it.
profiles.UNSET = { obj = "out/unset/obj", lib = "out/unset/lib", test = "out/unset/test", gen = "out/gen/unset/",
  libraries = "-Wl,--wrap=json_loadb,--wrap=json_load_callback,--wrap=json_dumpb,--wrap=fstat,--wrap=fstat64," ..
    "--wrap=stat,--wrap=stat64 $program_libraries",
  variables = { { "cc", ninja.raw("$clang") }, { "mode", ninja.raw("$unset") }, { "opt", "-O1" } } }
-- For another architecture, by an emulator that has no libraries of it. The user's flags are of this machine.
profiles.CROSS = { obj = "out/cross/obj", lib = "out/cross/lib", test = "out/cross/test", gen = "out/gen/cross/",
  libraries = "-lm -pthread", variables = { { "cc", ninja.raw("$cross_cc") }, { "cppflags", "" }, { "cflags", "" },
    { "mode", "" }, { "ldflags", "-static" } } }
-- Profiles as their tables of models and their ways to compile are called.
profiles.NAMES = { [profiles.CHECK] = "check", [profiles.ALL] = "test", [profiles.EMULATION] = "emulated",
  [Edges.SANITIZED] = "sanitized", [profiles.RACES] = "races", [profiles.UNSET] = "unset", [profiles.CROSS] = "cross" }

return profiles
