#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs everything that a release's figures come from and records it in bench/record/<machine>/<date>.
# Usage: scripts/bench-record.sh MACHINE     where MACHINE names the processor, such as zen5-2cpu
# Takes about three quarters of an hour on an idle machine, which it should be; needs `make bench` and `make build`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! ${1:-} =~ ^[a-z0-9][a-z0-9.+-]*$ ]]; then
    echo "Usage: scripts/bench-record.sh MACHINE (lower case, digits, '.', '+', '-'), such as zen5-2cpu" >&2
    exit 2
fi
if [[ ! -x build/bench/stripeline-bench ]]; then
    echo "Cannot record: build/bench/stripeline-bench is missing; run 'make bench'" >&2
    exit 3
fi

directory=bench/record/$1/$(date -u +%Y-%m-%d)
mkdir -p "$directory"
about() {
    local changed=''
    git diff --quiet HEAD -- crates java bench || changed=' with uncommitted changes'
    echo "commit   $(git rev-parse HEAD)$changed"
    echo "command  scripts/bench-record.sh $1"
    echo "date     $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "cpu      $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs"
    echo "kernel   $(uname -r)"
    echo "memory   $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
    echo "load     $(cut -d ' ' -f 1-3 /proc/loadavg) before, over 1, 5 and 15 minutes"
}
about "$1" >"$directory/about.txt"

for definition in codec levels overhead; do
    echo "== $definition" >&2
    ./stripeline bench codec --definition="$definition" --record="$directory"
done
echo "== engine" >&2
./stripeline bench engine --record="$directory"
echo "== java" >&2
./stripeline bench java --json >"$directory/java.json"
echo "recorded in $directory" >&2
