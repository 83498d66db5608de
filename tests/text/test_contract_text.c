// test_contract_text.c: calls of libga_text that a caller got wrong, each pointer of each function: a status with a
// sentence, or the answer that ga_text.h names. The table is checked against the header: no function is left out.
#define _GNU_SOURCE // mkdtemp
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/contract.h"
#include "text_fixture.h"

static const char missing[] = "no/such/tokenizer.json";
static struct ga_text_tokenizer *tokenizer;
static struct ga_text_context *context;
static struct ga_text_encoding encoding;
static struct ga_text_view view;
static char *bytes;
static size_t length;
static uint64_t hash;
static const int32_t ids[2] = {4, 5};
static const size_t size = sizeof fixture_json - 1;

static void open_fixture(void)
{
    cr_assert_eq(ga_text_tokenizer_open_memory("t.json", fixture_json, size, &tokenizer, &error), GA_OK, "%s",
                 error.text);
    cr_assert_eq(ga_text_context_open(tokenizer, &context), GA_OK);
}

static void close_fixture(void)
{
    ga_text_context_close(context);
    ga_text_tokenizer_close(tokenizer);
}

TestSuite(contract_text, .init = open_fixture, .fini = close_fixture);

Test(contract_text, files_and_bytes)
{
    struct ga_text_tokenizer *other = NULL;
    REFUSED(ARGUMENT, "path is NULL", ga_text_tokenizer_open(NULL, &other, &error));
    REFUSED(ARGUMENT, "tokenizer_out is NULL", ga_text_tokenizer_open(missing, NULL, &error));
    REFUSED(ARGUMENT, "path is NULL", ga_text_tokenizer_read(NULL, &bytes, &length, &error));
    REFUSED(ARGUMENT, "bytes_out is NULL", ga_text_tokenizer_read(missing, NULL, &length, &error));
    REFUSED(ARGUMENT, "length_out is NULL", ga_text_tokenizer_read(missing, &bytes, NULL, &error));
    REFUSED(ARGUMENT, "name is NULL", ga_text_tokenizer_open_memory(NULL, fixture_json, size, &other, &error));
    REFUSED(ARGUMENT, "bytes is NULL", ga_text_tokenizer_open_memory("t", NULL, size, &other, &error));
    REFUSED(ARGUMENT, "tokenizer_out is NULL", ga_text_tokenizer_open_memory("t", fixture_json, size, NULL, &error));
    REFUSED(ARGUMENT, "name is NULL",
            ga_text_tokenizer_pack(NULL, fixture_json, size, NULL, 0, &bytes, &length, &error));
    REFUSED(ARGUMENT, "bytes is NULL", ga_text_tokenizer_pack("t", NULL, size, NULL, 0, &bytes, &length, &error));
    REFUSED(ARGUMENT, "packed_out is NULL",
            ga_text_tokenizer_pack("t", fixture_json, size, NULL, 0, NULL, &length, &error));
    REFUSED(ARGUMENT, "size_out is NULL",
            ga_text_tokenizer_pack("t", fixture_json, size, NULL, 0, &bytes, NULL, &error));
    REFUSED(ARGUMENT, "name is NULL", ga_text_tokenizer_open_for("", NULL, fixture_json, size, &other, &error));
    REFUSED(ARGUMENT, "tokenizer_out is NULL", ga_text_tokenizer_open_for("", "t", fixture_json, size, NULL, &error));
    GIVES(GA_ARGUMENT, ga_text_tokenizer_open_for(NULL, NULL, NULL, 0, &other, NULL));
    GIVES(GA_ARGUMENT, ga_text_tokenizer_open(NULL, &other, NULL));
    GIVES(GA_ARGUMENT, ga_text_tokenizer_read(NULL, &bytes, &length, NULL));
    GIVES(GA_ARGUMENT, ga_text_tokenizer_open_memory("t", NULL, size, &other, NULL));
    GIVES(GA_ARGUMENT, ga_text_tokenizer_pack("t", NULL, size, NULL, 0, &bytes, &length, NULL));
    cr_expect_null(other);
}

Test(contract_text, texts_and_ids)
{
    REFUSED(ARGUMENT, "context is NULL", ga_text_encode(NULL, "a", 1, NULL, 0, 0, &encoding, &error));
    REFUSED(ARGUMENT, "text is NULL", ga_text_encode(context, NULL, 1, NULL, 0, 0, &encoding, &error));
    REFUSED(ARGUMENT, "encoding_out is NULL", ga_text_encode(context, "a", 1, "b", 1, 0, NULL, &error));
    REFUSED(ARGUMENT, "context is NULL", ga_text_decode(NULL, ids, 2, true, &view, &error));
    REFUSED(ARGUMENT, "ids is NULL", ga_text_decode(context, NULL, 2, true, &view, &error));
    REFUSED(ARGUMENT, "text_out is NULL", ga_text_decode(context, ids, 2, true, NULL, &error));
    struct ga_text_chat chat;
    int32_t end;
    cr_assert(ga_text_chat_named("chatml", &chat));
    REFUSED(ARGUMENT, "context is NULL", ga_text_encode_chat(NULL, &chat, NULL, 0, "a", 1, &encoding, &end, &error));
    REFUSED(ARGUMENT, "chat is NULL", ga_text_encode_chat(context, NULL, NULL, 0, "a", 1, &encoding, &end, &error));
    REFUSED(ARGUMENT, "text is NULL", ga_text_encode_chat(context, &chat, NULL, 0, NULL, 0, &encoding, &end, &error));
    REFUSED(ARGUMENT, "encoding_out is NULL", ga_text_encode_chat(context, &chat, NULL, 0, "a", 1, NULL, &end, &error));
    REFUSED(ARGUMENT, "end_out is NULL", ga_text_encode_chat(context, &chat, NULL, 0, "a", 1, &encoding, NULL, &error));
    GIVES(GA_ARGUMENT, ga_text_encode_chat(context, NULL, NULL, 0, "a", 1, &encoding, &end, NULL));
    GIVES(GA_ARGUMENT, ga_text_encode(context, NULL, 1, NULL, 0, 0, &encoding, NULL));
    GIVES(GA_ARGUMENT, ga_text_decode(context, NULL, 2, true, &view, NULL));
    GIVES(GA_OK, ga_text_encode(context, NULL, 0, NULL, 0, 0, &encoding, NULL));
    GIVES(2, encoding.count);
    GIVES(GA_OK, ga_text_decode(context, NULL, 0, true, &view, NULL));
    GIVES(0, view.length);
}

Test(contract_text, functions_without_a_sentence)
{
    struct ga_text_context *other = NULL;
    char path[64];
    GIVES(GA_ARGUMENT, ga_text_context_open(NULL, &other));
    GIVES(GA_ARGUMENT, ga_text_context_open(tokenizer, NULL));
    GIVES(0, ga_text_tokenizer_hash(NULL));
    GIVES(0, ga_text_tokenizer_ids(NULL));
    GIVES(SIZE_MAX, ga_text_tokenizer_max_length(NULL));
    cr_expect_null(ga_text_tokenizer_ends(NULL, NULL));
    struct ga_text_chat chat;
    cr_expect_null(ga_text_tokenizer_chat_template(NULL).bytes);
    cr_expect_null(ga_text_tokenizer_chat_template(tokenizer).bytes);
    cr_expect_null(ga_text_chat_name(SIZE_MAX));
    GIVES(false, ga_text_chat_named(NULL, &chat));
    GIVES(false, ga_text_chat_named("chatml", NULL));
    GIVES(false, ga_text_chat_recognise(NULL, 0, &chat));
    GIVES(false, ga_text_chat_recognise("<|im_start|><|im_end|>", 22, NULL));
    GIVES(false, ga_text_tokenizer_beside(NULL, path, sizeof path));
    GIVES(false, ga_text_tokenizer_beside("weights", NULL, sizeof path));
    static const char spec[] = "return {\n  text_input = { expansion = 3 },\n}\n";
    int32_t number;
    GIVES(false, ga_text_recorded_hash(NULL, &hash));
    GIVES(false, ga_text_recorded_hash("", NULL));
    GIVES(false, ga_text_recorded_number(NULL, "expansion", 0, &number));
    GIVES(false, ga_text_recorded_number(spec, NULL, 0, &number));
    GIVES(false, ga_text_recorded_number(spec, "expansion", 0, NULL));
    GIVES(0, ga_text_recorded_text(NULL, "pair", path, sizeof path));
    GIVES(0, ga_text_recorded_text(spec, NULL, path, sizeof path));
    GIVES(0, ga_text_recorded_prompt(NULL, path, sizeof path));
    GIVES(3, ga_text_recorded_prompt("return {\n  text_input = { prompt = \"to \" },\n}\n", NULL, 8));
    GIVES(GA_TEXT_NO_PROMPT, ga_text_prompt_name(NULL, 0, path, sizeof path));
    GIVES(GA_TEXT_NO_PROMPT, ga_text_named_prompt(NULL, "query", path, sizeof path));
    GIVES(GA_TEXT_NO_PROMPT, ga_text_named_prompt("", NULL, path, sizeof path));
    ga_text_context_set_limit(NULL, 4);
    ga_text_context_close(NULL);
    ga_text_tokenizer_close(NULL);
}

// Every function that the header declares is called above.
Test(contract_text, no_function_is_left_out)
{
    static char header[1 << 16], test[1 << 16];
    FILE *files[2] = {fopen("text/ga_text.h", "r"), fopen("tests/text/test_contract_text.c", "r")};
    cr_assert(files[0] && files[1], "run in the root of the repository");
    header[fread(header, 1, sizeof header - 1, files[0])] = '\0';
    test[fread(test, 1, sizeof test - 1, files[1])] = '\0';
    fclose(files[0]);
    fclose(files[1]);
    size_t found = 0;
    for (const char *at = header; (at = strstr(at, "ga_text_")) != NULL; at++) {
        char name[64];
        const size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
        if (at[letters] == '(' && at[-1] == ' ') {
            snprintf(name, sizeof name, "%.*s(", (int)letters, at);
            cr_expect(strstr(test, name), "%s) has no row", name);
            found++;
        }
    }
    cr_expect_eq(found, 25, "%zu functions", found);
}

// Opened as ga_pack_open opens one: nothing waits for a writer, and a device is never read.
Test(contract_text, what_is_no_regular_file_is_refused, .timeout = 20)
{
    char folder[] = "/tmp/ga_text_XXXXXX", pipe[64];
    struct ga_text_tokenizer *other = NULL;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(pipe, sizeof pipe, "%s/tokenizer.json", folder);
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    REFUSED(IO, "a pipe or device; expected a regular file", ga_text_tokenizer_open(pipe, &other, &error));
    REFUSED(IO, "a pipe or device; expected a regular file", ga_text_tokenizer_read(pipe, &bytes, &length, &error));
    REFUSED(IO, "a directory; expected a regular file", ga_text_tokenizer_open(folder, &other, &error));
    REFUSED(IO, "a pipe or device; expected a regular file", ga_text_tokenizer_open("/dev/zero", &other, &error));
    REFUSED(IO, "cannot be opened", ga_text_tokenizer_open(missing, &other, &error));
    cr_expect(unlink(pipe) == 0 && rmdir(folder) == 0);
}
