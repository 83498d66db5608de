-- hf/roberta.lua: RobertaModel: BERT but for its positions, whose rows begin after that of the padding's token.
local bert = require "import.hf.bert"
local common = require "import.hf.common"

local roberta = common.like(bert, "Bert", "Roberta", {
  maps = { "bert", "roberta", "roberta_one_bias" },
  fields = {
    { "pad_token_id", "positions.padding", by = "before_first", default = 1 },
    { "pad_token_id", "positions.first", by = "after", default = 1 },
    { "max_position_embeddings", "positions.rows" },
    { "max_position_embeddings", "seq_len", by = "up_to_less", less = "positions.first" },
  },
})
roberta.prefixes = { "", "roberta." }
roberta.ignores = { bert.ignores[1] }
roberta.architectures = {
  RobertaModel = {},
  RobertaForMaskedLM = {
    fixed = { common.words_fixed[1], common.words_fixed[2], { "logits.transform", "gelu" } },
    fields = common.words_fields,
  },
  RobertaForSequenceClassification = bert.architectures.BertForSequenceClassification,
  RobertaForTokenClassification = bert.architectures.BertForTokenClassification,
}
roberta.unread = {
  bert.unread[1], bert.unread[2],
  { "the embedding and its bias once more", "lm_head.decoder", where = { "logits.tied", true } },
  { "the bias of tied logits", "lm_head.bias", where = { "logits.tied", false } },
  { "heads that are not made", "lm_head classifier" },
}
return roberta
