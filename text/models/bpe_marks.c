// bpe_marks.c: whether a BPE model can join the mark of a word's beginning to what is before it. Encodes nothing.
#include <string.h>

#include "bpe.h"

static bool begins_with(struct ga_text_bytes token, struct ga_text_bytes text)
{
    return token.length >= text.length && memcmp(token.bytes, text.bytes, text.length) == 0;
}

static bool ends_with(struct ga_text_bytes token, struct ga_text_bytes text)
{
    return token.length >= text.length &&
           memcmp(token.bytes + token.length - text.length, text.bytes, text.length) == 0;
}

// Whether no merge joins a token that begins with `text` to one that does not end with it.
static bool is_never_joined(const struct ga_text_bpe *bpe, struct ga_text_bytes text)
{
    for (size_t i = 0; i <= bpe->merges.mask; i++) {
        const struct ga_text_merge_slot *slot = &bpe->merges.slots[i];
        if (slot->left != GA_TEXT_NO_ID && begins_with(ga_text_vocabulary_token(&bpe->vocabulary, slot->right), text) &&
            !ends_with(ga_text_vocabulary_token(&bpe->vocabulary, slot->left), text)) {
            return false;
        }
    }
    return true;
}

static bool unknown_ends_with(const struct ga_text_bpe *bpe, struct ga_text_bytes mark)
{
    return bpe->unknown_id != GA_TEXT_NO_ID &&
           ends_with(ga_text_vocabulary_token(&bpe->vocabulary, bpe->unknown_id), mark);
}

static bool has_all_bytes(const struct ga_text_bpe *bpe)
{
    for (size_t i = 0; i < 256; i++) {
        if (bpe->byte_ids[i] == GA_TEXT_NO_ID) {
            return false;
        }
    }
    return bpe->byte_fallback;
}

bool ga_text_bpe_cuts_at(const struct ga_text_bpe *bpe, struct ga_text_bytes mark)
{
    static const struct ga_text_bytes byte_tokens = {"<0x", 3};
    const bool leaves_out = !bpe->has_unknown && !has_all_bytes(bpe); // and joins what is next to a character
    if (bpe->prefix.length > 0 || bpe->suffix.length > 0 || leaves_out || unknown_ends_with(bpe, mark)) {
        return false;
    }
    const bool is_token = ga_text_vocabulary_id(&bpe->vocabulary, mark.bytes, mark.length) != GA_TEXT_NO_ID;
    return is_token ? is_never_joined(bpe, mark) : has_all_bytes(bpe) && is_never_joined(bpe, byte_tokens);
}
