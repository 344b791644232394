// SPDX-License-Identifier: Apache-2.0
//
// Encodes stripes through an engine, changes a cell, loses two, scrubs and repairs, in C++17.
//
//   c++ -std=c++17 -I crates/capi/include examples/cpp/repair.cpp
//     -L build/native/linux-x86_64 -lstripeline -o repair
//   LD_LIBRARY_PATH=build/native/linux-x86_64 ./repair
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "stripeline.hpp"

namespace {

constexpr std::size_t k = 6, m = 3, cell = 65536, stripes = 16;

/** The cells of a stripe, one after the other. */
using stripe = std::vector<std::uint8_t>;

stripeline::matrix data_of(const stripe &stripe)
{
    return stripeline::matrix::strided(stripe.data(), cell, k);
}

stripeline::matrix parity_of(const stripe &stripe)
{
    return stripeline::matrix::strided(stripe.data() + k * cell, cell, m);
}

std::vector<stripe> made_stripes()
{
    std::vector<stripe> made(stripes, stripe((k + m) * cell));
    std::uint32_t state = 1;
    for (stripe &stripe : made)
        std::generate_n(stripe.begin(), k * cell, [&] {
            state = state * 1664525 + 1013904223;
            return static_cast<std::uint8_t>(state >> 24);
        });
    return made;
}

/** All at once, then a wait for every one of them. */
void encode(const stripeline::engine &engine, const stripeline::codec &codec,
            std::vector<stripe> &all)
{
    std::vector<stripeline::future> futures;
    for (stripe &stripe : all)
        futures.push_back(engine.iencode(codec, data_of(stripe), parity_of(stripe), cell));
    while (!stripeline::wait_every_for(futures, std::chrono::seconds(10)))
        std::cerr << "10 s more: " << stripeline_status_name(futures.front().status()) << '\n';
    std::cout << "encoded: " << futures.size() << " stripes\n";
}

/** New bytes for a cell: parity follows without the other cells. */
void change(const stripeline::engine &engine, const stripeline::codec &codec, stripe &stripe)
{
    const std::size_t unit = 2;
    stripeline::view<std::uint8_t> now(stripe.data() + unit * cell, cell);
    const std::vector<std::uint8_t> before(now.begin(), now.end());
    std::fill(now.begin(), now.end(), std::uint8_t{7});
    const std::array<const std::uint8_t *, 2> changed{before.data(), now.data()};
    engine.update(codec, unit, changed, parity_of(stripe), cell);
    std::cout << "updated: cell " << unit << ", parity "
              << (engine.verify(codec, data_of(stripe), parity_of(stripe), cell) ? "matches\n" : "differs\n");
}

/** In the background, with a deadline; prints the first mismatch of each wrong stripe. */
void scrub(const stripeline::engine &engine, const stripeline::codec &codec,
           const std::vector<stripe> &all)
{
    std::atomic<int> ended{0};
    stripeline::request request;
    request.priority = STRIPELINE_BACKGROUND;
    request.deadline = std::chrono::minutes(1);
    request.on_end = [&](stripeline_status) { ended++; };
    std::vector<stripeline::future> futures;
    for (const stripe &stripe : all)
        futures.push_back(engine.iverify(codec, data_of(stripe), parity_of(stripe), cell, request));
    for (std::size_t index = 0; index < futures.size(); index++) {
        const stripeline::verdict found = futures[index].get();
        if (!found)
            std::cout << "scrubbed: stripe " << index << " differs at byte " << found.offset << '\n';
    }
    std::cout << "scrubbed: " << ended << " tasks ended\n";
}

/** Recovers cells, in the order in which futures are ready. */
void repair(const stripeline::engine &engine, const stripeline::codec &codec, stripe &stripe,
            const std::vector<std::uint32_t> &lost)
{
    std::vector<std::uint8_t *> outputs;
    for (std::uint32_t unit : lost)
        outputs.push_back(stripe.data() + unit * cell);
    for (std::uint8_t *output : outputs)
        std::fill_n(output, cell, std::uint8_t{0});
    // With a stride, the cells asked for are those that are lost: they are written in place.
    const auto units = stripeline::matrix::strided(stripe.data(), cell, k + m);
    std::vector<stripeline::future> futures;
    futures.push_back(engine.idecode(codec, units, lost, outputs, cell));
    futures[stripeline::wait_any(futures)].get();
    std::cout << "repaired: " << lost.size() << " cells\n";
}

} // namespace

int main()
try {
    stripeline::codec codec(STRIPELINE_RS, k, m);
    stripeline::engine engine("rails=auto", [](const stripeline::event &event) {
        std::cerr << event.rail << ": " << event.text << '\n';
    });
    std::vector<stripe> all = made_stripes();
    encode(engine, codec, all);
    change(engine, codec, all[1]);

    const std::vector<stripe> right = all;
    all[3][5 * cell + 100] ^= 1;
    scrub(engine, codec, all);
    repair(engine, codec, all[3], {5, 7});

    try {
        engine.decode(codec, parity_of(all[0]), std::vector<std::uint32_t>{0}, parity_of(all[0]), cell);
    } catch (const stripeline::error &refused) {
        std::cout << "refused: " << refused.what() << " (status " << refused.status() << ")\n";
    }
    for (const stripeline_rail_statistics &rail : engine.statistics())
        std::cout << "rail " << rail.name << ": " << rail.pieces << " pieces\n";
    std::cout << (all == right ? "every byte was recovered\n" : "bytes differ\n");
    return all == right ? 0 : 1;
} catch (const stripeline::error &error) {
    std::cerr << error.what() << " (status " << error.status() << ")\n";
    return 1;
}
