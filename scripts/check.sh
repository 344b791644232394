#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting, lints and size limits; everything that a change must keep besides the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
scripts/tidy.sh
scripts/format-java.sh --check

# What docs/internals/faults.md names is there: `Class`, `Class.method`, `path.rs`, `path.rs::test`.
names=$(grep -oE '`([A-Z][A-Za-z]+(\.\w+)?|[a-z_/]+\.rs(::\w+)?)`' docs/internals/faults.md | tr -d '`' | sort -u)
for name in $names; do
  case $name in
  *.rs) files="crates/$name" word=fn ;;
  *.rs::*) files="crates/${name%%::*}" word="fn ${name##*::}" ;;
  *) files="java/*/src/*/${name%%.*}.java" word=${name##*.} ;;
  esac
  git grep -qwF -e "$word" -- "$files" || {
    echo "check: docs/internals/faults.md names $name, which is not there" >&2
    exit 1
  }
done
