#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target with the address sanitizer: fuzz.sh [SECONDS-PER-TARGET [TARGET...]], 20 seconds by default.
set -eu
cd "$(dirname "$0")/.."

CARGO_FUZZ_VERSION=0.13.2
seconds=${1:-20}
[ $# -eq 0 ] || shift

case $seconds in
'' | *[!0-9]*)
    echo "Usage: scripts/fuzz.sh [SECONDS-PER-TARGET [TARGET...]]" >&2
    exit 2
    ;;
esac
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "Cannot fuzz: no nightly compiler; install one with: rustup toolchain install nightly" >&2
    exit 3
fi
PATH="$PWD/build/tools/bin:$PATH"
if ! command -v cargo-fuzz >/dev/null; then
    cargo install cargo-fuzz --version "$CARGO_FUZZ_VERSION" --locked --root build/tools
fi

cargo +nightly fuzz build
[ $# -gt 0 ] || set -- $(cargo +nightly fuzz list)
for target; do
    echo "== $target, $seconds s"
    # A seed of its own makes a run repeatable; findings go to fuzz/artifacts and fail the run.
    cargo +nightly fuzz run "$target" -- \
        -max_total_time="$seconds" -seed=1 -len_control=0 -max_len=512 \
        -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
done
