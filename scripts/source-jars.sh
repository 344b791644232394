#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes, for java/cli/target/stripeline-VERSION.jar and from the sources of all modules in it:
#   build/stripeline-VERSION-sources.jar   the sources, for debuggers and IDEs
#   build/stripeline-VERSION-javadoc.jar   the documentation of its public classes
# Repositories of Maven require both. The same commit gives the same files. Needs what `mvn package` has built.
# usage: scripts/source-jars.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 1 ] || { echo "usage: scripts/source-jars.sh VERSION" >&2; exit 2; }
readonly version=$1

fail() {
  echo "Cannot make the jars of sources and documentation: $*" >&2
  exit 1
}

# The modules that the shade plugin puts into the jar.
mapfile -t modules < <(sed -n '/<id>jar-of-clusters</,/<\/includes>/p' java/cli/pom.xml |
  sed -n 's/.*<include>org\.stripeline:stripeline-\(.*\)<.*/\1/p')
[ ${#modules[@]} -gt 0 ] || fail "java/cli/pom.xml does not name the modules of the jar"
[ -r build/classpath/hadoop.txt ] || fail "build/classpath/hadoop.txt is missing; run 'make build'"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{sources,javadoc}
for module in "${modules[@]}"; do
  cp -r "java/$module/src/main/java/." "$work/sources/"
done
# As files, because javadoc 17 fails for packages with --release.
find "$work/sources" -name '*.java' | LC_ALL=C sort >"$work/files"
javadoc -quiet -notimestamp --release 8 -encoding UTF-8 -Xdoclint:all,-missing \
  -windowtitle "Stripeline $version" -doctitle "Stripeline $version" -d "$work/javadoc" \
  -classpath "$(cat build/classpath/hadoop.txt)" "@$work/files" >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"

time=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
for kind in sources javadoc; do
  mkdir -p "$work/$kind/META-INF"
  cp LICENSE NOTICE "$work/$kind/META-INF/"
  made=$PWD/build/stripeline-$version-$kind.jar
  printf 'Implementation-Title: Stripeline\nImplementation-Version: %s\n' "$version" >"$work/manifest"
  cd "$work/$kind"
  find . -type f -printf '%P\n' | LC_ALL=C sort >../entries
  jar --create --file "$made" --manifest ../manifest --date "$time" @../entries
  cd "$OLDPWD"
done
