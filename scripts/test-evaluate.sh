#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the trial form of those sections of the evaluation that use programs of other projects or that of bench engine,
# and a short replay of jobs; kills an evaluation, and requires that nothing is left of it; runs each program with a
# coder that computes no parity, and fails if that is not noticed. If Maven cannot download the programs, prints that,
# and exits 0.
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
# Waits for a condition: WHAT COMMAND...
await() {
  local what=$1 polls=0
  shift
  until "$@"; do
    ((polls += 1))
    ((polls < 600)) || fail "waited 120 s in vain: $what"
    sleep 0.2
  done
}
# Whether Spark has started in the folder of a program; sets folder.
has_started() {
  folder=$(compgen -G "/dev/shm/stripeline-application-*/spark" ||
    compgen -G "/tmp/stripeline-application-*/spark") || return 1
  folder=${folder%/spark}
}
has_ended() { [[ ! -e $folder ]] && ! pgrep -f "$folder" >/dev/null; }
./stripeline evaluate --trial --only=sql --dir="$directory/killed" >/dev/null 2>"$directory/killed.txt" &
killed=$!
await "a program of an evaluation" has_started
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
await "the end of what a killed evaluation ran" has_ended
status=0
./stripeline evaluate --trial --only=engine --dir="$directory/engine" >/dev/null 2>"$directory/engine.txt" || status=$?
# Parts that need memcached are left out without it.
others=$(grep "Cannot measure" "$directory/engine.txt" | grep -vc memcached || true)
if ((status != 0 && (status != 3 || others > 0))); then
  cat "$directory/engine.txt" >&2
  fail "the evaluation of the engine ended with status $status"
fi
# The fifth job has no reducers.
scripts/application.sh replay 10000 5 2 1 >"$directory/replay.json" 2>"$directory/replay.txt" || {
  tail -n 20 "$directory/replay.txt" >&2
  fail "the replay of jobs failed"
}
(($(grep -o '"job":' "$directory/replay.json" | wc -l) == 10)) || fail "the replay has not completed its ten jobs"
# Runs a program with a coder that computes no parity: ARGUMENT...
find_wrong_parity() {
  local status=0
  scripts/application.sh "$@" >/dev/null 2>"$directory/wrong.txt" || status=$?
  if ((status != 1)) || ! grep -q "Wrong bytes" "$directory/wrong.txt"; then
    tail -n 20 "$directory/wrong.txt" >&2
    fail "a coder that computes no parity was not found by $1 (status $status)"
  fi
}
find_wrong_parity mapreduce wrong-parity distcp 1 1 30000 1
find_wrong_parity throughput wrong-parity 1 32 1
find_wrong_parity sql wrong-parity parquet 2000 1
find_wrong_parity accumulo wrong-parity RS-6-3-64k gz 2000 1
echo "programs of the evaluation: all checks hold, and wrong parity is found"
