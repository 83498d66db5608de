-- minimax.lua: the polynomial of a degree whose largest relative error over an interval is smallest (Remez).
-- Knows no function: a problem is { target = function, low = x, high = x } with a target that is nowhere zero.
local minimax = {}

local GRID = 4000         -- steps of the search for extrema, which are then refined
local MAX_EXCHANGES = 30
local LEVEL = 1 + 1e-5    -- largest extremum over smallest at which the fit is called level; doubles give 1e-6 at best

local function evaluate(coefficients, x)
  local p = 0
  for i = #coefficients, 1, -1 do p = p * x + coefficients[i] end
  return p
end

function minimax.relative_error(problem, coefficients, x)
  return evaluate(coefficients, x) / problem.target(x) - 1
end

-- -- One exchange ---------------------------------------------------------------------------------------------------

local function swap_pivot(rows, column)
  local best = column
  for i = column + 1, #rows do
    if math.abs(rows[i][column]) > math.abs(rows[best][column]) then best = i end
  end
  rows[column], rows[best] = rows[best], rows[column]
end

-- Solves rows of { a_1, ..., a_n, b } by elimination with pivots; the rows are used up.
local function solve(rows)
  local n = #rows
  for column = 1, n do
    swap_pivot(rows, column)
    for i = 1, n do
      local factor = i ~= column and rows[i][column] / rows[column][column] or 0
      for j = column, n + 1 do rows[i][j] = rows[i][j] - factor * rows[column][j] end
    end
  end
  local x = {}
  for i = 1, n do x[i] = rows[i][n + 1] / rows[i][i] end
  return x
end

-- The polynomial whose relative error at the points is +e, -e, +e, ... for one e.
local function level_at(problem, points)
  local degree, rows = #points - 2, {}
  for i, x in ipairs(points) do
    local row, power = {}, 1
    for j = 1, degree + 1 do
      row[j] = power / problem.target(x)
      power = power * x
    end
    row[degree + 2] = i % 2 == 1 and -1 or 1
    row[degree + 3] = 1
    rows[i] = row
  end
  local solution = solve(rows)
  solution[degree + 2] = nil -- e
  return solution
end

-- -- Extrema --------------------------------------------------------------------------------------------------------

-- Where |error| is largest between low and high, around which it has one hill: golden section.
local function climb(error_at, low, high)
  local ratio = (math.sqrt(5) - 1) / 2
  for _ = 1, 40 do
    local left, right = high - ratio * (high - low), low + ratio * (high - low)
    if math.abs(error_at(left)) > math.abs(error_at(right)) then high = right else low = left end
  end
  return (low + high) / 2
end

-- One extremum for each run of the error's sign over the interval, in order.
local function extrema(problem, coefficients)
  local function error_at(x) return minimax.relative_error(problem, coefficients, x) end
  local function at(i) return i / GRID * (problem.high - problem.low) + problem.low end
  local peaks, sign = {}, nil
  for i = 0, GRID do
    local e = error_at(at(i))
    if sign ~= (e > 0) then
      sign = e > 0
      peaks[#peaks + 1] = i
    elseif math.abs(e) > math.abs(error_at(at(peaks[#peaks]))) then
      peaks[#peaks] = i
    end
  end
  for n, i in ipairs(peaks) do
    -- At the ends of the interval the error has its extremum without a hill.
    peaks[n] = (i == 0 or i == GRID) and at(i) or climb(error_at, at(i - 1), at(i + 1))
  end
  return peaks
end

local function extent(problem, coefficients, points)
  local smallest, largest = math.huge, 0
  for _, x in ipairs(points) do
    local e = math.abs(minimax.relative_error(problem, coefficients, x))
    smallest, largest = math.min(smallest, e), math.max(largest, e)
  end
  return smallest, largest
end

local function chebyshev_points(problem, count)
  local points, middle = {}, (problem.low + problem.high) / 2
  for i = 1, count do
    points[i] = middle - math.cos(math.pi * (i - 1) / (count - 1)) * (problem.high - problem.low) / 2
  end
  return points
end

-- Coefficients from the constant up, and the largest relative error; an error when the exchange does not settle.
function minimax.fit(problem, degree)
  local points = chebyshev_points(problem, degree + 2)
  for _ = 1, MAX_EXCHANGES do
    local coefficients = level_at(problem, points)
    points = extrema(problem, coefficients)
    if #points ~= degree + 2 then error(("%d extrema in place of %d"):format(#points, degree + 2)) end
    local smallest, largest = extent(problem, coefficients, points)
    if largest / smallest < LEVEL then return coefficients, largest end
  end
  error("the exchange does not settle")
end

-- -- Output ---------------------------------------------------------------------------------------------------------

-- A normal double as a hex float, digit by digit, for %a differs between Luas.
function minimax.hex(x)
  if x < 0 then return "-" .. minimax.hex(-x) end
  local exponent = 0
  while x >= 2 do x, exponent = x / 2, exponent + 1 end
  while x < 1 do x, exponent = x * 2, exponent - 1 end
  local digits, rest = "", x - 1
  while rest > 0 do
    local digit = math.floor(rest * 16)
    digits, rest = digits .. ("%x"):format(digit), rest * 16 - digit
  end
  return ("0x1%s%sp%d"):format(digits == "" and "" or ".", digits, exponent)
end

-- The fit of a degree as lines of Lua, and its error.
function minimax.print(problem, degree)
  local coefficients, largest = minimax.fit(problem, degree)
  for i, c in ipairs(coefficients) do
    print(("%-24s -- x^%d, %.17g"):format(minimax.hex(c) .. (i < #coefficients and "," or ""), i - 1, c))
  end
  print(("largest relative error %.4g, %.4f units of a float's last place at 1"):format(largest, largest * 2 ^ 23))
end

return minimax
