// cpp_test.cpp: the header for C++17 with a layer that has a cache: what it loads, runs, frees and refuses; the bits are
// those of C. cpp_test WEIGHTS
#include <array>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "genattn/genattn.hpp"

extern "C" const ga_model cache_40_4_model;

namespace
{

int passed, failed;

void check(bool truth, const char *name)
{
    truth ? passed++ : failed++;
    if (!truth) {
        std::printf("FAIL %s\n", name);
    }
}

template <typename F> void refuses(ga_status status, const char *words, const char *name, F call)
{
    try {
        call();
        check(false, name);
    } catch (const genattn::error &error) {
        check(error.status() == status && std::strstr(error.what(), words), name);
    }
}

constexpr std::size_t rows = 6, width = 40;

static_assert(!std::is_copy_constructible_v<genattn::weights> &&
              std::is_nothrow_move_constructible_v<genattn::weights>);
static_assert(!std::is_copy_constructible_v<genattn::cache> && std::is_nothrow_move_constructible_v<genattn::cache>);
static_assert(!std::is_copy_constructible_v<genattn::threads>);
static_assert(!std::is_copy_constructible_v<genattn::scratch> && !std::is_copy_assignable_v<genattn::scratch>);
static_assert(!std::is_copy_assignable_v<genattn::weights> && !std::is_copy_assignable_v<genattn::cache>);
static_assert(!std::is_copy_constructible_v<genattn::block>);
static_assert(std::is_trivially_copyable_v<genattn::span<float>>);
static_assert(std::is_convertible_v<genattn::span<float>, genattn::span<const float>>);
static_assert(!std::is_convertible_v<genattn::span<const float>, genattn::span<float>>);

std::vector<float> numbers()
{
    std::vector<float> x(rows * width);
    for (std::size_t i = 0; i < x.size(); i++) {
        x[i] = static_cast<float>(i % 13) - 6.0f;
    }
    return x;
}

// Rows [n][width] through the layer and its cache.
void append(const genattn::weights &weights, genattn::cache &cache, const genattn::scratch &scratch,
            genattn::span<const float> x, genattn::span<float> y, const genattn::threads *pool = nullptr)
{
    ga_io io = {};
    io.batch = 1;
    io.q_len = x.size() / width;
    io.query = x.data();
    io.output = y.data();
    io.cache = cache.get();
    io.parallel = pool ? pool->parallel() : nullptr;
    genattn::run(weights, io, scratch);
}

void run(const genattn::weights &weights)
{
    const auto x = numbers();
    std::vector<float> y(x.size()), threaded(x.size()), one(width), plain(x.size());
    const genattn::scratch scratch(weights, {1, rows, rows});
    genattn::cache cache(weights, 1, 20);
    append(weights, cache, scratch, x, y);
    check(cache.lengths().size() == 1 && cache.lengths()[0] == 6, "the cache holds the rows");
    cache.cut(0, 5);
    genattn::cache moved(std::move(cache));
    append(weights, moved, scratch, {x.data() + 5 * width, width}, one);
    check(std::memcmp(one.data(), y.data() + 5 * width, width * sizeof(float)) == 0, "a row again, after a cut");

    const genattn::threads pool(3);
    const genattn::scratch more(weights, {1, rows, rows}, &pool);
    moved.cut(0, 0);
    append(weights, moved, more, x, threaded, &pool);
    check(y == threaded, "three threads give the same bits");

    ga_io io = {};
    io.batch = 1;
    io.q_len = rows;
    io.query = x.data();
    io.output = plain.data();
    moved.cut(0, 0);
    io.cache = moved.get();
    check(ga_model_run(weights.get(), &io, scratch.data(), scratch.size(), nullptr) == GA_OK && plain == y,
          "C gives the same bits");
    refuses(GA_ARGUMENT, "cut", "a cut past the end", [&] { moved.cut(0, 19); });
}

void refusals(const genattn::weights &weights, const char *path)
{
    const auto x = numbers();
    std::vector<float> y(x.size());
    const genattn::scratch scratch(weights, {1, rows, rows});
    refuses(GA_SHAPE, "expected 1 x q_len rows of 40", "room of another size", [&] {
        genattn::attend(weights, 1, x, {y.data(), 40}, scratch);
    });
    refuses(GA_ARGUMENT, "cache", "a call without the cache", [&] { genattn::attend(weights, 1, x, y, scratch); });
    refuses(GA_OVERFLOW, "out of the model's range", "scratch for too many rows", [&] {
        const genattn::scratch none(weights, {1, 71, 71});
    });
    refuses(GA_OVERFLOW, "out of the model's range", "a cache for too many rows",
            [&] { const genattn::cache none(weights, 1, 151); });
    refuses(GA_ARGUMENT, "0 weights; expected 8", "no weights",
            [] { const genattn::weights none(cache_40_4_model, {}); });
    refuses(GA_IO, "No such file", "a file that is not there",
            [] { genattn::weights::load(cache_40_4_model, "/nothing/here"); });
    refuses(GA_UNSUPPORTED, "sse9", "an instruction set that is none", [&] {
        genattn::load_options options;
        options.isa = "sse9";
        genattn::weights::load(cache_40_4_model, path, options);
    });
    refuses(GA_ARGUMENT, "threads", "no threads", [] { const genattn::threads none(0); });
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        return 2;
    }
    try {
        auto loaded = genattn::weights::load(cache_40_4_model, argv[1]);
        const auto weights = std::move(loaded);
        check(weights.model().bits_revision == GA_BITS_REVISION, "the bits revision");
        check(weights.model().d_model == width && weights.variant().packed_bytes > 0, "what was loaded");
        run(weights);
        refusals(weights, argv[1]);
    } catch (const genattn::error &error) {
        failed++;
        std::printf("FAIL: %s\n", error.what());
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
