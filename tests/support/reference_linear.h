// reference_linear.h: the generic kernel's linears and what is done to their rows: activation, norm, rotary positions.
// Not a header to use: reference.c includes it before each reference_layer.h, which see.

// out[count][n_out] = in[count][n_in] times the weight's transpose, plus the bias where there is one. In float it is
// what a careful person would make of the arithmetic; in double that of real numbers.
static void IN_REAL(project)(struct reference_rounding rounding, const struct ga_weight_view *weight,
                             const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out, const REAL *in,
                             REAL *out)
{
    if (rounding.arithmetic != GA_ARITHMETIC_F32 && sizeof(REAL) == sizeof(float)) {
        const void *from = in;
        void *to = out;
        reference_rounded_project(rounding, weight, bias, count, n_in, n_out, from, to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t o = 0; o < n_out; o++) {
            REAL sum = 0;
            for (size_t d = 0; d < n_in; d++) {
                sum += in[i * n_in + d] * (REAL)weight->data[o * weight->row_stride + d * weight->col_stride];
            }
            out[i * n_out + o] = bias ? sum + (REAL)bias->data[o * bias->row_stride] : sum;
        }
    }
}

// The same of one head after the other: in[count][heads * n] by one weight [n][n] for all of them.
static void IN_REAL(project_shared)(const struct ga_weight_view *weight, const struct ga_weight_view *bias,
                                    size_t count, size_t heads, size_t n, const REAL *in, REAL *out)
{
    for (size_t row = 0; row < count * heads; row++) {
        const struct reference_rounding none = {GA_ARITHMETIC_F32, false};
        IN_REAL(project)(none, weight, bias, 1, n, n, in + row * n, out + row * n);
    }
}

// q, k or v, by its letter.
static void IN_REAL(project_in)(const struct ga_model *model, const struct ga_weight_view *roles, char letter,
                                size_t count, size_t heads, size_t n_in, const REAL *in, REAL *out)
{
    char names[2][16];
    snprintf(names[0], sizeof names[0], "%c_weight", letter);
    snprintf(names[1], sizeof names[1], "%c_bias", letter);
    const struct ga_weight_view *weight = reference_role(model, roles, names[0]);
    const struct ga_weight_view *bias = reference_role(model, roles, names[1]);
    const enum ga_arithmetic arithmetic = model->arithmetic[letter == 'q'   ? GA_LINEAR_Q
                                                            : letter == 'k' ? GA_LINEAR_K
                                                                            : GA_LINEAR_V];
    if (model->shared_heads) {
        IN_REAL(project_shared)(weight, bias, count, heads, model->d_head, in, out);
    } else {
        IN_REAL(project)
        (reference_rounding(model, arithmetic), weight, bias, count, n_in, heads * model->d_head, in, out);
    }
}

// x[count] through an activation, in place, by its textbook formula.
static void IN_REAL(activate)(enum ga_activation activation, size_t count, REAL *x)
{
    for (size_t i = 0; i < count; i++) {
        const REAL cube = x[i] + (REAL)0.044715 * x[i] * x[i] * x[i];
        switch (activation) {
        case GA_ACTIVATION_NONE:
            break;
        case GA_ACTIVATION_RELU:
            x[i] = x[i] < 0 ? 0 : x[i];
            break;
        case GA_ACTIVATION_GELU:
            x[i] = x[i] * MATH(erfc)(-x[i] * (REAL)0.70710678118654752440) / 2;
            break;
        case GA_ACTIVATION_GELU_TANH:
            x[i] = x[i] / (1 + MATH(exp)(-2 * (REAL)0.79788456080286535588 * cube));
            break;
        case GA_ACTIVATION_SILU:
            x[i] = x[i] / (1 + MATH(exp)(-x[i]));
            break;
        case GA_ACTIVATION_TANH:
            x[i] = MATH(tanh)(x[i]);
            break;
        }
    }
}

// x [rows][n] normalised row by row, in place: LayerNorm or RMSNorm by its textbook formula.
static void IN_REAL(norm)(const struct ga_norm *norm, size_t n, const struct ga_weight_view *weight,
                          const struct ga_weight_view *bias, size_t rows, REAL *x)
{
    const REAL offset = norm->unit_offset ? 1 : 0;
    for (size_t h = 0; h < rows; h++, x += n) {
        REAL mean = 0, square = 0;
        for (size_t d = 0; norm->kind == GA_NORM_LAYER && d < n; d++) {
            mean += x[d] / (REAL)n;
        }
        for (size_t d = 0; d < n; d++) {
            square += (x[d] - mean) * (x[d] - mean) / (REAL)n;
        }
        for (size_t d = 0; d < n; d++) {
            x[d] = (x[d] - mean) / MATH(sqrt)(square + (REAL)norm->eps);
            x[d] *= offset + (REAL)weight->data[d * weight->row_stride];
            x[d] += bias ? (REAL)bias->data[d * bias->row_stride] : 0;
        }
    }
}

// x [rows][heads][d_head] normalised head by head or row by row, in place, where the model has a norm.
static void IN_REAL(normalise)(const struct ga_model *model, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t rows, size_t heads, REAL *x)
{
    const size_t together = model->qk_norm.of_rows ? heads : 1;
    if (model->qk_norm.kind != GA_NORM_NONE) {
        IN_REAL(norm)(&model->qk_norm, together * model->d_head, weight, bias, rows * (heads / together), x);
    }
}

// x [rows][heads][d_head], whose first row is at place `first`, turned by its places, in place.
static void IN_REAL(turn)(const struct ga_model *model, size_t rows, size_t heads, size_t first, REAL *x)
{
    const struct ga_rope *rope = &model->rope;
    const bool halves = rope->layout == GA_ROPE_HALF_SPLIT;
    const double factor = reference_rotary_factor(&rope->scaling);
    for (size_t i = 0; i < rows * heads; i++, x += model->d_head) {
        for (size_t pair = 0; pair < rope->rotary_dim / 2; pair++) {
            const double angle = (double)(first + i / heads) * reference_rotary_speed(rope, pair);
            REAL *a = x + (halves ? pair : 2 * pair), *b = a + (halves ? rope->rotary_dim / 2 : 1);
            const REAL cosine = (REAL)(factor * cos(angle)), sine = (REAL)(factor * sin(angle)), was = *a;
            *a = was * cosine - *b * sine;
            *b = *b * cosine + was * sine;
        }
    }
}
