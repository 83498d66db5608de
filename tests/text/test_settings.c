// test_settings.c: what a model's spec records of texts goes before what tokenizer.json says. The ids are those of
// transformers, with truncation_side, Lowercase before the normalizer, and model_input_names without token_type_ids.
#include <criterion/criterion.h>

#include "text_fixture.h"

#define SPEC(fields) "return {\n  n_layers = 1,\n  text_input = { " fields " },\n}\n"
#define PLAIN "\"lowercase\":false"

// Opens the fixture, with `to` for `from`, for a spec, and makes "ids / types" of a text and its pair, cut to limit.
static const char *said(const char *spec, const char *from, const char *to, const char *text, const char *pair,
                        size_t limit)
{
    static char found[256];
    char json[FIXTURE_ROOM];
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    struct ga_text_encoding encoding;
    struct ga_error error;
    size_t used = 0;
    fixture_with(from, to, json);
    cr_assert_eq(ga_text_tokenizer_open_for(spec, "t.json", json, strlen(json), &tokenizer, &error), GA_OK, "%s",
                 error.text);
    cr_assert_eq(ga_text_context_open(tokenizer, &context), GA_OK);
    ga_text_context_set_limit(context, limit);
    cr_assert_eq(ga_text_encode(context, text, strlen(text), pair, pair ? strlen(pair) : 0, 0, &encoding, &error),
                 GA_OK);
    for (size_t i = 0; i < encoding.count; i++) {
        used += (size_t)snprintf(found + used, sizeof found - used, "%d:%d ", encoding.ids[i], encoding.type_ids[i]);
    }
    ga_text_context_close(context);
    ga_text_tokenizer_close(tokenizer);
    return found;
}

static const char *cut(const char *spec, const char *truncation)
{
    return said(spec, "\"truncation\":null", truncation, "a cat the !", NULL, 4);
}

Test(settings, the_side_that_truncation_takes_goes_before_that_of_the_file)
{
    static const char left[] = "\"truncation\":{\"direction\":\"Left\",\"max_length\":9,\"strategy\":\"LongestFirst\","
                               "\"stride\":0}";
    static const char none[] = "\"truncation\":null";
    cr_expect_str_eq(cut(NULL, none), "2:0 7:0 5:0 3:0 ");
    cr_expect_str_eq(cut(SPEC("truncation_side = \"left\""), none), "2:0 4:0 8:0 3:0 ");
    cr_expect_str_eq(cut(NULL, left), "2:0 4:0 8:0 3:0 ");
    cr_expect_str_eq(cut(SPEC("truncation_side = \"right\""), left), "2:0 7:0 5:0 3:0 ");
    cr_expect_str_eq(cut(SPEC("prompt = \" truncation_side = 'left'\""), none), "2:0 7:0 5:0 3:0 ");
}

Test(settings, lower_case_comes_before_the_normalizer)
{
    cr_expect_str_eq(said(NULL, "\"lowercase\":true", PLAIN, "CAT", NULL, 9), "2:0 1:0 3:0 ");
    cr_expect_str_eq(said(SPEC("lower_case = true"), "\"lowercase\":true", PLAIN, "CAT", NULL, 9), "2:0 5:0 3:0 ");
    cr_expect_str_eq(said(SPEC("lower_case = false"), "\"lowercase\":true", PLAIN, "CAT", NULL, 9), "2:0 1:0 3:0 ");
}

Test(settings, without_types_all_are_0)
{
    cr_expect_str_eq(said(SPEC("token_types = true"), "", "", "cat", "the", 9), "5:0 3:0 4:1 ");
    cr_expect_str_eq(said(SPEC("token_types = false"), "", "", "cat", "the", 9), "5:0 3:0 4:0 ");
}

Test(settings, a_prompt_is_read_byte_by_byte_and_never_beyond_its_room)
{
    char prompt[GA_TEXT_PROMPT] = "";
    static const char spec[] = SPEC("lower_case = true, prompt = \"50%25 %22a%22%0a: %G\"");
    static const char expected[] = "50% \"a\"\n: %G";
    cr_expect_eq(ga_text_recorded_prompt(spec, NULL, 0), strlen(expected));
    cr_expect_eq(ga_text_recorded_prompt(spec, prompt, sizeof prompt), strlen(expected));
    cr_expect_arr_eq(prompt, expected, strlen(expected));
    memset(prompt, 'x', sizeof prompt);
    cr_expect_eq(ga_text_recorded_prompt(spec, prompt, 2), strlen(expected));
    cr_expect_arr_eq(prompt, "50x", 3);
    cr_expect_eq(ga_text_recorded_prompt(NULL, prompt, sizeof prompt), 0);
    cr_expect_eq(ga_text_recorded_prompt("return {\n  text_input = { prompt = \"a", prompt, sizeof prompt), 0);
    cr_expect_eq(ga_text_recorded_prompt(SPEC("lower_case = true"), prompt, sizeof prompt), 0);
}

Test(settings, numbers_are_found_by_the_whole_name_of_their_field)
{
    static const char spec[] =
        SPEC("query_length = 32, unscored = { 7, 11 }, expansion = 3, expansion_length = 9, prompt = \" eos = 5\"");
    int32_t number = 0;
    cr_expect(ga_text_recorded_number(spec, "expansion", 0, &number) && number == 3);
    cr_expect(ga_text_recorded_number(spec, "expansion_length", 0, &number) && number == 9);
    cr_expect(ga_text_recorded_number(spec, "query_length", 0, &number) && number == 32);
    cr_expect_not(ga_text_recorded_number(spec, "query_length", 1, &number));
    cr_expect(ga_text_recorded_number(spec, "unscored", 1, &number) && number == 11);
    cr_expect_not(ga_text_recorded_number(spec, "unscored", 2, &number));
    cr_expect_not(ga_text_recorded_number(spec, "length", 0, &number));
    cr_expect_not(ga_text_recorded_number(spec, "eos", 0, &number));
    cr_expect_not(ga_text_recorded_number(spec, "", 0, &number));
}

Test(settings, texts_are_found_by_the_whole_name_of_their_field)
{
    char text[32] = "";
    static const char spec[] = SPEC("answers = { 9, 7 }, scores = \"none\", pair = \"a%0a{query}\", prompt = \"b\"");
    cr_expect_eq(ga_text_recorded_text(spec, "pair", text, sizeof text), 9);
    cr_expect_str_eq(text, "a\n{query}");
    cr_expect_eq(ga_text_recorded_text(spec, "pair", NULL, 0), 9);
    cr_expect_eq(ga_text_recorded_text(spec, "scores", NULL, 0), 4);
    cr_expect_eq(ga_text_recorded_text(spec, "answers", NULL, 0), 0);
    cr_expect_eq(ga_text_recorded_text(spec, "air", NULL, 0), 0);
}

static const char *named(const char *spec, const char *name)
{
    static char prompt[64];
    const size_t length = ga_text_named_prompt(spec, name, prompt, sizeof prompt - 1);
    if (length == GA_TEXT_NO_PROMPT) {
        return "none";
    }
    prompt[length] = '\0';
    return prompt;
}

Test(settings, prompts_are_found_by_name)
{
    static const char spec[] = SPEC("prompt = \" prompts = { 'x'\", prompts = { \"a%3db= lower_case = true\", "
                                    "\"query=q%0a=\", \"q=\" }");
    char name[8];
    cr_expect_str_eq(named(spec, "query"), "q\n=");
    cr_expect_str_eq(named(spec, "a=b"), " lower_case = true");
    cr_expect_str_eq(named(spec, "q"), "");
    cr_expect_str_eq(named(spec, "quer"), "none");
    cr_expect_str_eq(named(spec, "a"), "none");
    cr_expect_str_eq(named(spec, NULL), "none");
    cr_expect_str_eq(named(SPEC("prompt = \" prompts = { 'x'\""), "x"), "none");
    cr_expect_str_eq(named(SPEC("prompts = { \"query=x"), "query"), "none");
    cr_expect_str_eq(named(NULL, "query"), "none");
    cr_expect_eq(ga_text_prompt_name(spec, 1, name, sizeof name), strlen("query"));
    cr_expect_arr_eq(name, "query", strlen("query"));
    cr_expect_eq(ga_text_prompt_name(spec, 3, name, sizeof name), GA_TEXT_NO_PROMPT);
    cr_expect_str_eq(said(SPEC("prompts = { \"x= lower_case = true\" }"), "\"lowercase\":true", PLAIN, "CAT", NULL, 9),
                     "2:0 1:0 3:0 ");
}

// The ids that end a text for a spec, "2 7 ".
static const char *ends_for(const char *spec)
{
    static char found[128];
    char json[FIXTURE_ROOM];
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error;
    size_t count, used = 0;
    fixture_with("", "", json);
    cr_assert_eq(ga_text_tokenizer_open_for(spec, "t.json", json, strlen(json), &tokenizer, &error), GA_OK);
    const int32_t *ends = ga_text_tokenizer_ends(tokenizer, &count);
    found[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(found + used, sizeof found - used, "%d ", ends[i]);
    }
    ga_text_tokenizer_close(tokenizer);
    return found;
}

Test(settings, the_tokens_that_end_a_text_are_those_of_the_spec)
{
    cr_expect_str_eq(ends_for(NULL), "");
    cr_expect_str_eq(ends_for(SPEC("eos = 2")), "2 ");
    cr_expect_str_eq(ends_for(SPEC("token_types = false, eos = { 2, 7 }, prompt = \" eos = 3\"")), "2 7 ");
    cr_expect_str_eq(ends_for(SPEC("eos = 5, prompt = \"7, 8\"")), "5 ");
    cr_expect_str_eq(ends_for(SPEC("prompt = \" eos = 3\"")), "");
    cr_expect_str_eq(ends_for(SPEC("eos = { 99999999999999999999, 7 }")), "");
}
