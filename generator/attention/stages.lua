-- attention/stages.lua: the stages that a feature's fragments may have: the named places in templates where they are
-- spliced in, each with what a fragment does there. Knows no feature.
local stages = {}

for line in ([[
layer_functions      functions that its fragments in the layer call
projected            changes the rows of one head's q, k or v
heads_projected      acts when all heads are projected, before `completed`
completed            changes them after that, once the row's other heads are projected if a feature needs these
output               changes columns of the output
head_fields          declares fields of a head
head                 fills these fields
head_done            acts when one head of a sequence is done
attended             acts when all heads are done
kernel_tables        kernels in addition to the usual ones
operand_prototypes   prototypes of functions that its `operands` calls
operand_functions    these functions, which make keys and values as products read them
operands             sets where a head's keys and values are, as products read them
block_fields         declares what a block of rows needs
block_functions      functions about a block's ranges of keys
attend_functions     functions that its fragments of rows call
attend               acts before the blocks of a head
key_range            says which keys a row sees
tile_scores          acts before the scores of one tile
block_scores         acts after the scores of a block, before its rows become weights
score_row            declares what `score_vector` needs, before the loop over a row
score_vector         changes a vector of scores: all modifiers share one loop over a row, in the order of `score_order`
first_score_vector   acts after that on the first vector of a row, where there are modifiers
first_vector         acts on the first vector of a row, where there are none
scores_ready         uses a row of scores before softmax
row_bounds           says where softmax ends, and its maximum
softmax_row          uses a row of weights
softmax_block        replaces templates/attention/softmax_block.c.lt
extend_row           says which of a row's keys come before its range
value_params         parameters of value kernels
value_begin          steps of a value kernel before its loop
value_functions      functions of weights times values
value_tiles          skips tiles of a running sum
value_keys           replaces the usual kernels
block                gives outputs of a block of rows
]]):gmatch("[^\n]+") do
  local name, does = line:match("^(%S+)%s+(.*)$")
  stages[#stages + 1] = { name = name, does = does }
end

return stages
