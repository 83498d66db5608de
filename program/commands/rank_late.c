// rank_late.c: the scores of documents by the vectors of their tokens, a part of the documents at a time.
#include "rank_late.h"

#include "token_vectors.h"

enum { PART = 512 }; // documents whose vectors are in memory together

struct late {
    struct ga_pooling pooling;
    struct ga_token_vectors query;
    const struct ga_sequences *documents;
    float *scores;
};

// The scores of the documents from first on.
static enum ga_exit compare_part(struct late *late, size_t first, size_t count)
{
    const struct ga_sequences *all = late->documents;
    const struct ga_sequences part = {.count = count, .starts = all->starts + first, .ids = all->ids};
    struct ga_token_vectors documents;
    late->pooling.begin = late->pooling.end;
    late->pooling.end = (double)(first + count) / (double)all->count;
    const enum ga_exit code = ga_token_vectors_make(&late->pooling, &part, true, &documents);
    for (size_t i = 0; i < count && code == GA_EXIT_OK; i++) {
        late->scores[first + i] = (float)ga_max_similarity(&late->query, 0, &documents, i);
    }
    ga_token_vectors_free(&documents);
    return code;
}

static enum ga_exit compare_all(struct late *late, const struct ga_sequences *query)
{
    enum ga_exit code = ga_token_vectors_make(&late->pooling, query, false, &late->query);
    late->pooling.done = 0;
    for (size_t first = 0; first < late->documents->count && code == GA_EXIT_OK; first += PART) {
        const size_t left = late->documents->count - first;
        code = compare_part(late, first, left < PART ? left : PART);
    }
    return code;
}

enum ga_exit ga_rank_late(const struct ga_context *context, const struct ga_model_instance *instance,
                          const struct ga_sequences *query, const struct ga_sequences *documents, size_t rows,
                          float *scores_out)
{
    struct ga_progress progress = ga_progress_begin(context, "documents");
    struct late late = {
        .pooling = ga_pooling_of_tokens(context, instance), .documents = documents, .scores = scores_out};
    late.pooling.rows = rows;
    late.pooling.progress = &progress;
    const enum ga_exit code = compare_all(&late, query);
    ga_progress_end(&progress);
    ga_token_vectors_free(&late.query);
    ga_pooling_free(&late.pooling);
    return code;
}
