// SPDX-License-Identifier: Apache-2.0
// Pinned memory of stripeline.hpp, with and without a GPU: the program is the same, and so are the bytes.
//
// usage: pinned locked|ordinary    what the memory must be on this machine
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
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

int main(int count, char **arguments)
try {
    constexpr std::size_t k = 6, m = 3, cell = 1 << 16;
    const bool locked = count > 1 && std::string(arguments[1]) == "locked";
    stripeline::codec codec(STRIPELINE_RS, k, m);
    auto engine = std::make_unique<stripeline::engine>("rails=auto");

    stripeline::pinned_memory first(*engine, (k + m) * cell);
    stripeline::pinned_memory memory = std::move(first);
    require(memory.is_locked() == locked, locked ? "the memory is not locked" : "the memory is locked");
    stripeline::view<std::uint8_t> bytes(memory);
    require(std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }), "zeros");
    for (std::size_t i = 0; i < k * cell; i++)
        bytes[i] = static_cast<std::uint8_t>(i * 7 + i / cell);
    const auto data = stripeline::matrix::strided(memory.data(), cell, k).pinned();
    const auto parity = stripeline::matrix::strided(memory.data() + k * cell, cell, m).pinned();
    for (int round = 0; round < 20; round++) {
        std::fill(bytes.data() + k * cell, bytes.data() + bytes.size(), std::uint8_t{0x5a});
        engine->iencode(codec, data, parity, cell).get();
        std::vector<const std::uint8_t *> units;
        for (std::size_t unit = 0; unit < k + m; unit++)
            units.push_back(memory.data() + unit * cell);
        const stripeline::view<const std::uint8_t *const> all(units);
        require(codec.verify({all.data(), k}, {all.data() + k, m}, cell).sound, "wrong bytes");
    }

    try {
        stripeline::pinned_memory(*engine, std::numeric_limits<std::size_t>::max());
        require(false, "memory that no machine has");
    } catch (const stripeline::error &error) {
        require(error.status() == STRIPELINE_OUT_OF_MEMORY, error.what());
    }
    stripeline::pinned_memory none(*engine, 0);
    require(none.data() != nullptr && none.size() == 0 && !none.is_locked(), "no bytes");
    // The memory is released after the engine.
    engine.reset();
    require(memory.is_locked() == locked, "the engine took the memory along");
    std::cout << "coded in " << (locked ? "locked" : "ordinary") << " memory\n";
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
