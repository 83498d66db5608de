// reference_outputs.h: what the generic kernel makes of the rows that a whole model gives: an embedding, logits, those
// of classes. Not a header to use: reference.c includes it after each reference_stack.h, which see.

// How much row i of count counts in a sequence's pooled row; the weights of all rows have the sum 1.
static REAL IN_REAL(pool_weight)(enum ga_pool pool, size_t i, size_t count)
{
    switch (pool) {
    case GA_POOL_CLS:
        return i == 0;
    case GA_POOL_LAST:
        return i + 1 == count;
    case GA_POOL_WEIGHTED_MEAN:
        return (REAL)(i + 1) / (REAL)(count * (count + 1) / 2);
    default:
        return 1 / (REAL)count;
    }
}

// The pooled row of each sequence, [batch][d_model], from the output's rows.
static void IN_REAL(pool)(const struct ga_model *model, const struct ga_io *io, const REAL *output, REAL *pooled)
{
    const size_t n = model->d_model;
    for (size_t b = 0; b < io->batch; b++, pooled += n, output += io->q_len * n) {
        const size_t count = reference_q_rows(io, b);
        for (size_t d = 0; d < n; d++) {
            pooled[d] = 0;
            for (size_t i = 0; i < count; i++) {
                pooled[d] += output[i * n + d] * IN_REAL(pool_weight)(model->stack->pool, i, count);
            }
        }
    }
}

// The i-th linear after pooling with its activation: y [batch][n_out] of x [batch][n_in].
static void IN_REAL(dense)(const struct ga_model *model, const struct ga_weight_view *roles, size_t i, size_t batch,
                           size_t n_in, const REAL *x, REAL *y)
{
    const char *side = model->kind == GA_TRANSFORMER ? "decoder." : "";
    const struct ga_dense *dense = &model->stack->dense[i];
    char weight[48], bias[48];
    snprintf(weight, sizeof weight, "%sdense_%zu_weight", side, i);
    snprintf(bias, sizeof bias, "%sdense_%zu_bias", side, i);
    IN_REAL(project)
    (reference_rounding(model, GA_ARITHMETIC_F32), reference_role(model, roles, weight),
     reference_role(model, roles, bias), batch, n_in, dense->n_out, x, y);
    IN_REAL(activate)(dense->activation, batch * dense->n_out, y);
}

// Takes pooled rows [batch][d_model] through the linears after pooling, and frees them. Returns rows
// [batch][d_embedding], the caller's to free; NULL without memory.
static REAL *IN_REAL(dense_rows)(const struct ga_model *model, const struct ga_weight_view *roles, size_t batch,
                                 REAL *rows)
{
    size_t width = model->d_model;
    for (size_t i = 0; rows && i < model->stack->n_dense; i++) {
        const size_t n_out = model->stack->dense[i].n_out;
        REAL *made = malloc(batch * n_out * sizeof *made);
        if (made) {
            IN_REAL(dense)(model, roles, i, batch, width, rows, made);
        }
        free(rows);
        rows = made;
        width = n_out;
    }
    return rows;
}

// embedding [batch][d_embedding] from the output's rows; zeros of a sequence without rows. Without memory: all zeros.
void IN_REAL(reference_embedding)(const struct ga_model *model, const struct ga_weight_view *roles,
                                  const struct ga_io *io, const REAL *output, REAL *embedding)
{
    const struct ga_stack *stack = model->stack;
    const size_t whole = stack->n_dense ? stack->dense[stack->n_dense - 1].n_out : model->d_model;
    const size_t n = stack->d_embedding;
    REAL *pooled = malloc(io->batch * model->d_model * sizeof *pooled);
    if (pooled) {
        IN_REAL(pool)(model, io, output, pooled);
        pooled = IN_REAL(dense_rows)(model, roles, io->batch, pooled);
    }
    for (size_t b = 0; b < io->batch; b++, embedding += n) {
        const bool has_rows = pooled && reference_q_rows(io, b) > 0;
        REAL square = 0;
        for (size_t d = 0; d < n; d++) {
            embedding[d] = has_rows ? pooled[b * whole + d] : 0;
            square += embedding[d] * embedding[d];
        }
        for (size_t d = 0; model->stack->pool_normalize && d < n; d++) {
            embedding[d] /= square > 0 ? MATH(sqrt)(square) : 1;
        }
    }
    free(pooled);
}

// One row of logits over its L2 norm.
static void IN_REAL(unit_logits)(size_t count, REAL *row)
{
    REAL square = 0;
    for (size_t c = 0; c < count; c++) {
        square += row[c] * row[c];
    }
    for (size_t c = 0; c < count; c++) {
        row[c] /= square > 0 ? MATH(sqrt)(square) : 1;
    }
}

// One row of logits as its softmax, or the logarithm of that.
static void IN_REAL(finish_logits)(enum ga_logits kind, size_t count, REAL *row)
{
    REAL highest = row[0], sum = 0;
    for (size_t c = 0; c < count; c++) {
        highest = row[c] > highest ? row[c] : highest;
    }
    for (size_t c = 0; c < count; c++) {
        sum += MATH(exp)(row[c] - highest);
    }
    for (size_t c = 0; c < count; c++) {
        row[c] = kind == GA_LOGITS_SOFTMAX ? MATH(exp)(row[c] - highest) / sum : row[c] - highest - MATH(log)(sum);
    }
}

// x [count][d_model] through the transform before logits: a dense linear, an activation and a norm.
static void IN_REAL(transform)(const struct ga_model *model, const struct ga_weight_view *roles, size_t count,
                               const REAL *x, REAL *y)
{
    const char *side = model->kind == GA_TRANSFORMER ? "decoder." : "";
    const size_t n = model->d_model;
    char names[3][32];
    snprintf(names[0], sizeof names[0], "%slogits_dense_weight", side);
    snprintf(names[1], sizeof names[1], "%slogits_dense_bias", side);
    snprintf(names[2], sizeof names[2], "%slogits", side);
    IN_REAL(project)
    (reference_rounding(model, model->arithmetic[GA_LINEAR_LOGITS]), reference_role(model, roles, names[0]),
     reference_role(model, roles, names[1]), count, n, n, x, y);
    IN_REAL(activate)(model->stack->logits_transform, count * n, y);
    IN_REAL(norm_to)(model->stack, model, roles, names[2], count, y, y);
}

// logits [batch][q_len][n_logits] from the output's rows; zeros after the lengths, and everywhere without memory.
void IN_REAL(reference_logits)(const struct ga_model *model, const struct ga_weight_view *roles, const struct ga_io *io,
                               const REAL *output, REAL *logits)
{
    const struct ga_stack *stack = model->stack;
    const size_t n = model->d_model, rows = io->batch * io->q_len;
    const bool two = model->kind == GA_TRANSFORMER;
    const char *weight = stack->logits_tied ? "decoder.embedding" : "decoder.logits_weight";
    const char *bias = "decoder.logits_bias";
    const size_t skipped = two ? 0 : strlen("decoder.");
    REAL *x = malloc((rows * n + 1) * sizeof *x);
    memset(logits, 0, rows * stack->n_logits * sizeof *logits);
    if (!x) {
        return;
    }
    memcpy(x, output, rows * n * sizeof *x);
    if (stack->logits_transform) {
        IN_REAL(transform)(model, roles, rows, output, x);
    }
    IN_REAL(project)
    (reference_rounding(model, model->arithmetic[GA_LINEAR_LOGITS]), reference_role(model, roles, weight + skipped),
     reference_role(model, roles, bias + skipped), rows, n, stack->n_logits, x, logits);
    free(x);
    for (size_t i = 0; stack->logits_scale != 0.0 && i < rows * stack->n_logits; i++) {
        logits[i] *= (REAL)stack->logits_scale;
    }
    for (size_t i = 0; stack->logits_softcap != 0.0 && i < rows * stack->n_logits; i++) {
        logits[i] = (REAL)stack->logits_softcap * MATH(tanh)(logits[i] / (REAL)stack->logits_softcap);
    }
    for (size_t i = 0; i < rows; i++, logits += stack->n_logits) {
        if (i % io->q_len >= reference_q_rows(io, i / io->q_len)) {
            memset(logits, 0, stack->n_logits * sizeof *logits);
        } else if (stack->logits == GA_LOGITS_UNIT) {
            IN_REAL(unit_logits)(stack->n_logits, logits);
        } else if (stack->logits != GA_LOGITS_LINEAR) {
            IN_REAL(finish_logits)(stack->logits, stack->n_logits, logits);
        }
    }
}

// The weight or bias of a linear of the classifier by its name, such as "classifier_dense_weight".
static const struct ga_weight_view *IN_REAL(classifier_role)(const struct ga_model *model,
                                                             const struct ga_weight_view *roles, const char *name,
                                                             const char *part)
{
    char whole[48];
    snprintf(whole, sizeof whole, "%s%s_%s", model->kind == GA_TRANSFORMER ? "decoder." : "", name, part);
    return reference_role(model, roles, whole);
}

// A linear of the classifier by its name, "classifier_dense" or "classifier": y [batch][n_out] of x [batch][d_model].
static void IN_REAL(classifier_linear)(const struct ga_model *model, const struct ga_weight_view *roles,
                                       const char *name, size_t batch, size_t n_out, const REAL *x, REAL *y)
{
    IN_REAL(project)
    (reference_rounding(model, model->arithmetic[GA_LINEAR_CLASSIFIER]),
     IN_REAL(classifier_role)(model, roles, name, "weight"), IN_REAL(classifier_role)(model, roles, name, "bias"),
     batch, model->d_model, n_out, x, y);
}

// What the classifier's last linear is given, [batch][d_model], from the output's rows; the caller frees it. NULL
// without memory.
static REAL *IN_REAL(classifier_rows)(const struct ga_model *model, const struct ga_weight_view *roles,
                                      const struct ga_io *io, const REAL *output)
{
    const size_t n = model->d_model;
    const bool two = model->kind == GA_TRANSFORMER;
    REAL *pooled = malloc(io->batch * n * sizeof *pooled), *dense = malloc(io->batch * n * sizeof *dense);
    if (pooled && dense) {
        IN_REAL(reference_embedding)(model, roles, io, output, pooled);
        IN_REAL(classifier_linear)(model, roles, "classifier_dense", io->batch, n, pooled, dense);
        IN_REAL(activate)(model->stack->classifier_activation, io->batch * n, dense);
        IN_REAL(norm_to)
        (model->stack, model, roles, two ? "decoder.classifier" : "classifier", io->batch, dense, dense);
    }
    const bool made = pooled && dense;
    free(pooled);
    if (!made) {
        free(dense);
    }
    return made ? dense : NULL;
}

// class_logits [batch][n_labels] from the output's rows; zeros of a sequence without rows. Without memory: all zeros.
void IN_REAL(reference_class_logits)(const struct ga_model *model, const struct ga_weight_view *roles,
                                     const struct ga_io *io, const REAL *output, REAL *class_logits)
{
    const size_t n_labels = model->stack->n_labels;
    REAL *rows = IN_REAL(classifier_rows)(model, roles, io, output);
    memset(class_logits, 0, io->batch * n_labels * sizeof *class_logits);
    if (rows) {
        IN_REAL(classifier_linear)(model, roles, "classifier", io->batch, n_labels, rows, class_logits);
    }
    for (size_t b = 0; b < io->batch; b++) {
        if (reference_q_rows(io, b) == 0) {
            memset(class_logits + b * n_labels, 0, n_labels * sizeof *class_logits);
        }
    }
    free(rows);
}

REAL IN_REAL(reference_class_terms)(const struct ga_model *model, const struct ga_weight_view *roles,
                                    const struct ga_io *io, const REAL *output)
{
    const struct ga_weight_view *weight = IN_REAL(classifier_role)(model, roles, "classifier", "weight");
    const size_t n = model->d_model, n_labels = model->stack->n_labels;
    REAL *rows = IN_REAL(classifier_rows)(model, roles, io, output), most = 0;
    for (size_t i = 0; rows && i < io->batch * n_labels; i++) {
        REAL terms = 0;
        for (size_t d = 0; d < n; d++) {
            const float w = weight->data[i % n_labels * weight->row_stride + d * weight->col_stride];
            terms += MATH(fabs)(rows[i / n_labels * n + d] * (REAL)w);
        }
        most = terms > most ? terms : most;
    }
    free(rows);
    return most;
}
