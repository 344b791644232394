#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file carries its licence line, has at most 1,000 lines (Java and Rust 500), and no line over 120 columns
# (Java and Rust 100, except imports and rows of tables). scripts/tidy-exceptions.txt lists what exceeds the limits.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -co --exclude-standard -- '*.rs' '*.java' '*.c' '*.sh' '*.go' 'stripeline' | grep -v /generated/ | awk '
  function complain(text) {
    print "tidy: " text > "/dev/stderr"
    found = 1
  }
  # Complains if count exceeds both the limit and the exception of a file, or no longer needs the exception.
  function bound(kind, file, count, limit, unit,    name, most) {
    name = kind " " file
    most = name in allowed ? allowed[name] : limit
    if (count > most)
      complain(file ": " count " " unit ", at most " most)
    else if (most > limit && count <= limit)
      complain(file ": within the limit; remove it from " exceptions)
    delete allowed[name]
  }
  BEGIN {
    exceptions = "scripts/tidy-exceptions.txt"
    while ((getline line < exceptions) > 0)
      if (line !~ /^#/ && split(line, part, " ") == 3)
        allowed[part[1] " " part[2]] = part[3]
  }
  {
    file = $0
    lines = long = licensed = 0
    columns = file ~ /\.(java|rs)$/ ? 100 : 120
    while ((getline line < file) > 0) {
      lines++
      licensed += lines <= 3 && line ~ /SPDX-License-Identifier: Apache-2\.0/
      if (length(line) > columns && !long && line !~ /^import |^ *\/\/[\/!] \|/)
        long = lines
    }
    close(file)
    if (!licensed)
      complain(file ": no SPDX line in the first three")
    if (long)
      complain(file ":" long ": over " columns " columns")
    bound("lines", file, lines, file ~ /\.(java|rs)$/ ? 500 : 1000, "lines")
  }
  END {
    for (name in allowed)
      complain(exceptions ": there is no file for " name)
    exit found
  }
'
