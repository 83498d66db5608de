-- loops.lua: the inner loop of a kernel in an assembler text of AArch64, and what is in it. Runs nothing.
local loops = {}

-- Products that an instruction adds to a sum.
local MULTIPLY_ADDS = { fmla = 4, mla = 4, smlal = 4, smlal2 = 4, bfmlalb = 4, bfmlalt = 4, sdot = 16, udot = 16,
  usdot = 16, sudot = 16, usmmla = 32 }

local function mnemonic(line) return line:match("^%s+([%w.]+)") end

-- The lines of a function.
local function lines_of(text, symbol)
  local lines, is_inside = {}, false
  for line in text:gmatch("[^\n]*") do
    if line:sub(1, #symbol + 1) == symbol .. ":" then is_inside = true end
    if is_inside and line:find("^%.Lfunc_end") then return lines end
    if is_inside then lines[#lines + 1] = line end
  end
  error("no function is called " .. symbol, 0)
end

-- Its instructions from one line to another, or nil where there is a label between: that is no inner loop.
local function between(lines, first, last)
  local body = {}
  for i = first, last do
    local line = lines[i]:gsub("%s*//.*", "")
    if line:find("^%.L") then return nil end
    if mnemonic(line) and not line:find("^%s+%.") then body[#body + 1] = line end
  end
  return body
end

-- Its instructions that multiply and add; how many products all of them add; their names, each once, in order.
function loops.multiply_adds(body)
  local list, products, seen, names = {}, 0, {}, {}
  for _, line in ipairs(body) do
    local name = mnemonic(line)
    if MULTIPLY_ADDS[name] then
      list[#list + 1], products = line, products + MULTIPLY_ADDS[name]
      names[#names + 1] = not seen[name] and name or nil
      seen[name] = true
    end
  end
  table.sort(names)
  return list, products, names
end

-- Loads and stores of the stack.
function loops.spills(body)
  local count = 0
  for _, line in ipairs(body) do
    if line:find("[sp", 1, true) then count = count + 1 end
  end
  return count
end

-- The instructions of the inner loop of a function that multiplies most.
function loops.inner(text, symbol)
  local lines, at, best, most = lines_of(text, symbol), {}, nil, -1
  for i, line in ipairs(lines) do
    local label = line:match("^(%.L[%w_]+):")
    if label then at[label] = i end
    local back = at[(line:match("^%s+[ct]?bn?%.?[%w]*%s.-(%.L[%w_]+)%s*$"))]
    local body = back and between(lines, back + 1, i)
    local count = body and #loops.multiply_adds(body) or -1
    if count > most then best, most = body, count end
  end
  return best or error("no loop in " .. symbol, 0)
end

return loops
