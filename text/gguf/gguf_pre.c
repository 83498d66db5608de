// gguf_pre.c: the table of pre-tokenizers by the names that GGUF files give them. The cuts are those that llama.cpp
// makes, which for tekken and gpt-4o take every letter outside ASCII for one of either case.
#include "gguf_pre.h"

#include <string.h>

#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define CONTRACTIONS "'s|'t|'re|'ve|'m|'ll|'d"
#define REST "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define LLAMA3 "(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}" REST
#define QWEN2 "(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}" REST
#define QWEN35                                                                                                 \
    "(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" \
    "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define NOT_SMALL "(?:(?![a-z])\\p{L})"
#define NOT_CAPITAL "(?:(?![A-Z])\\p{L})"
#define CASED(after)                                                                                                 \
    "[^\\r\\n\\p{L}\\p{N}]?" NOT_SMALL "*" NOT_CAPITAL "+" after "|[^\\r\\n\\p{L}\\p{N}]?" NOT_SMALL "+" NOT_CAPITAL \
    "*" after
#define CASED_REST "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BLOOM " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
#define DEEPSEEK3                                                                                        \
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|" \
    " ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

static const struct ga_text_gguf_pre gpt2 = {.cuts = {GPT2}};
static const struct ga_text_gguf_pre digits = {.cuts = {"\\p{N}", GPT2}};
static const struct ga_text_gguf_pre llama3 = {.cuts = {LLAMA3}, .ignores_merges = true, .adds_bos = true};
static const struct ga_text_gguf_pre dbrx = {.cuts = {LLAMA3}};
static const struct ga_text_gguf_pre glm4 = {.cuts = {LLAMA3}, .ignores_merges = true};
static const struct ga_text_gguf_pre qwen2 = {.cuts = {QWEN2}};
static const struct ga_text_gguf_pre qwen35 = {.cuts = {QWEN35}};
static const struct ga_text_gguf_pre plain = {
    .cuts = {"[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]"}};
static const struct ga_text_gguf_pre falcon = {.cuts = {"[\\p{P}\\$\\+<=>\\^~\\|`]+", GPT2, "[0-9][0-9][0-9]"}};
static const struct ga_text_gguf_pre bloom = {.cuts = {BLOOM}};
static const struct ga_text_gguf_pre viking = {.cuts = {BLOOM, "\\p{N}"}};
static const struct ga_text_gguf_pre deepseek3 = {
    .cuts = {"\\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK3}};
static const struct ga_text_gguf_pre tekken = {
    .cuts = {CASED("") "|\\p{N}" CASED_REST}, .ignores_merges = true, .adds_bos = true};
static const struct ga_text_gguf_pre gpt4o = {.cuts = {CASED("(?i:" CONTRACTIONS ")?") "|\\p{N}{1,3}" CASED_REST}};

static const struct {
    const char *name;
    const struct ga_text_gguf_pre *pre;
} names[] = {
    {"default", &plain},
    {"gpt-2", &gpt2},
    {"phi-2", &gpt2},
    {"jina-es", &gpt2},
    {"jina-de", &gpt2},
    {"jina-v2-es", &gpt2},
    {"jina-v2-de", &gpt2},
    {"modern-bert", &gpt2},
    {"mellum", &gpt2},
    {"gigachat", &gpt2},
    {"a.x-4.0", &gpt2},
    {"exaone4", &gpt2},
    {"mpt", &gpt2},
    {"olmo", &gpt2},
    {"jais", &gpt2},
    {"trillion", &gpt2},
    {"granite-docling", &gpt2},
    {"starcoder", &digits},
    {"refact", &digits},
    {"command-r", &digits},
    {"smollm", &digits},
    {"codeshell", &digits},
    {"exaone", &digits},
    {"minerva-7b", &digits},
    {"mellum2", &digits},
    {"llama3", &llama3},
    {"llama-v3", &llama3},
    {"llama-bpe", &llama3},
    {"falcon3", &llama3},
    {"falcon-h1", &llama3},
    {"pixtral", &llama3},
    {"midm-2.0", &llama3},
    {"lfm2", &llama3},
    {"jina-v5-nano", &llama3},
    {"dbrx", &dbrx},
    {"smaug-bpe", &dbrx},
    {"chatglm-bpe", &dbrx},
    {"glm4", &glm4},
    {"glm5", &glm4},
    {"qwen2", &qwen2},
    {"deepseek-r1-qwen", &qwen2},
    {"kormo", &qwen2},
    {"f2llmv2", &qwen2},
    {"stablelm2", &qwen2},
    {"megrez", &qwen2},
    {"hunyuan", &qwen2},
    {"solar-open", &qwen2},
    {"grok-2", &qwen2},
    {"qwen35", &qwen35},
    {"falcon", &falcon},
    {"bloom", &bloom},
    {"poro-chat", &bloom},
    {"gpt3-finnish", &bloom},
    {"viking", &viking},
    {"deepseek-v3", &deepseek3},
    {"hunyuan-dense", &deepseek3},
    {"joyai-llm", &deepseek3},
    {"tekken", &tekken},
    {"gpt-4o", &gpt4o},
    {"llama4", &gpt4o},
    {"kanana2", &gpt4o},
};

const struct ga_text_gguf_pre *ga_text_gguf_pre_of(struct ga_text_bytes name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == name.length && memcmp(names[i].name, name.bytes, name.length) == 0) {
            return names[i].pre;
        }
    }
    return NULL;
}
