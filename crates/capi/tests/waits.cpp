// SPDX-License-Identifier: Apache-2.0
// The waits of stripeline.hpp with limits, over tasks that have ended and one that cannot yet.
#include <chrono>
#include <cstdint>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "stripeline.hpp"

namespace {

void require(bool holds, const char *what)
{
    if (!holds)
        throw std::runtime_error(what);
}

} // namespace

int main()
try {
    constexpr std::size_t k = 3, m = 2, cell = 4096;
    using namespace std::chrono_literals;
    stripeline::codec codec(STRIPELINE_RS, k, m);
    stripeline::engine engine("rails=cpu");
    std::vector<std::uint8_t> first((k + m) * cell), second((k + m) * cell);
    const auto issue = [&](std::vector<std::uint8_t> &stripe, stripeline::request request) {
        return engine.iencode(codec, stripeline::matrix::strided(stripe.data(), cell, k),
                              stripeline::matrix::strided(stripe.data() + k * cell, cell, m), cell,
                              std::move(request));
    };

    // A task has ended when its callback has returned; the thread that issues it may run both.
    std::vector<stripeline::future> futures(1);
    std::promise<void> begun, gate;
    std::thread issuer([&] {
        stripeline::request held;
        held.on_end = [&](stripeline_status) {
            begun.set_value();
            gate.get_future().wait();
        };
        futures[0] = issue(first, std::move(held));
    });
    begun.get_future().wait();
    require(!engine.wait_all_for(1ms) && !engine.wait_all_for(-1ms), "a task is outstanding");
    gate.set_value();
    issuer.join();

    futures.push_back(issue(second, {}));
    require(stripeline::wait_every_for(futures, 1min), "wait_every_for: both tasks end");
    require(stripeline::test(futures) && engine.wait_all_for(1min), "no task is outstanding");
    require(stripeline::wait_any_for(futures, -1ns).has_value(), "wait_any_for: both have ended");

    stripeline::request late;
    late.deadline = 1ns;
    futures.push_back(issue(first, std::move(late)));
    try {
        require(stripeline::wait_every_for(futures, 1min), "the last task ends");
        require(false, "a task that failed is reported");
    } catch (const stripeline::error &error) {
        require(error.status() == STRIPELINE_DEADLINE_EXCEEDED, stripeline_status_name(error.status()));
    }
    std::cout << "every wait ended in time\n";
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
