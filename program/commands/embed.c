// embed.c: the command `embed`: one row for each of many texts or sequences of token ids, a block of them at a time.
// The order of the rows is that of the file.
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "command.h"
#include "embed_merge.h"
#include "embed_options.h"
#include "embed_shard.h"
#include "embed_sink.h"
#include "pooling.h"
#include "rank_team.h"
#include "ranks.h"
#include "text_ahead.h"

_Static_assert((int)GA_MOST_BLOCK <= (int)GA_BLOCK_TEXTS, "rows of a shard's block have room");

// -- Blocks ---------------------------------------------------------------------------------------------------------

// All there is to do.
struct work {
    const struct ga_context *context;
    struct ga_pooling pooling;
    struct ga_sequences sequences; // of --tokens
    struct ga_text_reader reader;  // of --text, as are the two below
    struct ga_texts texts;
    struct ga_text_ahead ahead;
    struct ga_embed_shard shard; // of --shard
    size_t n_cut, n_tokens;
    struct ga_embed_sink sink;
    float *rows;      // of a block
    bool are_queries; // texts are those of a query, and vectors those of tokens
    bool has_json_progress;
};

// The same as embed_block, to vectors of tokens.
static enum ga_exit embed_tokens_of(struct work *work, const struct ga_sequences *sequences,
                                    const struct ga_text_block *block)
{
    struct ga_token_vectors vectors;
    enum ga_exit code = ga_token_vectors_make(&work->pooling, sequences, !work->are_queries, &vectors);
    code = code == GA_EXIT_OK ? ga_embed_sink_put_tokens(&work->sink, block, &vectors) : code;
    work->n_tokens += code == GA_EXIT_OK ? vectors.starts[vectors.count] : 0;
    ga_token_vectors_free(&vectors);
    return code;
}

// Sequences and, of texts, the block that they are of, to rows.
static enum ga_exit embed_block(struct work *work, const struct ga_sequences *sequences,
                                const struct ga_text_block *block)
{
    enum ga_exit code = work->sink.of_tokens ? embed_tokens_of(work, sequences, block)
                                             : ga_pool_sequences(&work->pooling, sequences, work->rows);
    if (code == GA_EXIT_OK) {
        code = work->sink.of_tokens ? code : ga_embed_sink_put(&work->sink, block, work->rows, sequences->count);
        ga_progress_show(work->pooling.progress, work->pooling.done, work->pooling.end);
    }
    return code;
}

static enum ga_exit embed_tokens(struct work *work)
{
    const struct ga_sequences *all = &work->sequences;
    const struct ga_shard whole = {.of = 1, .texts = all->count, .block = GA_BLOCK_TEXTS};
    const struct ga_shard *shard = work->shard.is_given ? &work->shard.maker.shard : &whole;
    const size_t blocks = ga_shard_blocks(shard);
    enum ga_exit code = GA_EXIT_OK;
    for (ga_embed_shard_claim(&work->shard); work->shard.next < blocks && code == GA_EXIT_OK;
         work->shard.next++, ga_embed_shard_claim(&work->shard)) {
        const size_t i = work->shard.next;
        size_t count;
        const size_t first = work->sink.first = ga_shard_block(shard, i, &count);
        const struct ga_sequences part = {count, all->starts + first, all->ids, all->types, NULL};
        work->pooling.begin = work->pooling.end;
        work->pooling.end = (double)(i + 1 - work->shard.first) / (double)(blocks - work->shard.first);
        code = embed_block(work, &part, NULL);
    }
    return code;
}

// struct ga_text_ahead's read.
static enum ga_exit read_block(void *context, struct ga_text_block *block)
{
    struct work *work = context;
    return work->shard.is_given ? ga_embed_shard_read(&work->shard, block)
                                : ga_text_block_read(&work->reader, &work->texts, block);
}

static enum ga_exit embed_texts(struct work *work)
{
    const struct ga_text_block *block;
    enum ga_exit code;
    work->ahead = (struct ga_text_ahead){.read = read_block, .context = work};
    work->pooling.meanwhile = ga_text_ahead_read;
    work->pooling.meanwhile_context = &work->ahead;
    while ((code = ga_text_ahead_next(&work->ahead, &block)) == GA_EXIT_OK && block->sequences.count > 0) {
        work->pooling.begin = work->pooling.end;
        work->pooling.end = block->share;
        work->n_cut += block->n_cut;
        work->sink.first = block->first;
        code = embed_block(work, &block->sequences, work->reader.keeps ? block : NULL);
        if (code != GA_EXIT_OK) {
            return code;
        }
    }
    if (code == GA_EXIT_OK && work->pooling.done == 0 && !work->shard.is_given) {
        code = ga_failed(work->context, "%s: has no texts; expected one a line", work->texts.path);
    }
    if (code == GA_EXIT_OK && work->n_cut > 0) {
        ga_note(work->context, "%zu of %zu texts were cut to %zu tokens", work->n_cut, work->pooling.done,
                work->context->model->q_len.max);
    }
    return code;
}

static void print_result(const struct work *work)
{
    const struct ga_shard *shard = &work->shard.maker.shard;
    const size_t width = work->sink.width;
    if (work->sink.ranks > 1) {
        if (work->sink.rank == 0) {
            ga_print_line("%s: embedding F32 [%zu, %zu], by %zu ranks", work->sink.path, shard->texts, width,
                          work->sink.ranks);
        }
    } else if (work->shard.is_given) {
        const size_t blocks = ga_shard_blocks(shard);
        ga_print_line("%s: shard %zu/%zu, %zu of %zu texts, embedding F32 [%zu, %zu], computed %zu", work->sink.path,
                      shard->index, shard->of, ga_shard_texts(shard, blocks), shard->texts,
                      ga_shard_texts(shard, blocks), width, work->pooling.done);
    } else if (work->sink.path && work->sink.of_tokens) {
        ga_print_line("%s: embedding F32 [%zu, %zu] of %zu texts", work->sink.path, work->n_tokens, width,
                      work->pooling.done);
    } else if (work->sink.path) {
        ga_print_line("%s: embedding F32 [%zu, %zu]", work->sink.path, work->pooling.done, width);
    }
}

static enum ga_exit embed(struct work *work, bool has_texts)
{
    struct ga_progress progress = ga_progress_begin(work->context, has_texts ? "texts" : "sequences");
    // Pages that no row comes to are never touched: a few texts take little of it. Vectors of tokens have their own.
    work->rows = malloc(GA_BLOCK_TEXTS * work->sink.width * sizeof *work->rows);
    enum ga_exit code =
        work->rows ? GA_EXIT_OK : ga_failed(work->context, "no memory for %d embeddings", GA_BLOCK_TEXTS);
    code = ga_embed_sink_agree(&work->sink, code);
    code = code == GA_EXIT_OK ? ga_embed_sink_open(&work->sink) : code;
    if (code != GA_EXIT_OK) {
        return code;
    }
    work->shard.first = work->shard.next = work->sink.shard.done;
    work->sink.texts = work->shard.maker.shard.texts;
    progress.is_json = work->has_json_progress;
    work->pooling.progress = &progress;
    code = ga_embed_sink_close(&work->sink, has_texts ? embed_texts(work) : embed_tokens(work));
    ga_progress_end(&progress);
    if (code == GA_EXIT_OK) {
        print_result(work);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

// All ranks are the shards of one file, and claim its blocks.
static enum ga_exit read_output_of_ranks(struct work *work, const char *const *values)
{
    const enum ga_exit code = ga_embed_sink_choose(&work->sink, values[GA_EMBED_OUTPUT], values[GA_EMBED_FORMAT]);
    work->shard.is_given = work->shard.is_claimed = true;
    work->shard.maker.shard = (struct ga_shard){.of = work->sink.ranks};
    return code == GA_EXIT_OK && (work->sink.is_json || values[GA_EMBED_SHARD] || values[GA_EMBED_RESUME])
               ? ga_misused(work->context, "%s has no meaning with mpirun, by which all write one file of rows",
                            values[GA_EMBED_SHARD]    ? "--shard"
                            : values[GA_EMBED_RESUME] ? "--resume"
                                                      : "--format json")
               : code;
}

static enum ga_exit read_output(struct work *work, const char *const *values)
{
    struct ga_embed_sink *sink = &work->sink;
    const bool resumes = values[GA_EMBED_RESUME] != NULL;
    sink->context = work->shard.context = work->context;
    if (sink->ranks > 1) {
        return read_output_of_ranks(work, values);
    }
    if (!values[GA_EMBED_SHARD]) {
        return resumes ? ga_misused(work->context, "--resume needs --shard; 0/1 is all of it")
                       : ga_embed_sink_choose(sink, values[GA_EMBED_OUTPUT], values[GA_EMBED_FORMAT]);
    }
    sink->path = values[GA_EMBED_OUTPUT];
    sink->maker = &work->shard.maker;
    sink->resumes = resumes;
    return !values[GA_EMBED_OUTPUT] ? ga_misused(work->context, "--shard needs --output FILE, the file of the shard")
           : values[GA_EMBED_FORMAT]
               ? ga_misused(work->context, "--format has no meaning with --shard; it is for --merge")
               : ga_embed_shard_choose(&work->shard, values[GA_EMBED_SHARD], values[GA_EMBED_OUTPUT]);
}

// --tokens-out, whose files have no place for less than all.
static enum ga_exit read_tokens_out(struct work *work, const char *const *values)
{
    const char *other = values[GA_EMBED_SHARD] ? "--shard" : values[GA_EMBED_DIMS] ? "--dims" : NULL;
    work->sink.of_tokens = values[GA_EMBED_TOKENS_OUT] != NULL;
    if (!work->sink.of_tokens) {
        return work->context->model->stack->pool != GA_POOL_NONE
                   ? GA_EXIT_OK
                   : ga_misused(work->context, "--tokens-out is missing: %s has vectors of tokens, and none of a text",
                                work->context->model->name);
    }
    const struct ga_model_instance *instance = work->pooling.instance;
    work->pooling = ga_pooling_of_tokens(work->context, instance);
    return other || work->sink.ranks > 1
               ? ga_misused(work->context, "--tokens-out has no meaning with %s", other ? other : "mpirun")
               : GA_EXIT_OK;
}

static enum ga_exit read_arguments(struct work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_context *context = work->context;
    const struct ga_range range = {1, 1 << 24}, widths = {1, context->model->stack->d_embedding};
    enum ga_exit code = read_tokens_out(work, values);
    code = code == GA_EXIT_OK ? ga_read_threads(context, values[GA_EMBED_THREADS], threads_out) : code;
    if (code == GA_EXIT_OK) {
        code = ga_read_size(context, "rows", values[GA_EMBED_ROWS], range, &work->pooling.rows);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_size(context, "dims", values[GA_EMBED_DIMS], widths, &work->pooling.dims);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_format(context, "progress", values[GA_EMBED_PROGRESS], "text", &work->has_json_progress);
    }
    if (code == GA_EXIT_OK) {
        code = read_output(work, values);
        work->sink.width =
            work->sink.of_tokens ? ga_token_vectors_width(context->model) : ga_pooling_width(&work->pooling);
    }
    if (code == GA_EXIT_OK && !values[GA_EMBED_TOKENS] == !values[GA_EMBED_TEXT]) {
        code = ga_misused(context, values[GA_EMBED_TEXT] ? "--tokens and --text are given both; expected one of them"
                                                         : "embed: --tokens FILE or --text FILE is missing");
    }
    if (code == GA_EXIT_OK && values[GA_EMBED_NUL] && !values[GA_EMBED_TEXT]) {
        code = ga_misused(context, "-0 needs --text; token ids are lines, or safetensors");
    }
    if (code == GA_EXIT_OK && values[GA_EMBED_PROMPT] && !values[GA_EMBED_TEXT]) {
        code = ga_misused(context, "--prompt needs --text; token ids have no prompt");
    }
    return code;
}

static enum ga_exit open_texts(struct work *work, const char *const *values)
{
    enum ga_exit code = ga_text_reader_open(work->context, values[GA_EMBED_TOKENIZER], values[GA_OPTION_WEIGHTS],
                                            values[GA_EMBED_REPLACE] != NULL, &work->reader);
    work->reader.keeps = work->sink.is_json;
    work->are_queries = values[GA_EMBED_PROMPT] && strcmp(values[GA_EMBED_PROMPT], "query") == 0;
    if (code == GA_EXIT_OK && ga_compares_tokens(work->context->model)) {
        code = ga_text_reader_use_task(&work->reader, work->are_queries ? GA_TEXT_QUERY : GA_TEXT_DOCUMENT);
    }
    const bool has_task = work->are_queries && ga_compares_tokens(work->context->model);
    if (code == GA_EXIT_OK && values[GA_EMBED_PROMPT] && !has_task) {
        code = ga_text_reader_use_prompt(&work->reader, values[GA_EMBED_PROMPT]);
    }
    if (code == GA_EXIT_OK) {
        code = ga_texts_open(work->context, values[GA_EMBED_TEXT], values[GA_EMBED_NUL] != NULL, &work->texts);
    }
    return code == GA_EXIT_OK && work->shard.is_given
               ? ga_embed_shard_of_texts(&work->shard, &work->reader, &work->texts)
               : code;
}

// The file by whichever option names it.
static enum ga_exit open_input(struct work *work, const char *const *values)
{
    if (values[GA_EMBED_TEXT]) {
        return open_texts(work, values);
    }
    const enum ga_exit code =
        ga_sequences_read(work->context, values[GA_EMBED_TOKENS], values[GA_EMBED_CUT] != NULL, &work->sequences);
    if (code == GA_EXIT_OK && work->shard.is_given) {
        ga_embed_shard_of_sequences(&work->shard, &work->sequences);
    }
    return code;
}

// What made the shard, now that all is loaded.
static void set_maker(struct work *work, const struct ga_model_instance *instance)
{
    const struct ga_text_tokenizer *tokenizer = work->reader.tools.tokenizer;
    work->shard.maker.prompt = ga_checksum(work->reader.prompt, work->reader.n_prompt);
    work->shard.maker.maker =
        ga_index_maker_of(work->context->model, instance, tokenizer ? ga_text_library.tokenizer_hash(tokenizer) : 0);
    work->shard.maker.maker.width = work->sink.width;
}

static void free_work(struct work *work)
{
    ga_text_ahead_close(&work->ahead);
    ga_texts_close(&work->texts);
    ga_text_reader_close(&work->reader);
    ga_sequences_free(&work->sequences);
    ga_pooling_free(&work->pooling);
    free(work->rows);
}

static enum ga_exit run_rank(const struct ga_rank_team *team, const char *const *values)
{
    const struct ga_context *context = &team->context;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[GA_EMBED_ISA]);
    struct ga_model_instance instance = {0};
    struct work work = {.context = context, .pooling = ga_pooling_of(context, &instance)};
    work.sink.rank = team->rank;
    work.sink.ranks = team->count;
    choice.copies = team->place.is_placed;
    enum ga_exit code = read_arguments(&work, values, &choice.threads);
    if (code == GA_EXIT_OK) {
        ga_rank_note_sockets(team, choice.threads);
        code = open_input(&work, values);
    }
    choice.wants_checksum = work.sink.maker != NULL;
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    code = ga_embed_sink_agree(&work.sink, code);
    if (code == GA_EXIT_OK) {
        set_maker(&work, &instance);
        code = embed(&work, values[GA_EMBED_TEXT] != NULL);
    }
    free_work(&work);
    ga_model_instance_free(&instance);
    return code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    if (arguments->values[GA_EMBED_MERGE]) {
        return ga_embed_merge(context, arguments, ga_embed_options);
    }
    if (arguments->n_operands > 0) {
        return ga_misused(context, "embed: unexpected argument \"%s\"; shards need --merge", arguments->operands[0]);
    }
    struct ga_rank_team team;
    enum ga_exit code = ga_ranks_begin(context, arguments->values[GA_EMBED_TIMEOUT], &team);
    code = code == GA_EXIT_OK ? run_rank(&team, arguments->values) : code;
    ga_ranks_close();
    return code;
}

static const char *refusal(const struct ga_model *model)
{
    const bool has_tokens = ga_compares_tokens(model) && model->vocab_size > 0 && !model->cache;
    return has_tokens ? NULL : ga_pooling_refusal(model);
}

const struct ga_command ga_command_embed = {
    .name = "embed",
    .summary = "give one row for each of many texts, or sequences of token ids",
    .operand = "[SHARD]...",
    .any_operands = true,
    .options = ga_embed_options,
    .notes = ga_embed_notes,
    .examples = ga_embed_examples,
    .refusal = refusal,
    .run = run,
};
