#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the kernel, codec, engine and C suites under AddressSanitizer, and the C and C++ programs
# with gcc's leak check. First proves that both would notice: a deliberate overrun of a kernel and one
# in C must be reported, or nothing else here means anything.
#
# usage: scripts/asan.sh
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SANITIZER=AddressSanitizer
. scripts/sanitizer.sh
need_nightly

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
use_target asan

cargo_sanitized address build --package stripeline-capi --example overrun
overrun=$CARGO_TARGET_DIR/$TARGET/debug/examples/overrun
for isa in portable ssse3 avx2 avx2+gfni avx512+gfni; do
  # An instruction set that this machine lacks is refused for the best that it has.
  STRIPELINE_ISA=$isa "$overrun" none >/dev/null || fail "$isa: a correct call was reported"
  STRIPELINE_ISA=$isa expect_report heap-buffer-overflow "$overrun" read
  STRIPELINE_ISA=$isa expect_report heap-buffer-overflow "$overrun" write
done
echo "overruns of the kernels are reported" >&2

cargo_sanitized address test --package stripeline-gf --package stripeline-codec --package stripeline-boundary \
  --package stripeline-capi --tests
STRIPELINE_STRESS_SECONDS=120 \
  cargo_sanitized address test --package stripeline-engine --tests

# gcc's runtime and Rust's do not go together: here the C programs are instrumented, the library is
# not.
unset RUSTFLAGS
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/asan}
cargo build --quiet --package stripeline-capi
readonly C_FLAGS=(-std=c11 -g -O1 -fsanitize=address -fno-omit-frame-pointer -I crates/capi/include)
readonly CXX_FLAGS=(-std=c++17 "${C_FLAGS[@]:1}")
readonly LIBRARY=("$CARGO_TARGET_DIR/debug/libstripeline_capi.a" -lpthread -ldl -lm)
cat >"$out/overrun.c" <<'C'
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *bytes = malloc(8);
    (void)argv;
    bytes[7 + argc] = 1;
    return bytes[0] == 1;
}
C
cat >"$out/leak.c" <<'C'
#include "stripeline.h"
int main(void)
{
    stripeline_codec *codec;
    stripeline_codec_open(STRIPELINE_RS, 6, 3, &codec);
    codec = 0;
    return 0;
}
C
cc "${C_FLAGS[@]}" "$out/overrun.c" -o "$out/overrun"
cc "${C_FLAGS[@]}" "$out/leak.c" "${LIBRARY[@]}" -o "$out/leak"
expect_report heap-buffer-overflow "$out/overrun"
if "$out/leak" >/dev/null 2>&1; then fail "a codec that is not closed was not reported"; fi
cc "${C_FLAGS[@]}" examples/c/recover.c "${LIBRARY[@]}" -o "$out/recover"
cc "${C_FLAGS[@]}" examples/c/check_vectors.c "${LIBRARY[@]}" -lcjson -o "$out/check-vectors"
cc "${C_FLAGS[@]}" examples/c/window.c "${LIBRARY[@]}" -o "$out/window"
c++ "${CXX_FLAGS[@]}" examples/cpp/repair.cpp "${LIBRARY[@]}" -o "$out/repair"
"$out/recover" 0 4 7 >/dev/null
"$out/window" 100 >/dev/null
"$out/repair" >/dev/null
"$out/check-vectors" vectors/rs.json vectors/rs-legacy.json vectors/xor.json
echo "AddressSanitizer: passed"
