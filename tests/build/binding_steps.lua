-- binding_steps.lua: the test steps of the bindings for C++, LuaJIT and Lua, which `ninja check-all` runs. What is not
-- installed is told of by the summary.
local Edges = require "build.edges"
local commands = require "tests.build.step_commands"
local inputs = require "tests.build.inputs"

local joined, quoted = Edges.joined, commands.quoted

-- The hosts of modules for Lua that are here: commands. What is not here is told of by the second list.
local function lua_hosts(all)
  local hosts, missing = {}, {}
  local function find(name, is_there, package)
    for _, lua in ipairs(all.luas) do
      if is_there and lua:find(name, 1, true) then
        hosts[#hosts + 1] = lua
        return
      end
    end
    missing[#missing + 1] = all.steps.off(("modules for %s (Debian: %s)"):format(name, package))
  end
  find("luajit", true, "luajit")
  find("lua5.4", all.saved.answers.lua54, "lua5.4 liblua5.4-dev")
  return hosts, missing
end

-- LuaJIT and Lua 5.4: the declarations from the headers, and the modules in each host.
local function lua_steps(all, script_step)
  if all.saved.settings.sanitize or #all.tests.lua_modules == 0 then
    return { all.steps.off("modules for Lua: a sanitizer must be the program's own") }
  end
  local hosts, list = lua_hosts(all)
  local reads = inputs.files("bindings/lua", "bindings/luajit", "tests/bindings/lua", "tests/bindings/luajit")
  if hosts[1] then
    list[#list + 1] = script_step(all, "modules for Lua", "tests/bindings/lua/run.lua",
      ("out/test out/test/bin/transformer_40_2 %s"):format(quoted(hosts)), joined(reads, all.tests.lua_modules,
        all.tests.programs))
  end
  if hosts[1] and hosts[1]:find("luajit") then
    local declared = "tests/bindings/luajit/declarations_test.lua"
    list[#list + 1] = all.steps:add({ name = "headers as LuaJIT has them",
      command = ("%s %s %s %s"):format(hosts[1], declared, all.lua, all.cc),
      inputs = joined(reads, all.built.headers) })
  end
  return list
end

-- What users of the bindings do: the examples in their hosts, the rockspec.
local function users_step(all, script_step)
  if all.saved.settings.sanitize or #all.tests.lua_modules == 0 then
    return all.steps.off("examples of the bindings: compiled without sanitizers, as their users do")
  end
  return script_step(all, "examples of the bindings", "tests/bindings/users/users_test.lua",
    ("out/test/examples %s %s"):format(all.cc, quoted((lua_hosts(all)))), joined(all.tests.examples,
      inputs.files("examples", "bindings/lua", "bindings/cpp", "tests/bindings/users")))
end

-- The header for C++, compiled by each compiler for C++ and run.
local function cpp_step(all, script_step)
  if all.saved.settings.sanitize or #all.tests.lua_modules == 0 then
    return all.steps.off("the header for C++: compiled without sanitizers")
  end
  local library = "out/test/lua/cache_40_4/library.so"
  return script_step(all, "the header for C++", "tests/bindings/cpp/run.lua", "out/test/cpp " .. library,
    joined(inputs.files("bindings/cpp", "tests/bindings/cpp"), { library }, all.built.headers))
end

-- all: as steps.lua has it; script_step: its function. Returns the steps.
return function(all, script_step)
  return joined(lua_steps(all, script_step), { cpp_step(all, script_step), users_step(all, script_step) })
end
