#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the kernel suite, the codec suite and the golden vectors for aarch64 under qemu-user, NEON
# included. Part of `make conformance`: emulation is slow, and x86-64 runs the same suites in
# `make test`.
#
# usage: scripts/test-aarch64.sh [ARGUMENT...]   arguments go to each test program, e.g. a test's name
#
# The linker and the libraries under emulation are Debian's cross gcc and its glibc: what runs here
# never leaves this machine, so it does not need the old glibc that scripts/build-native.sh links for.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly TARGET=aarch64-unknown-linux-gnu
readonly SYSROOT=/usr/aarch64-linux-gnu
readonly PACKAGES=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)

fail() {
  echo "Cannot test aarch64: $*" >&2
  exit 1
}

have_tools() {
  command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null \
    && [ -e "$SYSROOT/lib/ld-linux-aarch64.so.1" ]
}

install_tools() {
  if have_tools; then return; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    fail "missing tools (Debian: apt-get install ${PACKAGES[*]})"
  fi
  echo "installing ${PACKAGES[*]}" >&2
  apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends "${PACKAGES[@]}" \
    >/dev/null || fail "apt-get could not install ${PACKAGES[*]}"
  have_tools || fail "${PACKAGES[*]} are installed but do not provide qemu-aarch64 and $SYSROOT"
}

install_target() {
  local toolchain
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$TARGET/lib" ]; then return; fi
  toolchain=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  command -v rustup >/dev/null \
    || fail "the Rust standard library for $TARGET is missing and cargo is not managed by rustup"
  rustup target add "$TARGET" --toolchain "$toolchain" >/dev/null 2>&1 \
    || fail "'rustup target add $TARGET --toolchain $toolchain' failed"
}

command -v cargo >/dev/null || fail "cargo is missing (https://rustup.rs)"
install_tools
install_target

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L $SYSROOT"
# The suites must not pass by running portable code only.
listed=$(cargo test --target "$TARGET" --package stripeline-codec --test codec_suite -- \
  --nocapture --exact wrong_input 2>/dev/null) || fail "the codec suite does not run under qemu-aarch64"
grep -qx neon <<<"$listed" || fail "the codec suite did not run on NEON"
cargo test --target "$TARGET" --package stripeline-gf --package stripeline-codec \
  --package stripeline-boundary -- "$@"

# The library as it is shipped, linked by zig for the old glibc: loads and works through C.
STRIPELINE_NATIVE_ARCHS=aarch64 scripts/build-native.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
aarch64-linux-gnu-gcc -Wall -Wextra -Werror -I crates/capi/include examples/c/recover.c \
  -L build/native/linux-aarch64 -lstripeline -o "$out/recover"
qemu-aarch64 -L "$SYSROOT" -E LD_LIBRARY_PATH="$PWD/build/native/linux-aarch64" \
  "$out/recover" 0 4 7 | grep -q '^recovered: Erasure coding keeps' \
  || fail "build/native/linux-aarch64/libstripeline.so did not get a text back"
echo "aarch64 suites: passed"
