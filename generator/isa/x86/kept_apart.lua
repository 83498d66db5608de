-- isa/x86/kept_apart.lua: the function by which a vector stays what it is: compilers would add products to each other
-- first, and keep sums on the stack meanwhile, or read from memory twice what is used twice.
local TEXT = [[

// The same vector, of which the compiler knows nothing.
static inline <TYPE> vec_kept_apart(<TYPE> v)
{
#if defined(__GNUC__) && defined(<DEFINED>)
    __asm__("" : "+<REGISTER>"(v));
#endif
    return v;
}
]]

-- words: the vector's type; the registers that it takes; what the compiler defines where it has them.
return function(words)
  return (TEXT:gsub("<(%u+)>", words))
end
