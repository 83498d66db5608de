// disentangled.h: products with relative positions as DeBERTa has them, for the generic kernel. Not a header to use:
// see reference_row in reference.h.

// The row of the table for a key so far after the query.
static size_t IN_REAL(disentangled_row)(const struct ga_model *model, ptrdiff_t away)
{
    const double span = reference_number(model, "disentangled.span", 0);
    const double longest = reference_number(model, "disentangled.max_distance", 0);
    const double half = floor(span / 2), distance = fabs((double)away);
    double bucket = distance;
    if (longest > 0 && distance > half) {
        bucket = ceil(log(distance / half) / log((longest - 1) / half) * (half - 1)) + half;
    }
    return (size_t)fmin(fmax(span + (away < 0 ? bucket : -bucket), 0), 2 * span - 1);
}

// out[d_head] = that row as a key or a query of the row's head, by the linear of this letter.
static void IN_REAL(disentangled_head)(const struct reference_row *row, char letter, size_t at, REAL *out)
{
    const struct ga_model *model = row->model;
    const struct ga_weight_view *table = reference_role(model, row->roles, "disentangled_table");
    const struct ga_weight_view *norm = reference_role(model, row->roles, "disentangled_norm_weight");
    const struct ga_norm kind = {.kind = GA_NORM_LAYER, .eps = reference_number(model, "disentangled.norm_eps", 0)};
    const struct reference_rounding none = {GA_ARITHMETIC_F32, false};
    char name[32];
    snprintf(name, sizeof name, "disentangled_%c_weight", letter);
    const bool is_own = reference_role(model, row->roles, name) != NULL;
    struct ga_weight_view weight = *reference_role(model, row->roles, is_own ? name : name + strlen("disentangled_"));
    snprintf(name, sizeof name, "disentangled_%c_bias", letter);
    const struct ga_weight_view *found =
        reference_role(model, row->roles, is_own ? name : name + strlen("disentangled_"));
    struct ga_weight_view bias = found ? *found : (struct ga_weight_view){.data = NULL};
    REAL *x = malloc(model->d_model * sizeof *x);
    for (size_t d = 0; x && d < model->d_model; d++) {
        x[d] = (REAL)table->data[at * table->row_stride + d * table->col_stride];
    }
    if (x && norm) {
        const struct ga_weight_view *added = reference_role(model, row->roles, "disentangled_norm_bias");
        IN_REAL(norm)(&kind, model->d_model, norm, added, 1, x);
    }
    weight.data += row->h * model->d_head * weight.row_stride;
    bias.data = found ? bias.data + row->h * model->d_head * bias.row_stride : NULL;
    if (x) {
        IN_REAL(project)(none, &weight, found ? &bias : NULL, 1, model->d_model, model->d_head, x, out);
    }
    free(x);
}

static REAL IN_REAL(disentangled_product)(const struct reference_row *row, char letter, size_t at, const REAL *x)
{
    REAL sum = 0, *position = calloc(row->model->d_head, sizeof *position);
    if (position) {
        IN_REAL(disentangled_head)(row, letter, at, position);
    }
    for (size_t d = 0; position && d < row->model->d_head; d++) {
        sum += x[d] * position[d];
    }
    free(position);
    return sum;
}

static void IN_REAL(disentangled)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const bool has_it = reference_role(row->model, row->roles, "disentangled_table") && row->q;
    const bool by_query = has_it && !strstr(row->model->spec, "terms = \"p2c\"");
    const bool by_key = has_it && !strstr(row->model->spec, "terms = \"c2p\"");
    const REAL *q = row->q, *k = row->k;
    for (size_t j = 0; j < keys; j++) {
        const ptrdiff_t away = (ptrdiff_t)j - (ptrdiff_t)row->i;
        const size_t at = has_it ? IN_REAL(disentangled_row)(row->model, away) : 0;
        scores[j] += by_query ? IN_REAL(disentangled_product)(row, 'k', at, q) : 0;
        scores[j] += by_key ? IN_REAL(disentangled_product)(row, 'q', at, k + j * row->k_stride) : 0;
    }
}
