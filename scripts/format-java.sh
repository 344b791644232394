#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the Java code with google-java-format, which also sorts imports and removes unused ones. With --check it
# changes nothing, prints the files that it would change and fails if there are any.
# usage: scripts/format-java.sh [--check]
set -euo pipefail
cd "$(dirname "$0")/.."

readonly VERSION=1.28.0
jar=build/google-java-format-$VERSION-all-deps.jar
[[ -f $jar ]] || mvn --batch-mode --quiet -f java/pom.xml --non-recursive dependency:copy \
  -Dartifact="com.google.googlejavaformat:google-java-format:$VERSION:jar:all-deps" -DoutputDirectory="$PWD/build"

exports=()
for package in api code file parser tree util; do
  exports+=(--add-exports "jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
done
format=(java "${exports[@]}" -jar "$jar")
if [[ ${1:-} == --check ]]; then
  git ls-files -z -co --exclude-standard -- 'java/*.java' 'examples/*.java' |
    xargs -0 "${format[@]}" --dry-run --set-exit-if-changed || {
    echo "format-java: not formatted: the files above; run make fmt" >&2
    exit 1
  }
else
  git ls-files -z -co --exclude-standard -- 'java/*.java' 'examples/*.java' | xargs -0 "${format[@]}" --replace
fi
