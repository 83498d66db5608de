// chat.c: renders one exchange in the form of a chat template, and encodes it so that no message steers the model. The
// forms are chat_forms.c's.
#include <string.h>

#include "arguments.h"
#include "chat_forms.h"
#include "tokenizer.h"
#include "unicode.h"

// -- Recognition -----------------------------------------------------------------------------------------------------

static struct ga_text_bytes bytes_of(const char *text)
{
    return (struct ga_text_bytes){text, strlen(text)};
}

// What comes after `words` in text, from `at` on; NULL bytes where it does not.
static struct ga_text_bytes after(struct ga_text_bytes text, size_t at, const char *words)
{
    const size_t length = strlen(words);
    for (; at + length <= text.length; at++) {
        if (memcmp(text.bytes + at, words, length) == 0) {
            return (struct ga_text_bytes){text.bytes + at + length, text.length - at - length};
        }
    }
    return (struct ga_text_bytes){NULL, 0};
}

// The plain words at the beginning of text, a line's end before them, which end where an end of a message is.
static struct ga_text_view plain_message(struct ga_text_bytes text, const char *end)
{
    const size_t skipped = text.bytes[0] == '\n' ? 1 : text.length > 1 && memcmp(text.bytes, "\\n", 2) == 0 ? 2 : 0;
    size_t length = 0;
    while (skipped + length < text.length && !strchr("'\"\\{}<", text.bytes[skipped + length])) {
        length++;
    }
    const size_t to_end = text.length - skipped - length;
    const bool ends =
        skipped < text.length && to_end >= strlen(end) && memcmp(text.bytes + skipped + length, end, strlen(end)) == 0;
    return ends && skipped > 0 && length > 0 ? (struct ga_text_view){text.bytes + skipped, length}
                                             : (struct ga_text_view){NULL, 0};
}

// The system message that a template has of its own.
static struct ga_text_view own_system(struct ga_text_bytes template, const struct ga_text_chat_form *form)
{
    struct ga_text_view found = {NULL, 0};
    struct ga_text_bytes rest = template;
    while (form->default_system && !found.bytes && (rest = after(rest, 0, form->default_system)).bytes) {
        found = rest.length > 0 ? plain_message(rest, form->end) : found;
    }
    return found;
}

bool ga_text_chat_named(const char *name, struct ga_text_chat *chat_out)
{
    const struct ga_text_chat_form *form = name && chat_out ? ga_text_chat_form_named(name) : NULL;
    if (form) {
        *chat_out = (struct ga_text_chat){.form = form->name, .begins = form->bos[0] != '\0'};
    }
    return form != NULL;
}

bool ga_text_chat_recognise(const char *template_text, size_t length, struct ga_text_chat *chat_out)
{
    const struct ga_text_bytes template = {template_text, length};
    const struct ga_text_chat_form *form = template_text && chat_out ? ga_text_chat_form_of(template) : NULL;
    if (form) {
        *chat_out = (struct ga_text_chat){form->name, ga_text_contains(template, bytes_of("bos_token")),
                                          own_system(template, form)};
    }
    return form != NULL;
}

// -- Rendering -------------------------------------------------------------------------------------------------------

// A chat on its way into a text.
struct rendering {
    const struct ga_text_tokenizer *tokenizer;
    const struct ga_text_chat_form *form;
    struct ga_text_string text;
    struct ga_text_quotes quotes;
    enum ga_status status;
};

static void put(struct rendering *r, struct ga_text_bytes bytes)
{
    const struct ga_text_span none = {0, 0};
    if (r->status == GA_OK) {
        r->status = ga_text_string_append(&r->text, bytes.bytes, bytes.length, none);
    }
}

// The token that ends a text, as text.
static struct ga_text_bytes eos_of(const struct ga_text_tokenizer *tokenizer)
{
    const struct ga_text_bytes named =
        tokenizer->n_ends > 0 ? ga_text_token_text(tokenizer, tokenizer->ends[0]) : (struct ga_text_bytes){NULL, 0};
    return named.bytes ? named : bytes_of("</s>");
}

// A text of the form, in which a byte stands for the token that ends a text.
static void put_form(struct rendering *r, const char *text)
{
    for (const char *eos; (eos = strchr(text, GA_TEXT_CHAT_EOS[0])); text = eos + 1) {
        put(r, (struct ga_text_bytes){text, (size_t)(eos - text)});
        put(r, eos_of(r->tokenizer));
    }
    put(r, bytes_of(text));
}

// The token that begins a text: the first that the post-processor puts before one, or the form's, where it is a token.
static void put_bos(struct rendering *r)
{
    const struct ga_text_template *single = &r->tokenizer->post.single;
    const struct ga_text_place *first = single->count > 0 ? &single->places[0] : NULL;
    if (first && first->what == GA_TEXT_SPECIAL) {
        put(r, (struct ga_text_bytes){first->token, first->length});
    } else if (ga_text_added_is_special(&r->tokenizer->added, bytes_of(r->form->bos))) {
        put(r, bytes_of(r->form->bos));
    }
}

static void put_quote(struct rendering *r, struct ga_text_bytes message)
{
    const size_t begin = r->text.length;
    put(r, message);
    r->quotes.spans[r->quotes.count++] = (struct ga_text_span){(uint32_t)begin, (uint32_t)r->text.length};
}

// White space as Python's str.strip has it.
static bool is_space(const char *at)
{
    size_t size;
    const uint32_t c = ga_text_code_point(at, &size);
    return ga_text_is_whitespace(c) || (c >= 0x1C && c <= 0x1F);
}

static struct ga_text_bytes strip_end(struct ga_text_bytes text)
{
    for (size_t at = text.length; at > 0;) {
        at--;
        const bool begins = ((unsigned char)text.bytes[at] & 0xC0) != 0x80;
        if (begins && !is_space(text.bytes + at)) {
            return text;
        }
        text.length = begins ? at : text.length;
    }
    return text;
}

static struct ga_text_bytes strip_begin(struct ga_text_bytes text)
{
    size_t size = 0;
    for (; text.length > 0 && is_space(text.bytes); text.bytes += size, text.length -= size) {
        ga_text_code_point(text.bytes, &size);
    }
    return text;
}

static void render(struct rendering *r, const struct ga_text_chat *chat, struct ga_text_bytes system,
                   struct ga_text_bytes user)
{
    const struct ga_text_chat_form *form = r->form;
    const bool has_system = system.bytes != NULL;
    const bool strips_begin = form->trim != GA_TEXT_CHAT_AS_IS && !(form->trim == GA_TEXT_CHAT_WHOLE && has_system);
    if (chat->begins) {
        put_bos(r);
    }
    put_form(r, form->lead);
    if (has_system) {
        put_form(r, form->before_system);
        put_quote(r, form->trim == GA_TEXT_CHAT_EACH ? strip_end(strip_begin(system)) : system);
        put_form(r, form->after_system);
    } else if (chat->system.bytes) {
        put_form(r, form->before_system);
        put(r, (struct ga_text_bytes){chat->system.bytes, chat->system.length});
        put_form(r, form->after_system);
    }
    put_form(r, form->before_user);
    user = form->trim != GA_TEXT_CHAT_AS_IS ? strip_end(user) : user;
    put_quote(r, strips_begin ? strip_begin(user) : user);
    put_form(r, form->after_user);
}

// -- Encoding --------------------------------------------------------------------------------------------------------

// What is wrong with the messages; they must be UTF-8 before white space is looked for.
static enum ga_status check_messages(const struct ga_text_chat_form *form, struct ga_text_bytes system,
                                     struct ga_text_bytes user, struct ga_error *error)
{
    if (ga_text_valid_utf8(user.bytes, user.length) != user.length ||
        (system.bytes && ga_text_valid_utf8(system.bytes, system.length) != system.length)) {
        return ga_fail(error, GA_FORMAT, "a message of the chat is not UTF-8");
    }
    if (strip_end(user).length == 0) {
        return ga_fail(error, GA_FORMAT, "the message of the chat is blank; expected text");
    }
    return system.bytes && form->takes_no_system
               ? ga_fail(error, GA_FORMAT,
                         "the chat template %s takes no system message; put its text before the message", form->name)
               : GA_OK;
}

// The id of an added token; -1: there is none.
static int32_t id_of(const struct ga_text_tokenizer *tokenizer, struct ga_text_bytes content)
{
    const struct ga_text_added *added = &tokenizer->added;
    int32_t id = -1;
    for (size_t i = 0; i < added->count && id < 0; i++) {
        const struct ga_text_added_token *token = &added->tokens[i];
        id = ga_text_equal((struct ga_text_bytes){token->content, token->length}, content) ? token->id : -1;
    }
    return id;
}

enum ga_status ga_text_encode_chat(struct ga_text_context *context, const struct ga_text_chat *chat, const char *system,
                                   size_t system_length, const char *text, size_t length,
                                   struct ga_text_encoding *encoding_out, int32_t *end_out, struct ga_error *error)
{
    enum ga_status status = GA_TEXT_CHECK("ga_text_encode_chat", error, {"context", context}, {"chat", chat},
                                          {"text", text}, {"encoding_out", encoding_out}, {"end_out", end_out});
    const struct ga_text_chat_form *form = status == GA_OK && chat->form ? ga_text_chat_form_named(chat->form) : NULL;
    if (status == GA_OK && !form) {
        return ga_fail(error, GA_ARGUMENT, "ga_text_encode_chat: chat->form is not the name of a form");
    }
    const struct ga_text_bytes messages[2] = {{system, system_length}, {text, length}};
    status = status ? status : check_messages(form, messages[0], messages[1], error);
    if (status != GA_OK) {
        return status;
    }
    *encoding_out = (struct ga_text_encoding){0};
    struct rendering r = {.tokenizer = context->tokenizer, .form = form};
    render(&r, chat, messages[0], messages[1]);
    r.quotes.text = r.text.bytes;
    r.quotes.length = r.text.length;
    status = r.status == GA_OK ? ga_text_encode_quoting(context, &r.quotes, encoding_out, error)
                               : ga_fail(error, r.status, "no memory for a chat of %zu bytes", length);
    *end_out = id_of(context->tokenizer,
                     form->end[0] == GA_TEXT_CHAT_EOS[0] ? eos_of(context->tokenizer) : bytes_of(form->end));
    ga_text_string_free(&r.text);
    return status;
}
