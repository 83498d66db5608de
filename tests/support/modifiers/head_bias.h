// head_bias.h: the learned bias of each head, for the generic kernel. Not a header to use: see reference_row in
// reference.h.
static void IN_REAL(head_bias)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const struct ga_weight_view *bias = reference_role(row->model, row->roles, "head_bias");
    for (size_t j = 0; bias && j < keys; j++) {
        scores[j] += (REAL)bias->data[row->h * bias->row_stride];
    }
}
