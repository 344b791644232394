# SPDX-License-Identifier: Apache-2.0
# What scripts/asan.sh and scripts/tsan.sh share; sourced, with SANITIZER set to the name that reports have.
#
# Rust has sanitizers in its nightly compiler only; it is used for nothing else.

readonly TARGET=x86_64-unknown-linux-gnu

fail() {
  echo "$SANITIZER: $*" >&2
  exit 1
}

# Installs the nightly compiler where it is missing.
need_nightly() {
  [ "$(uname -m)" = x86_64 ] || fail "needs an x86_64 machine, this is $(uname -m)"
  command -v rustup >/dev/null || fail "needs the nightly compiler and rustup (https://rustup.rs)"
  rustup toolchain list | grep -q '^nightly' \
    || rustup toolchain install nightly --profile minimal >/dev/null 2>&1 \
    || fail "'rustup toolchain install nightly --profile minimal' failed"
}

# Adds the standard library's source to the nightly compiler where it is missing.
need_standard_library() {
  rustup +nightly component list --installed | grep -q '^rust-src' \
    || rustup component add rust-src --toolchain nightly >/dev/null 2>&1 \
    || fail "'rustup component add rust-src --toolchain nightly' failed"
}

# usage: use_target <folder>: builds go to a target folder of their own, as flags and compiler differ from
# all other builds.
use_target() {
  export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/$1"
}

# usage: cargo_sanitized <address|thread> <cargo command> [argument]...
cargo_sanitized() {
  RUSTFLAGS="-Zsanitizer=$1 -Cforce-frame-pointers=yes" \
    cargo +nightly "$2" --quiet --target "$TARGET" "${@:3}"
}

# usage: expect_report <text> <command> [argument]...: the command must fail with a report of that.
expect_report() {
  local text=$1 said
  shift
  if said=$("$@" 2>&1); then fail "'$*' was not reported"; fi
  grep -q "$SANITIZER: $text" <<<"$said" || fail "'$*' was not reported as $text: $said"
}
