#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the bench with its competitors and runs every definition in its quick form, which checks every engine's output
# before it times anything. Where the competitors cannot be built, says so and checks the engines that need nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
scripts/bench-build.sh || status=$?
# 3: a package is missing and cannot be installed here; bench-build.sh has named it.
if ((status == 3)); then
    mkdir -p build/bench
    cargo build --release --package stripeline-bench --package stripeline-bench-engine
    target=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
    install "$target"/release/stripeline-bench{,-engine,-fingerprint} build/bench/
elif ((status != 0)); then
    exit "$status"
fi
for definition in codec levels overhead; do
    build/bench/stripeline-bench --quick --definition="$definition" >/dev/null
done
build/bench/stripeline-bench-engine --quick >/dev/null
build/bench/stripeline-bench-fingerprint --quick >/dev/null
