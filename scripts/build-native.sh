#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds libstripeline_jni.so (for the jar) and libstripeline.so (the C ABI) into
# build/native/linux-<arch>/, stripped, needing no glibc symbol newer than 2.17.
#
# usage: scripts/build-native.sh [--debug | --linker]
#   --debug                   build the dev profile, unstripped, instead of release
#   --linker                  only install the linker, if it is missing
#   STRIPELINE_NATIVE_ARCHS   architectures to build, by default "x86_64 aarch64"
#
# zig is the linker because it carries the symbol lists of every glibc: one command links for 2.17
# on both architectures. A Debian cross gcc links against Debian's own glibc, whose `memcpy`,
# `pthread_create` or `dlopen` bring versions up to 2.34 that no flag turns back.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly GLIBC_MAX=2.17 # the oldest that the Rust standard library still runs on, and RHEL 7's
readonly ZIGBUILD_VERSION=0.24.0
readonly ZIG_VERSION=0.17.0
readonly VENV=build/venv

fail() {
  echo "Cannot build the native libraries: $*" >&2
  exit 1
}

profile=release
linker_only=false
case "$*" in
  "") ;;
  --debug) profile=dev ;;
  --linker) linker_only=true ;;
  *) echo "usage: scripts/build-native.sh [--debug | --linker]" >&2; exit 2 ;;
esac
profile_dir=$profile
[ "$profile" = dev ] && profile_dir=debug

install_zig() {
  local stamp="$VENV/.stripeline-zig-$ZIG_VERSION-$ZIGBUILD_VERSION"
  [ -e "$stamp" ] && return
  command -v python3 >/dev/null || fail "python3 is missing (Debian: python3 python3-venv)"
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      echo "installing python3-venv" >&2
      apt-get -qq update >/dev/null && apt-get -qq install -y python3-venv >/dev/null \
        || fail "apt-get could not install python3-venv"
    else
      fail "python3 has no venv module (Debian: apt-get install python3-venv)"
    fi
  fi
  echo "installing ziglang $ZIG_VERSION and cargo-zigbuild $ZIGBUILD_VERSION into $VENV" >&2
  mkdir -p build
  # The folder may be shared with other tools' packages, so it is added to, never replaced.
  [ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV"
  "$VENV/bin/pip" install --quiet --disable-pip-version-check \
    "ziglang==$ZIG_VERSION" "cargo-zigbuild==$ZIGBUILD_VERSION" \
    || fail "pip could not install ziglang $ZIG_VERSION, cargo-zigbuild $ZIGBUILD_VERSION in $VENV"
  touch "$stamp"
}

# Prints the architectures that can be built, and says why one is left out.
buildable_archs() {
  local toolchain sysroot arch target
  if [ -n "${STRIPELINE_NATIVE_ARCHS:-}" ]; then
    archs=$STRIPELINE_NATIVE_ARCHS
  else
    archs="x86_64 aarch64"
  fi
  toolchain=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  sysroot=$(rustc --print sysroot)
  for arch in $archs; do
    case "$arch" in
      x86_64 | aarch64) ;;
      *) fail "unknown architecture '$arch' in STRIPELINE_NATIVE_ARCHS, known are x86_64 aarch64" ;;
    esac
    target="$arch-unknown-linux-gnu"
    if [ ! -d "$sysroot/lib/rustlib/$target/lib" ]; then
      if ! command -v rustup >/dev/null; then
        reason="the Rust standard library for $target is missing and cargo is not managed by rustup"
      elif ! rustup target add "$target" --toolchain "$toolchain" >/dev/null 2>&1; then
        reason="'rustup target add $target --toolchain $toolchain' failed"
      else
        reason=""
      fi
      if [ -n "$reason" ]; then
        # An architecture that was named explicitly is required; a default one is skipped with a message.
        [ -n "${STRIPELINE_NATIVE_ARCHS:-}" ] && fail "$reason"
        echo "building without $arch: $reason" >&2
        continue
      fi
    fi
    echo "$arch"
  done
}

build() {
  local arch=$1 target="$1-unknown-linux-gnu" out="build/native/linux-$1" library variable
  echo "building linux-$arch ($profile)" >&2
  variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$target")
  # A linker or flags (-Ctarget-cpu!) from the caller's environment must not get into what is shipped.
  # Symbols stay in the dev profile only: the jar carries the release libraries to every node.
  env -u "${variable}_LINKER" -u "${variable}_RUSTFLAGS" -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS \
    CARGO_PROFILE_RELEASE_STRIP=symbols PATH="$PWD/$VENV/bin:$PATH" \
    cargo zigbuild --quiet --locked --profile "$profile" --target "$target.$GLIBC_MAX" \
    --package stripeline-jni --package stripeline-capi >&2 \
    || fail "cargo failed for $target"
  mkdir -p "$out"
  for library in libstripeline_jni.so libstripeline.so; do
    local built="${CARGO_TARGET_DIR:-target}/$target/$profile_dir/${library/libstripeline.so/libstripeline_capi.so}"
    # An unchanged library keeps its time stamp, so that nothing downstream is rebuilt.
    cmp -s "$built" "$out/$library" || install -m 755 "$built" "$out/$library"
  done
  scripts/check-glibc.sh "$GLIBC_MAX" "$out"/*.so >&2
}

command -v cargo >/dev/null || fail "cargo is missing (https://rustup.rs)"
install_zig
if "$linker_only"; then exit 0; fi
archs=$(buildable_archs)
[ -n "$archs" ] || fail "no architecture left to build"
for arch in $archs; do
  build "$arch"
done
