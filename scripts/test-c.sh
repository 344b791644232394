#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the C and C++ programs of examples without a warning and runs them against the shared and
# the static library: the examples, the golden vectors, the header in C++, the list of exported
# functions; and against both as scripts/install.sh installs them, by pkg-config and by CMake, also
# the programs of docs/user/library.md. Then runs the Rust example and the self-test of scripts/check-glibc.sh.
#
# usage: scripts/test-c.sh
#   STRIPELINE_DEV_CRATES   what cargo builds, as for scripts/install.sh, with the Rust example
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "C examples: $*" >&2
  exit 1
}

# Installs a Debian package where that is possible, and names it where it is not.
need_package() {
  local package=$1
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $package" >&2
    # The lists of packages may be old or absent; updating them first each time costs seconds.
    apt-get -qq install -y "$package" >/dev/null 2>&1 && return
    apt-get -qq update >/dev/null && apt-get -qq install -y "$package" >/dev/null && return
  fi
  fail "$package is missing (Debian: apt-get install $package)"
}

command -v cc >/dev/null || need_package gcc
command -v c++ >/dev/null || need_package g++
echo '#include <cjson/cJSON.h>' | cc -E -x c - >/dev/null 2>&1 || need_package libcjson-dev

export STRIPELINE_DEV_CRATES=${STRIPELINE_DEV_CRATES:---package stripeline-capi --package stripeline-example}
read -r -a crates <<<"$STRIPELINE_DEV_CRATES"
cargo build --quiet "${crates[@]}"
readonly BUILT=${CARGO_TARGET_DIR:-target}/debug
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Under the names by which programs find them.
libraries=$out/libraries
mkdir "$libraries"
for suffix in so a; do
  ln -s "$(realpath "$BUILT/libstripeline_capi.$suffix")" "$libraries/libstripeline.$suffix"
done

readonly C_FLAGS=(-std=c11 -pedantic -Wall -Wextra -Werror -g -O1 -I crates/capi/include)
readonly CXX_FLAGS=(-pedantic -Wall -Wextra -Werror -g -O1 -I crates/capi/include)

compile_and_run() {
  local kind=$1
  shift
  cc "${C_FLAGS[@]}" examples/c/recover.c "$@" -o "$out/recover-$kind"
  cc "${C_FLAGS[@]}" examples/c/check_vectors.c "$@" -lcjson -o "$out/check-vectors-$kind"
  cc "${C_FLAGS[@]}" examples/c/window.c "$@" -o "$out/window-$kind"
  c++ -std=c++11 "${CXX_FLAGS[@]}" examples/c/include.cpp "$@" -o "$out/include-$kind"
  c++ -std=c++17 "${CXX_FLAGS[@]}" examples/cpp/repair.cpp "$@" -o "$out/repair-$kind"
  c++ -std=c++17 "${CXX_FLAGS[@]}" crates/capi/tests/waits.cpp "$@" -pthread -o "$out/waits-$kind"
  c++ -std=c++17 "${CXX_FLAGS[@]}" crates/capi/tests/handles.cpp "$@" -pthread -o "$out/handles-$kind"
  c++ -std=c++17 "${CXX_FLAGS[@]}" crates/capi/tests/pinned.cpp "$@" -o "$out/pinned-$kind"
  # Tables are printed once; the second library must say the same.
  "$out/recover-$kind" 0 4 7 >"$out/recovered-$kind"
  grep -q '^lost:      ????.*$' "$out/recovered-$kind" || fail "recover lost nothing"
  grep -q '^recovered: Erasure coding keeps.*whichever they are\.' "$out/recovered-$kind" \
    || fail "recover did not get the text back"
  "$out/check-vectors-$kind" vectors/rs.json vectors/rs-legacy.json vectors/xor.json
  "$out/include-$kind" >/dev/null || fail "the header does not work in C++"
  expect_success "100 stripes of 6+3 cells encoded, 3 cells of each lost and recovered" \
    "$out/window-$kind" 100
  expect_success "every byte was recovered" "$out/repair-$kind"
  expect_success "every wait ended in time" "$out/waits-$kind"
  expect_success "every handle was closed in its turn" "$out/handles-$kind"
  expect_success "coded in ordinary memory" env LD_LIBRARY_PATH="$out/driver/none" "$out/pinned-$kind" ordinary
  expect_success "coded in locked memory" env LD_LIBRARY_PATH="$out/driver/mock" "$out/pinned-$kind" locked
}

# Drivers of a GPU: none, whatever the machine has, and the mock that the tests of crates/rail use.
mkdir -p "$out"/driver/{none,mock}
ln -s /dev/null "$out/driver/none/libcuda.so.1"
cc -std=gnu11 -O2 -Wno-unknown-pragmas -fno-strict-aliasing -fPIC -shared -pthread -fvisibility=hidden \
  crates/rail/tests/mock_cuda/mock_cuda.c -o "$out/driver/mock/libcuda.so.1"

# The header of plug-ins works in C++ too; the tests of crates/rail use it from C.
echo '#include <stripeline_plugin.h>' | c++ "${CXX_FLAGS[@]}" -I crates/rail/include -fsyntax-only -x c++ -

expect_success() {
  local text=$1 said
  shift
  said=$("$@" 2>&1) || fail "'$*' failed: $said"
  [[ $said == *"$text"* ]] || fail "'$*' said '$said', expected '$text'"
}

expect_failure() {
  local status=$1 text=$2 said found=0
  shift 2
  said=$("$@" 2>&1) || found=$?
  [ "$found" = "$status" ] || fail "'$*' ended with $found, expected $status: $said"
  [[ $said == *"$text"* ]] || fail "'$*' said '$said', expected '$text'"
}

compile_and_run shared -L "$libraries" -lstripeline -Wl,-rpath,"$libraries"
compile_and_run static "$libraries/libstripeline.a" -lpthread -ldl -lm

expect_failure 2 "usage:" "$out/recover-shared"
expect_failure 1 "Cannot decode unit 9: units are 0 to 8" "$out/recover-shared" 9
expect_failure 1 "Cannot decode unit 3: it is asked for twice" "$out/recover-shared" 3 3
# The checker must notice a wrong byte, or it proves nothing.
sed '0,/"parity":\["./s//"parity":["0/' vectors/rs.json >"$out/wrong.json"
cmp -s vectors/rs.json "$out/wrong.json" && fail "the wrong vectors are the right ones"
expect_failure 1 "wrong.json, case 1: encode: unit 3 differs" \
  "$out/check-vectors-shared" "$out/wrong.json"
expect_failure 1 "cannot be read" "$out/check-vectors-shared" "$out/absent.json"

# The library exports what the header declares and nothing else.
nm --dynamic --defined-only "$libraries/libstripeline.so" \
  | awk '$2 == "T" && $3 !~ /^_(init|fini)$/ { print $3 }' | sort >"$out/exported"
grep -oP '\bstripeline_[a-z_]+(?=\()' crates/capi/include/stripeline.h | sort -u >"$out/declared"
comm -3 "$out/exported" "$out/declared" >"$out/unequal"
[ ! -s "$out/unequal" ] || fail "exported or declared, not both: $(xargs <"$out/unequal")"

# Installed as by a packager: below DESTDIR, for another prefix.
command -v pkg-config >/dev/null || need_package pkg-config
command -v cmake >/dev/null || need_package cmake
command -v man >/dev/null || need_package man-db
for wrong in "" relative; do
  expect_failure 2 "PREFIX" scripts/install.sh --debug "$wrong"
done
expect_failure 1 "/proc/stripeline cannot be written" scripts/install.sh --debug /proc/stripeline
expect_success "installed libstripeline" env DESTDIR="$out/root" scripts/install.sh --debug /opt/stripeline
installed=$out/root/opt/stripeline
nm --dynamic --defined-only "$installed/lib/libstripeline.so" \
  | awk '$2 == "T" { sub(/@@.*/, "", $3); print $3 }' | sort >"$out/versioned"
nm --dynamic --defined-only "$installed/lib/libstripeline.so" | awk '$2 == "T" && $3 !~ /@@STRIPELINE_[0-9]+$/' \
  >"$out/unversioned"
cmp -s "$out/versioned" "$out/declared" || fail "the installed library does not export what the header declares"
[ ! -s "$out/unversioned" ] || fail "installed without a version: $(xargs <"$out/unversioned")"
readelf -S "$installed/lib/libstripeline.a" | grep -q debug_info && fail "the installed static library is not stripped"
man --warnings -l "$installed/share/man/man3/stripeline.3" >/dev/null 2>"$out/man" || fail "the manual page is wrong"
[ ! -s "$out/man" ] || fail "the manual page is wrong: $(cat "$out/man")"

export PKG_CONFIG_SYSROOT_DIR=$out/root PKG_CONFIG_PATH=$installed/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs stripeline)"
cc -std=c11 examples/c/recover.c "${flags[@]}" -o "$out/recover-pkg-config"
LD_LIBRARY_PATH=$installed/lib expect_success "recovered: Erasure coding keeps" "$out/recover-pkg-config" 0 4 7
readelf -d "$out/recover-pkg-config" | grep -q 'NEEDED.*\[libstripeline.so.1\]' \
  || fail "a program does not ask for libstripeline.so.1"

# The programs of the page, against what is installed.
page_program() {
  awk -v begin="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == begin { inside = 1 }' docs/user/library.md
}
page_program c >"$out/page.c"
page_program cpp >"$out/page.cpp"
cc "${C_FLAGS[@]}" "$out/page.c" "${flags[@]}" -o "$out/page-c"
c++ -std=c++17 "${CXX_FLAGS[@]}" "$out/page.cpp" "${flags[@]}" -pthread -o "$out/page-cpp"
LD_LIBRARY_PATH=$installed/lib expect_success "one six" "$out/page-c"
LD_LIBRARY_PATH=$installed/lib expect_success "encoded on all devices" "$out/page-cpp"

cat >"$out/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(example C)
find_package(stripeline 0.1 REQUIRED)
foreach(kind stripeline static)
  add_executable(recover-${kind} ${SOURCES}/recover.c)
  target_link_libraries(recover-${kind} PRIVATE stripeline::${kind})
endforeach()
CMAKE
cmake -S "$out" -B "$out/cmake" -DCMAKE_PREFIX_PATH="$installed" -DSOURCES="$PWD/examples/c" >"$out/cmake.log" 2>&1 \
  && cmake --build "$out/cmake" >>"$out/cmake.log" 2>&1 || fail "CMake: $(tail -n 20 "$out/cmake.log")"
for kind in stripeline static; do
  expect_success "recovered: Erasure coding keeps" "$out/cmake/recover-$kind" 0 4 7
done

scripts/check-glibc.sh --self-test || fail "scripts/check-glibc.sh accepts what it must refuse"

"$BUILT/stripeline-example" | grep -q '^every byte was recovered' \
  || fail "the Rust example did not recover every byte"
echo "C and Rust examples: passed"
