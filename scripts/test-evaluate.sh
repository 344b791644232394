#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the trial form of those sections of the evaluation that use programs of other projects or that of bench engine,
# and a short replay of jobs; kills an evaluation and a trial, and requires that nothing is left of them; runs each
# program with a coder that computes no parity, and fails if that is not noticed. If Maven cannot download the
# programs, prints that, and exits 0.
set -euo pipefail
cd "$(dirname "$0")/.."

# These JVMs are too short-lived for the second compiler to repay its time.
export JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

fail() {
  echo "test-evaluate: $1" >&2
  exit 1
}

# Without our jar no trial can run, which is no failure of one.
status=0
scripts/test-applications.sh --jar "$directory/none.jar" >/dev/null 2>"$directory/jar.txt" || status=$?
if ((status != 3)) || ! grep -q "Cannot find our jar" "$directory/jar.txt"; then
  fail "a trial without our jar ended with status $status: $(cat "$directory/jar.txt")"
fi
# Nor can a program without a compiler, or a trial whose class path cannot be resolved, which must be noticed before
# another trial begins. Maven finds all but Accumulo; the trials of this copy would fail.
copy=$directory/copy
mkdir -p "$copy/java" "$directory/bin"
cp -r scripts "$copy/"
cp -r java/applications "$copy/java/"
true >"$directory/our.jar"
cat >"$directory/bin/mvn" <<'SHELL'
#!/bin/sh
case $* in *'-P accumulo '*) exit 1 ;; esac
for argument; do
  case $argument in -Dmdep.outputFile=*) echo none >"${argument#*=}" ;; esac
done
SHELL
# Runs trials with this exit status of the compiler, and requires status 3 and a message: STATUS MESSAGE.
cannot_run() {
  local status=0
  printf '#!/bin/sh\nexit %s\n' "$1" >"$directory/bin/javac"
  chmod +x "$directory/bin"/*
  PATH=$directory/bin:$PATH "$copy/scripts/test-applications.sh" --jar "$directory/our.jar" files accumulo \
    >/dev/null 2>"$directory/copy.txt" || status=$?
  if ((status != 3)) || ! grep -q "$2" "$directory/copy.txt" || grep -q "^== " "$directory/copy.txt"; then
    fail "trials that cannot run ended with status $status: $(cat "$directory/copy.txt")"
  fi
}
cannot_run 2 "needs javac of JDK 17"
cannot_run 0 "class path of accumulo cannot be resolved"
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
# Prints the folders of running programs of applications.
list_folders() { find /dev/shm /tmp -maxdepth 1 -name 'stripeline-application-*'; }
# Whether Spark has started in the folder of a program that was not there before; sets folder.
has_started() {
  if ! kill -0 "$killed" 2>/dev/null; then
    cat "$directory/killed.txt" >&2
    fail "the evaluation that is to be killed has ended"
  fi
  folder=$(list_folders | grep -vxF "$before" | head -n 1)
  [[ $folder && -e $folder/spark ]]
}
has_ended() { [[ ! -e $folder ]] && ! pgrep -f "$folder" >/dev/null; }
before=$(list_folders; echo none)
./stripeline evaluate --trial --only=sql --dir="$directory/killed" >/dev/null 2>"$directory/killed.txt" &
killed=$!
trap 'kill "$killed" 2>/dev/null || true; rm -rf "$directory"' EXIT
await "a program of an evaluation" has_started
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
await "the end of what a killed evaluation ran" has_ended
# Ends a program while its cluster starts, whose DataNodes make directories.
before=$(list_folders; echo none)
scripts/application.sh throughput functional-partitioned 1 8 1 >/dev/null 2>"$directory/killed.txt" &
killed=$!
cluster_starts() {
  kill -0 "$killed" 2>/dev/null || fail "the program that is to be ended has ended"
  folder=$(list_folders | grep -vxF "$before" | head -n 1)
  [[ $folder && -e $folder/hdfs ]]
}
await "the start of a cluster" cluster_starts
kill -TERM "$killed"
status=0
wait "$killed" 2>/dev/null || status=$?
((status == 143)) || fail "a program that was ended by SIGTERM returned $status"
[[ ! -e $folder ]] || fail "a program that was ended while its cluster started has left $folder"
# One that is killed leaves its files, which the next one deletes.
before=$(list_folders; echo none)
scripts/application.sh throughput functional-partitioned 1 8 1 >/dev/null 2>"$directory/killed.txt" &
killed=$!
await "the start of a cluster" cluster_starts
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
left=$folder
status=0
./stripeline evaluate --trial --only=engine --dir="$directory/engine" >/dev/null 2>"$directory/engine.txt" || status=$?
# Parts that need memcached are left out without it.
python3 - "$directory/engine/report.json" <<'PYTHON' || fail "the evaluation of the engine ended with status $status"
import json
import sys

for run in json.load(open(sys.argv[1]))["sections"][0]["runs"]:
    if run["failed"] or "memcached" not in (run["leftOut"] or "memcached"):
        sys.exit(f"{run['command']}: {run['failed'] or run['leftOut']}")
PYTHON
# The fifth job has no reducers.
scripts/application.sh replay 10000 5 2 1 >"$directory/replay.json" 2>"$directory/replay.txt" || {
  tail -n 20 "$directory/replay.txt" >&2
  fail "the replay of jobs failed"
}
[[ ! -e $left ]] || fail "$left of a program that was killed was not deleted by the next one"
(($(grep -o '"job":' "$directory/replay.json" | wc -l) == 10)) || fail "the replay has not completed its ten jobs"
# Kills the trial of Spark, whose driver runs without end, and would go on.
folder=$PWD/build/applications/run/spark-stripeline
scripts/test-applications.sh --client stripeline spark >/dev/null 2>"$directory/killed.txt" &
killed=$!
driver_runs() { pgrep -f "spark.ui.enabled=false.*$folder" >/dev/null; }
driver_started() {
  kill -0 "$killed" 2>/dev/null || fail "the trial of Spark has ended: $(cat "$directory/killed.txt")"
  driver_runs
}
driver_ended() { ! driver_runs; }
await "a driver of Spark" driver_started
pgrep -f "applications.folder=$folder " | xargs kill -KILL
wait "$killed" 2>/dev/null || true
await "the end of a driver whose trial was killed" driver_ended
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
