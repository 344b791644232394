#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that shared libraries load on an old Linux: no glibc symbol newer than the version given,
# and no other library needed than those of glibc itself.
#
# usage: scripts/check-glibc.sh VERSION LIBRARY...   e.g. VERSION 2.17
#        scripts/check-glibc.sh --self-test   proves that what breaks either rule is refused
set -euo pipefail

# libgcc_s is absent on purpose: the unwinder is linked statically.
readonly ALLOWED='^(lib(c|m)\.so\.6|lib(pthread\.so\.0|dl\.so\.2|rt\.so\.1)|ld-linux-(x86-64|aarch64)\.so\.[12])$'

usage() {
  sed -n 's/^# usage: /usage: /p; s/^#        scripts/       scripts/p' "$0" >&2
  exit 2
}

# Prints what is wrong with one library, a line each.
findings() {
  local max=$1 library=$2 version name
  readelf --version-info "$library" | grep -oP 'GLIBC_\K[0-9.]+' | sort -uV | while read -r version; do
    if [ "$(printf '%s\n%s\n' "$version" "$max" | sort -V | tail -n 1)" != "$max" ]; then
      echo "$library needs glibc $version, allowed is up to $max"
    fi
  done
  readelf --dynamic "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r name; do
    [[ $name =~ $ALLOWED ]] || echo "$library needs $name, allowed are only the libraries of glibc"
  done
}

check() {
  local max=$1 library found status=0
  shift
  for library in "$@"; do
    if ! readelf --file-header "$library" >/dev/null 2>&1; then
      echo "Cannot check $library: not an ELF file" >&2
      status=1
      continue
    fi
    found=$(findings "$max" "$library")
    if [ -n "$found" ]; then
      echo "$found" >&2
      status=1
    fi
  done
  return $status
}

expect_refused() {
  local max=$1 library=$2 text=$3 said
  if said=$(check "$max" "$library" 2>&1); then
    echo "self-test: $library was accepted, expected '$text'" >&2
    exit 1
  fi
  if [[ $said != *"$text"* ]]; then
    echo "self-test: $library was refused with '$said', expected '$text'" >&2
    exit 1
  fi
}

self_test() {
  local folder
  folder=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$folder'" EXIT
  # getrandom came with glibc 2.25.
  echo 'long getrandom(); long f(void *byte) { return getrandom(byte, 1L, 0); }' >"$folder/new.c"
  echo 'int g(int x) { return x + 1; }' >"$folder/plain.c"
  cc -shared -fPIC -o "$folder/new.so" "$folder/new.c"
  cc -shared -fPIC -nostdlib -o "$folder/plain.so" "$folder/plain.c"
  cc -shared -fPIC -o "$folder/gcc.so" "$folder/plain.c" -Wl,--no-as-needed -lgcc_s
  echo text >"$folder/text.so"
  expect_refused 2.17 "$folder/new.so" "needs glibc 2.25, allowed is up to 2.17"
  expect_refused 2.17 "$folder/gcc.so" "needs libgcc_s.so.1"
  expect_refused 2.17 "$folder/text.so" "not an ELF file"
  expect_refused 2.17 "$folder/absent.so" "not an ELF file"
  check 2.25 "$folder/new.so"
  check 2.17 "$folder/plain.so"
}

command -v readelf >/dev/null || {
  echo "Cannot check the libraries: readelf is missing (Debian: apt-get install binutils)" >&2
  exit 1
}
case "${1:-}" in
  --self-test) self_test ;;
  [0-9]*)
    [ $# -ge 2 ] || usage
    check "$@"
    ;;
  *) usage ;;
esac
