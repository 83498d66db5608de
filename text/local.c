// local.c: proves of a tokenizer's components that its texts may be cut into chunks. Cuts none, and runs no component.
#include <string.h>

#include "tokenizer.h"

struct ga_text_bytes ga_text_lead_bytes(enum ga_text_lead lead)
{
    static const struct ga_text_bytes leads[] = {
        [GA_TEXT_LEAD_SPACE] = {" ", 1},
        [GA_TEXT_LEAD_MARK] = {"\xe2\x96\x81", 3},
        [GA_TEXT_LEAD_BYTE] = {"\xc4\xa0", 2},
    };
    return leads[lead];
}

bool ga_text_keeps_edges(const void *self, struct ga_text_edges *edges)
{
    (void)self, (void)edges;
    return true;
}

bool ga_text_loosens_edges(const void *self, struct ga_text_edges *edges)
{
    (void)self;
    edges->are_solid = false;
    return true;
}

static bool proves(ga_text_edges_function *function, const void *self, struct ga_text_edges *edges)
{
    return function && function(self, edges);
}

static bool normalizers_prove(const struct ga_text_parts *parts, struct ga_text_edges *edges)
{
    bool local = true;
    for (size_t i = 0; i < parts->count && local; i++) {
        const struct ga_text_normalizer_class *class = (const void *)parts->items[i].base;
        local = proves(class->edges, parts->items[i].self, edges);
    }
    return local;
}

// Added tokens that are looked for in normalized text: none may reach over an edge. At an edge as at the end of a text
// a word ends, as no lead that normalizers give is part of one.
static bool added_prove(const struct ga_text_matcher *matcher, const struct ga_text_edges *edges)
{
    const struct ga_text_bytes lead = ga_text_lead_bytes(edges->lead);
    bool local = true;
    for (size_t i = 0; i < matcher->count && local; i++) {
        const struct ga_text_added_token *token = matcher->tokens[i];
        local = !token->lstrip && !token->rstrip && !ga_text_contains(ga_text_added_text(token), lead);
    }
    return local;
}

// Where edges are cut, each step that does nothing but cut sees pieces of one chunk alone.
static bool pretokenizers_prove(const struct ga_text_parts *parts, struct ga_text_edges *edges)
{
    bool local = true;
    for (size_t i = 0; i < parts->count && local; i++) {
        const struct ga_text_pretokenizer_class *class = (const void *)parts->items[i].base;
        const bool sees_pieces = edges->are_cut && !class->before;
        local = sees_pieces || proves(class->edges, parts->items[i].self, edges);
    }
    return local;
}

bool ga_text_is_local(const struct ga_text_tokenizer *tokenizer)
{
    const struct ga_text_model_class *model = (const void *)tokenizer->model.base;
    struct ga_text_edges edges = {.lead = GA_TEXT_LEAD_SPACE, .are_solid = true, .are_cut = false};
    return normalizers_prove(&tokenizer->normalizers, &edges) && added_prove(&tokenizer->added.normalized, &edges) &&
           pretokenizers_prove(&tokenizer->pretokenizers, &edges) &&
           (edges.are_cut || proves(model->edges, tokenizer->model.self, &edges));
}
