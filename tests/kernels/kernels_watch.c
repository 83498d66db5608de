// kernels_watch.c: the fact that a model shows the rows that its linears multiply, all of them and to nobody's cost.
// Says nothing of what they are used for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/reference_rounded.h"
#include "watch.h"

static const double SHOWN_BUDGET = 2e7;
enum { MOST_LAYERS = 8 }; // of models whose first layer is looked at

bool kernels_for_showing(const struct ga_model *model)
{
    return ga_model_shows(model);
}

// -- Rows -----------------------------------------------------------------------------------------------------------

// What was shown, by role: rows one after the other, as wide as the weight.
struct shown {
    const struct ga_model *model;
    float *x[MAX_ROLES];
    size_t rows[MAX_ROLES];
    bool is_short; // of memory
};

static void keep_shown(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    struct shown *shown = self;
    for (size_t i = 0; i < n_roles && rows > 0; i++) {
        const size_t role = roles[i], width = shown->model->roles[role].shape[1];
        float *to = realloc(shown->x[role], (shown->rows[role] + rows) * width * sizeof *to);
        shown->is_short = shown->is_short || !to;
        for (size_t row = 0; to && row < rows; row++) {
            memcpy(to + (shown->rows[role] + row) * width, x + row * stride, width * sizeof *x);
        }
        shown->x[role] = to ? to : shown->x[role];
        shown->rows[role] += to ? rows : 0;
    }
}

static void drop_shown(struct shown *shown)
{
    for (size_t role = 0; role < MAX_ROLES; role++) {
        free(shown->x[role]);
    }
}

// The role of that name, after what stands before it for a transformer's decoder; the number of roles where there is
// none.
static size_t role_called(const struct ga_model *model, const char *name)
{
    size_t role = 0;
    for (; role < model->n_roles; role++) {
        const char *given = model->roles[role].name;
        const size_t before = strncmp(given, "decoder.", 8) == 0 ? 8 : 0;
        if (strcmp(given + before, name) == 0) {
            break;
        }
    }
    return role;
}

static size_t sum_rows(const struct call *call, size_t (*rows_of)(const struct call *call, size_t b))
{
    size_t rows = 0;
    for (size_t b = 0; b < call->shape.batch; b++) {
        rows += rows_of(call, b);
    }
    return rows;
}

// Rows of a memory that a sequence takes: with a cache none where it has no rows of its own.
static size_t memory_rows(const struct call *call, size_t b)
{
    return call->model->cache && call_q_rows(call, b) == 0 ? 0 : call_kv_rows(call, b);
}

// Rows of a layer's keys and values: with a finite fill those of padding are keys too.
static size_t key_rows(const struct call *call, size_t b)
{
    return call->model->fills_padding ? call->shape.kv_len : call_kv_rows(call, b);
}

static size_t one_row(const struct call *call, size_t b)
{
    (void)call, (void)b;
    return 1;
}

// -- How many -------------------------------------------------------------------------------------------------------

// Rows of one sequence by the end of a weight's name; the first that fits. of: which weights that begin so.
static const struct counted {
    const char *begin, *end;
    size_t (*rows)(const struct call *call, size_t b);
} counted[] = {
    {"encoder.layers.", "_weight", memory_rows},
    {"classifier", "_weight", one_row},
    {"", "memory_k_weight", memory_rows},
    {"", "memory_v_weight", memory_rows},
    {"k_weight", "", key_rows},
    {"v_weight", "", key_rows},
    {"", "norm_weight", NULL},
    {"", "_weight", call_q_rows},
};

static bool begins_and_ends(const char *name, const char *begin, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return strncmp(name, begin, strlen(begin)) == 0 && length >= tail && strcmp(name + length - tail, end) == 0;
}

// Parts of a row that a weight multiplies one by one.
static size_t parts_of(const struct ga_model *model, const char *name)
{
    const bool is_key = name[0] == 'k' || name[0] == 'v';
    return !model->shared_heads || name[0] == 'o' ? 1 : is_key ? model->n_kv_heads : model->n_heads;
}

static size_t wanted_rows(const struct call *call, size_t role)
{
    const struct ga_model *model = call->model;
    const char *name = model->roles[role].name;
    const struct counted *row = counted;
    if (model->stack && model->stack->logits_tied && role == role_called(model, "embedding")) {
        return sum_rows(call, call_q_rows);
    }
    if (model->roles[role].rank != 2 || !begins_and_ends(name, "", "_weight")) {
        return 0;
    }
    while (!begins_and_ends(name, row->begin, row->end)) {
        row++;
    }
    return row->rows ? parts_of(model, name) * sum_rows(call, row->rows) : 0;
}

static bool expect_all_shown(struct checks *checks, const struct call *call, const struct shown *shown)
{
    bool all = true;
    for (size_t role = 0; role < shown->model->n_roles; role++) {
        const size_t wanted = wanted_rows(call, role);
        all = all && shown->rows[role] == wanted;
        checks_that(checks, shown->rows[role] == wanted, "%s was shown %zu rows, not %zu",
                    shown->model->roles[role].name, shown->rows[role], wanted);
    }
    return all;
}

// -- Which ----------------------------------------------------------------------------------------------------------

// What a linear makes of the row at `at` that it was shown, and the sizes of its products.
struct made {
    double sum, size;
};

// What the linear of that name multiplies.
static enum ga_arithmetic arithmetic_of(const struct ga_model *model, const char *name)
{
    const enum ga_linear linear = strcmp(name, "classifier") == 0     ? GA_LINEAR_CLASSIFIER
                                  : strcmp(name, "logits") == 0       ? GA_LINEAR_LOGITS
                                  : begins_and_ends(name, "", "down") ? GA_LINEAR_DOWN
                                                                      : GA_LINEAR_O;
    return model->arithmetic[linear];
}

static void add_linear(const struct subject *subject, const struct shown *shown, const char *name, size_t at,
                       size_t out, struct made *made)
{
    char weight[64], bias[64];
    (void)snprintf(weight, sizeof weight, "%s_weight", name);
    (void)snprintf(bias, sizeof bias, "%s_bias", name);
    const struct ga_model *model = subject->model;
    const bool is_tied = strcmp(name, "logits") == 0 && model->stack->logits_tied;
    const size_t role = role_called(model, is_tied ? "embedding" : weight), of_bias = role_called(model, bias);
    if (role == model->n_roles) {
        return;
    }
    const size_t width = model->roles[role].shape[1];
    struct ga_weight_view view = subject->roles[role];
    const float *x = shown->x[role] + at * width;
    view.data += out * view.row_stride;
    double sum = 0;
    for (size_t i = 0; i < width; i++) {
        const double product = (double)view.data[i * view.col_stride] * (double)x[i];
        sum += product;
        made->size += fabs(product);
    }
    const enum ga_arithmetic arithmetic = arithmetic_of(model, name);
    if (arithmetic != GA_ARITHMETIC_F32) {
        float rounded;
        reference_rounded_project(reference_rounding(model, arithmetic), &view, NULL, 1, width, 1, x, &rounded);
        sum = (double)rounded;
    }
    made->sum += sum;
    if (of_bias < model->n_roles) {
        made->sum += (double)subject->roles[of_bias].data[out * subject->roles[of_bias].row_stride];
        made->size += fabs(made->sum);
    }
}

static void expect_made(struct checks *checks, const char *what, size_t at, size_t out, float got,
                        const struct made *made)
{
    checks_that(checks, fabs((double)got - made->sum) <= 2e-6 * made->size + 1e-30,
                "%s: number %zu of row %zu is %.9g, but what it is made of was shown to give %.9g", what, out, at,
                (double)got, made->sum);
}

// What joins the residual of the first layer, which no last norm follows.
static void expect_joined(struct checks *checks, const struct subject *subject, const struct shown *shown, size_t at,
                          size_t out, const float *before, const float *after)
{
    static const char *const joining[] = {"layers.0.o", "layers.0.memory_o", "layers.0.down"};
    struct made made = {.size = fabs((double)before[out]) + fabs((double)after[out])};
    for (size_t i = 0; i < 3; i++) {
        add_linear(subject, shown, joining[i], at, out, &made);
    }
    made.sum += (double)before[out];
    expect_made(checks, "the first layer", at, out, after[out], &made);
}

// What a call gives that linears make at once, and what these are called.
struct given {
    const char *name;
    const float *rows; // NULL: the call does not give it
    size_t width;
    bool of_sequence; // one row each
};

static struct given given_of(const struct call *call, size_t which)
{
    const struct ga_model *model = call->model;
    const bool has_o = !model->stack && role_called(model, "o_weight") < model->n_roles &&
                       model->activation[GA_O] == GA_ACTIVATION_NONE;
    const struct given all[] = {
        {"o", has_o ? call->io.output : NULL, model->d_out, false},
        {"logits", call->io.logits, model->stack ? model->stack->n_logits : 0, false},
        {"classifier", call->io.class_logits, model->stack ? model->stack->n_labels : 0, true},
    };
    return all[which];
}

static bool has_plain_logits(const struct ga_stack *stack)
{
    return stack->logits == GA_LOGITS_LINEAR && stack->logits_softcap == 0.0;
}

static bool has_plain_layers(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    return stack && stack->norm_first && !stack->result_norm && !stack->without_residual && !stack->without_attention &&
           stack->n_layers > 1 && stack->n_layers <= MOST_LAYERS;
}

static void expect_row(struct checks *checks, const struct subject *subject, const struct call *call,
                       const struct shown *shown, size_t b, size_t row, size_t at)
{
    const size_t from = (b * call->shape.q_len + row) * call->model->d_model;
    float *const *hidden = call->io.hidden;
    for (size_t out = 0; has_plain_layers(call->model) && out < call->model->d_model; out += 7) {
        expect_joined(checks, subject, shown, at, out, hidden[0] + from, hidden[1] + from);
    }
    for (size_t which = 0; which < 3; which++) {
        const struct given given = given_of(call, which);
        const size_t place = given.of_sequence ? b : b * call->shape.q_len + row;
        for (size_t out = 0; given.rows && out < given.width && (!given.of_sequence || row == 0); out += 5) {
            struct made made = {0};
            add_linear(subject, shown, given.name, given.of_sequence ? b : at, out, &made);
            expect_made(checks, given.name, at, out, given.rows[place * given.width + out], &made);
        }
    }
}

// Real rows in the order in which they were shown.
static void expect_rows(struct checks *checks, const struct subject *subject, const struct call *call,
                        const struct shown *shown)
{
    for (size_t b = 0, at = 0; b < call->shape.batch; b++) {
        for (size_t row = 0; row < call_q_rows(call, b); row++) {
            expect_row(checks, subject, call, shown, b, row, at++);
        }
    }
}

// A row of a call's input is shown bit for bit to a linear that reads it as it is.
static void expect_input(struct checks *checks, const struct call *call, const struct shown *shown, const char *name,
                         const float *input, size_t q_or_kv_len, size_t (*rows_of)(const struct call *call, size_t b))
{
    const size_t role = role_called(call->model, name);
    if (!input || role == call->model->n_roles || call->model->shared_heads) {
        return;
    }
    const size_t width = call->model->roles[role].shape[1];
    for (size_t b = 0, at = 0; b < call->shape.batch; at += rows_of(call, b++)) {
        const size_t count = rows_of(call, b) * width;
        const float *rows = input + b * q_or_kv_len * width;
        checks_that(checks, count == 0 || memcmp(shown->x[role] + at * width, rows, count * sizeof *rows) == 0,
                    "%s was shown other rows than those of sequence %zu", name, b);
    }
}

static void expect_inputs(struct checks *checks, const struct call *call, const struct shown *shown)
{
    const struct ga_io *io = &call->io;
    const float *key = io->key ? io->key : io->query, *value = io->value ? io->value : key;
    const size_t q_len = call->shape.q_len, kv_len = io->key ? call->shape.kv_len : q_len;
    if (!call->model->stack) {
        expect_input(checks, call, shown, "q_weight", io->query, q_len, call_q_rows);
        expect_input(checks, call, shown, "k_weight", key, kv_len, key_rows);
        expect_input(checks, call, shown, "v_weight", value, kv_len, key_rows);
    } else if (call->model->kind == GA_DECODER) {
        expect_input(checks, call, shown, "layers.0.memory_k_weight", io->key, kv_len, memory_rows);
        expect_input(checks, call, shown, "layers.0.memory_v_weight", io->key, kv_len, memory_rows);
    }
}

// -- The fact -------------------------------------------------------------------------------------------------------

static void watch_variant(struct checks *checks, const struct subject *subject, struct call *call, size_t v,
                          float *plain)
{
    const size_t count = call->shape.batch * call_out_elements(call);
    struct shown shown = {.model = subject->model};
    const struct ga_watch watch = {keep_shown, &shown};
    const bool ran = call_run(call, checks, subject, v);
    memcpy(plain, call->buffers[CALL_OUTPUT].data, count * sizeof *plain);
    call->io.watch = &watch;
    if (ran && call_run(call, checks, subject, v) && checks_need(checks, !shown.is_short, "no memory for rows")) {
        const size_t at = approx_first_difference(call->buffers[CALL_OUTPUT].data, plain, count);
        checks_that(checks, at == count, "element %zu is another where rows are watched", at);
        if (expect_all_shown(checks, call, &shown)) {
            expect_rows(checks, subject, call, &shown);
            expect_inputs(checks, call, &shown);
        }
    }
    call->io.watch = NULL;
    drop_shown(&shown);
}

// What a call gives besides its output: room in one block, and what points to it.
struct room {
    float *all, *hidden[MOST_LAYERS + 1];
};

static bool make_room(struct call *call, struct room *room)
{
    const struct ga_stack *stack = call->model->stack;
    const size_t rows = call->shape.batch * call->shape.q_len, width = call->model->d_model;
    const size_t wide = stack ? stack->n_logits : 0, labels = stack ? stack->n_labels : 0;
    *room = (struct room){
        .all = malloc((2 * rows * width + rows * wide + call->shape.batch * labels + 1) * sizeof *room->all)};
    float *const after = room->all ? room->all + 2 * rows * width : NULL;
    room->hidden[0] = room->all;
    room->hidden[1] = room->all ? room->all + rows * width : NULL;
    call->io.hidden = room->all && has_plain_layers(call->model) ? room->hidden : NULL;
    call->io.logits = room->all && wide > 0 && has_plain_logits(stack) ? after : NULL;
    call->io.class_logits = room->all && labels > 0 ? after + rows * wide : NULL;
    return room->all;
}

static void watch_call(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct room room;
    float *plain = malloc(call->shape.batch * call_out_elements(call) * sizeof *plain);
    if (call->shape.past == 0 && checks_need(checks, plain && make_room(call, &room), "no memory for rows")) {
        for (size_t v = 0; v < subject->n_loaded; v++) {
            watch_variant(checks, subject, call, v, plain);
        }
        call->io.hidden = NULL;
        call->io.logits = call->io.class_logits = NULL;
        free(room.all);
    }
    free(plain);
}

void rows_that_are_shown_are_those_multiplied(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, SHOWN_BUDGET, watch_call);
}
