// mixture.c: a greedy choice over few moves, and names.
#include "mixture.h"

#include <math.h>

// A move saves this part of a call's time at least: less is noise.
static const double LEAST_SAVED = 0.005;
enum { MOVES = (int)GA_LINEARS * (int)GA_ARITHMETICS };

static const double LEAST_ERROR = 1e-12; // what errors are told apart by

const char *ga_linear_name(enum ga_linear linear)
{
    static const char *const names[GA_LINEARS] = {
        [GA_LINEAR_Q] = "q",           [GA_LINEAR_K] = "k",
        [GA_LINEAR_V] = "v",           [GA_LINEAR_O] = "o",
        [GA_LINEAR_UP] = "up",         [GA_LINEAR_DOWN] = "down",
        [GA_LINEAR_LOGITS] = "logits", [GA_LINEAR_CLASSIFIER] = "classifier",
    };
    return names[linear];
}

const char *ga_arithmetic_name(enum ga_arithmetic arithmetic)
{
    static const char *const names[GA_ARITHMETICS] = {
        [GA_ARITHMETIC_F32] = "f32",
        [GA_ARITHMETIC_BF16] = "bf16",
        [GA_ARITHMETIC_I16] = "i16",
        [GA_ARITHMETIC_INT8] = "int8",
    };
    return names[arithmetic];
}

// A linear that gets another dtype than it has, and what that adds to a mixture's sums.
struct move {
    enum ga_linear linear;
    enum ga_arithmetic to;
    struct ga_measured added;
};

// Move i of all there are in a mixture; false where it is none.
static bool move_at(const struct ga_linear_figures *figures, const struct ga_mixture *mixture, size_t i,
                    struct move *move_out)
{
    const enum ga_linear linear = (enum ga_linear)(i / GA_ARITHMETICS);
    const enum ga_arithmetic from = mixture->of[linear], to = (enum ga_arithmetic)(i % GA_ARITHMETICS);
    const struct ga_measured *of = figures->of[linear];
    *move_out = (struct move){linear, to, {of[to].error - of[from].error, of[to].time - of[from].time}};
    return figures->is_there[linear] && figures->is_choice[to] && to != from;
}

static void make(struct ga_mixture *mixture, const struct move *move)
{
    mixture->of[move->linear] = move->to;
    mixture->sum.error += move->added.error;
    mixture->sum.time += move->added.time;
}

struct ga_mixture ga_mixture_of(const struct ga_linear_figures *figures, enum ga_arithmetic arithmetic)
{
    struct ga_mixture mixture = {.sum = {0, 1}};
    for (size_t l = 0; l < GA_LINEARS; l++) {
        struct move move;
        if (move_at(figures, &mixture, l * GA_ARITHMETICS + (size_t)arithmetic, &move)) {
            make(&mixture, &move);
        }
    }
    return mixture;
}

// Whether a move is worth more than the best so far, or as much and adds less to the error.
static bool is_better(double worth, const struct move *move, double best_worth, const struct move *best)
{
    return worth > best_worth ||
           (worth > 0 && worth == best_worth && fabs(move->added.error) < fabs(best->added.error));
}

void ga_mixture_advance(const struct ga_linear_figures *figures, double limit, struct ga_mixture *mixture)
{
    double best_worth = 1;
    while (best_worth > 0) { // each move saves time: none comes back
        struct move best = {.linear = GA_LINEAR_Q, .to = mixture->of[GA_LINEAR_Q]};
        best_worth = 0;
        for (size_t i = 0; i < MOVES; i++) {
            struct move move;
            if (move_at(figures, mixture, i, &move) && move.added.time <= -LEAST_SAVED &&
                mixture->sum.error + move.added.error <= limit) {
                const double worth = -move.added.time / fmax(move.added.error, LEAST_ERROR);
                best = is_better(worth, &move, best_worth, &best) ? move : best;
                best_worth = fmax(worth, best_worth);
            }
        }
        make(mixture, &best);
    }
}

bool ga_mixture_retreat(const struct ga_linear_figures *figures, double excess, struct ga_mixture *mixture,
                        enum ga_linear *linear_out, enum ga_arithmetic *from_out)
{
    struct move best = {.linear = GA_LINEAR_Q};
    double best_worth = 0;
    for (size_t i = 0; i < MOVES; i++) {
        struct move move;
        if (move_at(figures, mixture, i, &move) && move.added.error < 0) {
            const double worth = fmin(-move.added.error, excess) / fmax(move.added.time, LEAST_SAVED);
            best = is_better(worth, &move, best_worth, &best) ? move : best;
            best_worth = fmax(worth, best_worth);
        }
    }
    if (best_worth > 0) {
        *linear_out = best.linear;
        *from_out = mixture->of[best.linear];
        make(mixture, &best);
    }
    return best_worth > 0;
}
