#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the codec against ISA-L and Jerasure and the rails over them, installing Debian's packages where they are
# absent.
# usage: scripts/test-peers.sh [CARGO_OPTION...]
#        scripts/test-peers.sh --install    only install the packages
set -eu
cd "$(dirname "$0")/.."

present() {
    ldconfig -p | grep -qF "$1"
}

if ! present libisal.so.2 || ! present libJerasure.so.2; then
    if ! command -v apt-get >/dev/null; then
        echo "Cannot install libisal2 and libjerasure2: no apt-get; install both libraries by hand" >&2
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root=sudo
    else
        echo "Cannot install libisal2 and libjerasure2: neither root nor sudo" >&2
        exit 1
    fi
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends libisal2 libjerasure2
fi

[ "${1:-}" != --install ] || exit 0

STRIPELINE_REQUIRE_PEERS=1 cargo test -p stripeline-peers "$@"
STRIPELINE_REQUIRE_PEERS=1 cargo test -p stripeline-rail --test libraries "$@"
