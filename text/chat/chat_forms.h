// chat_forms.h: the forms of chat templates that the library knows: the text around the messages of one exchange, and
// the words by which a template tells its form. Internal to libga_text. Renders nothing.
#ifndef GA_TEXT_CHAT_FORMS_H
#define GA_TEXT_CHAT_FORMS_H

#include "bytes.h"
#include "ga_text.h"

// Whose white space at both ends is left out, as the templates of a form do it.
enum ga_text_chat_trim {
    GA_TEXT_CHAT_AS_IS,
    GA_TEXT_CHAT_EACH,  // of the system message and of the user's
    GA_TEXT_CHAT_USER,  // of the user's
    GA_TEXT_CHAT_WHOLE, // of both together, as one text
};

#define GA_TEXT_CHAT_EOS "\1" // in the texts of a form: the token that ends a text, which is the tokenizer's

enum { GA_TEXT_CHAT_MARKERS = 6 };

// The order is: lead, [before_system, system, after_system], before_user, user, after_user.
struct ga_text_chat_form {
    const char *name;
    const char *bos; // the token that begins a text, where the tokenizer does not say; "": none
    const char *lead, *before_system, *after_system, *before_user, *after_user;
    const char *end; // the token that ends an answer
    enum ga_text_chat_trim trim;
    bool takes_no_system;
    const char *has[GA_TEXT_CHAT_MARKERS], *lacks[GA_TEXT_CHAT_MARKERS]; // words of a template in this form
    const char *default_system; // in a template, right before a system message of its own; NULL: such a form has none
};

// The form of a name, or whose words a template has; NULL: none.
const struct ga_text_chat_form *ga_text_chat_form_named(const char *name);
const struct ga_text_chat_form *ga_text_chat_form_of(struct ga_text_bytes template);

#endif
