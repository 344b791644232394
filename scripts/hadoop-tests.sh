#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs Hadoop's own published tests against our coder and client pipelines, each class in its own JVM, one at a time.
# How it works and what it found: docs/internals/conformance.md.
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly SOURCES="$ROOT/java/conformance"
readonly BUILD="$ROOT/build/hadoop-tests"

hadoop=3.4.2
java_home=${JAVA_HOME:-}
coder=stripeline
engine=native
client=stock
placement=stock
jar=$ROOT/java/cli/target/stripeline-0.1.0.jar
keep_logs=false
dry_run=false
selection=()

usage() {
  cat <<'TEXT'
Usage: scripts/hadoop-tests.sh [options] --list NAME|CLASS[#METHOD,...] ...

Runs Hadoop's own tests and exits 0 only if each of them passed or is listed in
java/conformance/deviations.txt, and the coder and client under test did the work.

  --list WHAT ...    raw, quick, core, extended, ec, client, client-quick, placement
                     (java/conformance/lists), or a class, or class#method,method (default: quick)
  --hadoop VERSION   3.3.6, 3.4.2 or 3.5.0 (default: 3.4.2)
  --java HOME        JDK to run on; 'newest' takes the newest one installed (default: JAVA_HOME,
                     else the java on PATH)
  --coder NAME       stripeline, or rs_java for Hadoop's own as a baseline (default: stripeline)
  --engine NAME      what our coder must run on: native, or java for its fallback (default: native)
  --client NAME      stock for Hadoop's own, or stripeline for our pipelines (default: stock)
  --placement NAME   stock for Hadoop's own, or ear for our policy on the whole tree (default: stock)
  --jar PATH[:PATH]  our jar or class folders (default: java/cli/target/stripeline-0.1.0.jar)
  --keep-logs        keep the log of every class, not only of those with unexpected results
  --dry-run          print what would be run
TEXT
}

fail_usage() {
  echo "hadoop-tests: $1" >&2
  usage >&2
  exit 2
}

# Prints the home of the newest JDK among those of this machine.
newest_java() {
  local home version best_home='' best_version=0
  for home in /usr/lib/jvm/*/; do
    [[ -x $home/bin/javac ]] || continue
    version=$(java_major "$home")
    if ((version > best_version)); then
      best_version=$version best_home=${home%/}
    fi
  done
  [[ -n $best_home ]] || { echo "hadoop-tests: no JDK under /usr/lib/jvm" >&2; exit 2; }
  echo "$best_home"
}

java_major() {
  # "17.0.15" and "1.8.0_452" both lead with the number that counts, save for the "1.".
  "$1/bin/java" -XshowSettings:properties -version 2>&1 |
    sed -n 's/^ *java\.specification\.version = \(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
}

parse_arguments() {
  while (($#)); do
    case $1 in
      --hadoop | --java | --coder | --engine | --client | --placement | --jar)
        (($# > 1)) || fail_usage "$1 needs a value"
        case $1 in
          --hadoop) hadoop=$2 ;;
          --java) java_home=$2 ;;
          --coder) coder=$2 ;;
          --engine) engine=$2 ;;
          --client) client=$2 ;;
          --placement) placement=$2 ;;
          --jar) jar=$2 ;;
        esac
        shift 2
        ;;
      --list)
        shift
        while (($#)) && [[ $1 != --* ]]; do
          selection+=("$1")
          shift
        done
        ;;
      --keep-logs) keep_logs=true && shift ;;
      --dry-run) dry_run=true && shift ;;
      -h | --help) usage && exit 0 ;;
      *) fail_usage "unknown argument: $1" ;;
    esac
  done
  ((${#selection[@]})) || selection=(quick)
  [[ $hadoop =~ ^3\.[0-9]+\.[0-9]+$ ]] || fail_usage "not a Hadoop version: $hadoop"
  [[ $coder == stripeline || $coder == rs_java ]] || fail_usage "unknown coder: $coder"
  [[ $engine == native || $engine == java ]] || fail_usage "unknown engine: $engine"
  [[ $client == stripeline || $client == stock ]] || fail_usage "unknown client: $client"
  [[ $placement == ear || $placement == stock ]] || fail_usage "unknown placement: $placement"
  [[ $placement == stock || $coder == stripeline ]] || fail_usage "our placement needs our jar"
  [[ $client == stock || $coder == stripeline ]] || fail_usage "our client needs our coder"
  if [[ $java_home == newest ]]; then
    java_home=$(newest_java)
  elif [[ -z $java_home ]]; then
    command -v java >/dev/null || fail_usage "no java on PATH; install JDK 17 or give --java"
    java_home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  fi
  [[ -x $java_home/bin/javac ]] || fail_usage "no JDK (bin/javac) in $java_home"
  if [[ $coder == stripeline ]]; then
    local part
    local IFS=:
    for part in $jar; do
      [[ -e $part ]] || fail_usage "Cannot find our jar: no $part; build it or give --jar"
    done
  fi
}

# Prints the entries to run, "class[#methods] TAB coding TAB limit", one per line.
entries() {
  local what
  for what; do
    if [[ -f $SOURCES/lists/$what.txt ]]; then
      list_entries "$what"
    elif [[ $what == *.* ]]; then
      printf '%s\tany\t900\n' "$what"
    else
      echo "hadoop-tests: no list '$what' in $SOURCES/lists and not a class name" >&2
      exit 2
    fi
  done
}

# Prints the entries of a list that apply to this Hadoop version; "@other" includes a list.
list_entries() {
  local class coding limit versions
  while read -r class coding limit versions; do
    case $class in
      '' | '#'*) ;;
      @*) list_entries "${class#@}" ;;
      *)
        if [[ -z $versions || ,$versions, == *,$hadoop,* ]]; then
          printf '%s\t%s\t%s\n' "$class" "$coding" "$limit"
        fi
        ;;
    esac
  done <"$SOURCES/lists/$1.txt"
}

# Resolves the class path and Hadoop's test resources, once per Hadoop version and pom.
prepare() {
  local home=$BUILD/$hadoop stamp=$BUILD/$hadoop/resolved
  mkdir -p "$home"
  exec 9>"$home/lock"
  flock 9
  if [[ ! $stamp -nt $SOURCES/pom.xml ]]; then
    echo "hadoop-tests: resolving Hadoop $hadoop and its tests" >&2
    rm -rf "$home/resources" "$home/markers"
    mvn --batch-mode --quiet -Dstyle.color=never -f "$SOURCES/pom.xml" \
      -Dhadoop.version="$hadoop" generate-resources >&2
    touch "$stamp"
  fi
  class_path=$(<"$home/classpath.txt")
  resources=$home/resources
  compile "$home"
  exec 9>&-
}

# Compiles our additions; 3.3 and 3.4 test with JUnit 4, later ones with JUnit 5. The folder is
# named after the sources, so that a run never has its classes replaced underneath it.
compile() {
  local api=junit4 dirs hash
  [[ $hadoop == 3.[34].* ]] || api=jupiter
  dirs=("$SOURCES/src/common" "$SOURCES/src/$api")
  hash=$(find "${dirs[@]}" "$SOURCES/pom.xml" -type f -print0 | sort -z | xargs -0 sha256sum |
    sha256sum | cut -c1-12)
  classes=$1/classes-$hash
  witness=$1/witness.jar
  if [[ ! -f $witness ]]; then
    printf 'Premain-Class: org.stripeline.conformance.CoderWitness\n' >"$1/manifest"
    "$java_home/bin/jar" --create --file "$witness" --manifest "$1/manifest"
  fi
  if [[ ! -d $classes ]]; then
    find "$1" -maxdepth 1 -name 'classes-*' -mmin +1440 -exec rm -rf {} +
    rm -rf "$1/classes.new"
    mkdir -p "$1/classes.new"
    find "${dirs[@]}" -name '*.java' -print0 | xargs -0 "$java_home/bin/javac" --release 8 \
      -nowarn -Xlint:none -proc:none -encoding UTF-8 -d "$1/classes.new" -cp "$class_path" >&2
    cp -r "$SOURCES/src/common/resources/." "$1/classes.new"
    mv "$1/classes.new" "$classes"
  fi
}

# Writes two folders to go first on the class path, so that every "new Configuration()" of every
# test sees them: Hadoop's test core-site.xml with our keys added, the same with hflush that only
# warns for entries with "^", and as it is for "off" entries.
write_sites() {
  local codec name
  mkdir -p "$run/site" "$run/site-off"
  cp "$resources/core-site.xml" "$run/site-off"
  {
    sed '/<\/configuration>/,$d' "$resources/core-site.xml"
    for codec in rs rs-legacy xor; do
      name=$coder
      [[ $coder != rs_java ]] || name=${codec}_java
      printf '  <property><name>io.erasurecode.codec.%s.rawcoders</name>' "$codec"
      printf '<value>%s</value></property>\n' "$name"
    done
    if [[ $client == stripeline ]]; then
      printf '  <property><name>%s</name><value>%s</value></property>\n' \
        fs.hdfs.impl org.apache.hadoop.hdfs.StripelineFileSystem \
        fs.AbstractFileSystem.hdfs.impl org.apache.hadoop.fs.StripelineHdfs
    fi
    echo '</configuration>'
  } >"$run/site/core-site.xml"
  cp -r "$run/site" "$run/site-warn"
  sed -i 's|</configuration>|  <property><name>stripeline.client.write.sync</name><value>warn</value></property>\n&|' \
    "$run/site-warn/core-site.xml"
  if [[ $placement == ear ]]; then
    # In core-site.xml it would be overruled by hdfs-default.xml. The smallest code, so that the few
    # DataNodes of most tests have room for its stripes.
    {
      sed '/<\/configuration>/,$d' "$resources/hdfs-site.xml"
      printf '  <property><name>%s</name><value>%s</value></property>\n' \
        dfs.block.replicator.classname \
        org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy \
        stripeline.ear.directories / stripeline.ear.code XOR-2-1
      echo '</configuration>'
    } >"$run/site/hdfs-site.xml"
  fi
}

# Copies our jar into the run, because a build at the same time may replace it.
copy_jar() {
  local part
  local IFS=:
  ours=
  [[ $coder == stripeline ]] || return 0
  mkdir "$run/ours"
  for part in $jar; do
    cp -r "$part" "$run/ours"
    ours+=:$run/ours/$(basename "$part")
  done
}

# Options that the JVM needs on this JDK; Hadoop's own build passes the same.
java_options() {
  local package major
  major=$(java_major "$java_home")
  options=(-Dstripeline.native.enabled="$([[ $engine == native ]] && echo true || echo false)")
  options+=(-Xmx1600m -XX:MaxDirectMemorySize=384m -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError)
  if ((major >= 9)); then
    for package in java.io java.lang java.lang.reflect java.math java.net java.nio java.security \
      java.text java.util java.util.concurrent java.util.zip sun.nio.ch sun.security.util \
      sun.security.x509; do
      options+=(--add-opens "java.base/$package=ALL-UNNAMED")
    done
    options+=(--add-exports java.base/sun.net.dns=ALL-UNNAMED
      --add-exports java.base/sun.net.util=ALL-UNNAMED)
  fi
  # Until JDK 23 this brings back what Hadoop's login needs; later ones refuse to start with it.
  if ((major >= 18 && major <= 23)); then
    options+=(-Djava.security.manager=allow)
  fi
}

# Runs one class in folder $1, which holds its entry; leaves records and the log there.
run_class() {
  local folder=$1 work=$1/work spec coding limit class methods method select=() status=0 start
  local site=$run/site jit=()
  IFS=$'\t' read -r spec coding limit <"$folder/entry"
  class=${spec%%#*} methods=
  [[ $spec != *#* ]] || methods=${spec#*#}
  if [[ -n $methods ]]; then
    # Single methods end before the optimising compiler saves time; whole classes do not.
    jit=(-XX:TieredStopAtLevel=1)
    for method in ${methods//,/ }; do
      select+=(-m "$class#$method")
    done
  else
    select=(-c "$class")
  fi
  [[ $coding != off ]] || site=$run/site-off
  [[ $coding != *^ ]] || site=$run/site-warn
  mkdir -p "$work"/{data,hadoop,logs,tmp,empty}
  start=$SECONDS
  (
    cd "$work"
    # At the limit QUIT makes the JVM write its stacks to the log; KILL follows.
    exec timeout --signal=QUIT --kill-after=10 "$limit" \
      "$java_home/bin/java" "${options[@]}" "${jit[@]}" \
      -javaagent:"$witness=$folder/witness.tsv" \
      -Dstripeline.conformance.tests="$folder/tests.tsv" \
      -Dstripeline.conformance.coder="$coder" \
      -Dtest.build.data="$work/data" -Dtest.build.dir="$work/data" -Dhadoop.tmp.dir="$work/hadoop" \
      -Dhadoop.log.dir="$work/logs" -Djava.io.tmpdir="$work/tmp" -Dtest.cache.data="$resources" \
      -Djava.library.path="$work/empty" -Djava.net.preferIPv4Stack=true \
      -Djava.security.egd=file:/dev/urandom \
      -cp "$site:$classes$ours:$resources:$class_path" \
      org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=none \
      --include-classname='.*' "${select[@]}"
  ) >"$folder/log" 2>&1 </dev/null 9>&- &
  child=$!
  wait "$child" || status=$?
  child=
  printf '%s\t%s\n' "$status" "$((SECONDS - start))" >"$folder/exit"
  rm -rf "$work"
  printf 'hadoop-tests: %4d s  %s: %s\n' "$((SECONDS - start))" "${class##*.}" \
    "$(cut -f1 "$folder/tests.tsv" 2>/dev/null | grep -v '^end$' | sort | uniq -c | xargs)" >&2
}

# Ends the running JVM and removes what the run left.
clean_up() {
  [[ -z ${child:-} ]] || kill -TERM "$child" 2>/dev/null || true
  [[ -z ${child:-} ]] || wait "$child" 2>/dev/null || true
  [[ -z ${run:-} ]] || rm -rf "$run"
}

parse_arguments "$@"
entry_lines=$(entries "${selection[@]}")
if $dry_run; then
  printf '%s\n' "$entry_lines"
  exit 0
fi
for tool in mvn flock timeout; do
  command -v "$tool" >/dev/null || fail_usage "Cannot run: no '$tool' on PATH"
done
prepare
java_options
java_version=$(java_major "$java_home")
run=$(mktemp -d "$BUILD/run-XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
write_sites
copy_jar
count=0
while IFS= read -r line; do
  folder=$run/$(printf '%03d-%s' "$count" "$(sed 's/[#\t].*//; s/.*\.//' <<<"$line")")
  mkdir "$folder"
  printf '%s\n' "$line" >"$folder/entry"
  run_class "$folder"
  count=$((count + 1))
done <<<"$entry_lines"

status=0
echo "Hadoop $hadoop, Java $java_version, coder $coder, engine $engine, client $client, placement $placement"
"$java_home/bin/java" -Xshare:auto -cp "$classes" org.stripeline.conformance.Verdict "$run" \
  "$SOURCES/deviations.txt" "$hadoop" "$java_version" "$coder" "$engine" "$client" \
  "$placement" |
  tee "$run/summary.txt" || status=1
report=$BUILD/$hadoop/report-$(IFS=+; echo "${selection[*]##*.}" | tr -c 'A-Za-z0-9+\n' _)
report=${report:0:200}-$coder-$engine-$client-$placement-java$java_version
rm -rf "$report.old"
mkdir -p "$run/report"
cp "$run/summary.txt" "$run/results.tsv" "$run/report"
for folder in "$run"/[0-9]*/; do
  name=$(basename "$folder")
  if $keep_logs || grep -qx "$name" "$run/keep"; then
    mkdir -p "$run/report/$name"
    cp "$folder"/{entry,log,tests.tsv,witness.tsv} "$run/report/$name" 2>/dev/null || true
  fi
done
rm -rf "$report"
mv -T "$run/report" "$report"
echo "hadoop-tests: report in ${report#"$ROOT"/}" >&2
exit "$status"
