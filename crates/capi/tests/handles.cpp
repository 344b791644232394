// SPDX-License-Identifier: Apache-2.0
// Handles of stripeline.hpp that are replaced, or inherited by a child process, and units at a null address.
#include <chrono>
#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "stripeline.hpp"

namespace {

using namespace std::chrono_literals;

constexpr std::size_t k = 3, m = 2, cell = 4096;

void require(bool holds, const char *what)
{
    if (!holds)
        throw std::runtime_error(what);
}

template <typename Call> void require_error(stripeline_status status, Call call)
{
    try {
        call();
    } catch (const stripeline::error &error) {
        return require(error.status() == status, error.what());
    }
    throw std::runtime_error(std::string("no error, expected: ") + stripeline_status_name(status));
}

// The engine that is replaced is closed, which waits for a callback, before its listener is destroyed.
void replace_an_engine(const stripeline::codec &codec)
{
    std::promise<void> begun, destroyed;
    std::future<void> is_destroyed = destroyed.get_future();
    std::shared_ptr<void> in_listener(nullptr, [&](void *) { destroyed.set_value(); });
    stripeline::engine engine("rails=cpu", [in_listener](const stripeline::event &) {});
    in_listener.reset();

    std::vector<std::uint8_t> stripe((k + m) * cell);
    bool destroyed_first = false;
    stripeline::request request;
    request.on_end = [&](stripeline_status) {
        begun.set_value();
        destroyed_first = is_destroyed.wait_for(200ms) == std::future_status::ready;
    };
    stripeline::future future = engine.iencode(
        codec, stripeline::matrix::strided(stripe.data(), cell, k),
        stripeline::matrix::strided(stripe.data() + k * cell, cell, m), cell, std::move(request));
    begun.get_future().wait();
    engine = stripeline::engine("rails=cpu");
    require(future.test() && !destroyed_first, "the listener was destroyed before its engine was closed");
    require(is_destroyed.wait_for(0s) == std::future_status::ready, "the listener is left");
}

void refuse_units_at_a_null_address(const stripeline::codec &codec)
{
    stripeline::engine engine("rails=cpu");
    std::vector<std::uint8_t> parity(m * cell);
    const auto outputs = stripeline::matrix::strided(parity.data(), cell, m);
    const std::uint32_t erased[] = {0};
    require_error(STRIPELINE_NULL_POINTER, [&] {
        engine.encode(codec, stripeline::matrix::strided(nullptr, cell, k), outputs, cell);
    });
    require_error(STRIPELINE_NULL_POINTER, [&] {
        engine.decode(codec, stripeline::matrix::strided(nullptr, cell, k + m), erased,
                      stripeline::matrix::strided(parity.data(), cell, 1), cell);
    });
    const std::vector<std::uint8_t *> none;
    require_error(STRIPELINE_COUNT_MISMATCH, [&] { engine.encode(codec, none, outputs, cell); });
}

void refuse_a_child_process()
{
    stripeline::engine engine("rails=cpu");
    require(!engine.describe().empty() && engine.statistics().size() == 1, "one rail");
    const pid_t child = fork();
    if (child == 0) {
        try {
            require_error(STRIPELINE_CLOSED, [&] { engine.describe(); });
            require_error(STRIPELINE_CLOSED, [&] { engine.statistics(); });
            _exit(0);
        } catch (const std::exception &error) {
            std::cerr << error.what() << '\n';
            _exit(1);
        }
    }
    int status = -1;
    require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child process failed");
}

} // namespace

int main()
try {
    stripeline::codec codec(STRIPELINE_RS, k, m);
    replace_an_engine(codec);
    refuse_units_at_a_null_address(codec);
    refuse_a_child_process();
    std::cout << "every handle was closed in its turn\n";
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
