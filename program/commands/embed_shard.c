// embed_shard.c: a corpus read twice: once for its number of texts and its checksum, once for the shard's own texts.
#include "embed_shard.h"

#include "command.h"
#include "output_name.h"
#include "ranks.h"

// -- Which ----------------------------------------------------------------------------------------------------------

// A whole number of up to eight digits, at *at, which moves after it; false where there is none.
static bool read_number(const char **at, size_t *number_out)
{
    enum { MOST_DIGITS = 8 };
    const char *const begin = *at;
    *number_out = 0;
    for (; **at >= '0' && **at <= '9' && *at - begin < MOST_DIGITS; (*at)++) {
        *number_out = 10 * *number_out + (size_t)(**at - '0');
    }
    return *at > begin;
}

enum ga_exit ga_embed_shard_choose(struct ga_embed_shard *shard, const char *text, const char *output)
{
    const char *at = text;
    size_t index, of;
    if (!read_number(&at, &index) || *at++ != '/' || !read_number(&at, &of) || *at) {
        return ga_misused(shard->context, "--shard %s: expected K/N, the K-th of N shards, from 0/N on: --shard 0/4",
                          text);
    }
    if (of == 0 || of > GA_MOST_SHARDS || index >= of) {
        return ga_misused(shard->context, "--shard %s: expected K from 0 to N - 1, and N from 1 to %d", text,
                          GA_MOST_SHARDS);
    }
    if (ga_name_ends_in(output, GA_SAFETENSORS_ENDING) || ga_name_ends_in(output, GA_NUMPY_ENDING)) {
        return ga_misused(shard->context,
                          "--output %s: --merge makes such a file from shards; give the shard's own file another name",
                          output);
    }
    shard->is_given = true;
    shard->maker.shard = (struct ga_shard){.index = index, .of = of};
    return GA_EXIT_OK;
}

// Sets the blocks, now that the corpus is known.
static void set_corpus(struct ga_embed_shard *shard, const struct ga_corpus_sum *sum)
{
    const struct ga_shard *chosen = &shard->maker.shard;
    shard->maker.corpus = ga_corpus_sum_end(sum);
    shard->maker.shard = ga_shard_of(sum->texts, sum->bytes, chosen->index, chosen->of);
    if (shard->is_claimed) { // any rank may have any block
        shard->maker.shard.index = 0;
        shard->maker.shard.of = 1;
    }
}

enum ga_exit ga_embed_shard_of_texts(struct ga_embed_shard *shard, struct ga_text_reader *reader,
                                     struct ga_texts *texts)
{
    struct ga_corpus_sum sum;
    const enum ga_exit code = ga_corpus_add_up(shard->context, texts, &sum);
    if (code == GA_EXIT_OK && sum.texts == 0) {
        return ga_failed(shard->context, "%s: has no texts; expected one a line", texts->path);
    }
    shard->reader = reader;
    shard->texts = texts;
    shard->sum = ga_corpus_sum_start();
    set_corpus(shard, &sum);
    return code;
}

void ga_embed_shard_of_sequences(struct ga_embed_shard *shard, const struct ga_sequences *sequences)
{
    struct ga_corpus_sum sum = ga_corpus_sum_start();
    for (size_t i = 0; i < sequences->count; i++) {
        const size_t start = sequences->starts[i], bytes = ga_sequence_length(sequences, i) * sizeof *sequences->ids;
        ga_corpus_sum_add(&sum, (struct ga_text_mark){ga_checksum(sequences->ids + start, bytes), bytes});
        if (sequences->types) {
            sum.texts--; // one sequence, of two lists
            ga_corpus_sum_add(&sum, (struct ga_text_mark){ga_checksum(sequences->types + start, bytes), 0});
        }
    }
    set_corpus(shard, &sum);
}

// -- Its texts ------------------------------------------------------------------------------------------------------

static enum ga_exit refuse_changed(const struct ga_embed_shard *shard)
{
    return ga_failed(shard->context, "%s: was changed while it was read; run again without --resume",
                     shard->texts->path);
}

// Reads the next text, which must be there.
static enum ga_exit next_text(struct ga_embed_shard *shard)
{
    bool found = false;
    const enum ga_exit code = ga_corpus_sum_next(shard->context, shard->texts, &shard->sum, &found);
    return code != GA_EXIT_OK || found ? code : refuse_changed(shard);
}

// Reads the texts of others, up to the first-th.
static enum ga_exit skip_to(struct ga_embed_shard *shard, size_t first)
{
    enum ga_exit code = GA_EXIT_OK;
    while (code == GA_EXIT_OK && shard->texts->count < first) {
        code = next_text(shard);
    }
    return code;
}

static enum ga_exit check_rest(struct ga_embed_shard *shard)
{
    const struct ga_shard_maker *maker = &shard->maker;
    const enum ga_exit code = skip_to(shard, maker->shard.texts);
    return code != GA_EXIT_OK || ga_corpus_sum_end(&shard->sum) == maker->corpus ? code : refuse_changed(shard);
}

void ga_embed_shard_claim(struct ga_embed_shard *shard)
{
    shard->next = shard->is_claimed ? ga_rank_library.claim() : shard->next;
}

enum ga_exit ga_embed_shard_read(struct ga_embed_shard *shard, struct ga_text_block *block)
{
    const size_t blocks = ga_shard_blocks(&shard->maker.shard);
    size_t count = 0;
    ga_text_block_clear(block);
    ga_embed_shard_claim(shard);
    if (shard->next >= blocks) {
        return check_rest(shard);
    }
    block->first = ga_shard_block(&shard->maker.shard, shard->next, &count);
    enum ga_exit code = skip_to(shard, block->first);
    for (size_t i = 0; i < count && code == GA_EXIT_OK; i++) {
        code = next_text(shard);
        code = code == GA_EXIT_OK ? ga_text_block_add(shard->reader, shard->texts, block) : code;
    }
    block->share = (double)(++shard->next - shard->first) / (double)(blocks - shard->first);
    return code;
}
