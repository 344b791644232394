#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures another project's program with Hadoop's clients and ours, and prints the results as JSON.
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/application-paths.sh
source "$ROOT/scripts/application-paths.sh"

usage() {
  cat <<'TEXT'
Usage: scripts/application.sh mapreduce CONTESTANT[,CONTESTANT...] FILES MIB ROWS REPETITIONS

mapreduce: TestDFSIO, TeraGen, TeraSort and distcp on a YARN and an HDFS of this machine. Contestants: 3-rep, rs_java,
coder, functional-partitioned. FILES files of MIB MiB for TestDFSIO, ROWS rows of 100 bytes for the others. Downloads
Hadoop's programs from Maven Central on the first run. Works in a directory of its own in /dev/shm, or else in /tmp.

Exit status: 0 measured, 1 failed or wrong bytes, 2 wrong usage, 3 could not measure.
TEXT
}

if [[ ${1:-} != mapreduce || $# -ne 6 ]]; then
  usage >&2
  exit 2
fi
jar=$ROOT/java/cli/target/stripeline-0.1.0.jar
if [[ ! -f $jar ]]; then
  echo "Cannot measure $1: our jar is missing; build it with 'make build'" >&2
  exit 3
fi
lock_build
path=$(class_path "$1") || {
  echo "Cannot measure $1: its class path cannot be resolved" >&2
  exit 3
}
compile "$BUILD/classes/$1" "$path" "$1"
parent=/tmp
[[ ! -w /dev/shm ]] || parent=/dev/shm
folder=$(mktemp -d "$parent/stripeline-application-XXXXXX")
mkdir "$folder/site"
write_logging "$folder/site"
# Files are created relative to the working directory, too. The program deletes the folder, and inherits the lock.
cd "$folder"
JDK_JAVA_OPTIONS="$(java_options)" exec java -Xmx1g -Dapplications.folder="$folder" \
  -cp "$folder/site:$BUILD/classes/$1:$jar:$path" org.stripeline.applications.MapReduceBench "${@:2}"
