// unit.c: calls one linear of a generated layer, that of its output, as the layer does. The macros name the layer:
// LAYER and KERNELS are its headers, RUN its function for a linear; TOGETHER: it multiplies rows together. It measures
// nothing; bench/gemm/run.py compiles it with the layer's own files.
#include KERNELS
#include LAYER

// y [rows] = x [rows] times the weights. loaded: the layer's packed weights; room: of four times x; products: of a
// tile.
void gemm_unit(const struct ga_loaded *loaded, size_t rows, const float *x, float *y, void *room, float *products)
{
    const struct ga_io io = {.batch = 1, .q_len = rows};
    struct linear_run run = {
        .linear = LINEAR_O, .weights = loaded->packed, .x = x, .narrow = room, .y = y, .rows = rows, .threads = 1};
#ifdef TOGETHER
    run.of = (struct sequences){.length = rows};
    run.products = products;
#else
    (void)products;
#endif
    RUN(&io, run);
}
