// reference_layer.h: the generic kernel's steps, written once for both precisions. Not a header to use: reference.c
// includes it twice, with REAL the type to compute in, MATH(name) that type's function of <math.h> and IN_REAL(name)
// the name's instance.

// Working memory of one sequence: q_len and kv_len rows at most.
struct IN_REAL(rows) {
    REAL *query;   // [q_len][d_model]
    REAL *key;     // [kv_len][k_dim]
    REAL *value;   // [kv_len][v_dim]
    REAL *q;       // [q_len][n_heads * d_head]
    REAL *k;       // [kv_len + extra_keys][n_kv_heads * d_head]
    REAL *v;       // [kv_len + extra_keys][n_kv_heads * d_v]
    REAL *concat;  // [q_len][n_heads * d_v], attention times V, heads side by side
    REAL *weights; // [kv_len + extra_keys], one row of attention weights
    REAL **more;   // [GA_INTERMEDIATES], of all sequences, each NULL where not wanted; or NULL
};

static bool IN_REAL(rows_new)(struct IN_REAL(rows) * rows, const struct ga_model *model, const struct ga_io *io)
{
    size_t q_len = model->stack ? most_rows(io) : io->q_len; // a stack's rows are queries and keys in turn
    size_t kv_len = (model->stack ? q_len : reference_kv_len(io)) + model->extra_keys;
    size_t width = model->n_heads * model->d_head, kv_width = model->n_kv_heads * model->d_head;
    rows->query = malloc(q_len * model->d_model * sizeof(REAL));
    rows->key = malloc(kv_len * model->k_dim * sizeof(REAL));
    rows->value = malloc(kv_len * model->v_dim * sizeof(REAL));
    rows->q = malloc(q_len * width * sizeof(REAL));
    rows->k = malloc(kv_len * kv_width * sizeof(REAL));
    rows->v = malloc(kv_len * model->n_kv_heads * model->d_v * sizeof(REAL));
    rows->concat = malloc(q_len * model->n_heads * model->d_v * sizeof(REAL));
    rows->weights = malloc(kv_len * sizeof(REAL));
    return rows->query && rows->key && rows->value && rows->q && rows->k && rows->v && rows->concat && rows->weights;
}

static void IN_REAL(rows_drop)(struct IN_REAL(rows) * rows)
{
    free(rows->query);
    free(rows->key);
    free(rows->value);
    free(rows->q);
    free(rows->k);
    free(rows->v);
    free(rows->concat);
    free(rows->weights);
}

// out[count][width] = rows of a tensor, from its row `first`.
static void IN_REAL(copy_rows)(const float *tensor, size_t first, size_t count, size_t width, REAL *out)
{
    for (size_t i = 0; i < count * width; i++) {
        out[i] = (REAL)tensor[first * width + i];
    }
}

// out[count][d_model] = the embedding's rows for ids[count].
static void IN_REAL(embed)(const struct ga_model *model, const struct ga_weight_view *roles, const int32_t *ids,
                           size_t count, REAL *out)
{
    float *row = malloc(model->d_model * sizeof *row);
    for (size_t i = 0; row && i < count; i++) {
        reference_token_row(model, roles, (size_t)ids[i], row);
        for (size_t d = 0; d < model->d_model; d++) {
            out[i * model->d_model + d] = (REAL)row[d];
        }
    }
    free(row);
}

// out[count][d_model] = the first rows of sequence b on the query's side, which is the keys' side in self-attention.
static void IN_REAL(query_rows)(const struct ga_model *model, const struct ga_weight_view *roles,
                                const struct ga_io *io, size_t b, size_t count, REAL *out)
{
    if (io->tokens) {
        IN_REAL(embed)(model, roles, io->tokens + b * io->q_len, count, out);
    } else {
        IN_REAL(copy_rows)(io->query, b * io->q_len, count, model->d_model, out);
    }
}

static void IN_REAL(gather)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                            size_t b, struct IN_REAL(rows) * rows)
{
    size_t kv_rows = reference_kv_used(model, io, b);
    IN_REAL(query_rows)(model, roles, io, b, reference_q_rows(io, b), rows->query);
    if (!io->key) {
        IN_REAL(query_rows)(model, roles, io, b, kv_rows, rows->key);
        IN_REAL(query_rows)(model, roles, io, b, kv_rows, rows->value);
        return;
    }
    const float *value = io->value ? io->value : io->key;
    IN_REAL(copy_rows)(io->key, b * io->kv_len, kv_rows, model->k_dim, rows->key);
    IN_REAL(copy_rows)(value, b * io->kv_len, kv_rows, model->v_dim, rows->value);
}

// Appends the keys that the model adds to k and to v, after `count` rows of width: a vector of its weights if it has
// one, and zeros.
static void IN_REAL(add_keys)(const struct ga_model *model, const struct ga_weight_view *learned, size_t count,
                              size_t width, REAL *rows)
{
    for (size_t e = 0; e < model->extra_keys; e++) {
        for (size_t d = 0; d < width; d++) {
            rows[(count + e) * width + d] = learned && e == 0 ? (REAL)learned->data[d * learned->row_stride] : 0;
        }
    }
}

// scores[kv_rows + extra_keys] of one query vector q[d_head], that of the row, with keys k, kv_width floats apart.
static void IN_REAL(score)(const struct reference_row *row, const REAL *q, const REAL *k, size_t kv_rows, REAL *scores)
{
    const struct ga_model *model = row->model;
    const size_t kv_width = model->n_kv_heads * model->d_head, keys = kv_rows + model->extra_keys;
    for (size_t j = 0; j < keys; j++) {
        scores[j] = IN_REAL(product)(model, j >= kv_rows, q, k + j * kv_width);
    }
    IN_REAL(modify_scores)(row, kv_rows, keys, scores);
}

// Finds which keys row i of head h in sequence b sees: all but those masked with -inf. What masks with a finite number
// replaces the score instead; a row without a key may see all with scores of zero.
static void IN_REAL(mask)(const struct ga_model *model, const struct ga_io *io, size_t b, size_t h, size_t i,
                          REAL *scores, bool *seen)
{
    size_t q_rows = reference_q_rows(io, b), kv_rows = reference_kv_rows(io, b), any = 0;
    for (size_t j = 0; j < reference_kv_used(model, io, b); j++) {
        bool filled =
            model->fills && !(reference_sees(model, i, j, q_rows, kv_rows) && reference_shows(io, b, h, i, j));
        scores[j] = filled ? (REAL)model->mask_fill : scores[j];
        seen[j] = filled || (reference_sees(model, i, j, q_rows, kv_rows) && reference_allows(io, b, h, i, j));
        any += seen[j];
    }
    for (size_t e = 0; e < model->extra_keys; e++) {
        seen[reference_kv_used(model, io, b) + e] = true;
    }
    for (size_t j = 0; model->masked_uniform && any == 0 && j < kv_rows; j++) {
        scores[j] = 0;
        seen[j] = true;
    }
}

// An intermediate of sequence b, zeros so far, from rows of all heads side by side.
static void IN_REAL(give)(const struct ga_model *model, const struct ga_io *io, size_t b,
                          const struct IN_REAL(rows) * rows, enum ga_intermediate which, const REAL *from, size_t count)
{
    size_t shape[4];
    size_t rank = ga_intermediate_shape(model, which, io->batch, io->q_len, reference_kv_len(io), shape);
    size_t heads = rank == 4 ? shape[1] : 1, len = shape[rank - 2], width = shape[rank - 1];
    REAL *to = rows->more ? rows->more[which] : NULL;
    for (size_t row = 0; to && row < count * heads; row++) {
        size_t i = row / heads, h = row % heads;
        memcpy(to + ((b * heads + h) * len + i) * width, from + row * width, width * sizeof(REAL));
    }
}

// One row of masked scores: -inf for what is not seen, also where such a row then sees all keys alike.
static void IN_REAL(give_scores)(const struct ga_model *model, const struct ga_io *io, size_t b, size_t h, size_t i,
                                 const struct IN_REAL(rows) * rows)
{
    size_t q_rows = reference_q_rows(io, b), kv_rows = reference_kv_rows(io, b), kv_len = reference_kv_len(io);
    REAL *to = rows->more ? rows->more[GA_SCORES] : NULL;
    for (size_t j = 0; to && j < kv_len; j++) {
        bool seen = model->fills || (reference_sees(model, i, j, q_rows, kv_rows) && reference_allows(io, b, h, i, j));
        to[((b * model->n_heads + h) * io->q_len + i) * kv_len + j] = seen ? rows->weights[j] : -(REAL)INFINITY;
    }
}

// All heads of one sequence; attention is its [n_heads][q_len][kv_len + extra_keys] of zeros, or NULL.
static void IN_REAL(heads)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                           size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *attention)
{
    const struct ga_weight_view *sinks = reference_role(model, roles, "sinks");
    size_t q_rows = reference_q_rows(io, b), kv_rows = reference_kv_used(model, io, b);
    size_t kv_len = reference_kv_len(io), extra = model->extra_keys;
    size_t width = model->n_heads * model->d_head, group = model->n_heads / model->n_kv_heads;
    IN_REAL(give)(model, io, b, rows, GA_Q_HEADS, rows->q, q_rows);
    IN_REAL(give)(model, io, b, rows, GA_K_HEADS, rows->k, kv_rows);
    IN_REAL(give)(model, io, b, rows, GA_V_HEADS, rows->v, kv_rows);
    for (size_t i = 0; i < q_rows; i++) {
        for (size_t h = 0; h < model->n_heads; h++) {
            size_t at = i * width + h * model->d_head, kv_at = h / group * model->d_head;
            size_t v_at = h / group * model->d_v, x_at = (i * model->n_heads + h) * model->d_v;
            const struct reference_row row = {
                model, roles, io, b, h, i, rows->q + at, rows->k + kv_at, model->n_kv_heads * model->d_head};
            IN_REAL(score)(&row, rows->q + at, rows->k + kv_at, kv_rows, rows->weights);
            IN_REAL(mask)(model, io, b, h, i, rows->weights, seen);
            IN_REAL(give_scores)(model, io, b, h, i, rows);
            IN_REAL(softmax)
            (rows->weights, seen, kv_rows + extra, sinks ? sinks->data + h * sinks->row_stride : NULL);
            IN_REAL(mix)(model, rows->weights, rows->v + v_at, seen, kv_rows, rows->concat + x_at);
            if (attention) {
                REAL *map = attention + (h * io->q_len + i) * (kv_len + extra);
                memcpy(map, rows->weights, kv_rows * sizeof(REAL));
                memcpy(map + kv_len, rows->weights + kv_rows, extra * sizeof(REAL));
            }
        }
    }
    IN_REAL(give)(model, io, b, rows, GA_X_HEADS, rows->concat, q_rows);
    IN_REAL(give)(model, io, b, rows, GA_X_CONCAT, rows->concat, q_rows);
}

// out[count][heads * width] = the heads of sequence b, of a tensor [batch][heads][len][width].
static void IN_REAL(take)(const float *tensor, size_t b, size_t heads, size_t len, size_t count, size_t width,
                          REAL *out)
{
    for (size_t h = 0; h < heads; h++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t d = 0; d < width; d++) {
                out[(i * heads + h) * width + d] = (REAL)tensor[((b * heads + h) * len + i) * width + d];
            }
        }
    }
}

// One sequence of attention alone; output is its [n_heads][q_len][d_v] of zeros.
static void IN_REAL(alone)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                           size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *output, REAL *attention)
{
    size_t q_rows = reference_q_rows(io, b), kv_rows = reference_kv_used(model, io, b), kv_len = reference_kv_len(io);
    const float *key = io->key ? io->key : io->query, *value = io->value ? io->value : key;
    IN_REAL(take)(io->query, b, model->n_heads, io->q_len, q_rows, model->d_head, rows->q);
    IN_REAL(take)(key, b, model->n_kv_heads, kv_len, kv_rows, model->d_head, rows->k);
    IN_REAL(take)(value, b, model->n_kv_heads, kv_len, kv_rows, model->d_v, rows->v);
    IN_REAL(add_keys)(model, NULL, kv_rows, model->n_kv_heads * model->d_head, rows->k);
    IN_REAL(add_keys)(model, NULL, kv_rows, model->n_kv_heads * model->d_v, rows->v);
    IN_REAL(heads)(model, roles, io, b, rows, seen, attention);
    for (size_t h = 0; h < model->n_heads; h++) {
        for (size_t i = 0; i < q_rows; i++) {
            memcpy(output + (h * io->q_len + i) * model->d_v, rows->concat + (i * model->n_heads + h) * model->d_v,
                   model->d_v * sizeof(REAL));
        }
    }
}

// x, so many rows of a head, as a cache keeps them. In float; in double it is the real numbers that a narrow type comes
// near.
static void IN_REAL(keep)(const struct ga_model *model, size_t rows, REAL *x)
{
    const bool rounds = sizeof(REAL) == sizeof(float) && model->cache_dtype != GA_F32;
    for (size_t i = 0; rounds && i < rows; i++) {
        rounding_row(model->cache_dtype, model->d_head, (float *)(void *)x + i * model->d_head);
    }
}

// One layer over the rows of query, key and value that are there; output is [q_rows][d_out].
static void IN_REAL(layer)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                           size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *output, REAL *attention)
{
    size_t q_rows = reference_q_rows(io, b), kv_rows = reference_kv_used(model, io, b), d_model = model->d_model;
    size_t width = model->n_heads * model->d_head, kv_width = model->n_kv_heads * model->d_head;
    IN_REAL(project_in)(model, roles, 'q', q_rows, model->n_heads, d_model, rows->query, rows->q);
    IN_REAL(activate)(model->activation[GA_Q], q_rows * width, rows->q);
    IN_REAL(project_in)(model, roles, 'k', kv_rows, model->n_kv_heads, model->k_dim, rows->key, rows->k);
    IN_REAL(activate)(model->activation[GA_K], kv_rows * kv_width, rows->k);
    IN_REAL(give)(model, io, b, rows, GA_Q_PROJ, rows->q, q_rows);
    IN_REAL(give)(model, io, b, rows, GA_K_PROJ, rows->k, kv_rows);
    IN_REAL(add_keys)(model, reference_role(model, roles, "bias_k"), kv_rows, kv_width, rows->k);
    IN_REAL(project_in)(model, roles, 'v', kv_rows, model->n_kv_heads, model->v_dim, rows->value, rows->v);
    IN_REAL(normalise)
    (model, reference_role(model, roles, "q_norm_weight"), reference_role(model, roles, "q_norm_bias"), q_rows,
     model->n_heads, rows->q);
    IN_REAL(normalise)
    (model, reference_role(model, roles, "k_norm_weight"), reference_role(model, roles, "k_norm_bias"), kv_rows,
     model->n_kv_heads, rows->k);
    IN_REAL(turn)(model, q_rows, model->n_heads, reference_q_place(io, b), rows->q);
    IN_REAL(turn)(model, kv_rows, model->n_kv_heads, reference_kv_place(io, b), rows->k);
    IN_REAL(activate)(model->activation[GA_V], kv_rows * kv_width, rows->v);
    IN_REAL(give)(model, io, b, rows, GA_V_PROJ, rows->v, kv_rows);
    IN_REAL(add_keys)(model, reference_role(model, roles, "bias_v"), kv_rows, kv_width, rows->v);
    IN_REAL(keep)(model, kv_rows * model->n_kv_heads, rows->k);
    IN_REAL(keep)(model, kv_rows * model->n_kv_heads, rows->v);
    IN_REAL(heads)(model, roles, io, b, rows, seen, attention);
    if (!reference_role(model, roles, "o_weight")) { // the heads side by side are the output
        memcpy(output, rows->concat, q_rows * width * sizeof(REAL));
        return;
    }
    IN_REAL(project)
    (reference_rounding(model, model->arithmetic[GA_LINEAR_O]), reference_role(model, roles, "o_weight"),
     reference_role(model, roles, "o_bias"), q_rows, width, model->d_out, rows->concat, output);
    IN_REAL(activate)(model->activation[GA_O], q_rows * model->d_out, output);
}

// One sequence; output is its [q_len][d_out] of zeros.
static void IN_REAL(sequence)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                              size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *output, REAL *attention)
{
    if (model->kind == GA_SDPA) {
        IN_REAL(alone)(model, roles, io, b, rows, seen, output, attention);
        return;
    }
    IN_REAL(gather)(model, roles, io, b, rows);
    IN_REAL(layer)(model, roles, io, b, rows, seen, output, attention);
}

// The weights of one sequence in one layer of a stack, where they are wanted.
struct IN_REAL(asked) {
    enum reference_weights which;
    size_t layer;
    REAL *weights; // NULL: not wanted
};

// A whole model, in reference_stack.h.
static void IN_REAL(stack)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                           size_t b, struct IN_REAL(rows) * rows, bool *seen, REAL *output,
                           const struct IN_REAL(asked) * asked);

bool IN_REAL(reference_more)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                             REAL *output, REAL *attention, REAL *more[GA_INTERMEDIATES])
{
    size_t kv_len = most_rows(io) + model->extra_keys, outputs = io->q_len * model->d_out;
    size_t weights = model->n_heads * io->q_len * (reference_kv_len(io) + model->extra_keys);
    const struct IN_REAL(asked) nothing = {.weights = NULL};
    struct IN_REAL(rows) rows;
    bool *seen = malloc(kv_len * sizeof *seen);
    bool ok = IN_REAL(rows_new)(&rows, model, io) && seen;
    rows.more = more;
    for (size_t b = 0; ok && b < io->batch; b++) {
        REAL *map = attention && !model->stack ? attention + b * weights : NULL;
        memset(output + b * outputs, 0, outputs * sizeof(REAL));
        if (map) {
            memset(map, 0, weights * sizeof(REAL));
        }
        if (model->stack) {
            IN_REAL(stack)(model, roles, io, b, &rows, seen, output + b * outputs, &nothing);
        } else {
            IN_REAL(sequence)(model, roles, io, b, &rows, seen, output + b * outputs, map);
        }
    }
    IN_REAL(rows_drop)(&rows);
    free(seen);
    return ok;
}

bool IN_REAL(reference)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                        REAL *output, REAL *attention)
{
    return IN_REAL(reference_more)(model, roles, io, output, attention, NULL);
}

// Elements of the weights of one sequence in a layer.
static size_t IN_REAL(weights_count)(const struct ga_model *model, const struct ga_io *io, enum reference_weights which)
{
    const size_t rows = which == REFERENCE_SOURCE ? reference_kv_len(io) : io->q_len;
    return model->n_heads * rows * (which == REFERENCE_OWN ? io->q_len : reference_kv_len(io));
}

bool IN_REAL(reference_layer)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                              enum reference_weights which, size_t layer, REAL *weights)
{
    const size_t count = IN_REAL(weights_count)(model, io, which), kv_len = most_rows(io);
    struct IN_REAL(rows) rows;
    bool *seen = malloc(kv_len * sizeof *seen);
    REAL *output = malloc((io->q_len * model->d_out + 1) * sizeof *output);
    const bool ok = IN_REAL(rows_new)(&rows, model, io) && seen && output;
    rows.more = NULL;
    memset(weights, 0, io->batch * count * sizeof *weights);
    for (size_t b = 0; ok && b < io->batch; b++) {
        const struct IN_REAL(asked) asked = {which, layer, weights + b * count};
        IN_REAL(stack)(model, roles, io, b, &rows, seen, output, &asked);
    }
    IN_REAL(rows_drop)(&rows);
    free(seen);
    free(output);
    return ok;
}
