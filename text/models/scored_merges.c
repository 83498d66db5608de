// scored_merges.c: the merges of a BPE that sentencepiece trained: any two tokens whose texts together are a token
// merge to it, the sooner the higher its score, and among equal scores the leftmost first. None merge to a token whose
// score is null, which is special. Applies none of them.
#include <math.h>
#include <stdlib.h>

#include "merges.h"

enum { LONGEST = 256 }; // bytes of a token that merges make; trainers stop far below

struct scored {
    double score;
    int32_t id;
};

static int by_score(const void *left, const void *right)
{
    const struct scored *a = left, *b = right;
    return (a->score < b->score) - (a->score > b->score);
}

// Calls of walk_splits count merges, or add them where there are slots.
struct split_walk {
    const struct ga_text_vocabulary *vocabulary;
    struct ga_text_merges *merges; // NULL: they are counted
    size_t count;
};

static void walk_splits(struct split_walk *walk, int32_t id, uint32_t rank)
{
    const struct ga_text_bytes token = ga_text_vocabulary_token(walk->vocabulary, id);
    for (size_t at = 1; at < token.length && token.length <= LONGEST; at++) {
        if (((unsigned char)token.bytes[at] & 0xC0) == 0x80) {
            continue; // within a character
        }
        const int32_t left = ga_text_vocabulary_id(walk->vocabulary, token.bytes, at);
        const int32_t right = left == GA_TEXT_NO_ID
                                  ? GA_TEXT_NO_ID
                                  : ga_text_vocabulary_id(walk->vocabulary, token.bytes + at, token.length - at);
        if (right != GA_TEXT_NO_ID) {
            walk->count++;
            if (walk->merges) {
                ga_text_merges_add(walk->merges, left, right, (struct ga_text_merge){rank, id});
            }
        }
    }
}

// Ranks are places in the order of scores; equal scores have the first of their places.
static void walk_all(struct split_walk *walk, const struct scored *order, size_t count)
{
    uint32_t rank = 0;
    walk->count = 0;
    for (size_t i = 0; i < count && order[i].score > (double)-INFINITY; i++) {
        rank = i > 0 && by_score(&order[i - 1], &order[i]) == 0 ? rank : (uint32_t)i;
        walk_splits(walk, order[i].id, rank);
    }
}

static enum ga_status make(struct ga_text_merges *merges, struct ga_text_reader *reader, const struct scored *order,
                           const struct ga_text_vocabulary *vocabulary)
{
    struct split_walk walk = {.vocabulary = vocabulary};
    walk_all(&walk, order, vocabulary->count);
    if (walk.count > GA_TEXT_MERGES) {
        return ga_text_refuse_as(reader, "scores give %zu merges; expected at most %d", walk.count, GA_TEXT_MERGES);
    }
    if (ga_text_merges_make(merges, walk.count) != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    walk.merges = merges;
    walk_all(&walk, order, vocabulary->count);
    return GA_OK;
}

enum ga_status ga_text_merges_of_scores(struct ga_text_merges *merges, struct ga_text_reader *reader, json_t *scores,
                                        const struct ga_text_vocabulary *vocabulary)
{
    const size_t count = vocabulary->count;
    if (json_array_size(scores) != count) {
        return ga_text_refuse_as(reader, "scores has %zu numbers; expected %zu, one of each id",
                                 json_array_size(scores), count);
    }
    struct scored *order = malloc((count + 1) * sizeof(*order));
    if (order == NULL) {
        return ga_text_refuse_memory(reader);
    }
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        const json_t *score = json_array_get(scores, i);
        order[i] = (struct scored){json_is_null(score) ? (double)-INFINITY : json_number_value(score), (int32_t)i};
        status = json_is_number(score) || json_is_null(score)
                     ? GA_OK
                     : ga_text_refuse_as(reader, "scores[%zu] is not a number", i);
    }
    if (status == GA_OK) {
        qsort(order, count, sizeof(*order), by_score);
        status = make(merges, reader, order, vocabulary);
    }
    free(order);
    return status;
}
