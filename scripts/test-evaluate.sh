#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the trial form of those sections of the evaluation that use programs of other projects, and a short replay of
# jobs. Then runs a coder that computes no parity, and fails if the bench does not notice that. If Maven cannot download
# the programs, prints that, and exits 0.
set -euo pipefail
cd "$(dirname "$0")/.."

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

fail() {
  echo "test-evaluate: $1" >&2
  exit 1
}

status=0
./stripeline evaluate --trial --only=programs,sql,accumulo --dir="$directory/evaluation" \
  >"$directory/report.txt" 2>"$directory/progress.txt" || status=$?
# Each of the four measurements has to say so; another reason is a failure.
if ((status == 3)) && (($(grep -c "cannot be resolved" "$directory/progress.txt") == 4)); then
  echo "test-evaluate: left out, because programs cannot be downloaded"
  exit 0
fi
((status == 0)) || {
  cat "$directory/progress.txt" >&2
  fail "the evaluation ended with status $status"
}
# The fifth job has no reducers.
scripts/application.sh replay 10000 5 2 1 >"$directory/replay.json" 2>"$directory/replay.txt" || {
  tail -n 20 "$directory/replay.txt" >&2
  fail "the replay of jobs failed"
}
(($(grep -o '"job":' "$directory/replay.json" | wc -l) == 10)) || fail "the replay has not completed its ten jobs"
status=0
scripts/application.sh mapreduce wrong-parity distcp 1 1 30000 1 >/dev/null 2>"$directory/wrong.txt" || status=$?
if ((status != 1)) || ! grep -q "Wrong bytes" "$directory/wrong.txt"; then
  tail -n 20 "$directory/wrong.txt" >&2
  fail "a coder that computes no parity was not found (status $status)"
fi
echo "programs of the evaluation: all checks hold, and wrong parity is found"
