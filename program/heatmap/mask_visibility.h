// mask_visibility.h: which keys a query sees, from a model's properties and a call's lengths and mask: what its kernels
// keep to, put into one question for what shows it. No kernel asks it.
#ifndef GA_MASK_VISIBILITY_H
#define GA_MASK_VISIBILITY_H

#include <stdbool.h>

#include "model_call.h"

// Real rows of sequence b of a call's query, and of its keys.
size_t ga_query_rows(const struct ga_model_call *call, size_t b);
size_t ga_key_rows(const struct ga_model_call *call, size_t b);

// Whether a call's keys are its query's own rows.
bool ga_is_self(const struct ga_model_call *call);

// Whether query i of head h in sequence b sees key j, both real.
bool ga_sees(const struct ga_model *model, const struct ga_model_call *call, size_t b, size_t h, size_t i, size_t j);

// What keeps real queries of this call from real keys, as words for a legend: "causal, window of 37, mask"; ""
// where nothing does.
enum { GA_MASK_VISIBILITY_TEXT = 80 };
const char *ga_mask_visibility_text(const struct ga_model *model, const struct ga_model_call *call,
                                    char text[GA_MASK_VISIBILITY_TEXT]);

#endif
