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
Usage: scripts/application.sh mapreduce CONTESTANT[,CONTESTANT...] PROGRAM[,PROGRAM...] FILES MIB ROWS REPETITIONS
       scripts/application.sh replay DIVISOR JOBS AT_A_TIME REPETITIONS
       scripts/application.sh throughput CONTESTANT[,CONTESTANT...] CLIENTS MIB REPETITIONS
       scripts/application.sh sql CONTESTANT[,CONTESTANT...] FORMAT[,FORMAT] ORDERS REPETITIONS
       scripts/application.sh accumulo CONTESTANT[,CONTESTANT...] POLICY COMPRESSION[,COMPRESSION...] ROWS BATCHES

mapreduce: Hadoop's programs on a YARN and an HDFS of this machine: dfsio (TestDFSIO with FILES files of MIB MiB),
tera (TeraGen and TeraSort), distcp, sort (RandomWriter and Sort); ROWS rows of 100 bytes for all but dfsio.
replay: the first JOBS of 50 jobs of Facebook's trace of 2009 on a YARN and an HDFS of this machine, with bytes divided
by DIVISOR and AT_A_TIME at a time; replicas are placed by Hadoop's policy, and by encoding-aware replication.
throughput: Hadoop's ErasureCodeBenchmarkThroughput on an HDFS of this machine: CLIENTS threads, each with a file of
MIB MiB, write, and read statefully and by position, also without one DataNode.
sql: Spark on an HDFS of this machine: tables like those of TPC-H with ORDERS orders and four times as many items, in
the formats parquet and orc; queries 3 and 6, and a count, also without two DataNodes. DuckDB checks each answer.
accumulo: Accumulo on an HDFS of this machine, with POLICY if not replicated: files of ROWS rows of ten columns in the
compressions gz, snappy and none, imported and scanned; BATCHES of ten random rows looked up, also with two DataNodes
dead, and after HDFS has rebuilt their blocks.

Contestants: 3-rep, 4-rep, rs_java, isal (left out without libisal2), coder, blocking, non-blocking,
functional-partitioned; and wrong-parity, whose bytes are wrong, to show that they are checked (needs
java/lab/target/test-classes). Downloads the programs from Maven Central on the first run. Works in a directory of its
own in /dev/shm, or in /tmp if that has too little space.

Exit status: 0 measured, 1 failed or wrong bytes, 2 wrong usage, 3 could not measure.
TEXT
}

# Where numbers begin among the arguments.
case ${1:-}-$# in
  mapreduce-7 | sql-5) numbers=4 ;;
  replay-5) numbers=2 ;;
  throughput-5) numbers=3 ;;
  accumulo-6) numbers=5 ;;
  *)
    usage >&2
    exit 2
    ;;
esac
for number in "${@:numbers}"; do
  [[ $number =~ ^[1-9][0-9]{0,8}$ ]] || {
    echo "Cannot measure $1: '$number' is not a number from 1 to 999999999" >&2
    exit 2
  }
done
# Space in MiB is for all replicas and tables at the same time, roughly, and 512 MiB for logs and jars of tasks.
case $1 in
  mapreduce)
    main=MapReduceBench profile=mapreduce sources=(common bench yarn mapreduce) heap=1g
    mib=$((4 * $4 * $5 + $6 / 800))
    ;;
  replay)
    main=ReplayBench profile=mapreduce sources=(common bench yarn replay) heap=1g
    mib=$((360000 / $2))
    ;;
  throughput)
    # Its clients read 128 MiB at a time by position, and Hadoop's needs several times as much without a DataNode.
    main=ThroughputBench profile=hdfs sources=(common bench throughput) heap=4g
    mib=$((8 * $3 * $4))
    ;;
  sql)
    main=SqlBench profile=hdfs sources=(common bench sql-bench) heap=1g
    mib=$(($4 / 60))
    ;;
  accumulo)
    main=AccumuloBench profile=hdfs sources=(common bench accumulo-servers accumulo-bench) heap=2g
    mib=$(($5 / 60))
    ;;
esac
mib=$((mib + 512))
jar=$ROOT/java/cli/target/stripeline-0.1.0.jar
if [[ ! -f $jar ]]; then
  echo "Cannot measure $1: our jar is missing; build it with 'make build'" >&2
  exit 3
fi
lock_build
# The coders of isal and wrong-parity.
jar+=:$ROOT/java/lab/target/classes:$BUILD/coders
write_coders "$BUILD/coders"
# Last, because tests have Hadoop's default settings in another form.
tests=$ROOT/java/lab/target/test-classes
path=$(required_class_path "$profile"):$tests
compile "$BUILD/classes/$1" "$jar:$path" "${sources[@]}"
# The servers of some programs need a class path of their own.
case $1 in
  sql) engine=spark sources=(sql-engines) ;;
  accumulo) engine=accumulo sources=(common accumulo-tables) ;;
  *) engine= ;;
esac
if [[ $engine ]]; then
  engines=$(required_class_path "$engine"):$tests
  compile "$BUILD/classes/$1-engines" "$engines" "${sources[@]}"
  export ENGINES_CLASS_PATH=$BUILD/classes/$1-engines:$jar:$engines
fi
parent=
for place in /dev/shm /tmp; do
  if [[ ! $parent && -w $place ]] && (($(df --output=avail --block-size=1M "$place" | tail -n 1) >= mib)); then
    parent=$place
  fi
done
if [[ ! $parent ]]; then
  echo "Cannot measure $1: neither /dev/shm nor /tmp has $mib MiB of free space" >&2
  exit 3
fi
# Delete the folders of programs that were killed. A program that runs holds the lock in its folder.
for left in {/dev/shm,/tmp}/stripeline-application-*; do
  if [[ -O $left && ! -L $left && -f $left/lock ]]; then
    # Delete the lock last: a server that has not ended yet may still write into the folder, and the next program then
    # tries again.
    (flock --nonblock 8 && find "$left" -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf {} + && rm -rf "$left") \
      8<"$left/lock" || true
  fi
done
folder=$(mktemp -d "$parent/stripeline-application-XXXXXX")
trap 'rm -rf "$folder"; exit 143' INT TERM
exec 8>"$folder/lock.new"
flock 8
mv "$folder/lock.new" "$folder/lock"
mkdir "$folder/site"
write_logging "$folder/site"
# Files are created relative to the working directory, too. The program deletes the folder, and inherits the locks.
cd "$folder"
JDK_JAVA_OPTIONS="$(java_options)"
export JDK_JAVA_OPTIONS
exec java "-Xmx$heap" -Dapplications.folder="$folder" -cp "$folder/site:$BUILD/classes/$1:$jar:$path" \
  "org.stripeline.applications.$main" "${@:2}"
