// reference_stack.h: the generic kernel's whole models: rows, and layers of attention and feed-forward; what is made of
// them at the end is in reference_outputs.h. Not a header to use: reference.c includes it after each reference_layer.h,
// which see.

// out[n] += row number `at` of the table of a role, as embedding_dtype keeps it.
static void IN_REAL(add_table_row)(const struct ga_model *model, const struct ga_weight_view *roles, const char *role,
                                   size_t at, REAL *out)
{
    float *row = malloc(model->d_model * sizeof *row);
    if (row) {
        reference_table_row(model, reference_role(model, roles, role), at, row);
    }
    for (size_t d = 0; row && d < model->d_model; d++) {
        out[d] += (REAL)row[d];
    }
    free(row);
}

// out[n] += sin(p w), cos(p w) in turn, with w = 10000^(-2 i / n) for pair i.
static void IN_REAL(add_waves)(size_t place, size_t n, REAL *out)
{
    for (size_t d = 0; d < n; d++) {
        const double angle = (double)place / pow(10000.0, (double)(d - d % 2) / (double)n);
        out[d] += (REAL)(d % 2 == 0 ? sin(angle) : cos(angle));
    }
}

// x [count][d_model]: the rows of sequence b as the first layer takes them.
static void IN_REAL(first_rows)(const struct ga_model *model, const struct ga_weight_view *roles,
                                const struct ga_io *io, size_t b, size_t count, REAL *x)
{
    const struct ga_stack *stack = model->stack;
    const size_t n = model->d_model;
    IN_REAL(query_rows)(model, roles, io, b, count, x);
    for (size_t i = 0; i < count; i++) {
        const size_t place = reference_place(stack, io, b, i);
        for (size_t d = 0; stack->sublayer && d < n; d++) {
            x[i * n + d] += (REAL)io->sublayer[(b * io->q_len + i) * n + d];
        }
        for (size_t d = 0; stack->embedding_scale != 0.0 && d < n; d++) {
            x[i * n + d] *= (REAL)stack->embedding_scale;
        }
        if (stack->token_types > 0) {
            const size_t type = io->token_types ? (size_t)io->token_types[b * io->q_len + i] : 0;
            IN_REAL(add_table_row)(model, roles, "token_types", type, x + i * n);
        }
        if (stack->positions == GA_POSITIONS_LEARNED) {
            IN_REAL(add_table_row)(model, roles, "positions", place, x + i * n);
        } else if (stack->positions == GA_POSITIONS_SINUSOIDAL) {
            IN_REAL(add_waves)(place, n, x + i * n);
        }
    }
    if (stack->embedding_norm) {
        IN_REAL(norm)
        (&stack->norm, n, reference_role(model, roles, "embedding_norm_weight"),
         reference_role(model, roles, "embedding_norm_bias"), count, x);
    }
}

// Rows first .. of a weight or bias that holds gate's rows, then up's; NULL of none.
static const struct ga_weight_view *IN_REAL(rows_from)(const struct ga_weight_view *all, size_t first,
                                                       struct ga_weight_view *rows)
{
    if (!all) {
        return NULL;
    }
    *rows = *all;
    rows->data += first * all->row_stride;
    return rows;
}

// y [count][d_ff] = the linear of that name, or its half of gate_up: gate first.
static void IN_REAL(gate_or_up)(const char *name, const struct ga_stack *stack, const struct ga_model *layer,
                                const struct ga_weight_view *views, size_t count, const REAL *x, REAL *y)
{
    const size_t first = strcmp(name, "gate") == 0 ? 0 : stack->d_ff;
    char names[2][16];
    snprintf(names[0], sizeof names[0], "%s_weight", name);
    snprintf(names[1], sizeof names[1], "%s_bias", name);
    const struct ga_weight_view *weight = reference_role(layer, views, names[0]);
    const struct ga_weight_view *bias = reference_role(layer, views, names[1]);
    struct ga_weight_view half, half_bias;
    if (!weight) {
        weight = IN_REAL(rows_from)(reference_role(layer, views, "gate_up_weight"), first, &half);
        bias = IN_REAL(rows_from)(reference_role(layer, views, "gate_up_bias"), first, &half_bias);
    }
    IN_REAL(project)
    (reference_rounding(layer, layer->arithmetic[GA_LINEAR_UP]), weight, bias, count, layer->d_model, stack->d_ff, x,
     y);
}

// y [count][d_model] += scale times the low-rank pair of mid [count][d_ff], where the layer has one.
static void IN_REAL(adapt)(const struct ga_stack *stack, const struct ga_model *layer,
                           const struct ga_weight_view *views, size_t count, const REAL *mid, REAL *y)
{
    const struct ga_weight_view *a = reference_role(layer, views, "adapter_a_weight");
    const struct ga_weight_view *b = reference_role(layer, views, "adapter_b_weight");
    const struct reference_rounding rounding = reference_rounding(layer, layer->arithmetic[GA_LINEAR_DOWN]);
    const REAL scale = (REAL)reference_number(layer, "ffn.adapter_scale", 1);
    const size_t n = layer->d_model, rank = (size_t)reference_number(layer, "ffn.adapter_rank", 0);
    REAL *low = a ? malloc((count * (rank + n) + 1) * sizeof *low) : NULL;
    if (low) {
        REAL *added = low + count * rank;
        IN_REAL(project)(rounding, a, NULL, count, stack->d_ff, rank, mid, low);
        IN_REAL(project)(rounding, b, NULL, count, rank, n, low, added);
        for (size_t i = 0; i < count * n; i++) {
            y[i] += scale * added[i];
        }
    }
    free(low);
}

// y [count][d_model] = the feed-forward of x, with mid and gate [count][d_ff] to work in.
static void IN_REAL(feed_forward)(const struct ga_stack *stack, const struct ga_model *layer,
                                  const struct ga_weight_view *views, size_t count, const REAL *x, REAL *mid,
                                  REAL *gate, REAL *y)
{
    const size_t n = layer->d_model, d_ff = stack->d_ff;
    IN_REAL(gate_or_up)("up", stack, layer, views, count, x, mid);
    if (stack->ffn_gated) {
        IN_REAL(gate_or_up)("gate", stack, layer, views, count, x, gate);
        IN_REAL(activate)(stack->ffn_activation, count * d_ff, gate);
        for (size_t i = 0; i < count * d_ff; i++) {
            mid[i] *= gate[i];
        }
    } else {
        IN_REAL(activate)(stack->ffn_activation, count * d_ff, mid);
    }
    IN_REAL(project)
    (reference_rounding(layer, layer->arithmetic[GA_LINEAR_DOWN]), reference_role(layer, views, "down_weight"),
     reference_role(layer, views, "down_bias"), count, d_ff, n, mid, y);
    IN_REAL(adapt)(stack, layer, views, count, mid, y);
}

// to = norm of from [count][d_model], by the weights of that name.
static void IN_REAL(norm_to)(const struct ga_stack *stack, const struct ga_model *model,
                             const struct ga_weight_view *views, const char *name, size_t count, const REAL *from,
                             REAL *to)
{
    char names[2][48];
    snprintf(names[0], sizeof names[0], "%s_norm_weight", name);
    snprintf(names[1], sizeof names[1], "%s_norm_bias", name);
    if (to != from) {
        memcpy(to, from, count * model->d_model * sizeof *to);
    }
    if (stack->norm.kind == GA_NORM_NONE || !reference_role(model, views, names[0])) {
        return;
    }
    IN_REAL(norm)
    (&stack->norm, model->d_model, reference_role(model, views, names[0]), reference_role(model, views, names[1]),
     count, to);
}

// Rows of a sequence that an attention looks at, where they are not its own.
struct IN_REAL(memory) {
    const REAL *rows; // [count][d_model]; NULL: its own
    size_t count;
};

// x [count] += y, what a block of a layer gives, normed if the model has such norms, times the factor of what joins.
static void IN_REAL(join)(const struct ga_stack *stack, const struct part_model *layer, const char *block, size_t count,
                          REAL *x, REAL *y)
{
    char norm[32];
    const size_t floats = count * layer->model.d_model;
    snprintf(norm, sizeof norm, "%s_result", block);
    if (stack->result_norm) {
        IN_REAL(norm_to)(stack, &layer->model, layer->views, norm, count, y, y);
    }
    const REAL factor = stack->residual_scale != 0.0 ? (REAL)stack->residual_scale : 1;
    for (size_t i = 0; i < floats; i++) {
        x[i] += factor * y[i];
    }
}

// x [count] and what an attention makes of it, joined; norm: the name of its norm. weights: the attention's, or NULL.
static void IN_REAL(join_attention)(const struct ga_stack *stack, const struct part_model *layer,
                                    const struct part_model *attention, const struct ga_io *io, size_t b,
                                    const char *norm, struct IN_REAL(rows) * rows, bool *seen, size_t count,
                                    struct IN_REAL(memory) memory, REAL *x, REAL *y, REAL *weights)
{
    const size_t n = layer->model.d_model, floats = count * n;
    memcpy(rows->query, x, floats * sizeof *x);
    if (stack->norm_first) {
        IN_REAL(norm_to)(stack, &layer->model, layer->views, norm, count, x, rows->query);
    }
    const REAL *keys = memory.rows ? memory.rows : rows->query;
    const size_t kv_rows = memory.rows ? memory.count : count;
    memcpy(rows->key, keys, kv_rows * n * sizeof *x);
    memcpy(rows->value, keys, kv_rows * n * sizeof *x);
    IN_REAL(layer)(&attention->model, attention->views, io, b, rows, seen, y, weights);
    IN_REAL(join)(stack, layer, norm, count, x, y);
    if (!stack->norm_first) {
        IN_REAL(norm_to)(stack, &layer->model, layer->views, norm, count, x, x);
    }
}

// x [count] and the feed-forward of rows `from`, which may be x, joined.
static void IN_REAL(join_feed_forward)(const struct ga_stack *stack, const struct part_model *layer, size_t count,
                                       const REAL *from, REAL *normed, REAL *mid, REAL *x, REAL *y)
{
    const size_t floats = count * layer->model.d_model;
    memcpy(normed, from, floats * sizeof *x);
    if (stack->norm_first) {
        IN_REAL(norm_to)(stack, &layer->model, layer->views, "ffn", count, from, normed);
    }
    IN_REAL(feed_forward)(stack, &layer->model, layer->views, count, normed, mid, mid + count * stack->d_ff, y);
    if (stack->without_residual) {
        memcpy(x, y, floats * sizeof *x);
    } else {
        IN_REAL(join)(stack, layer, "ffn", count, x, y);
    }
    if (!stack->norm_first) {
        IN_REAL(norm_to)(stack, &layer->model, layer->views, "ffn", count, x, x);
    }
}

// Where those weights of a layer go, or NULL.
static REAL *IN_REAL(wanted)(const struct IN_REAL(asked) * asked, enum reference_weights which, size_t layer)
{
    return asked->which == which && asked->layer == layer ? asked->weights : NULL;
}

// One sequence through the layers of an encoder or a decoder; x is room for its rows, the residual on the way;
// own_weights: what the weights of its rows over each other are.
static void IN_REAL(side)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                          size_t b, struct IN_REAL(rows) * rows, bool *seen, struct IN_REAL(memory) memory, REAL *x,
                          enum reference_weights own_weights, const struct IN_REAL(asked) * asked)
{
    const struct ga_stack *stack = model->stack;
    const struct ga_io own = self_call(io), over = memory_call(io);
    const struct IN_REAL(memory) none = {NULL, 0};
    const size_t count = reference_q_rows(io, b);
    REAL *y = malloc((count * model->d_model + 1) * sizeof *y);
    REAL *mid = malloc((2 * count * stack->d_ff + 1) * sizeof *mid);
    REAL *before = malloc((count * model->d_model + 1) * sizeof *before);
    IN_REAL(first_rows)(model, roles, io, b, count, x);
    for (size_t l = 0; y && mid && before && l < stack->n_layers; l++) {
        struct part_model layer, over_memory;
        layer_make(&layer, model, roles, l, "");
        memcpy(before, x, count * model->d_model * sizeof *x);
        if (!stack->without_attention) {
            IN_REAL(join_attention)
            (stack, &layer, &layer, &own, b, "attention", rows, seen, count, none, x, y,
             IN_REAL(wanted)(asked, own_weights, l));
        }
        if (memory.rows) {
            memory_make(&over_memory, model, roles, l);
            IN_REAL(join_attention)
            (stack, &layer, &over_memory, &over, b, "memory", rows, seen, count, memory, x, y,
             IN_REAL(wanted)(asked, REFERENCE_CROSS, l));
        }
        layer.model.spec = model->spec; // that of its attention's kind has no feed-forward
        IN_REAL(join_feed_forward)
        (stack, &layer, count, stack->parallel ? before : x, rows->query, mid, x, y);
    }
    if (stack->final_norm) {
        IN_REAL(norm_to)(stack, model, roles, "final", count, x, x);
    }
    free(y);
    free(mid);
    free(before);
}

// The memory that a decoder of sequence b attends to: key as given, or the output of a transformer's encoder.
static void IN_REAL(remember)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                              size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *memory,
                              const struct IN_REAL(asked) * asked)
{
    const struct IN_REAL(memory) none = {NULL, 0};
    if (model->kind == GA_TRANSFORMER) {
        const struct ga_io source = source_call(io);
        struct part_model encoder;
        encoder_make(&encoder, model, roles);
        IN_REAL(side)(&encoder.model, encoder.views, &source, b, rows, seen, none, memory, REFERENCE_SOURCE, asked);
    } else {
        IN_REAL(copy_rows)(io->key, b * io->kv_len, reference_kv_rows(io, b), model->d_model, memory);
    }
}

// One sequence through a whole model; output is its [q_len][d_model], of which padding is left alone.
static void IN_REAL(stack)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                           size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *output,
                           const struct IN_REAL(asked) * asked)
{
    struct IN_REAL(memory) memory = {NULL, reference_kv_rows(io, b)};
    struct part_model decoder;
    if (model->kind == GA_ENCODER) {
        IN_REAL(side)(model, roles, io, b, rows, seen, memory, output, REFERENCE_OWN, asked);
        return;
    }
    REAL *kept = malloc((memory.count * model->d_model + 1) * sizeof *kept);
    if (kept) {
        IN_REAL(remember)(model, roles, io, b, rows, seen, kept, asked);
        memory.rows = kept;
        if (model->kind == GA_TRANSFORMER) {
            decoder_make(&decoder, model, roles);
            IN_REAL(side)
            (&decoder.model, decoder.views, io, b, rows, seen, memory, output, REFERENCE_OWN, asked);
        } else {
            IN_REAL(side)(model, roles, io, b, rows, seen, memory, output, REFERENCE_OWN, asked);
        }
    }
    free(kept);
}
