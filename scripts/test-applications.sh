#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs applications on erasure-coded directories with our client and durable sync, kills their writers, and counts what
# was acknowledged and lost. The same with Hadoop's client first, which loses records: the control.
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly SOURCES="$ROOT/java/applications"
readonly BUILD="$ROOT/build/applications"

usage() {
  cat <<'TEXT'
Usage: scripts/test-applications.sh [--jar PATH] [--client NAME] [files|accumulo|hbase|spark]...

Runs all applications, or those named, on an HDFS of nine DataNodes with RS-6-3-1024k, and exits 0 only if our client
lost nothing that was acknowledged. Downloads the applications from Maven Central on the first run.

  --jar PATH     our jar (default: java/cli/target/stripeline-0.1.0.jar)
  --client NAME  stripeline or stock alone (default: both)
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
while (($#)); do
  case $1 in
    --jar | --client)
      (($# > 1)) || fail_usage "$1 needs a value"
      if [[ $1 == --jar ]]; then jar=$2; else clients=("$2"); fi
      shift 2
      ;;
    files | accumulo | hbase | spark) applications+=("$1") && shift ;;
    -h | --help) usage && exit 0 ;;
    *) fail_usage "unknown argument: $1" ;;
  esac
done
((${#applications[@]})) || applications=(files accumulo hbase spark)
[[ -f $jar ]] || fail_usage "Cannot find our jar: no $jar; build it or give --jar"

# Prints the class path of a profile of the pom, resolved once per version of the pom.
class_path() {
  local file=$BUILD/$1.txt
  if [[ ! $file -nt $SOURCES/pom.xml ]]; then
    echo "test-applications: resolving $1" >&2
    mvn --batch-mode --quiet -Dstyle.color=never -f "$SOURCES/pom.xml" -P "$1" \
      org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$file" >&2
    # The plugin leaves a file alone that would not change.
    touch "$file"
  fi
  cat "$file"
}

# Compiles folders of the sources against a class path: OUTPUT CLASSPATH FOLDER...
compile() {
  local output=$1 path=$2
  shift 2
  rm -rf "$output"
  mkdir -p "$output"
  find "${@/#/$SOURCES/src/}" -name '*.java' -print0 |
    xargs -0 javac --release 17 -nowarn -Xlint:none -proc:none -encoding UTF-8 -d "$output" -cp "$path"
}

# What Hadoop, and Spark's unsafe memory, need on current JDKs; and the level of Log4j 2 without a configuration.
options=(-Dlog4j2.level=WARN)
for package in java.io java.lang java.lang.invoke java.lang.reflect java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
  options+=("--add-opens=java.base/$package=ALL-UNNAMED")
done

mkdir -p "$BUILD"
exec 9>"$BUILD/lock"
flock --nonblock 9 || fail_usage "another run uses $BUILD"
hdfs=$(class_path hdfs)
compile "$BUILD/classes/hdfs" "$hdfs" hdfs
failed=()
for application in "${applications[@]}"; do
  profile=$application
  [[ $application != files ]] || profile=hdfs
  path=$(class_path "$profile")
  classes=$BUILD/classes/$application
  compile "$classes" "$path" common "$application"
  for client in "${clients[@]}"; do
    folder=$BUILD/run/$application-$client
    rm -rf "$folder"
    mkdir -p "$folder/site"
    printf 'log4j.%s\n' rootLogger=WARN,console appender.console=org.apache.log4j.ConsoleAppender \
      appender.console.target=System.err appender.console.layout=org.apache.log4j.SimpleLayout \
      >"$folder/site/log4j.properties"
    echo "== $application, $client client" >&2
    main=org.stripeline.applications.${application^}Trial
    # The environment, so that the processes which the applications start have them, too.
    JDK_JAVA_OPTIONS="${options[*]}" java -Xmx512m -Dlog4j2.level=OFF \
      -Dapplications.folder="$folder" -Dapplications.hdfs="$BUILD/classes/hdfs:$hdfs" \
      -cp "$folder/site:$classes:$jar:$path" "$main" "$client" 2>"$folder/trial.log" 9>&- ||
      failed+=("$application with the $client client; logs in ${folder#"$ROOT"/}")
    rm -rf "$folder/hdfs"
  done
done
if ((${#failed[@]})); then
  printf 'test-applications: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
