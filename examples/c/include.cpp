// SPDX-License-Identifier: Apache-2.0
// The header in C++: it compiles, links and its enumerations keep their type.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "stripeline.h"

static_assert(std::is_same<std::underlying_type<stripeline_status>::type, std::int32_t>::value,
              "a status has the size that the library returns");

int main()
{
    stripeline_codec *codec = nullptr;
    stripeline_status status = stripeline_codec_open(STRIPELINE_XOR, 2, 2, &codec);
    std::array<char, 200> text{};
    stripeline_last_error(text.data(), text.size());
    std::printf("%s\n", text.data());
    return status == STRIPELINE_INVALID_PARAMETERS && codec == nullptr ? 0 : 1;
}
