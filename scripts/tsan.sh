#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the engine's suite and its C interface under ThreadSanitizer. First proves that it would notice: a
# deliberate race with a task must be reported, or nothing else here means anything.
#
# usage: scripts/tsan.sh
#
# The standard library is built with it as well: locks and channels of one built without it would look
# like races. The portable kernels are used: accesses of 32 and 64 bytes are not looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SANITIZER=ThreadSanitizer
. scripts/sanitizer.sh
need_nightly
need_standard_library
use_target tsan
export STRIPELINE_ISA=portable
# A child of the tests of forks may start an engine of its own.
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 die_after_fork=0"

cargo_sanitized thread build -Zbuild-std --package stripeline-capi --example race
race=$CARGO_TARGET_DIR/$TARGET/debug/examples/race
"$race" none || fail "a correct program was reported"
expect_report "data race" "$race" write
echo "a race with a task is reported" >&2

STRIPELINE_STRESS_SECONDS=120 \
  cargo_sanitized thread test -Zbuild-std --package stripeline-engine --package stripeline-capi --tests
echo "ThreadSanitizer: passed"
