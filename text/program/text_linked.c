// text_linked.c: the table of libga_text's functions in a program with text.
#include "text_library.h"

const struct ga_text_library ga_text_library = {
    .tokenizer_read = ga_text_tokenizer_read,
    .tokenizer_open_for = ga_text_tokenizer_open_for,
    .tokenizer_pack = ga_text_tokenizer_pack,
    .tokenizer_chat_template = ga_text_tokenizer_chat_template,
    .chat_name = ga_text_chat_name,
    .chat_named = ga_text_chat_named,
    .chat_recognise = ga_text_chat_recognise,
    .encode_chat = ga_text_encode_chat,
    .tokenizer_beside = ga_text_tokenizer_beside,
    .tokenizer_hash = ga_text_tokenizer_hash,
    .tokenizer_ends = ga_text_tokenizer_ends,
    .recorded_hash = ga_text_recorded_hash,
    .recorded_number = ga_text_recorded_number,
    .recorded_text = ga_text_recorded_text,
    .recorded_prompt = ga_text_recorded_prompt,
    .prompt_name = ga_text_prompt_name,
    .named_prompt = ga_text_named_prompt,
    .tokenizer_close = ga_text_tokenizer_close,
    .tokenizer_ids = ga_text_tokenizer_ids,
    .context_open = ga_text_context_open,
    .set_limit = ga_text_context_set_limit,
    .context_close = ga_text_context_close,
    .encode = ga_text_encode,
    .decode = ga_text_decode,
};
