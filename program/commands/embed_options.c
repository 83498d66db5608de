// embed_options.c: the options of `embed`, and what its help says. Does nothing.
#include "embed_options.h"

const struct ga_option ga_embed_options[] = {
    GA_LOADING_OPTIONS,
    [GA_EMBED_TOKENS] = {"tokens", "FILE", NULL, false, "the sequences as token ids: text, or safetensors"},
    [GA_EMBED_TEXT] = {"text", "FILE", NULL, false, "the sequences as texts, a line each; -: standard input"},
    [GA_EMBED_NUL] = {"0", NULL, NULL, false, "each text of --text ends with NUL instead of a newline"},
    [GA_EMBED_TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "tokenizer for --text"},
    [GA_EMBED_OUTPUT] = {"output", "FILE", "json: standard output", false, "file to write"},
    [GA_EMBED_FORMAT] = {"format", "FORMAT", "as --output ends, .npy or .safetensors", false,
                         "safetensors, npy, or json: an object a line"},
    [GA_EMBED_PROMPT] = {"prompt", "NAME", "that of the model's spec", false,
                         "the prompt before each text, by its name"},
    [GA_EMBED_DIMS] = {"dims", "N", "all", false, "the first N numbers of each row, of length one again if rows are"},
    [GA_EMBED_TOKENS_OUT] = {"tokens-out", NULL, NULL, false, "a row for each token, and where each text begins"},
    [GA_EMBED_REPLACE] = {"replace-invalid", NULL, NULL, false, "read bytes of --text that are not UTF-8 as U+FFFD"},
    [GA_EMBED_ROWS] = {"rows", "N", "1024", false, "most rows in a batch, unless one sequence is longer"},
    [GA_EMBED_CUT] = {"cut", NULL, NULL, false, "cut sequences of ids that are longer than the model's"},
    [GA_EMBED_SHARD] = {"shard", "K/N", NULL, false,
                        "compute the K-th of N parts, from 0/N on, into a file for --merge"},
    [GA_EMBED_RESUME] = {"resume", NULL, NULL, false, "keep the blocks that the file of --shard has"},
    [GA_EMBED_MERGE] = {"merge", NULL, NULL, false,
                        "put the files of all shards together: embed --merge FILE... --output FILE"},
    [GA_EMBED_PROGRESS] = {"progress", "FORMAT", "text", false, "text, or json: an object a second on standard error"},
    [GA_EMBED_ISA] = {"isa", GA_ISA_OPTION},
    [GA_EMBED_THREADS] = {"threads", GA_THREADS_OPTION},
    [GA_EMBED_TIMEOUT] = {"timeout", GA_TIMEOUT_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof ga_embed_options / sizeof *ga_embed_options <= GA_MAX_OPTIONS + 1,
               "more options than places for their values");

const char *const ga_embed_notes[] = {
    "For a model that has an embedding and pools. A text file has one sequence a line, its token ids separated by",
    "blanks or commas. A file whose name ends in .safetensors has tokens I32 or I64 [sequences, len],",
    "lengths [sequences], and token_types in the shape of tokens if the model adds them.",
    "safetensors: embedding F32 [sequences, d_embedding], in the file's order; an empty sequence gives zeros.",
    "npy: the same rows as one array, which numpy.load reads.",
    "--tokens-out: embedding F32 [tokens, width], the tokens of all texts one after the other, and starts I64",
    "[sequences + 1], the place of each text's first row; with npy, starts are in a second file, NAME.starts.npy. Of a",
    "model of late interaction (ColBERT) the rows are of length one, and texts are documents; --prompt query takes",
    "them as queries. Of other models they are the rows of the last layer.",
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

const char *const ga_embed_examples[] = {
    "embed --weights w.safetensors --tokens ids.txt --output embeddings.safetensors",
    "embed --weights model/ --text sentences.txt --output embeddings.npy",
    "embed --weights w.gap --tokenizer tokenizer.json --text - --format json",
    "embed --weights w.safetensors --tokens ids.safetensors --output e.safetensors --threads all --cut",
    "embed --weights colbert/ --text documents.txt --tokens-out --output vectors.safetensors",
    "embed --weights w.gap --text corpus.txt --shard 3/16 --resume --output e.3",
    "embed --merge e.* --output e.safetensors",
    NULL,
};
