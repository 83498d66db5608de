// layer.cpp: one attention layer from C++17: packed weights from a file, a call, a call over threads, an error caught.
// Nothing is freed by hand.
#include <cstdio>
#include <vector>

#include "genattn/genattn.hpp"
#include "mha_512_8.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: layer WEIGHTS.gap\n");
        return 2;
    }
    try {
        const std::size_t rows = 20, width = MHA_512_8_D_MODEL;
        const auto weights = genattn::weights::load_packed(mha_512_8_model, argv[1]);
        std::vector<float> x(rows * width), y(x.size()), same(x.size());
        for (std::size_t i = 0; i < x.size(); i++) {
            x[i] = static_cast<float>(i % 7) - 3.0f;
        }
        const genattn::scratch scratch(weights, {1, rows});
        genattn::attend(weights, 1, x, y, scratch);
        std::printf("the output's first row begins with %.4f %.4f %.4f\n", y[0], y[1], y[2]);

        const genattn::threads pool(2);
        genattn::attend(weights, 1, x, same, genattn::scratch(weights, {1, rows}, &pool), &pool);
        std::printf("over two threads: %s bits\n", y == same ? "the same" : "other");
        x.pop_back();
        genattn::attend(weights, 1, x, y, scratch);
    } catch (const genattn::error &error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
