// relative_bias.h: the learned bias of T5, for the generic kernel. Not a header to use: see reference_row in
// reference.h.

// The bucket of a key so far after the query's own place.
static size_t IN_REAL(relative_bucket)(const struct ga_model *model, ptrdiff_t away)
{
    const size_t buckets = model->relative_both ? model->relative_buckets / 2 : model->relative_buckets;
    const size_t first = model->relative_both && away > 0 ? buckets : 0, exact = buckets / 2;
    const size_t distance = away <= 0 ? (size_t)-away : model->relative_both ? (size_t)away : 0;
    if (distance < exact) {
        return first + distance;
    }
    const double share = log((double)distance / (double)exact) / log((double)model->relative_distance / (double)exact);
    const size_t bucket = exact + (size_t)(share * (double)(buckets - exact));
    return first + (bucket < buckets ? bucket : buckets - 1);
}

static void IN_REAL(relative_bias)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const struct ga_weight_view *table = reference_role(row->model, row->roles, "relative_bias");
    for (size_t j = 0; table && j < keys; j++) {
        const size_t bucket = IN_REAL(relative_bucket)(row->model, reference_row_away(row, j));
        scores[j] += (REAL)table->data[bucket * table->row_stride + row->h * table->col_stride];
    }
}
