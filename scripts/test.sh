#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs tests; `make test` and `make test-full`.
# usage: scripts/test.sh fast|full|both [REPEATS]
#   fast  formatting, lints, the Rust and C suites, and the Java tests without the tag "full"
#   full  what fast leaves out: the Java tests with that tag, permutation tests, other libraries as judges, the commands
#         of the documents, the monitoring files, the quick form of the bench, programs of the evaluation, a part of
#         Hadoop's own tests
#   both  all of them, with one run of the Java tests; continuous integration does this
# Prints the time of each step, and at the end one line with the number of steps.
# With REPEATS=1 a Java test that fails is repeated once; those that pass then are named at the end, and three of them
# in one module fail the run.
set -euo pipefail
cd "$(dirname "$0")/.."

passed=0
step() {
  local name=$1 started=$SECONDS
  shift
  echo "== $name: $*"
  if "$@"; then
    passed=$((passed + 1))
    echo "== $name: passed in $((SECONDS - started)) s"
  else
    if [[ $1 == mvn ]]; then
      list_repeated
      list_reports '<(failure|error)[ >]' "FAILED"
    fi
    echo "== $name: FAILED after $((SECONDS - started)) s" >&2
    echo "$passed passed, 1 failed"
    exit 1
  fi
}

# shellcheck source=scripts/beside.sh
. scripts/beside.sh

maven=(mvn --batch-mode --no-transfer-progress -f java/pom.xml)
if ((${2:-0} > 0)); then
  # Surefire refuses the second option without the first.
  maven+=("-Dsurefire.rerunFailingTestsCount=$2" -Dsurefire.failOnFlakeCount=3)
fi

# Names the Java tests of the last run whose reports match a pattern, with the beginning of each message.
list_reports() {
  local report
  for report in java/*/target/surefire-reports*/TEST-*.xml; do
    if grep -qE "$1" "$report"; then
      echo "$2: $report"
      grep -E -B 1 -A 8 "$1" "$report" | cut -c 1-400
    fi
  done
}

list_repeated() {
  list_reports '<flaky(Failure|Error)' "PASSED ONLY WHEN REPEATED"
}

# What later steps need; to download and unpack it takes little processor time.
install_needed() {
  scripts/build-native.sh --linker || return
  [[ $part == fast ]] || scripts/test-peers.sh --install
}

fast_steps() {
  begin_beside install_needed
  step "formatting, lints, sizes" scripts/check.sh
  step "linker and libraries, installed beside" await_beside
  step "native libraries" scripts/build-native.sh
  local crates=(--workspace)
  if [[ $part == fast ]]; then
    crates+=(--exclude stripeline-peers)
    step "Rust suites" cargo test --quiet "${crates[@]}"
  else
    step "Rust suites, ISA-L and Jerasure as judges" \
      env STRIPELINE_REQUIRE_PEERS=1 cargo test --quiet "${crates[@]}"
  fi
  # What was compiled for these suites, with the features that all crates together select.
  export STRIPELINE_DEV_CRATES="${crates[*]} --lib --examples --bin stripeline-example"
  step "C and Rust examples, C suite" scripts/test-c.sh
}

full_steps() {
  step "build without shuffle tables" \
    cargo test --quiet -p stripeline-gf -p stripeline-codec --features stripeline-codec/no-shuffle-tables
  step "the engine's protocols, permuted" \
    cargo test --quiet -p stripeline-engine --features permute --lib permute
  # Of the Rust suites in the other case.
  [[ $part == both ]] || step "ISA-L and Jerasure as judges" scripts/test-peers.sh --quiet
}

# Steps that need what the run of the Java tests has built.
steps_after_java() {
  step "archive and Debian package" scripts/test-dist.sh --built
  step "bench, quick form" scripts/bench-quick.sh
  # Uses what the two have built, and waits much of its time.
  begin_beside scripts/test-evaluate.sh
  step "commands of the documents, as printed" scripts/test-docs.sh
  step "alert rules and dashboard" scripts/test-monitoring.sh
  step "programs of the evaluation (scripts/test-evaluate.sh)" await_beside
  # Each runs one JVM at a time, in a directory of its own.
  begin_beside scripts/hadoop-tests.sh --list quick
  step "Hadoop's own tests, our client" scripts/hadoop-tests.sh --client stripeline --list client-quick
  step "Hadoop's own tests, our coder (scripts/hadoop-tests.sh --list quick)" await_beside
}

part=${1:-}
case $part in
fast)
  fast_steps
  # Surefire's output stays: it names each class with its count.
  step "Java modules" "${maven[@]}" -DexcludedGroups=full verify
  ;;
full)
  step "native libraries" scripts/build-native.sh
  full_steps
  step "Java modules, tests with the tag full" "${maven[@]}" -Pdist -Dgroups=full \
    -DexcludedGroups=conformance verify
  steps_after_java
  ;;
both)
  fast_steps
  full_steps
  step "Java modules" "${maven[@]}" -Pdist -DexcludedGroups=conformance verify
  steps_after_java
  ;;
*)
  echo "usage: scripts/test.sh fast|full|both [REPEATS]" >&2
  exit 2
  ;;
esac
list_repeated
echo "$passed passed, 0 failed"
