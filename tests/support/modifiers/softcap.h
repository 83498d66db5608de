// softcap.h: the soft cap of scores, for the generic kernel. Not a header to use: see reference_row in reference.h.
static void IN_REAL(softcap)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const REAL cap = (REAL)reference_number(row->model, "softcap", 0);
    for (size_t j = 0; cap > 0 && j < keys; j++) {
        scores[j] = cap * MATH(tanh)(scores[j] / cap);
    }
}
