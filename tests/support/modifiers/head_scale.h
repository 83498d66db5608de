// head_scale.h: the learned factor of each head, for the generic kernel. Not a header to use: see reference_row in
// reference.h.
static void IN_REAL(head_scale)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const struct ga_weight_view *scale = reference_role(row->model, row->roles, "head_scale");
    for (size_t j = 0; scale && j < keys; j++) {
        scores[j] *= (REAL)scale->data[row->h * scale->row_stride];
    }
}
