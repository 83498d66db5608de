// reference_attention.h: the generic kernel's products of attention and softmax, of one row. Not a header to use:
// reference.c includes it before each reference_layer.h, which see.

// Whether the float instance rounds what attention multiplies.
static bool IN_REAL(rounds_attention)(const struct ga_model *model)
{
    return model->attention_arithmetic != GA_ARITHMETIC_F32 && sizeof(REAL) == sizeof(float);
}

// A query times a key, which is one of those that the model adds or the sequence's own.
static REAL IN_REAL(product)(const struct ga_model *model, bool is_added, const REAL *q, const REAL *k)
{
    const void *query = q, *key = k;
    if (!is_added && IN_REAL(rounds_attention)(model)) {
        return (REAL)reference_rounded_score(reference_attends(model), model->d_head, query, key);
    }
    REAL sum = 0;
    for (size_t d = 0; d < model->d_head; d++) {
        sum += q[d] * k[d];
    }
    return sum;
}

// Turns the scores a row sees into weights that sum to one with what the sink takes, a score of no key, where there is
// one. A row that sees nothing keeps its zeros.
static void IN_REAL(softmax)(REAL *row, const bool *seen, size_t count, const float *sink)
{
    REAL most = sink ? (REAL)*sink : -(REAL)INFINITY, sum = 0;
    for (size_t j = 0; j < count; j++) {
        if (seen[j] && row[j] > most) {
            most = row[j];
        }
    }
    for (size_t j = 0; j < count; j++) {
        row[j] = seen[j] ? MATH(exp)(row[j] - most) : 0;
        sum += row[j];
    }
    sum += sink ? MATH(exp)((REAL)*sink - most) : 0;
    for (size_t j = 0; j < count; j++) {
        row[j] = seen[j] ? row[j] / sum : 0;
    }
}

// out[d_v] += the values from row `from` up to, not including, row `end` of the keys seen, each times its weight.
static void IN_REAL(add_values)(const struct ga_model *model, const REAL *weights, const REAL *v, const bool *seen,
                                size_t from, size_t end, REAL *out)
{
    for (size_t d = 0; d < model->d_v; d++) {
        REAL sum = out[d];
        for (size_t j = from; j < end; j++) {
            if (seen[j]) {
                sum += weights[j] * v[j * model->n_kv_heads * model->d_v + d];
            }
        }
        out[d] = sum;
    }
}

// out[d_v] = the values of the keys seen, each times its weight; after kv_rows of the sequence those that the model
// adds, which stay floats. A key not seen is not read: zero times NaN is NaN. Nor is one whose score was replaced by a
// number so low that it has no weight; it is no longer among those seen then.
static void IN_REAL(mix)(const struct ga_model *model, const REAL *weights, const REAL *v, bool *seen, size_t kv_rows,
                         REAL *out)
{
    const bool rounds = IN_REAL(rounds_attention)(model);
    const void *shares = weights, *values = v;
    void *to = out;
    for (size_t j = 0; j < kv_rows + model->extra_keys; j++) {
        seen[j] = seen[j] && !(model->fills && weights[j] == 0);
    }
    memset(out, 0, model->d_v * sizeof *out);
    if (rounds) {
        reference_rounded_mix(reference_attends(model), shares, values, model->n_kv_heads * model->d_v, seen, kv_rows,
                              model->d_v, to);
    }
    IN_REAL(add_values)(model, weights, v, seen, rounds ? kv_rows : 0, kv_rows + model->extra_keys, out);
}
