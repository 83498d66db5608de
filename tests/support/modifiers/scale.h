// scale.h: the factor of scores, for the generic kernel. Not a header to use: see reference_row in reference.h.

// The spec says it, one field a line; the model's fact was made where the kernels' literals were, and would be wrong
// with them.
static double IN_REAL(scale_factor)(const struct ga_model *model)
{
    static const char field[] = "\n  scale = ";
    const char *said = model->spec == NULL ? NULL : strstr(model->spec, field);
    const char *value = said == NULL ? "\"d_head\"" : said + sizeof field - 1;
    if (*value != '"') {
        return strtod(value, NULL);
    }
    return 1 / sqrt((double)(strncmp(value, "\"d_model\"", 9) == 0 ? model->d_model : model->d_head));
}

static void IN_REAL(scale)(const struct reference_row *row, size_t keys, REAL *scores)
{
    const REAL factor = (REAL)IN_REAL(scale_factor)(row->model);
    for (size_t j = 0; j < keys; j++) {
        scores[j] *= factor;
    }
}
