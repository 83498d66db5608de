-- release.lua: the two numbers that packages bear, from the headers in which they stand, and nowhere else.
local fs = require "base.fs"

local function found(path, pattern, what)
  return (assert(assert(fs.read(path)):match(pattern), path .. ": no " .. what))
end

-- A table: abi, a number that libraries and their users must agree on, which changes with the structs that they share;
-- and version, that of genattn.
return function()
  return { abi = tonumber(found("runtime/include/genattn/model.h", "GA_ABI = (%d+)", "GA_ABI")),
    version = found("program/commands/program.h", 'GA_VERSION "([%d.]+)"', "GA_VERSION") }
end
