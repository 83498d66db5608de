// mask_tensor.h: the numbers of a call's mask, for the generic kernel, which asks elsewhere what a mask forbids. Not a
// header to use: see reference_row in reference.h.
static void IN_REAL(mask_tensor)(const struct reference_row *row, size_t keys, REAL *scores)
{
    for (size_t j = 0; j < keys; j++) {
        scores[j] += (REAL)reference_added(row->io, row->b, row->h, row->i, j);
    }
}
