#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Functions for the scripts that run other projects' programs (java/applications); to be sourced.

readonly SOURCES="$ROOT/java/applications"
readonly BUILD="$ROOT/build/applications"

# Prints the class path of a profile of the pom, resolved once per version of the pom.
class_path() {
  local file=$BUILD/$1.txt
  if [[ ! $file -nt $SOURCES/pom.xml ]]; then
    echo "${0##*/}: resolving $1" >&2
    mvn --batch-mode --quiet -Dstyle.color=never -f "$SOURCES/pom.xml" -P "$1" \
      org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$file" >&2 || {
      rm -f "$file"
      return 1
    }
    # The plugin leaves a file alone that would not change.
    touch "$file"
  fi
  cat "$file"
}

# Prints the class path of a profile; ends the script if there is none.
required_class_path() {
  class_path "$1" || {
    echo "Cannot run ${0##*/}: the class path of $1 cannot be resolved" >&2
    exit 3
  }
}

# Compiles folders of the sources against a class path; ends the script without a compiler: OUTPUT CLASSPATH FOLDER...
compile() {
  local output=$1 path=$2
  shift 2
  javac --release 17 -version >/dev/null 2>&1 || {
    echo "Cannot run ${0##*/}: it needs javac of JDK 17 or newer on PATH" >&2
    exit 3
  }
  rm -rf "$output"
  mkdir -p "$output"
  find "${@/#/$SOURCES/src/}" -name '*.java' -print0 |
    xargs -0 javac --release 17 -nowarn -Xlint:none -proc:none -encoding UTF-8 -d "$output" -cp "$path"
}

# Registers the coder that calls ISA-L, which our jar does not: FOLDER.
write_coders() {
  mkdir -p "$1/META-INF/services"
  echo org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory \
    >"$1/META-INF/services/org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory"
}

# Writes a configuration of Log4j 1 that prints warnings to stderr: FOLDER.
write_logging() {
  printf 'log4j.%s\n' rootLogger=WARN,console appender.console=org.apache.log4j.ConsoleAppender \
    appender.console.target=System.err appender.console.layout=org.apache.log4j.SimpleLayout \
    >"$1/log4j.properties"
}

# Prints the options that Hadoop, and Spark's unsafe memory, need on current JDKs, and the level of Log4j 2 without a
# configuration.
java_options() {
  local package
  printf '%s' -Dlog4j2.level=WARN
  for package in java.io java.lang java.lang.invoke java.lang.reflect java.net java.nio java.util java.util.concurrent \
    java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
    printf ' %s' "--add-opens=java.base/$package=ALL-UNNAMED"
  done
}

# Fails if another run uses the build directory; the lock is held until the shell ends.
lock_build() {
  mkdir -p "$BUILD"
  exec 9>"$BUILD/lock"
  flock --nonblock 9 || {
    echo "Cannot run ${0##*/}: another run uses $BUILD" >&2
    exit 3
  }
}
