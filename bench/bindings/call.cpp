// call.cpp: times calls of the layer from C++, as call.c does from C: call WEIGHTS CALLS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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
    std::vector<double> took(21);
    const int calls = std::atoi(argv[2]);
    for (std::size_t i = 0; i < x.size(); i++) {
        x[i] = static_cast<float>(i % 13) - 6.0f;
    }
    for (double &round : took) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; i++) {
            genattn::attend(weights, 1, x, y, scratch);
        }
        round = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
    }
    std::nth_element(took.begin(), took.begin() + 10, took.end());
    std::printf("%.0f\n", took[10]);
    return EXIT_SUCCESS;
}
