// call_rules.c: rules of a call as tables, and the first that is broken as an error. Knows no rule itself.
#include "call.h"

enum ga_status ga_call_rules(const struct ga_model *model, const struct ga_call_rule *rules, size_t count,
                             struct ga_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].broken) {
            return ga_fail(error, rules[i].status, "%s: %s", model->name, rules[i].text);
        }
    }
    return GA_OK;
}
