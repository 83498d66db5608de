-- ratio.lua: how much faster one of two programs is than the other, from rounds that time both, until the difference is
-- beyond the noise. Knows no program.
local ratio = {}

-- Rounds: at least, at most, and how many between two looks. CLOSE: within so much of 1 two times are the same.
local LEAST, MOST, EACH, CLOSE = 8, 240, 8, 0.005
-- Half the width of the interval of ranks, in square roots of the rounds: the median lies in it in 99 of 100 cases.
local RANKS = 1.29

-- The median of a list of numbers and an interval for it, by ranks: no rare disturbed round moves them.
function ratio.median(numbers)
  local sorted, n = {}, #numbers
  for i, number in ipairs(numbers) do sorted[i] = number end
  table.sort(sorted)
  local half = RANKS * math.sqrt(n)
  local low, high = math.max(1, math.floor(n / 2 - half)), math.min(n, math.ceil(n / 2 + half) + 1)
  local middle = (sorted[math.floor((n + 1) / 2)] + sorted[math.ceil((n + 1) / 2)]) / 2
  return middle, sorted[low], sorted[high]
end

local function verdict(low, high)
  if low > math.log(1 + CLOSE) then return "faster" end
  if high < 0 then return "slower" end
  if high < math.log(1 + CLOSE) then return "same" end
end

-- Calls round(i), which gives log(time of the first / time of the second), until the second is faster by more than
-- CLOSE, or is not, or the rounds or the time are over (out_of_time()). Returns { verdict, ratio, low, high, rounds };
-- verdict: "faster", "slower", "same", or "unclear".
function ratio.measure(round, out_of_time)
  local logs = {}
  local middle, low, high
  repeat
    for _ = 1, EACH do logs[#logs + 1] = round(#logs + 1) end
    middle, low, high = ratio.median(logs)
    local found = #logs >= LEAST and verdict(low, high)
    if found or #logs >= MOST or out_of_time() then
      return { verdict = found or "unclear", ratio = math.exp(middle), low = math.exp(low), high = math.exp(high),
        rounds = #logs }
    end
  until false
end

return ratio
