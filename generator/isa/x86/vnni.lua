-- isa/x86/vnni.lua: the products of sets that have VNNI: four bytes, or two numbers of 16 bits, of each lane at a time.
-- gcc 12 copies the sum around the intrinsic, and keeps half of a register tile on the stack for it; with the
-- instruction itself it does neither. clang keeps sums of 256 bits there, too, where a tile has all registers.
local TEXT = [[

// Adds the products of each lane's elements to it.
static inline <TYPE> <NAME>(<TYPE> sum, <TYPE> a, <TYPE> b)
{
#if <IF>
    __asm__("<PREFIX>vp<OPERATION> %2, %1, %0" : "+<REGISTER>"(sum) : "<REGISTER>"(a), "<REGISTER>"(b));
    return sum;
#else
    return <BEGIN>_<OPERATION>_<END>(sum, a, b);
#endif
}
]]

-- words: the vector's type; what intrinsics begin and end with; what the instruction begins with, and the registers
-- that it takes; the condition of the preprocessor under which compilers are given the instruction itself.
local function add_products(words, name, operation)
  local all = setmetatable({ NAME = name, OPERATION = operation }, { __index = words })
  return (TEXT:gsub("<(%u+)>", function(word) return all[word] end))
end

-- The table `products` of a set with VNNI; needs: cflags and cpu.
return function(words, splat, load, needs)
  local function product(unit, name, operation)
    return { unit = unit, splat = splat, load = load, dot = name .. "(%s, %s, %s)", cflags = needs.cflags,
      cpu = needs.cpu, helpers = add_products(words, name, operation) }
  end
  local bytes = product(4, "add_fours", "dpbusd")
  -- Sums of weights have 16 bits. dpwssd would add to a zero, and a mask of their halves be another vector, for which
  -- there is no register beside those of a tile's sums.
  bytes.start = words.BEGIN .. "_madd_epi16(%s, %s)"
  local pairs_of = product(2, "add_pairs", "dpwssd")
  local grouped = setmetatable({ with = pairs_of, shorts = pairs_of.dot }, { __index = bytes })
  return { bytes = bytes, grouped_bytes = grouped, int16 = pairs_of }
end
