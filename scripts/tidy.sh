#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file carries its licence line, has at most 1,000 lines, and no line over 120 columns.
set -euo pipefail
cd "$(dirname "$0")/.."

found=0
complain() {
  echo "tidy: $*" >&2
  found=1
}

while IFS= read -r file; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
    complain "$file: no SPDX line in the first three"
  lines=$(wc -l <"$file")
  ((lines <= 1000)) || complain "$file: $lines lines, at most 1000"
  long=$(awk 'length($0) > 120 { print FNR; exit }' "$file")
  [[ -z $long ]] || complain "$file:$long: over 120 columns"
done < <(git ls-files -co --exclude-standard -- '*.rs' '*.java' '*.c' '*.sh' '*.go' 'stripeline' | grep -v /generated/)
exit "$found"
