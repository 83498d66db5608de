// call.cpp: times calls of the layer from C++, as call.c does from C: call WEIGHTS CALLS.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "bound_128_4.h"
#include "genattn/genattn.hpp"

int main(int argc, char **argv)
{
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    const auto weights = genattn::weights::load_packed(bound_128_4_model, argv[1]);
    const genattn::scratch scratch(weights, {1, 16});
    std::vector<float> x(16 * BOUND_128_4_D_MODEL), y(x.size());
    std::vector<double> took(201);
    const int calls = std::atoi(argv[2]);
    for (std::size_t i = 0; i < x.size(); i++) {
        x[i] = static_cast<float>(i % 13) - 6.0f;
    }
    for (double &round : took) {
        const std::clock_t start = std::clock(); // of the process: others may have this CPU for a while
        for (int i = 0; i < calls; i++) {
            genattn::attend(weights, 1, x, y, scratch);
        }
        round = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC / calls;
    }
    std::printf("%.0f\n", *std::min_element(took.begin(), took.end()));
    return EXIT_SUCCESS;
}
