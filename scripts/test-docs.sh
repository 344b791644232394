#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command of README.md and docs/user/*.md as printed, on a real cluster, and compares what the pages show
# with what is printed; needs what `make build` made. Leaves no process and no file behind.
# usage: scripts/test-docs.sh [--hadoop VERSION] [PAGE...]
#   --hadoop VERSION  Hadoop from Maven, such as 3.3.6 or 3.5.0; else that of HADOOP_HOME, else that of the build
# scripts/test-docs.py lists the commands that cannot run here, each with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == --hadoop ]]; then
  version=${2:?--hadoop needs a version}
  shift 2
  class_path=build/test-docs/hadoop-$version.txt
  mkdir -p build/test-docs
  # 3.3.6's minikdc brings a second logger, which no installed Hadoop has; SLF4J would warn in every output.
  mvn --batch-mode --quiet -f java/conformance/pom.xml -Dhadoop.version="$version" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$PWD/$class_path" \
    -DexcludeArtifactIds=slf4j-log4j12
  arguments=(--installed --class-path="$(<"$class_path")")
elif [[ -n ${HADOOP_HOME:-} ]]; then
  arguments=(--installed --class-path="$(HADOOP_CONF_DIR=/nonexistent "$HADOOP_HOME/bin/hadoop" classpath --glob)")
else
  arguments=(--class-path="$(<build/classpath/hadoop.txt)")
fi
exec python3 scripts/test-docs.py "${arguments[@]}" "$@"
