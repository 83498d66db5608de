-- isa/vocabulary/lanes.lua: sums over a row that have the same bits on every instruction set.
local lanes = {}

-- Sums over a row have sixteen running sums on every set, one for each place in a row modulo sixteen, and fold them in
-- one order: eight to eight, four to four, two to two, one to one. So they have the same bits on each.
local LANES = 16

-- What templates may say of such sums: of the type V.lanes, none() of them; add(sum, v) and fmadd(a, b, sum) as
-- statements, which join a vector, or a product of two, the next after the one before; sum(sum), what all make.
function lanes.vocabulary(set, V)
  if set.width == LANES then
    return { lanes = set.type, lanes_none = V.zero, lanes_sum = function(sum) return ("vec_sum(%s)"):format(sum) end,
      lanes_add = function(sum, v) return ("%s = %s"):format(sum, V.add(sum, v)) end,
      lanes_fmadd = function(a, b, sum) return ("%s = %s"):format(sum, V.fmadd(a, b, sum)) end }
  end
  return { lanes = "struct lanes", lanes_none = function() return "lanes_none()" end,
    lanes_sum = function(sum) return ("lanes_sum(&%s)"):format(sum) end,
    lanes_add = function(sum, v) return ("lanes_add(&%s, %s)"):format(sum, v) end,
    lanes_fmadd = function(a, b, sum) return ("lanes_fmadd(&%s, %s, %s)"):format(sum, a, b) end }
end

-- The C text of struct lanes, in as many vectors as sixteen floats are. They move on by one with each vector that
-- joins: where the sums begin does not matter to how they fold, as each meets the same others in any case.
function lanes.helpers(set, V)
  if set.width == LANES or set.lanes then return set.lanes or "" end
  local n, type, lines = LANES / set.width, set.type, {}
  local function out(...) lines[#lines + 1] = string.format(...) end
  local function at(i) return ("sum->at[%d]"):format(i) end
  local function moving(name, parameters, joined)
    out("static inline void lanes_%s(struct lanes *sum, %s)", name, parameters)
    out("{\n    const %s joined = %s;", type, joined)
    for i = 0, n - 2 do out("    %s = %s;", at(i), at(i + 1)) end
    out("    %s = joined;\n}\n", at(n - 1))
  end
  out("\n// Sixteen running sums over a row, which fold in the order that every instruction set has; the next " ..
    "vector joins the\n// first of these.")
  out("struct lanes {\n    %s at[%d];\n};\n", type, n)
  out("static inline struct lanes lanes_none(void)\n{\n    return (struct lanes){{%s%s}};\n}\n",
    (V.zero() .. ", "):rep(n - 1), V.zero())
  moving("add", type .. " v", V.add(at(0), "v"))
  moving("fmadd", ("%s a, %s b"):format(type, type), V.fmadd("a", "b", at(0)))
  local folded = {}
  for i = 0, n - 1 do folded[i] = at(i) end
  while n > 1 do
    n = n / 2
    for i = 0, n - 1 do folded[i] = V.add(folded[i], folded[i + n]) end
  end
  out("static inline float lanes_sum(const struct lanes *sum)\n{\n    return vec_sum(%s);\n}", folded[0])
  return table.concat(lines, "\n") .. "\n"
end

return lanes
