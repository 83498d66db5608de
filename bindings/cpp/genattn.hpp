// genattn.hpp: the C interface of generated models for C++17: objects that free what they own, spans, exceptions. It is
// header-only: every function is inline and does what its C calls do. It has no containers of numbers and copies no
// tensors. An object that was moved from may only be destroyed or assigned to.
//
// Errors are exceptions, genattn::error, because constructors acquire memory, files and threads and cannot fail in
// another way. A call that succeeds pays one comparison for them. With -fno-exceptions, use the C interface, which is
// valid C++ too.
#ifndef GENATTN_HPP
#define GENATTN_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "genattn/arena.h"
#include "genattn/load.h"
#include "genattn/model.h"
#include "genattn/pack_file.h"
#include "genattn/status.h"
#include "genattn/threads.h"
#include "genattn/weights.h"

namespace genattn
{

// -- Errors ---------------------------------------------------------------------------------------------------------

// A call of the library that did not return GA_OK; what() is its sentence.
class error : public std::runtime_error
{
  public:
    explicit error(const ga_error &details) : std::runtime_error(details.text), details_(details)
    {
    }

    ga_status status() const noexcept
    {
        return details_.status;
    }
    // What is wrong with a file, and at which byte of it (or GA_NO_OFFSET).
    ga_fault fault() const noexcept
    {
        return details_.fault;
    }
    std::uint64_t offset() const noexcept
    {
        return details_.offset;
    }

  private:
    ga_error details_;
};

namespace detail
{

// Throws `details` as an error if status is not GA_OK.
inline void check(ga_status status, const ga_error &details)
{
    if (status != GA_OK) {
        throw error(details);
    }
}

[[noreturn]] inline void refuse(ga_status status, const std::string &text)
{
    ga_error details;
    ga_fail(&details, status, "%s", text.c_str());
    throw error(details);
}

} // namespace detail

// -- Spans ----------------------------------------------------------------------------------------------------------

// Contiguous elements that another object owns, like std::span of C++20.
template <typename T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    // From anything with data() and size(): std::vector, std::array, another span.
    template <typename C, typename = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    constexpr span(C &container) noexcept : data_(container.data()), size_(container.size())
    {
    }

    // From a span of the same elements, or of writable ones.
    template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
    constexpr span(const span<U> &other) noexcept : data_(other.data()), size_(other.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// -- Memory ---------------------------------------------------------------------------------------------------------

// Uninitialised memory, aligned to GA_ALIGN. GA_OVERFLOW for SIZE_MAX bytes, GA_MEMORY if there is not enough.
class block
{
  public:
    block() noexcept = default;
    explicit block(std::size_t size) : size_(size)
    {
        if (size == SIZE_MAX) {
            detail::refuse(GA_OVERFLOW, "a size is out of the model's range, or does not fit in memory");
        }
        data_.reset(ga_block_room(size));
        if (!data_) {
            detail::refuse(GA_MEMORY, "no memory for " + std::to_string(size) + " bytes");
        }
    }

    void *data() const noexcept
    {
        return data_.get();
    }
    std::size_t size() const noexcept
    {
        return size_;
    }

  private:
    struct free {
        void operator()(void *data) const noexcept
        {
            ga_block_free(data);
        }
    };
    std::unique_ptr<void, free> data_;
    std::size_t size_ = 0;
};

// -- Weights --------------------------------------------------------------------------------------------------------

// How weights are found in a file; a field that is nullptr has its default.
struct load_options {
    const char *isa = nullptr;    // the instruction set; the best that this CPU runs
    const char *layout = nullptr; // whose names the tensors have; found by the tensors that are there
    const char *prefix = nullptr; // of their names, in place of the spec's
    bool strict = false;          // refuses a file with more than the model takes
};

// A model's packed weights. They are constant: any number of threads may run them, each with its own scratch.
class weights
{
  public:
    // From views of all roles, in order. The views are not needed afterwards.
    weights(const ga_model &model, span<const ga_weight_view> roles, const char *isa = nullptr)
    {
        if (roles.size() != model.n_roles) {
            detail::refuse(GA_ARGUMENT, std::string(model.name) + ": " + std::to_string(roles.size()) +
                                            " weights; expected " + std::to_string(model.n_roles));
        }
        ga_error details;
        const ga_variant *variant = nullptr;
        detail::check(ga_model_variant(&model, isa, &variant, &details), details);
        block_ = block(ga_model_packed_size(variant));
        detail::check(ga_model_pack(&model, variant, roles.data(), block_.data(), block_.size(), &loaded_, &details),
                      details);
    }

    // From a file of packed weights (.gap), a safetensors file, or a folder of shards. Programs that call this must
    // link libga_weights.a and jansson.
    static weights load(const ga_model &model, const std::string &path, const load_options &options = {})
    {
        if (ga_pack_is_file(path.c_str())) {
            return load_packed(model, path, options.isa);
        }
        ga_error details;
        ga_weights *opened = nullptr;
        detail::check(ga_weights_open_model(path.c_str(), nullptr, &opened, &details), details);
        const std::unique_ptr<ga_weights, close_weights> file(opened);
        ga_load_options load = {};
        load.layout = options.layout;
        load.prefix = options.prefix;
        load.strict = options.strict;
        std::vector<ga_weight_view> views(model.n_roles);
        detail::check(ga_load_views_with(&model, file.get(), &load, views.data(), &details), details);
        return weights(model, views, options.isa);
    }

    // Only from a file of packed weights, whose bytes are all verified. Needs neither libga_weights.a nor jansson.
    static weights load_packed(const ga_model &model, const std::string &path, const char *isa = nullptr)
    {
        ga_error details;
        ga_pack file;
        detail::check(ga_pack_open(path.c_str(), &file, &details), details);
        const std::unique_ptr<ga_pack, close_pack> closed(&file);
        const ga_variant *variant = nullptr;
        detail::check(ga_pack_variant(&file, &model, isa, &variant, &details), details);
        weights made;
        made.block_ = block(ga_model_packed_size(variant));
        detail::check(ga_pack_load(&file, &model, variant, GA_PACK_VERIFY, made.block_.data(), made.block_.size(),
                                   &made.loaded_, &details),
                      details);
        return made;
    }

    const ga_loaded *get() const noexcept
    {
        return loaded_;
    }
    const ga_model &model() const noexcept
    {
        return *ga_loaded_model(loaded_);
    }
    const ga_variant &variant() const noexcept
    {
        return *ga_loaded_variant(loaded_);
    }

  private:
    struct close_weights {
        void operator()(ga_weights *file) const noexcept
        {
            ga_weights_close(file);
        }
    };
    struct close_pack {
        void operator()(ga_pack *file) const noexcept
        {
            ga_pack_close(file);
        }
    };
    weights() noexcept = default;

    block block_;
    const ga_loaded *loaded_ = nullptr; // within block_
};

// -- Threads, scratch, caches ---------------------------------------------------------------------------------------

// A pool of threads, which includes the calling thread; see ga_threads_new.
class threads
{
  public:
    explicit threads(std::size_t count)
    {
        ga_error details;
        ga_threads *made = nullptr;
        detail::check(ga_threads_new(count, &made, &details), details);
        pool_.reset(made);
    }

    // The value for io.parallel; valid as long as this object.
    const ga_parallel *parallel() const noexcept
    {
        return ga_threads_parallel(pool_.get());
    }
    std::size_t count() const noexcept
    {
        return parallel()->threads;
    }
    // The number of CPUs that the calling thread may run on.
    static std::size_t available() noexcept
    {
        return ga_threads_available();
    }

  private:
    struct free {
        void operator()(ga_threads *pool) const noexcept
        {
            ga_threads_free(pool);
        }
    };
    std::unique_ptr<ga_threads, free> pool_;
};

// The sizes of a call. kv_len 0: q_len.
struct sizes {
    std::size_t batch = 1, q_len = 0, kv_len = 0;
};

// Scratch for calls up to these sizes, one at a time.
class scratch
{
  public:
    scratch(const weights &of, const sizes &most, const threads *pool = nullptr)
        : block_(ga_model_scratch_size(&of.model(), &of.variant(), most.batch, most.q_len, most.kv_len,
                                       pool ? pool->count() : 1))
    {
    }

    void *data() const noexcept
    {
        return block_.data();
    }
    std::size_t size() const noexcept
    {
        return block_.size();
    }

  private:
    block block_;
};

// Keys and values of earlier calls, for a model generated with a cache.
class cache
{
  public:
    cache(const weights &of, std::size_t batch, std::size_t capacity)
        : block_(ga_cache_size(&of.model(), &of.variant(), batch, capacity)), batch_(batch)
    {
        ga_error details;
        detail::check(ga_cache_init(of.get(), batch, capacity, block_.data(), block_.size(), &cache_, &details),
                      details);
    }

    // The value for io.cache.
    ga_cache *get() const noexcept
    {
        return cache_;
    }
    std::size_t capacity() const noexcept
    {
        return ga_cache_capacity(cache_);
    }
    // The number of rows of each sequence.
    span<const std::int32_t> lengths() const noexcept
    {
        return {ga_cache_lengths(cache_), batch_};
    }
    // Removes a sequence's rows from `length` on.
    void cut(std::size_t sequence, std::size_t length)
    {
        ga_error details;
        detail::check(ga_cache_cut(cache_, sequence, length, &details), details);
    }

  private:
    block block_;
    std::size_t batch_ = 0;
    ga_cache *cache_ = nullptr; // within block_
};

// -- Calls ----------------------------------------------------------------------------------------------------------

// One call with all fields of struct ga_io. Zero-initialise it, `ga_io io = {};`, and set only the fields that you
// need. As in C, the caller must give the pointers enough memory.
inline void run(const weights &of, const ga_io &io, const scratch &room)
{
    ga_error details;
    detail::check(ga_model_run(of.get(), &io, room.data(), room.size(), &details), details);
}

// Only rows through a layer: query [batch][q_len][d_model], output [batch][q_len][d_out]. Their sizes are checked, and
// q_len follows from them.
inline void attend(const weights &of, std::size_t batch, span<const float> query, span<float> output,
                   const scratch &room, const threads *pool = nullptr)
{
    const ga_model &model = of.model();
    const std::size_t row = batch * model.d_model;
    if (row == 0 || query.size() % row != 0 || output.size() / model.d_out != query.size() / model.d_model ||
        output.size() % model.d_out != 0) {
        detail::refuse(GA_SHAPE, std::string(model.name) + ": query has " + std::to_string(query.size()) +
                                     " numbers and output " + std::to_string(output.size()) + "; expected " +
                                     std::to_string(batch) + " x q_len rows of " + std::to_string(model.d_model) +
                                     " and of " + std::to_string(model.d_out));
    }
    ga_io io = {};
    io.batch = batch;
    io.q_len = query.size() / row;
    io.query = query.data();
    io.output = output.data();
    io.parallel = pool ? pool->parallel() : nullptr;
    run(of, io, room);
}

} // namespace genattn

#endif
