#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the C library and installs it: the shared library with a versioned name and versioned
# symbols, the static library, the headers for C and C++, a file for pkg-config, a package for CMake
# and a manual page. Needs cargo and a C compiler; no JDK, and nothing of Hadoop.
#
# usage: scripts/install.sh [--debug] PREFIX
#   PREFIX    absolute path, such as /usr/local
#   --debug   the dev profile, which tests build anyway; STRIPELINE_DEV_CRATES (environment) is what cargo then builds,
#             so that it need not compile again what it has compiled with these (default: --package stripeline-capi)
#   DESTDIR   (environment) is put before PREFIX, to make a package
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "Cannot install the C library: $*" >&2
  exit 1
}

profile=release
crates=(--package stripeline-capi)
if [ "${1:-}" = --debug ]; then
  profile=dev
  read -r -a crates <<<"${STRIPELINE_DEV_CRATES:-${crates[*]}}"
  shift
fi
[ $# = 1 ] || { echo "usage: scripts/install.sh [--debug] PREFIX" >&2; exit 2; }
readonly prefix=${1%/}
case "$prefix" in
  /*) ;;
  *) echo "Cannot install to '$1': PREFIX is an absolute path" >&2; exit 2 ;;
esac
readonly root=${DESTDIR:-}$prefix
command -v cargo >/dev/null || fail "cargo is missing (https://rustup.rs)"
command -v cc >/dev/null || fail "there is no C compiler named cc (Debian: apt-get install gcc)"

# Before the build, which takes minutes.
mkdir -p "$root" 2>/dev/null && [ -w "$root" ] ||
  fail "$root cannot be written; choose another PREFIX, or run it as root"

abi=$(sed -n 's/^#define STRIPELINE_ABI_VERSION \([0-9]*\)$/\1/p' crates/capi/include/stripeline.h)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
[ -n "$abi" ] && [ -n "$version" ] || fail "the version of the library or of its ABI is not found"

cargo build --quiet --locked --profile "$profile" "${crates[@]}"
built=${CARGO_TARGET_DIR:-target}/$profile
[ "$profile" = dev ] && built=${CARGO_TARGET_DIR:-target}/debug

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fill() {
  sed -e "s|@prefix@|$prefix|g" -e "s|@version@|$version|g" "packaging/library/$1.in" >"$work/$1"
}

for file in stripeline.pc stripeline-config.cmake stripeline-config-version.cmake; do
  fill "$file"
done

# The shared library that Rust links cannot have versions of symbols beside Rust's list of exports.
# Its name changes only if programs of older versions do not run with it.
readonly soname=libstripeline.so.1
strip --strip-debug -o "$work/libstripeline.a" "$built/libstripeline_capi.a"
cc -shared -o "$work/libstripeline.so" -Wl,-soname,"$soname" \
  -Wl,--version-script,packaging/library/symbols.map -Wl,--gc-sections -Wl,-z,now,-z,relro \
  -Wl,--whole-archive "$work/libstripeline.a" -Wl,--no-whole-archive -lpthread -ldl -lm -lgcc_s
strip --strip-unneeded "$work/libstripeline.so"

install -D -m 755 "$work/libstripeline.so" "$root/lib/$soname.$abi"
ln -sf "$soname.$abi" "$root/lib/$soname"
ln -sf "$soname" "$root/lib/libstripeline.so"
install -D -m 644 "$work/libstripeline.a" "$root/lib/libstripeline.a"
install -D -m 644 crates/capi/include/stripeline.h "$root/include/stripeline.h"
install -D -m 644 crates/capi/include/stripeline.hpp "$root/include/stripeline.hpp"
install -D -m 644 "$work/stripeline.pc" "$root/lib/pkgconfig/stripeline.pc"
for file in stripeline-config.cmake stripeline-config-version.cmake; do
  install -D -m 644 "$work/$file" "$root/lib/cmake/stripeline/$file"
done
install -D -m 644 packaging/library/stripeline.3 "$root/share/man/man3/stripeline.3"
echo "installed libstripeline $version (ABI $abi) in $root"
