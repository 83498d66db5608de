-- bert_tokenizer.lua: a tokenizer.json as BERT's are, of twelve tokens, for the tests of programs that make vectors of
-- texts. Tests nothing.
local VOCABULARY = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "sat", "on", "the", "mat", "##s" }

-- Returns the text of the file.
return function()
  local entries = {}
  for i, token in ipairs(VOCABULARY) do entries[i] = ('"%s": %d'):format(token, i - 1) end
  return ([[{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
      "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
      "max_input_chars_per_word": 100, "vocab": {%s}}}]]):format(table.concat(entries, ", "))
end
