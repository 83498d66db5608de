-- ops/stages.lua: the stages that a block's fragments may have: the named places in the templates of whole models where
-- they are spliced in, each with what a fragment does there. Knows no block.
local stages = {}

for line in ([[
headers           includes of the stack's own header
sizes             constants outside the layers
layer_sizes       constants of a layer
includes          headers of the runtime
buffer_fields     scratch in addition to the planned buffers
buffers           lays that scratch out
pass_fields       fields of a call
in_functions      functions that operations on input rows call
token_row         gives the embedding's row of a token
row_functions     functions of rows that its other fragments call
layer_functions   functions of all rows that a layer calls
begin_functions   functions that operations on a call call
block_functions   functions that operations on a block of rows call
out_functions     functions that operations on outputs call
before_logits     changes the `count` rows at x that the linear of logits multiplies
after_logits      changes its result, the rows at `to`
]]):gmatch("[^\n]+") do
  local name, does = line:match("^(%S+)%s+(.*)$")
  stages[#stages + 1] = { name = name, does = does }
end

return stages
