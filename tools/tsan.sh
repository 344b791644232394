#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the engine's suite and its C face under ThreadSanitizer. First proves that it would notice: a
# deliberate race with a task must be reported, or nothing else here means anything.
#
# usage: tools/tsan.sh
#
# Rust has sanitizers in its nightly compiler only, and this one needs the standard library built
# with it as well: locks and channels of one built without it would look like races. The portable
# kernels are used: accesses of 32 and 64 bytes are not looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly TARGET=x86_64-unknown-linux-gnu

fail() {
  echo "ThreadSanitizer: $*" >&2
  exit 1
}

[ "$(uname -m)" = x86_64 ] || fail "needs an x86_64 machine, this is $(uname -m)"
command -v rustup >/dev/null || fail "needs the nightly compiler and rustup (https://rustup.rs)"
rustup toolchain list | grep -q '^nightly' \
  || rustup toolchain install nightly --profile minimal >/dev/null 2>&1 \
  || fail "'rustup toolchain install nightly --profile minimal' failed"
rustup +nightly component list --installed | grep -q '^rust-src' \
  || rustup component add rust-src --toolchain nightly >/dev/null 2>&1 \
  || fail "'rustup component add rust-src --toolchain nightly' failed"

# A target folder of its own: flags and compiler differ from all other builds.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
export STRIPELINE_ISA=portable
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"

cargo_tsan() {
  RUSTFLAGS="-Zsanitizer=thread -Cforce-frame-pointers=yes" \
    cargo +nightly "$1" --quiet -Zbuild-std --target "$TARGET" "${@:2}"
}

cargo_tsan build --package stripeline-capi --example race
race=$CARGO_TARGET_DIR/$TARGET/debug/examples/race
"$race" none || fail "a correct program was reported"
if said=$("$race" write 2>&1); then fail "a race with a task was not reported"; fi
grep -q "ThreadSanitizer: data race" <<<"$said" || fail "the race was not reported as one: $said"
echo "a race with a task is reported" >&2

cargo_tsan test --package stripeline-engine --package stripeline-capi --tests
echo "ThreadSanitizer: passed"
