#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs applications on erasure-coded directories with our client and durable sync, kills their writers, and counts what
# was acknowledged and lost. The same with Hadoop's client first, which loses records: the control.
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/application-paths.sh
source "$ROOT/scripts/application-paths.sh"

usage() {
  cat <<'TEXT'
Usage: scripts/test-applications.sh [--jar PATH] [--client NAME] [--cases=NAMES] [--json]
         [files|accumulo|hbase|spark]...

Runs all applications, or those named, on an HDFS of nine DataNodes with RS-6-3-1024k, and exits 0 only if our client
lost nothing that was acknowledged. Downloads the applications from Maven Central on the first run.

  --jar PATH     our jar (default: java/cli/target/stripeline-0.1.0.jar)
  --client NAME  stripeline or stock alone (default: both)
  --cases=NAMES  cases, separated by commas, if accumulo or hbase is the only application (default: all)
  --json         prints the results as one JSON object

Exit status: 0 passed, 1 failed, 2 wrong usage, 3 could not run.
TEXT
}

fail_usage() {
  echo "test-applications: $1" >&2
  usage >&2
  exit 2
}

jar=$ROOT/java/cli/target/stripeline-0.1.0.jar
clients=(stock stripeline)
applications=()
cases=
json=false
while (($#)); do
  case $1 in
    --jar | --client)
      (($# > 1)) || fail_usage "$1 needs a value"
      if [[ $1 == --jar ]]; then jar=$2; else clients=("$2"); fi
      shift 2
      ;;
    --cases=*) cases=${1#*=} && shift ;;
    --json) json=true && shift ;;
    files | accumulo | hbase | spark) applications+=("$1") && shift ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown argument: $1" ;;
  esac
done
[[ ! $cases || ${applications[*]} == accumulo || ${applications[*]} == hbase ]] ||
  fail_usage "--cases needs accumulo or hbase as the only application"
((${#applications[@]})) || applications=(files accumulo hbase spark)
[[ -f $jar ]] || {
  echo "Cannot find our jar: no $jar; build it or give --jar" >&2
  exit 3
}

lock_build
hdfs=$(required_class_path hdfs)
compile "$BUILD/classes/hdfs" "$hdfs" hdfs
# Before the first trial, whose failure an exit would hide.
declare -A paths
for application in "${applications[@]}"; do
  profile=$application
  [[ $application != files ]] || profile=hdfs
  paths[$application]=$(required_class_path "$profile")
done
results=$BUILD/results.txt
true >"$results"
failed=()
for application in "${applications[@]}"; do
  path=${paths[$application]}
  classes=$BUILD/classes/$application
  folders=(common "$application")
  [[ $application != accumulo ]] || folders+=(accumulo-servers)
  compile "$classes" "$path" "${folders[@]}"
  for client in "${clients[@]}"; do
    folder=$BUILD/run/$application-$client
    rm -rf "$folder"
    mkdir -p "$folder/site"
    write_logging "$folder/site"
    echo "== $application, $client client" >&2
    main=org.stripeline.applications.${application^}Trial
    # The environment, so that the processes which the applications start have them, too.
    JDK_JAVA_OPTIONS="$(java_options)" java -Xmx512m -Dlog4j2.level=OFF -Dapplications.json="$json" \
      -Dapplications.cases="$cases" \
      -Dapplications.folder="$folder" -Dapplications.hdfs="$BUILD/classes/hdfs:$hdfs" \
      -cp "$folder/site:$classes:$jar:$path" "$main" "$client" 2>"$folder/trial.log" 9>&- |
      if "$json"; then cat >>"$results"; else cat; fi ||
      failed+=("$application with the $client client; logs in ${folder#"$ROOT"/}")
    rm -rf "$folder/hdfs"
  done
done
! "$json" || printf '{"trials":[%s]}\n' "$(paste -sd, "$results")"
if ((${#failed[@]})); then
  printf 'test-applications: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
