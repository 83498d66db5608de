// embed.c: the command `embed`: one row for each of many texts or sequences of token ids, a block of them at a time.
// The order of the rows is that of the file.
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "command.h"
#include "embed_merge.h"
#include "embed_shard.h"
#include "embed_sink.h"
#include "pooling.h"
#include "ranks.h"
#include "text_ahead.h"
#include "weights_options.h"

enum {
    TOKENS = GA_OPTIONS_LOADING,
    TEXT,
    NUL,
    TOKENIZER,
    OUTPUT,
    FORMAT,
    PROMPT,
    DIMS,
    REPLACE,
    ROWS,
    CUT,
    SHARD,
    RESUME,
    MERGE,
    PROGRESS,
    ISA,
    THREADS
};

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [TOKENS] = {"tokens", "FILE", NULL, false, "the sequences as token ids: text, or safetensors"},
    [TEXT] = {"text", "FILE", NULL, false, "the sequences as texts, a line each; -: standard input"},
    [NUL] = {"0", NULL, NULL, false, "each text of --text ends with NUL instead of a newline"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "tokenizer for --text"},
    [OUTPUT] = {"output", "FILE", "json: standard output", false, "file to write"},
    [FORMAT] = {"format", "FORMAT", "as --output ends, .npy or .safetensors", false,
                "safetensors, npy, or json: an object a line"},
    [PROMPT] = {"prompt", "NAME", "that of the model's spec", false, "the prompt before each text, by its name"},
    [DIMS] = {"dims", "N", "all", false, "the first N numbers of each row, of length one again if rows are"},
    [REPLACE] = {"replace-invalid", NULL, NULL, false, "read bytes of --text that are not UTF-8 as U+FFFD"},
    [ROWS] = {"rows", "N", "1024", false, "most rows in a batch, unless one sequence is longer"},
    [CUT] = {"cut", NULL, NULL, false, "cut sequences of ids that are longer than the model's"},
    [SHARD] = {"shard", "K/N", NULL, false, "compute the K-th of N parts, from 0/N on, into a file for --merge"},
    [RESUME] = {"resume", NULL, NULL, false, "keep the blocks that the file of --shard has"},
    [MERGE] = {"merge", NULL, NULL, false, "put the files of all shards together: embed --merge FILE... --output FILE"},
    [PROGRESS] = {"progress", "FORMAT", "text", false, "text, or json: an object a second on standard error"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert((int)GA_MOST_BLOCK <= (int)GA_BLOCK_TEXTS, "rows of a shard's block have room");
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "For a model that has an embedding and pools. A text file has one sequence a line, its token ids separated by",
    "blanks or commas. A file whose name ends in .safetensors has tokens I32 or I64 [sequences, len],",
    "lengths [sequences], and token_types in the shape of tokens if the model adds them.",
    "safetensors: embedding F32 [sequences, d_embedding], in the file's order; an empty sequence gives zeros.",
    "npy: the same rows as one array, which numpy.load reads.",
    "json: {\"text\": ..., \"embedding\": [...]} for each, without \"text\" for token ids; its numbers read back as",
    "the same floats.",
    "Texts are tokenized with Hugging Face's tokenizer.json. Those longer than the model's sequences are cut and "
    "counted.",
    "Sequences are sorted by length and run in batches. The numbers do not depend on the batches.",
    "Texts are read and written in blocks of some thousands, so that memory does not grow with the file.",
    "--shard: programs on any machines compute parts of one file, which each of them reads. The file of a shard keeps",
    "its finished blocks if the program is killed; --resume goes on. --merge writes what one program would have",
    "written, to the byte. It refuses shards that are missing, not finished, damaged, or of another model, weights,",
    "tokenizer or corpus, by name.",
    "mpirun: if configure was given --with-mpi, the processes of mpirun divide one file and write it together.",
    NULL,
};

static const char *const examples[] = {
    "embed --weights w.safetensors --tokens ids.txt --output embeddings.safetensors",
    "embed --weights model/ --text sentences.txt --output embeddings.npy",
    "embed --weights w.gap --tokenizer tokenizer.json --text - --format json",
    "embed --weights w.safetensors --tokens ids.safetensors --output e.safetensors --threads all --cut",
    "embed --weights w.gap --text corpus.txt --shard 3/16 --resume --output e.3",
    "embed --merge e.* --output e.safetensors",
    NULL,
};

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
    size_t n_cut;
    struct ga_embed_sink sink;
    float *rows; // of a block
    bool has_json_progress;
};

// Sequences and, of texts, the block that they are of, to rows.
static enum ga_exit embed_block(struct work *work, const struct ga_sequences *sequences,
                                const struct ga_text_block *block)
{
    enum ga_exit code = ga_pool_sequences(&work->pooling, sequences, work->rows);
    if (code == GA_EXIT_OK) {
        code = ga_embed_sink_put(&work->sink, block, work->rows, sequences->count);
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
        const struct ga_sequences part = {count, all->starts + first, all->ids, all->types};
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
    } else if (work->sink.path) {
        ga_print_line("%s: embedding F32 [%zu, %zu]", work->sink.path, work->pooling.done, width);
    }
}

static enum ga_exit embed(struct work *work, bool has_texts)
{
    struct ga_progress progress = ga_progress_begin(work->context, has_texts ? "texts" : "sequences");
    // Pages that no row comes to are never touched: a few texts take little of it.
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
    const enum ga_exit code = ga_embed_sink_choose(&work->sink, values[OUTPUT], values[FORMAT]);
    work->shard.is_given = work->shard.is_claimed = true;
    work->shard.maker.shard = (struct ga_shard){.of = work->sink.ranks};
    return code == GA_EXIT_OK && (work->sink.is_json || values[SHARD] || values[RESUME])
               ? ga_misused(work->context, "%s has no meaning with mpirun, by which all write one file of rows",
                            values[SHARD]    ? "--shard"
                            : values[RESUME] ? "--resume"
                                             : "--format json")
               : code;
}

static enum ga_exit read_output(struct work *work, const char *const *values)
{
    struct ga_embed_sink *sink = &work->sink;
    const bool resumes = values[RESUME] != NULL;
    sink->context = work->shard.context = work->context;
    if (sink->ranks > 1) {
        return read_output_of_ranks(work, values);
    }
    if (!values[SHARD]) {
        return resumes ? ga_misused(work->context, "--resume needs --shard; 0/1 is all of it")
                       : ga_embed_sink_choose(sink, values[OUTPUT], values[FORMAT]);
    }
    sink->path = values[OUTPUT];
    sink->maker = &work->shard.maker;
    sink->resumes = resumes;
    return !values[OUTPUT]  ? ga_misused(work->context, "--shard needs --output FILE, the file of the shard")
           : values[FORMAT] ? ga_misused(work->context, "--format has no meaning with --shard; it is for --merge")
                            : ga_embed_shard_choose(&work->shard, values[SHARD], values[OUTPUT]);
}

static enum ga_exit read_progress(struct work *work, const char *format)
{
    work->has_json_progress = format && strcmp(format, "json") == 0;
    return !format || work->has_json_progress || strcmp(format, "text") == 0
               ? GA_EXIT_OK
               : ga_misused(work->context, "--progress %s: expected text or json", format);
}

static enum ga_exit read_arguments(struct work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_context *context = work->context;
    const struct ga_range range = {1, 1 << 24};
    enum ga_exit code = ga_read_threads(context, values[THREADS], threads_out);
    if (code == GA_EXIT_OK && values[ROWS]) {
        code = ga_read_size(context, "rows", values[ROWS], range, &work->pooling.rows);
    }
    if (code == GA_EXIT_OK && values[DIMS]) {
        const struct ga_range widths = {1, context->model->stack->d_embedding};
        code = ga_read_size(context, "dims", values[DIMS], widths, &work->pooling.dims);
    }
    if (code == GA_EXIT_OK) {
        code = read_progress(work, values[PROGRESS]);
    }
    if (code == GA_EXIT_OK) {
        code = read_output(work, values);
        work->sink.width = ga_pooling_width(&work->pooling);
    }
    if (code == GA_EXIT_OK && !values[TOKENS] == !values[TEXT]) {
        code = ga_misused(context, values[TEXT] ? "--tokens and --text are given both; expected one of them"
                                                : "embed: --tokens FILE or --text FILE is missing");
    }
    if (code == GA_EXIT_OK && values[NUL] && !values[TEXT]) {
        code = ga_misused(context, "-0 needs --text; token ids are lines, or safetensors");
    }
    if (code == GA_EXIT_OK && values[PROMPT] && !values[TEXT]) {
        code = ga_misused(context, "--prompt needs --text; token ids have no prompt");
    }
    return code;
}

static enum ga_exit open_texts(struct work *work, const char *const *values)
{
    enum ga_exit code = ga_text_reader_open(work->context, values[TOKENIZER], values[GA_OPTION_WEIGHTS],
                                            values[REPLACE] != NULL, &work->reader);
    work->reader.keeps = work->sink.is_json;
    if (code == GA_EXIT_OK && values[PROMPT]) {
        code = ga_text_reader_use_prompt(&work->reader, values[PROMPT]);
    }
    if (code == GA_EXIT_OK) {
        code = ga_texts_open(work->context, values[TEXT], values[NUL] != NULL, &work->texts);
    }
    return code == GA_EXIT_OK && work->shard.is_given
               ? ga_embed_shard_of_texts(&work->shard, &work->reader, &work->texts)
               : code;
}

// The file by whichever option names it.
static enum ga_exit open_input(struct work *work, const char *const *values)
{
    if (values[TEXT]) {
        return open_texts(work, values);
    }
    const enum ga_exit code = ga_sequences_read(work->context, values[TOKENS], values[CUT] != NULL, &work->sequences);
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

static enum ga_exit run_rank(const struct ga_context *context, const char *const *values, size_t rank, size_t ranks)
{
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct work work = {.context = context, .pooling = ga_pooling_of(context, &instance)};
    work.sink.rank = rank;
    work.sink.ranks = ranks;
    enum ga_exit code = read_arguments(&work, values, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = open_input(&work, values);
    }
    choice.wants_checksum = work.sink.maker != NULL;
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    code = ga_embed_sink_agree(&work.sink, code);
    if (code == GA_EXIT_OK) {
        set_maker(&work, &instance);
        code = embed(&work, values[TEXT] != NULL);
    }
    free_work(&work);
    ga_model_instance_free(&instance);
    return code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    if (arguments->values[MERGE]) {
        return ga_embed_merge(context, arguments, options);
    }
    if (arguments->n_operands > 0) {
        return ga_misused(context, "embed: unexpected argument \"%s\"; shards need --merge", arguments->operands[0]);
    }
    size_t rank = 0, ranks = 1;
    if (ga_rank_library.begin && !ga_rank_library.begin(&rank, &ranks)) {
        return ga_failed(context, "MPI does not start");
    }
    const enum ga_exit code = run_rank(context, arguments->values, rank, ranks);
    if (ga_rank_library.end) {
        ga_rank_library.end();
    }
    return code;
}

const struct ga_command ga_command_embed = {
    .name = "embed",
    .summary = "give one row for each of many texts, or sequences of token ids",
    .operand = "[SHARD]...",
    .any_operands = true,
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = ga_pooling_refusal,
    .run = run,
};
