#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the jars without running tests. On a terminal one line shows the module being built, how many of the modules
# are built, the time so far and the time left, taken from the modules built so far; otherwise only errors are printed.
# usage: scripts/build-java.sh [MAVEN_OPTION...]
set -euo pipefail
cd "$(dirname "$0")/.."

maven=(mvn --batch-mode --no-transfer-progress -f java/pom.xml package -DskipTests "$@")
if [ ! -t 1 ]; then
  exec "${maven[@]}" --quiet
fi

# Maven prints "[INFO] Building Stripeline client 0.1.0                 [5/12]" when it comes to a module.
readonly MODULE='^\[INFO\] Building (.*[^ ]) +\[([0-9]+)/([0-9]+)\]$'
show_progress() {
  local line left built
  while IFS= read -r line; do
    if [[ $line =~ $MODULE ]]; then
      left=
      built=$((BASH_REMATCH[2] - 1))
      if ((built > 0)); then
        left=", about $((SECONDS * (BASH_REMATCH[3] - built) / built)) s left"
      fi
      printf '\r\033[Kbuilding %s, %d of %d modules built, %d s%s' \
        "${BASH_REMATCH[1]}" "$built" "${BASH_REMATCH[3]}" "$SECONDS" "$left"
    elif [[ $line == '[ERROR]'* ]]; then
      printf '\r\033[K%s\n' "$line"
    fi
  done
  printf '\r\033[K'
}
"${maven[@]}" -Dstyle.color=never | show_progress
