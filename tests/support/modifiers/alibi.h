// alibi.h: ALiBi, for the generic kernel. Not a header to use: see reference_row in reference.h.

// What head h of n_heads subtracts from a score for each step to a key, by the recursion of the paper.
static double IN_REAL(alibi_slope)(size_t n_heads, size_t h)
{
    size_t power = 1;
    while (2 * power <= n_heads) {
        power *= 2;
    }
    if (h < power) {
        return pow(2, -8.0 * (double)(h + 1) / (double)power);
    }
    return IN_REAL(alibi_slope)(2 * power, 2 * (h - power));
}

static void IN_REAL(alibi)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const REAL slope = row->model->alibi ? (REAL)IN_REAL(alibi_slope)(row->model->n_heads, row->h) : 0;
    for (size_t j = 0; j < keys; j++) {
        const ptrdiff_t away = reference_row_away(row, j);
        scores[j] -= slope * (REAL)(away < 0 ? -away : away);
    }
}
