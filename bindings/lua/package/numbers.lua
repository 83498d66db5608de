-- numbers.lua: whole numbers among arguments, looked at before C takes them: LuaJIT's FFI cuts a number to the bits of
-- its type without a word. Knows no argument by name.
local numbers = {}

-- The largest up to which a Lua number has every whole number.
numbers.MOST = 2 ^ 53

function numbers.is_whole(value, least, most)
  return type(value) == "number" and value >= least and value <= most and value % 1 == 0
end

-- Returns the value. Raises an error with its name if it is not a whole number least..most (or math.huge).
function numbers.whole(name, value, least, most)
  if not numbers.is_whole(value, least, most) then
    error(("%s is %s; expected %s"):format(name, tostring(value), most < numbers.MOST and
      ("%d..%d"):format(least, most) or ("a whole number, at least %d"):format(least)), 0)
  end
  return value
end

return numbers
