#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the bench and runs its quick form, which checks every engine's output before it times anything.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bench-build.sh
build/bench/stripeline-bench --quick >/dev/null
