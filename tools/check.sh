#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting, lints and size limits; everything that a change must keep besides the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
tools/tidy.sh
