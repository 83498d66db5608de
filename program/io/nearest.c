// nearest.c: the similarity to each row, and the best of them, a stretch of rows by each thread.
#include "nearest.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LANES = 8 }; // sums that do not wait for each other

struct best {
    struct ga_hit *hits; // [top], the best first
    size_t count, top;
};

struct search {
    const struct ga_vectors *vectors;
    const float *wanted;
    double squares; // of wanted
    size_t parts;
    struct best *best; // [parts]
};

static double sum_lanes(const double *lanes)
{
    double sum = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += lanes[lane];
    }
    return sum;
}

// a . b in double precision; *squares_out: b . b.
static double multiply(const float *a, const float *b, size_t width, double *squares_out)
{
    double products[LANES] = {0}, squares[LANES] = {0};
    const size_t whole = width - width % LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const double x = (double)a[i + lane], y = (double)b[i + lane];
            products[lane] += x * y;
            squares[lane] += y * y;
        }
    }
    for (size_t i = whole; i < width; i++) {
        products[i - whole] += (double)a[i] * (double)b[i];
        squares[i - whole] += (double)b[i] * (double)b[i];
    }
    *squares_out = sum_lanes(squares);
    return sum_lanes(products);
}

// -- Similarities, the highest for the nearest ----------------------------------------------------------------------

static double cosine(const struct search *search, const float *row, size_t width)
{
    double squares;
    const double product = multiply(search->wanted, row, width, &squares);
    squares *= search->squares;
    return squares > 0 && isfinite(squares) ? product / sqrt(squares) : 0;
}

static double dot(const struct search *search, const float *row, size_t width)
{
    double squares;
    return multiply(search->wanted, row, width, &squares);
}

// The distances of numbers of two vectors, added up: their squares, or their magnitudes.
static double add_distances(const float *a, const float *b, size_t width, bool squared)
{
    double lanes[LANES] = {0};
    for (size_t i = 0; i < width; i++) {
        const double distance = fabs((double)a[i] - (double)b[i]);
        lanes[i % LANES] += squared ? distance * distance : distance;
    }
    return sum_lanes(lanes);
}

static double euclidean(const struct search *search, const float *row, size_t width)
{
    return -sqrt(add_distances(search->wanted, row, width, true));
}

static double manhattan(const struct search *search, const float *row, size_t width)
{
    return -add_distances(search->wanted, row, width, false);
}

static double (*const similarities[])(const struct search *search, const float *row, size_t width) = {
    [GA_SIMILARITY_COSINE] = cosine,
    [GA_SIMILARITY_DOT] = dot,
    [GA_SIMILARITY_EUCLIDEAN] = euclidean,
    [GA_SIMILARITY_MANHATTAN] = manhattan,
};

// -- The best -------------------------------------------------------------------------------------------------------

static void keep(struct best *best, struct ga_hit hit)
{
    if (best->count == best->top && hit.score <= best->hits[best->top - 1].score) {
        return;
    }
    size_t place = best->count < best->top ? best->count++ : best->top - 1;
    for (; place > 0 && best->hits[place - 1].score < hit.score; place--) {
        best->hits[place] = best->hits[place - 1];
    }
    best->hits[place] = hit;
}

static void look_at_part(void *context, size_t part)
{
    const struct search *search = context;
    const struct ga_vectors *vectors = search->vectors;
    const size_t end = vectors->count * (part + 1) / search->parts;
    for (size_t row = vectors->count * part / search->parts; row < end; row++) {
        const float *vector = vectors->rows + row * vectors->width;
        const double score = similarities[vectors->similarity](search, vector, vectors->width);
        keep(&search->best[part], (struct ga_hit){row, isfinite(score) ? score : -DBL_MAX});
    }
}

// Rows of earlier parts come first, as they do within a part.
static size_t join(const struct search *search, size_t top, struct ga_hit *hits_out)
{
    struct best all = {hits_out, 0, top};
    for (size_t part = 0; part < search->parts; part++) {
        for (size_t i = 0; i < search->best[part].count; i++) {
            keep(&all, search->best[part].hits[i]);
        }
    }
    return all.count;
}

size_t ga_nearest(const struct ga_vectors *vectors, const float *wanted, size_t top, struct ga_hit *hits_out)
{
    const struct ga_parallel *parallel = vectors->parallel;
    struct search search = {.vectors = vectors, .wanted = wanted, .parts = parallel ? parallel->threads : 1};
    (void)multiply(wanted, wanted, vectors->width, &search.squares);
    top = top < vectors->count ? top : vectors->count;
    search.best = malloc(search.parts * sizeof *search.best);
    struct ga_hit *hits = malloc((search.parts * top + 1) * sizeof *hits);
    if (!search.best || !hits) {
        free(search.best);
        free(hits);
        return SIZE_MAX;
    }
    for (size_t part = 0; part < search.parts; part++) {
        search.best[part] = (struct best){hits + part * top, 0, top};
    }
    if (parallel) {
        parallel->run(parallel->self, search.parts, look_at_part, &search);
    } else {
        look_at_part(&search, 0);
    }
    const size_t count = join(&search, top, hits_out);
    free(search.best);
    free(hits);
    return count;
}
