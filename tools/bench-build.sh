#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the bench and the engines it compares with into build/bench.
# ISA-L is built from source by nasm and autotools; the other libraries come from Debian. What is missing is
# installed where this runs as root on Debian, and named in one line where it does not.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A package_of=([nasm]=nasm [autoconf]=autoconf [automake]=automake [libtoolize]=libtool)

missing_packages() {
    local program library
    for program in "${!package_of[@]}"; do
        command -v "$program" >/dev/null || echo "${package_of[$program]}"
    done
    library=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)
    grep -q 'libisal\.so\.2' <<<"$library" || echo libisal2
    grep -q 'libJerasure\.so\.2' <<<"$library" || echo libjerasure2
}

mapfile -t missing < <(missing_packages)
if ((${#missing[@]})); then
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        echo "installing ${missing[*]}" >&2
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
    else
        echo "Cannot build the bench: install ${missing[*]} (Debian packages)" >&2
        exit 3
    fi
fi
command -v cargo >/dev/null || { echo "Cannot build the bench: install Rust (cargo)" >&2; exit 3; }

mkdir -p build/bench
cargo build --release --package stripeline-bench --features peers
target=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
cp "$target/release/stripeline-bench" build/bench/
echo "build/bench/stripeline-bench" >&2
