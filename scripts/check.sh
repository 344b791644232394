#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting, lints and size limits; everything that a change must keep besides the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/beside.sh
. scripts/beside.sh
check_java() {
  scripts/format-java.sh --check &&
    mvn --batch-mode --no-transfer-progress --quiet -f java/pom.xml checkstyle:check
}
cargo fmt --all --check
# Clippy does not keep two processors busy.
begin_beside check_java
cargo clippy --quiet --workspace --all-targets -- -D warnings
await_beside
# Advisories appear without a change here and need the network: `cargo deny check advisories` before a release.
if cargo deny --version >/dev/null 2>&1; then
  cargo deny --log-level error check --hide-inclusion-graph bans licenses sources
else
  echo "check: dependencies are not checked; install cargo-deny: cargo install cargo-deny --locked" >&2
fi
# Compiled in memory, so that no cache is written next to the scripts.
git ls-files -z -co --exclude-standard -- '*.py' | xargs -0 python3 -c '
import sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as script:
        compile(script.read(), path, "exec")
'
scripts/third-party.py check
scripts/tidy.sh
scripts/check-links.py
# The links also hold in the archive, which has no source code.
documents=$(mktemp -d)
trap 'rm -rf "$documents"' EXIT
scripts/install-documents.sh "$documents"
scripts/check-links.py "$documents"
scripts/check-packages.py

# Only org.stripeline.natives.Ticker reads the clock, so that tests run the code in virtual time. Exempt are also:
exempt=(
  RpcAgents               # pauses between calls over the network; its module uses no other one
  StripelineOutputStreams # repeats calls of append as Hadoop does
  TaskTable               # counts tasks from the time of day, so that ids of an earlier start are unknown
  Progress                # the terminal module uses no other one; tests give it a clock
  Bundle                  # names its file by the local time
  DataNodeSurvey          # compares this machine's clock with those of DataNodes
  ClusterProcess          # waits for another process
  HdfsInstance            # waits for Hadoop's threads, and sets times of Hadoop's clock
  IoCluster               # waits for other processes, and compares times of heartbeats
  RebuildAct              # measures, and waits for Hadoop's threads
  MethodJvm               # measures
  ClientMain              # measures
  FileTask                # measures
  AccessBench             # makes a name that is unique in the process
  JournalRecord           # notes the time of day of each step
  StatusWriter            # notes the time of day at which a driver began and a status was written
  JobDirectory            # names jobs by the local time
  ConnectionKeys          # compares the time at which a key of the NameNode expires with the time of day
  JobList                 # compares times of files on HDFS with the NameNode's clock, or this machine's
  FileJudge               # compares the modification times of files with the time of day
  ScrubCommand            # compares the modification times of files with the time of day
  HdfsGroup               # compares the modification times of files with the time of day
  PlanCalculator          # compares the modification times of files with the time of day
)
clock='System(\.|::)(nanoTime|currentTimeMillis)|monotonicNow|(Instant|Time)\.now'
clock+='|Thread\.sleep|SECONDS\.(sleep|timedWait)'
modules=(java/{native,coder,client,placement,simulator,agent-api,server,convert,plan,scrub,lab,cli,terminal}/src/main)
reads=$(git grep --untracked -nE "$clock" -- "${modules[@]}" |
  grep -vE "/(Ticker|$(IFS='|' && echo "${exempt[*]}"))\.java:|Time\.now\(clock\)" || true)
if [[ -n $reads ]]; then
  echo "check: time is read from an org.stripeline.natives.Ticker that the class is given:" >&2
  echo "$reads" >&2
  exit 1
fi

# What docs/internals/faults.md names is there: `Class`, `Class.method`, `path.rs`, `path.rs::test`.
names=$(grep -oE '`([A-Z][A-Za-z]+(\.\w+)?|[a-z_/]+\.rs(::\w+)?)`' docs/internals/faults.md | tr -d '`' | sort -u)
for name in $names; do
  case $name in
  *.rs) files="crates/$name" word=fn ;;
  *.rs::*) files="crates/${name%%::*}" word="fn ${name##*::}" ;;
  *) files="java/*/src/*/${name%%.*}.java" word=${name##*.} ;;
  esac
  git grep -qwF -e "$word" -- "$files" || {
    echo "check: docs/internals/faults.md names $name, which does not exist" >&2
    exit 1
  }
done
