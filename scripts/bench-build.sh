#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the bench and the engines it compares with into build/bench.
# ISA-L is built from source by nasm and autotools, klauspost/reedsolomon by Go; the other libraries come from
# Debian or crates.io. Debian packages that are missing are installed where this runs as root, and named in one
# line where it does not. Without a recent Go the bench runs and says that klauspost is absent, and without memcached
# that metadata is not measured.
set -euo pipefail
cd "$(dirname "$0")/.."

# What klauspost/reedsolomon 1.14 asks for; Debian 12's own Go is 1.19.
readonly go_minor_min=24

declare -A package_of=([nasm]=nasm [autoconf]=autoconf [automake]=automake [libtoolize]=libtool [cc]=gcc [make]=make)

missing_packages() {
    local program libraries
    for program in "${!package_of[@]}"; do
        command -v "$program" >/dev/null || echo "${package_of[$program]}"
    done
    libraries=$(PATH=$PATH:/sbin ldconfig -p)
    grep -q 'libisal\.so\.2' <<<"$libraries" || echo libisal2
    grep -q 'libJerasure\.so\.2' <<<"$libraries" || echo libjerasure2
}

install_missing() {
    local missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        echo "installing ${missing[*]}" >&2
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
    else
        echo "Cannot build the bench: install ${missing[*]} (Debian packages)" >&2
        exit 3
    fi
}

find_go() {
    local candidate minor
    for candidate in go /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
        minor=$("$candidate" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p') || continue
        if [[ -n $minor ]] && ((minor >= go_minor_min)); then
            echo "$candidate"
            return
        fi
    done
}

build_klauspost() {
    local go
    go=$(find_go)
    if [[ -z $go ]]; then
        echo "left out klauspost: install Go 1.$go_minor_min or newer to compare with it" >&2
        return
    fi
    "$go" build -C bench/competitors/klauspost -trimpath -buildmode=c-shared \
        -o "$PWD/build/bench/libstripeline_bench_klauspost.so" .
}

build_programs() {
    # In one command, which compiles once what both need.
    cargo build --release --package stripeline-bench --package stripeline-bench-engine --features stripeline-bench/peers
    # A running bench keeps its own file.
    install "$target"/release/stripeline-bench{,-engine,-fingerprint} build/bench/
    # The engine's bench uses the example plug-in as a rail, and reports if it is missing.
    cc -shared -fPIC -O2 -I crates/rail/include examples/plugin/jerasure.c -l:libJerasure.so.2 \
        -o build/bench/libplugin-jerasure.so
}

command -v cargo >/dev/null || { echo "Cannot build the bench: install Rust (cargo)" >&2; exit 3; }
install_missing
mkdir -p build/bench
target=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
build_programs
build_klauspost
echo "built build/bench/stripeline-bench, stripeline-bench-engine and stripeline-bench-fingerprint" >&2
