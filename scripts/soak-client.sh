#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the client pipelines on a mini cluster for MINUTES. Then runs the long forms of the leak test
# and of the test of restarts, with 20 restarts for each minute.
# usage: scripts/soak-client.sh [MINUTES [HADOOP-VERSION [option of ReadFuzz...]]]   default: 60 minutes, 3.4.2
# e.g. scripts/soak-client.sh 10 3.5.0 --fs=stock   counts what Hadoop's own client gets wrong
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-60}
hadoop=${2:-3.4.2}
shift $(($# < 2 ? $# : 2))
maven=(mvn --batch-mode --no-transfer-progress --quiet -f java/pom.xml -pl testkit,native,coder,client
  -Dhadoop.version="$hadoop" -Dsurefire.timeout=$((minutes * 120 + 3600)))

"${maven[@]}" test-compile dependency:build-classpath -DincludeScope=test \
  -Dmdep.outputFile=target/test-classpath.txt
client=java/client/target
java -Xmx1g -cp "$client/test-classes:$client/classes:$(<"$client/test-classpath.txt")" \
  org.stripeline.client.fuzz.ReadFuzz --minutes="$minutes" --seed="${STRIPELINE_FUZZ_SEED:-$RANDOM$RANDOM}" "$@"
"${maven[@]}" test -Dtest=LeakTest -Dsurefire.failIfNoSpecifiedTests=false -Dstripeline.leak.cycles=1000
"${maven[@]}" test -Dtest=RestartsTest -Dsurefire.failIfNoSpecifiedTests=false \
  -Dstripeline.soak.streams=500 -Dstripeline.soak.restarts="$((20 * minutes))"
