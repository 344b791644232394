#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long list: our suites and Hadoop's own tests on every supported release, the newest JDK, aarch64 under qemu,
# sanitizers, applications, upgrade from an older build. Needs what `make build` made.
# Goes on after a failure and exits 1 at the end if there was any.
# usage: scripts/conformance.sh [--list] [PATTERN...]
#   --list    prints the steps with their numbers, and runs none
#   PATTERN   number of a step, or regular expression that its command contains; runs these only (default: all)
set -uo pipefail
cd "$(dirname "$0")/.."

# All modules that touch Hadoop and that a cluster or a job loads.
modules=testkit,terminal,native,placement,coder,client,agent-api,server,convert,plan,scrub
list=false
if [[ ${1:-} == --list ]]; then
  list=true
  shift
fi
patterns=("$@")
number=0 selected=0
failed=()
is_selected() {
  local pattern
  ((${#patterns[@]})) || return 0
  for pattern in "${patterns[@]}"; do
    [[ $pattern != "$number" ]] || return 0
    [[ $pattern =~ ^[0-9]+$ || ! $* =~ $pattern ]] || return 0
  done
  return 1
}

step() {
  local started=$SECONDS
  ((number += 1))
  is_selected "$@" || return 0
  ((selected += 1))
  if "$list"; then
    printf '%2d  %s\n' "$number" "$*"
    return
  fi
  echo "== $number: $*"
  if "$@"; then
    echo "== passed in $((SECONDS - started)) s"
  else
    echo "== FAILED after $((SECONDS - started)) s" >&2
    failed+=("$*")
  fi
}

step scripts/test-aarch64.sh
step scripts/asan.sh
step scripts/cuda-ptx.sh
for release in 3.4.2 3.3.6 3.5.0; do
  step mvn --batch-mode --no-transfer-progress --fail-at-end -f java/pom.xml -pl "$modules" \
    -Dhadoop.version="$release" -Dsurefire.rerunFailingTestsCount=1 -Dsurefire.failOnFlakeCount=3 clean verify
  step mvn --batch-mode --no-transfer-progress -f java/pom.xml -pl cli -am -Dhadoop.version="$release" \
    -Dgroups=conformance -Dsurefire.rerunFailingTestsCount=1 test
  step scripts/hadoop-tests.sh --hadoop "$release" --list ec
done
for release in 3.4.2 3.5.0; do
  step scripts/hadoop-tests.sh --hadoop "$release" --client stripeline --list client
  step scripts/hadoop-tests.sh --hadoop "$release" --placement ear --list placement
done
step scripts/test-applications.sh
for release in 3.3.6 3.5.0; do
  step scripts/test-docs.sh --hadoop "$release"
done
step scripts/hadoop-tests.sh --hadoop 3.5.0 --java newest --list raw
# A build with another class of the agents' protocol, another journal and another layout of the jars.
step scripts/test-upgrade.sh ffdc7824

if ((selected == 0)); then
  echo "conformance: no step is selected by: ${patterns[*]}; --list prints the steps" >&2
  exit 2
fi
if ((${#failed[@]})); then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
