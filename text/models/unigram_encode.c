// unigram_encode.c: the tokens that the model Unigram gives a piece: those of the path of the highest score, added up
// in doubles from the beginning of the piece, as the package adds them. Reads no JSON.
#include "unicode.h"
#include "unigram.h"

// -- Paths ----------------------------------------------------------------------------------------------------------

static enum ga_status clear_paths(struct ga_text_unigram_scratch *scratch, size_t length)
{
    void *paths = scratch->paths;
    const enum ga_status status = ga_text_grow(&paths, &scratch->capacity, 0, length + 1, sizeof(*scratch->paths));
    scratch->paths = paths;
    for (size_t i = 0; status == GA_OK && i <= length; i++) {
        scratch->paths[i] = (struct ga_text_path){0, GA_TEXT_NO_PATH, GA_TEXT_NO_ID};
    }
    return status;
}

static inline bool is_better(const struct ga_text_path *path, double score)
{
    return path->begin == GA_TEXT_NO_PATH || score > path->score;
}

// Takes the tokens that begin at `begin` into the paths; whether one of them is the character there, which ends at
// `character_end`.
static bool add_tokens(const struct ga_text_unigram *unigram, struct ga_text_path *paths, struct ga_text_bytes piece,
                       size_t begin, size_t character_end)
{
    const double score_here = paths[begin].score;
    const size_t left = piece.length - begin;
    const size_t end = begin + (left < GA_TEXT_LONGEST_TOKEN ? left : GA_TEXT_LONGEST_TOKEN); // also of a packed array
    bool has_character = false;
    int32_t place = GA_TEXT_ARRAY_ROOT;
    for (size_t at = begin; at < end; at++) {
        place = ga_text_array_child(&unigram->array, place, (unsigned char)piece.bytes[at]);
        if (place == GA_TEXT_FREE) {
            break;
        }
        const int32_t id = unigram->array.nodes[place].id;
        if (id == GA_TEXT_NO_ID) {
            continue;
        }
        const double score = unigram->scores[id] + score_here;
        if (is_better(&paths[at + 1], score)) {
            paths[at + 1] = (struct ga_text_path){score, (uint32_t)begin, id};
        }
        has_character |= at + 1 == character_end;
    }
    return has_character;
}

static enum ga_status refuse_unknown(struct ga_error *error)
{
    return ga_fail(error, GA_FORMAT,
                   "the text has a character that is not a token; expected the model to have an "
                   "\"unk_id\"");
}

static enum ga_status add_unknown(const struct ga_text_unigram *unigram, struct ga_text_path *paths, size_t begin,
                                  size_t end, struct ga_error *error)
{
    const double score = unigram->unknown_score + paths[begin].score;
    if (!is_better(&paths[end], score)) {
        return GA_OK;
    }
    if (unigram->unknown_id == GA_TEXT_NO_ID) {
        return refuse_unknown(error);
    }
    paths[end] = (struct ga_text_path){score, (uint32_t)begin, unigram->unknown_id};
    return GA_OK;
}

static enum ga_status find_paths(const struct ga_text_unigram *unigram, struct ga_text_path *paths,
                                 struct ga_text_bytes piece, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    size_t length;
    for (size_t at = 0; at < piece.length && status == GA_OK; at += length) {
        ga_text_code_point(piece.bytes + at, &length);
        if (!add_tokens(unigram, paths, piece, at, at + length)) {
            status = add_unknown(unigram, paths, at, at + length, error);
        }
    }
    return status;
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

// Turns the best path around: afterwards paths[b].begin is the end of the token that begins at b, and its id is there.
// Unknown tokens that touch become one.
static void turn_around(const struct ga_text_unigram *unigram, struct ga_text_path *paths, size_t length)
{
    size_t end = length, after = length;
    bool after_is_unknown = false;
    struct ga_text_path last = paths[length];
    while (end > 0) {
        const size_t begin = last.begin;
        const int32_t id = last.id;
        last = paths[begin];
        const bool is_unknown = id == unigram->unknown_id;
        if (!(is_unknown && after_is_unknown)) {
            after = end;
        }
        paths[begin].begin = (uint32_t)after;
        paths[begin].id = id;
        after_is_unknown = is_unknown;
        end = begin;
    }
}

static bool has_byte_tokens(const struct ga_text_unigram *unigram, struct ga_text_bytes text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (unigram->byte_ids[(unsigned char)text.bytes[i]] == GA_TEXT_NO_ID) {
            return false;
        }
    }
    return unigram->byte_fallback;
}

// Unknown characters: together they may be a token after all, or bytes, each of which covers all of them.
static enum ga_status give_unknown(const struct ga_text_unigram *unigram, struct ga_text_bytes piece, size_t begin,
                                   size_t end, struct ga_text_tokens *out)
{
    const struct ga_text_bytes text = {piece.bytes + begin, end - begin};
    const int32_t id =
        unigram->is_gguf ? GA_TEXT_NO_ID : ga_text_vocabulary_id(&unigram->vocabulary, text.bytes, text.length);
    if (id != GA_TEXT_NO_ID || !has_byte_tokens(unigram, text)) {
        return ga_text_tokens_append(out, id != GA_TEXT_NO_ID ? id : unigram->unknown_id, begin, end);
    }
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < text.length && status == GA_OK; i++) {
        status = ga_text_tokens_append(out, unigram->byte_ids[(unsigned char)text.bytes[i]], begin, end);
    }
    return status;
}

static enum ga_status give_tokens(const struct ga_text_unigram *unigram, struct ga_text_path *paths,
                                  struct ga_text_bytes piece, struct ga_text_tokens *out)
{
    turn_around(unigram, paths, piece.length);
    enum ga_status status = GA_OK;
    for (size_t begin = 0, end; begin < piece.length && status == GA_OK; begin = end) {
        end = paths[begin].begin;
        status = paths[begin].id == unigram->unknown_id ? give_unknown(unigram, piece, begin, end, out)
                                                        : ga_text_tokens_append(out, paths[begin].id, begin, end);
    }
    return status;
}

enum ga_status ga_text_unigram_encode(const void *self, void *scratch, const char *piece, size_t length,
                                      struct ga_text_tokens *out, struct ga_error *error)
{
    const struct ga_text_unigram *unigram = self;
    struct ga_text_unigram_scratch *s = scratch;
    const struct ga_text_bytes text = {piece, length};
    enum ga_status status = clear_paths(s, length);
    status = status == GA_OK ? find_paths(unigram, s->paths, text, error) : status;
    return status == GA_OK ? give_tokens(unigram, s->paths, text, out) : status;
}
