-- arm_loops_test.lua: which loop of a kernel bench/arm models, and what it finds there.
package.path = "bench/arm/?.lua;" .. package.path
local fact = dofile("tests/generator/fact.lua")
local loops = require "loops"

local TEXT = [[
other:
.LBB0_1:
    fmla v0.4s, v1.4s, v2.s[0]
    fmla v3.4s, v1.4s, v2.s[0]
    b.lo .LBB0_1
.Lfunc_end0:
kernel:                                 // @kernel
    sub sp, sp, #32
.LBB1_1:                                // =>This Loop Header
    mov x9, x1
.LBB1_2:                                //   Parent Loop
    .p2align 4
    ldr q4, [sp, #16]                   // 16-byte Folded Reload
    sudot v0.4s, v1.16b, v2.4b[0]
    usdot v3.4s, v1.16b, v2.4b[0]
    usmmla v5.4s, v1.16b, v2.16b
    subs x9, x9, #1
    b.ne .LBB1_2
    fmla v0.4s, v1.4s, v2.s[0]
    cbnz x3, .LBB1_1
    ret
.Lfunc_end1:
]]

fact.holds("the loop is the innermost one of that function, without what the assembler does not run", function()
  local body = loops.inner(TEXT, "kernel")
  fact.equal(#body, 6)
  fact.equal(body[1], "    ldr q4, [sp, #16]")
  fact.equal(body[6], "    b.ne .LBB1_2")
  fact.raises("no function is called nothing", loops.inner, TEXT, "nothing")
end)

fact.holds("multiply-adds are counted by what they multiply, and the stack's loads and stores", function()
  local body = loops.inner(TEXT, "kernel")
  local list, products, names = loops.multiply_adds(body)
  fact.equal(#list, 3)
  fact.equal(products, 64)
  fact.lists_equal(names, { "sudot", "usdot", "usmmla" })
  fact.equal(loops.spills(body), 1)
  fact.equal(loops.spills(loops.inner(TEXT, "other")), 0)
end)

fact.finish()
