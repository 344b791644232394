// SPDX-License-Identifier: Apache-2.0
/**
 * @file
 * Stripeline in C++17: stripeline.h with classes that close their handles, and with exceptions.
 *
 *     stripeline::codec codec(STRIPELINE_RS, 6, 3);
 *     stripeline::engine engine("rails=auto");
 *     stripeline::future future = engine.iencode(codec, data, parity, length);
 *     ...
 *     future.get();
 *
 * All functions are inline and call the C functions, whose documentation also applies here. A call
 * that is refused or fails throws stripeline::error. Handles can be moved but not copied; a
 * moved-from handle can only be assigned to or destroyed.
 */
#ifndef STRIPELINE_HPP
#define STRIPELINE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stripeline.h"

namespace stripeline {

/** The error of a refused call or a failed task. */
class error : public std::runtime_error {
public:
    error(stripeline_status status, const std::string &text)
        : std::runtime_error(text), status_(status)
    {
    }

    /** The status; stripeline_status documents the remedies. */
    stripeline_status status() const noexcept { return status_; }

private:
    stripeline_status status_;
};

/** The reason of the last refused call on this thread. */
inline std::string last_error()
{
    std::string text(stripeline_last_error(nullptr, 0), '\0');
    // The NUL goes where std::string keeps one anyway.
    stripeline_last_error(&text[0], text.size() + 1);
    return text;
}

/** Throws unless a call was successful. */
inline void check(stripeline_status status)
{
    if (status != STRIPELINE_OK)
        throw error(status, last_error());
}

namespace detail {

inline void check_abi()
{
    if (stripeline_abi_version() < STRIPELINE_ABI_VERSION)
        throw error(STRIPELINE_INTERNAL, "Cannot use libstripeline: it is older than stripeline.hpp");
}

inline void check_count(const char *name, std::size_t given, std::size_t needed)
{
    if (given != needed)
        throw error(STRIPELINE_COUNT_MISMATCH, std::string("Cannot code the stripe: ") + name + " has "
                                                   + std::to_string(given) + " units, needed: "
                                                   + std::to_string(needed));
}

/** Whether a wait ended before its limit; throws if a task or the wait failed. */
inline bool is_over(stripeline_status status)
{
    if (status != STRIPELINE_PENDING)
        check(status);
    return status != STRIPELINE_PENDING;
}

/** Nanoseconds for a wait with a limit, which has passed if it is negative. */
inline std::int64_t limit(std::chrono::nanoseconds timeout)
{
    return timeout.count() < 0 ? 0 : timeout.count();
}

} // namespace detail

/** Consecutive elements that the view does not own, as std::span in C++20. */
template <typename T> class view {
public:
    view() = default;
    view(T *data, std::size_t size) : data_(data), size_(size) {}
    template <std::size_t N> view(T (&array)[N]) : data_(array), size_(N) {}
    /** A view of an object with data() and size(): std::vector, std::array, std::string. */
    template <typename C, typename = decltype(std::declval<C &>().data())>
    view(C &&container) : data_(container.data()), size_(container.size())
    {
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t index) const { return data_[index]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** Whether parity matches the data. */
struct verdict {
    bool sound = true;
    /** If not sound: the lowest parity unit that differs at `offset`. */
    std::size_t parity_unit = 0;
    /** If not sound: the first byte at which any parity unit differs. */
    std::size_t offset = 0;

    explicit operator bool() const noexcept { return sound; }
};

/** An erasure code of one shape, which any number of threads may use at the same time. */
class codec {
public:
    codec(stripeline_code code, std::size_t data_units, std::size_t parity_units)
        : data_units_(data_units), parity_units_(parity_units)
    {
        detail::check_abi();
        stripeline_codec *opened = nullptr;
        check(stripeline_codec_open(code, data_units, parity_units, &opened));
        handle_.reset(opened);
    }

    std::size_t data_units() const noexcept { return data_units_; }
    std::size_t parity_units() const noexcept { return parity_units_; }
    const stripeline_codec *handle() const noexcept { return handle_.get(); }

    /** Computes all parity units of `length` bytes; see stripeline_encode(). */
    void encode(view<const std::uint8_t *const> data, view<std::uint8_t *const> parity,
                std::size_t length) const
    {
        check_stripe(data.size(), parity.size());
        check(stripeline_encode(handle(), data.data(), parity.data(), length));
    }

    /** Computes the units `erased`; `units` has nullptr for each that is absent. */
    void decode(view<const std::uint8_t *const> units, view<const std::uint32_t> erased,
                view<std::uint8_t *const> outputs, std::size_t length) const
    {
        detail::check_count("units", units.size(), data_units_ + parity_units_);
        detail::check_count("outputs", outputs.size(), erased.size());
        check(stripeline_decode(handle(), units.data(), erased.data(), erased.size(), outputs.data(),
                                length));
    }

    /** Returns whether parity matches the data; see stripeline_verify(). */
    verdict verify(view<const std::uint8_t *const> data, view<const std::uint8_t *const> parity,
                   std::size_t length) const
    {
        verdict found;
        check_stripe(data.size(), parity.size());
        check(stripeline_verify(handle(), data.data(), parity.data(), length, &found.sound,
                                &found.parity_unit, &found.offset));
        return found;
    }

    /** Updates parity for one changed data unit; see stripeline_update(). */
    void update(std::size_t data_unit, const std::uint8_t *old_data, const std::uint8_t *new_data,
                view<std::uint8_t *const> parity, std::size_t length) const
    {
        detail::check_count("parity", parity.size(), parity_units_);
        check(stripeline_update(handle(), data_unit, old_data, new_data, parity.data(), length));
    }

private:
    struct closer {
        void operator()(stripeline_codec *codec) const noexcept { stripeline_codec_close(codec); }
    };

    void check_stripe(std::size_t data, std::size_t parity) const
    {
        detail::check_count("data", data, data_units_);
        detail::check_count("parity", parity, parity_units_);
    }

    std::unique_ptr<stripeline_codec, closer> handle_;
    std::size_t data_units_;
    std::size_t parity_units_;
};

/** The units of one side of an engine's call. Addresses are copied, units stay where they are. */
class matrix {
public:
    /** Scattered units: addresses in a vector, an array, a view; nullptr for one that is absent. */
    template <typename C, typename = decltype(std::declval<const C &>().size())>
    matrix(const C &units)
    {
        for (const std::uint8_t *unit : units)
            units_.push_back(const_cast<std::uint8_t *>(unit));
        count_ = units_.size();
    }

    /** `count` units, each of which starts `stride` bytes after the previous one. */
    static matrix strided(const std::uint8_t *base, std::size_t stride, std::size_t count)
    {
        matrix made;
        made.base_ = const_cast<std::uint8_t *>(base);
        made.stride_ = stride;
        made.count_ = count;
        return made;
    }

    /** The same units, declared as memory that a device's driver has locked and registered. */
    matrix pinned() const { return in(STRIPELINE_HOST_PINNED, 0); }

    /** The same units, declared as memory of a device. */
    matrix on_device(std::uint32_t device) const { return in(STRIPELINE_DEVICE, device); }

    /** The structure for the C functions; valid as long as this object. */
    stripeline_matrix c_matrix() const
    {
        static std::uint8_t *const none = nullptr;
        stripeline_matrix made{};
        made.size = sizeof made;
        made.base = base_;
        made.stride = stride_;
        // The library refuses strided units at a null address. No scattered units are a list, too.
        if (base_ == nullptr && units_.size() == count_)
            made.units = units_.empty() ? &none : units_.data();
        made.count = count_;
        made.memory = memory_;
        made.device = device_;
        return made;
    }

private:
    matrix() = default;

    matrix in(stripeline_memory memory, std::uint32_t device) const
    {
        matrix made = *this;
        made.memory_ = memory;
        made.device_ = device;
        return made;
    }

    std::vector<std::uint8_t *> units_;
    std::uint8_t *base_ = nullptr;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
    stripeline_memory memory_ = STRIPELINE_HOST;
    std::uint32_t device_ = 0;
};

/** The options of one task; see stripeline_request. */
struct request {
    stripeline_priority priority = STRIPELINE_FOREGROUND;
    /** The time limit of the task; 0 for none. */
    std::chrono::nanoseconds deadline{0};
    /** An eventfd that is written when a non-blocking task has ended; -1 for none. */
    int event_fd = -1;
    /** Called with the outcome of a non-blocking task; an exception that it throws terminates the
     * program. While it runs, last_error() returns the reason if the task failed. It must not wait
     * for, assign to or destroy a future whose task has not ended, including its own. */
    std::function<void(stripeline_status)> on_end;
};

/**
 * The future result of a task.
 *
 * Its destructor waits for the task, whose buffers therefore must outlive the future.
 */
class future {
public:
    future() = default;
    future(future &&) noexcept = default;

    future &operator=(future &&other) noexcept
    {
        if (this != &other) {
            finish();
            handle_ = std::move(other.handle_);
            state_ = std::move(other.state_);
        }
        return *this;
    }

    ~future() { finish(); }

    /** Whether there is a task. */
    bool valid() const noexcept { return handle_ != nullptr; }

    /** The outcome of the task; STRIPELINE_PENDING while it has not ended. */
    stripeline_status status() const { return stripeline_future_test(handle()); }

    /** Whether the task has ended. */
    bool test() const { return status() != STRIPELINE_PENDING; }

    /** Waits until the task has ended, with any outcome. */
    void wait() const { stripeline_future_wait(handle(), -1); }

    /** Waits for the task; returns false if it has not ended by then. */
    bool wait_for(std::chrono::nanoseconds timeout) const
    {
        return stripeline_future_wait(handle(), detail::limit(timeout)) != STRIPELINE_PENDING;
    }

    /** Waits for the task and throws if it failed. Returns the result of a comparison; sound for
     * other tasks. */
    verdict get() const
    {
        check(stripeline_future_wait(handle(), -1));
        return state_->found;
    }

    /** Cancels the task; see stripeline_future_cancel(). */
    void cancel() const { check(stripeline_future_cancel(handle())); }

    stripeline_future *handle() const noexcept { return handle_.get(); }

private:
    friend class engine;

    struct releaser {
        void operator()(stripeline_future *future) const noexcept
        {
            stripeline_future_release(future);
        }
    };

    /** The state that the task uses in addition to its buffers. */
    struct state {
        verdict found;
        std::function<void(stripeline_status)> on_end;
    };

    void finish() noexcept
    {
        if (handle_ != nullptr)
            stripeline_future_wait(handle_.get(), -1);
        handle_.reset();
    }

    // In this order: the handle is destroyed first.
    std::unique_ptr<state> state_;
    std::unique_ptr<stripeline_future, releaser> handle_;
};

/** An event for operators. */
struct event {
    stripeline_event_kind kind;
    std::string rail;
    std::string text;
};

/** An asynchronous coder over all rails of a machine, which any number of threads may use at the
 * same time. */
class engine {
public:
    using listener = std::function<void(const event &)>;

    /**
     * @param configuration  as for stripeline_engine_open()
     * @param listen         called for each event; an exception that it throws terminates the
     *                       program
     */
    explicit engine(const std::string &configuration = "", listener listen = nullptr)
    {
        detail::check_abi();
        stripeline_engine *opened = nullptr;
        if (listen) {
            listener_ = std::make_unique<listener>(std::move(listen));
            check(stripeline_engine_open_with_listener(configuration.c_str(), tell,
                                                       listener_.get(), &opened));
        } else {
            check(stripeline_engine_open(configuration.c_str(), &opened));
        }
        handle_.reset(opened);
    }

    engine(engine &&) noexcept = default;

    /** Closes the engine that this was, and only then destroys its listener, which may be called
     * until then. */
    engine &operator=(engine &&other) noexcept
    {
        handle_ = std::move(other.handle_);
        listener_ = std::move(other.listener_);
        return *this;
    }

    stripeline_engine *handle() const noexcept { return handle_.get(); }

    /** All rails with their state and counts, as JSON; see stripeline_engine_describe(). */
    std::string describe() const
    {
        // Counts may grow between the two calls; reserve space for that.
        std::string text(positive(stripeline_engine_describe(handle(), nullptr, 0)) + 1024, '\0');
        std::size_t size = stripeline_engine_describe(handle(), &text[0], text.size());
        if (size < text.size())
            text.resize(size);
        return text;
    }

    /** The counters of each rail since the engine was opened. */
    std::vector<stripeline_rail_statistics> statistics() const
    {
        std::vector<stripeline_rail_statistics> rails(positive(stripeline_engine_rails(handle())));
        for (std::size_t index = 0; index < rails.size(); index++) {
            rails[index].size = sizeof rails[index];
            check(stripeline_engine_rail_statistics(handle(), index, &rails[index]));
        }
        return rails;
    }

    /** Computes all parity units and waits for the result. */
    void encode(const codec &codec, const matrix &data, const matrix &parity, std::size_t length,
                const request &request = {}) const
    {
        arguments call(data, parity, request);
        check(stripeline_engine_encode(handle(), codec.handle(), &call.first, &call.second, length,
                                       &call.request));
    }

    /** Computes the units `erased` and waits for the result; see stripeline_engine_decode(). */
    void decode(const codec &codec, const matrix &units, view<const std::uint32_t> erased,
                const matrix &outputs, std::size_t length, const request &request = {}) const
    {
        arguments call(units, outputs, request);
        check(stripeline_engine_decode(handle(), codec.handle(), &call.first, erased.data(),
                                       erased.size(), &call.second, length, &call.request));
    }

    /** Updates parity for one changed data unit and waits for the result; `changed` has its old and
     * its new bytes. */
    void update(const codec &codec, std::size_t data_unit, const matrix &changed,
                const matrix &parity, std::size_t length, const request &request = {}) const
    {
        arguments call(changed, parity, request);
        check(stripeline_engine_update(handle(), codec.handle(), data_unit, &call.first, &call.second,
                                       length, &call.request));
    }

    /** Returns whether parity matches the data, and waits for the result. */
    verdict verify(const codec &codec, const matrix &data, const matrix &parity, std::size_t length,
                   const request &request = {}) const
    {
        arguments call(data, parity, request);
        verdict found;
        check(stripeline_engine_verify(handle(), codec.handle(), &call.first, &call.second, length,
                                       &call.request, &found.sound, &found.parity_unit,
                                       &found.offset));
        return found;
    }

    /** Issues a task that computes all parity units. */
    future iencode(const codec &codec, const matrix &data, const matrix &parity, std::size_t length,
                   request request = {}) const
    {
        return issue(std::move(request), data, parity, [&](arguments &call, future::state &,
                                                           stripeline_future **made) {
            return stripeline_iencode(handle(), codec.handle(), &call.first, &call.second, length,
                                      &call.request, made);
        });
    }

    /** Issues a task that computes the units `erased`. */
    future idecode(const codec &codec, const matrix &units, view<const std::uint32_t> erased,
                   const matrix &outputs, std::size_t length, request request = {}) const
    {
        return issue(std::move(request), units, outputs, [&](arguments &call, future::state &,
                                                             stripeline_future **made) {
            return stripeline_idecode(handle(), codec.handle(), &call.first, erased.data(),
                                      erased.size(), &call.second, length, &call.request, made);
        });
    }

    /** Issues a task that updates parity for one changed data unit. */
    future iupdate(const codec &codec, std::size_t data_unit, const matrix &changed,
                   const matrix &parity, std::size_t length, request request = {}) const
    {
        return issue(std::move(request), changed, parity, [&](arguments &call, future::state &,
                                                              stripeline_future **made) {
            return stripeline_iupdate(handle(), codec.handle(), data_unit, &call.first, &call.second,
                                      length, &call.request, made);
        });
    }

    /** Issues a task that compares parity with the data; the future's get() returns the verdict. */
    future iverify(const codec &codec, const matrix &data, const matrix &parity, std::size_t length,
                   request request = {}) const
    {
        return issue(std::move(request), data, parity, [&](arguments &call, future::state &state,
                                                           stripeline_future **made) {
            verdict &found = state.found;
            return stripeline_iverify(handle(), codec.handle(), &call.first, &call.second, length,
                                      &call.request, &found.sound, &found.parity_unit, &found.offset,
                                      made);
        });
    }

    /** Waits until no task is outstanding, including those of other threads. */
    void wait_all() const { check(stripeline_wait_all(handle(), -1)); }

    /** Waits likewise; returns false if a task is outstanding after that time. */
    bool wait_all_for(std::chrono::nanoseconds timeout) const
    {
        return detail::is_over(stripeline_wait_all(handle(), detail::limit(timeout)));
    }

private:
    struct closer {
        void operator()(stripeline_engine *engine) const noexcept { stripeline_engine_close(engine); }
    };

    /** The result of a function that returns 0 if it fails: in a forked child, for which the engine
     * is closed. */
    static std::size_t positive(std::size_t result)
    {
        if (result == 0)
            throw error(STRIPELINE_CLOSED, last_error());
        return result;
    }

    /** Matrices and request for the C functions. */
    struct arguments {
        arguments(const matrix &first, const matrix &second, const stripeline::request &asked)
            : first(first.c_matrix()), second(second.c_matrix())
        {
            request.size = sizeof request;
            request.priority = asked.priority;
            if (asked.event_fd >= 0) {
                request.event_fd = asked.event_fd;
                request.flags = STRIPELINE_REQUEST_EVENT_FD;
            }
            if (asked.deadline.count() > 0)
                request.deadline_ns = static_cast<std::uint64_t>(asked.deadline.count());
            // Blocking calls refuse it; non-blocking calls set the context.
            if (asked.on_end)
                request.callback = ended;
        }

        stripeline_matrix first;
        stripeline_matrix second;
        stripeline_request request{};
    };

    static void ended(void *context, stripeline_status status) noexcept
    {
        static_cast<future::state *>(context)->on_end(status);
    }

    static void tell(void *context, const stripeline_event *told) noexcept
    {
        auto kind = static_cast<stripeline_event_kind>(told->kind);
        (*static_cast<listener *>(context))(event{kind, told->rail, told->text});
    }

    template <typename Issue>
    future issue(request asked, const matrix &first, const matrix &second, Issue issue) const
    {
        future made;
        made.state_ = std::make_unique<future::state>();
        arguments call(first, second, asked);
        call.request.context = made.state_.get();
        made.state_->on_end = std::move(asked.on_end);
        stripeline_future *issued = nullptr;
        check(issue(call, *made.state_, &issued));
        made.handle_.reset(issued);
        return made;
    }

    // In this order: the handle is destroyed first.
    std::unique_ptr<listener> listener_;
    std::unique_ptr<stripeline_engine, closer> handle_;
};

/**
 * Memory for units that GPUs access in place; see stripeline_pinned_allocate(). Declare units in it
 * by matrix::pinned().
 *
 * Its destructor releases the memory: it must outlive the futures of tasks that use it, and may
 * outlive the engine.
 */
class pinned_memory {
public:
    /** `bytes` bytes of zeros. */
    pinned_memory(const engine &engine, std::size_t bytes) : size_(bytes)
    {
        void *address = nullptr;
        check(stripeline_pinned_allocate(engine.handle(), bytes, &address));
        start_.reset(static_cast<std::uint8_t *>(address));
    }

    std::uint8_t *data() const noexcept { return start_.get(); }
    std::size_t size() const noexcept { return size_; }

    /** Whether a GPU accesses the memory in place, as opposed to ordinary memory. */
    bool is_locked() const noexcept { return stripeline_pinned_is_locked(data()); }

private:
    struct releaser {
        void operator()(std::uint8_t *start) const noexcept { stripeline_pinned_release(start); }
    };

    std::unique_ptr<std::uint8_t, releaser> start_;
    std::size_t size_;
};

namespace detail {

template <typename Futures> std::vector<stripeline_future *> handles(const Futures &futures)
{
    std::vector<stripeline_future *> handles;
    for (const future &future : futures)
        handles.push_back(future.handle());
    return handles;
}

} // namespace detail

/** Waits until one of several tasks of one engine has ended and returns its position; futures
 * without a task are ignored. */
template <typename Futures> std::size_t wait_any(const Futures &futures)
{
    std::vector<stripeline_future *> handles = detail::handles(futures);
    std::size_t index = 0;
    check(stripeline_wait_any(handles.data(), handles.size(), -1, &index));
    return index;
}

/** Waits likewise; returns nothing if no task has ended by then. */
template <typename Futures>
std::optional<std::size_t> wait_any_for(const Futures &futures, std::chrono::nanoseconds timeout)
{
    std::vector<stripeline_future *> handles = detail::handles(futures);
    std::size_t index = 0;
    bool over = detail::is_over(stripeline_wait_any(handles.data(), handles.size(),
                                                    detail::limit(timeout), &index));
    return over ? std::optional<std::size_t>(index) : std::nullopt;
}

/** Waits until all of several tasks have ended, and throws if any failed. */
template <typename Futures> void wait_every(const Futures &futures)
{
    std::vector<stripeline_future *> handles = detail::handles(futures);
    check(stripeline_wait_every(handles.data(), handles.size(), -1));
}

/** Waits likewise; returns false if a task has not ended by then. */
template <typename Futures>
bool wait_every_for(const Futures &futures, std::chrono::nanoseconds timeout)
{
    std::vector<stripeline_future *> handles = detail::handles(futures);
    return detail::is_over(
        stripeline_wait_every(handles.data(), handles.size(), detail::limit(timeout)));
}

/** Whether all of several tasks have ended, with any outcome; does not wait. */
template <typename Futures> bool test(const Futures &futures)
{
    std::vector<stripeline_future *> handles = detail::handles(futures);
    return stripeline_wait_every(handles.data(), handles.size(), 0) != STRIPELINE_PENDING;
}

} // namespace stripeline

#endif
