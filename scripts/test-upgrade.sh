#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Upgrades a real cluster from an older build, and runs conversions with agents and command of different versions, as
# docs/user/upgrade.md describes it. Needs what `make build` made.
# usage: scripts/test-upgrade.sh DIRECTORY|COMMIT
#   DIRECTORY  a built checkout, or an unpacked archive, of the other version
#   COMMIT     is checked out to build/upgrade/COMMIT and built there
set -euo pipefail
cd "$(dirname "$0")/.."

other=${1:?usage: scripts/test-upgrade.sh DIRECTORY|COMMIT}
new=$PWD
if [[ -x $other/stripeline || -x $other/bin/stripeline ]]; then
  old=$(cd "$other" && pwd)
else
  old=$PWD/build/upgrade/$other
  [[ -d $old ]] || git clone --quiet . "$old"
  # In each run: after a checkout that failed, the clone has this version.
  git -C "$old" checkout --quiet "$other"
  make -C "$old" build
fi

directory=$(mktemp -d /tmp/stripeline-upgrade.XXXXXX)
export HADOOP_CONF_DIR=$directory/cluster/conf
command_of() {
  if [[ -x $1/stripeline ]]; then echo "$1/stripeline"; else echo "$1/bin/stripeline"; fi
}
old_command=$(command_of "$old")
new_command=$(command_of "$new")
trap '"$new_command" cluster stop --dir="$directory/cluster" >/dev/null 2>&1 || true; rm -rf "$directory"' EXIT

fail() {
  echo "test-upgrade: $*" >&2
  exit 1
}

hdfs() { "$new_command" hdfs "$@"; }

# Compares the files of a directory of HDFS with what was written.
same_bytes() {
  local name
  for name in $(hdfs dfs -ls -C "$1"); do
    hdfs dfs -cat "$name" | cmp - "$directory/data" || fail "$name has other bytes"
  done
}

policy_is() {
  hdfs ec -getPolicy -path "$1" | grep "$2" >/dev/null \
    || fail "$1 has not the policy $2: $(hdfs ec -getPolicy -path "$1")"
}

# Converts with a command, agents being of the other version: it must either do it or refuse it without any change.
convert_or_refuse() {
  local command=$1 path=$2 rc=0
  "$command" convert "$path" --policy=XOR-2-1 --allow-rack-loss --execute >"$directory/out" 2>&1 || rc=$?
  case $rc in
    0)
      policy_is "$path/f1" XOR-2-1
      echo "  converted"
      ;;
    2)
      grep -qi protocol "$directory/out" || fail "refused without a reason: $(cat "$directory/out")"
      policy_is "$path/f1" "is unspecified\|REPLICATION\|replication"
      echo "  refused: $(grep -i -m 1 protocol "$directory/out")"
      ;;
    *) fail "exit status $rc: $(cat "$directory/out")" ;;
  esac
  same_bytes "$path"
}

start() {
  "$1" cluster start --dir="$directory/cluster" --datanodes=4 --racks=4 --set=dfs.blocksize=1048576 \
    --set=dfs.namenode.ec.policies.max.cellsize=268435456 >/dev/null 2>"$directory/start" ||
    fail "cluster start: $(cat "$directory/start")"
}

head -c 3145729 /dev/urandom >"$directory/data"
echo "== DataNodes of the older version, command of this one"
start "$old_command"
for path in /a /b /c; do
  hdfs dfs -mkdir "$path"
  for name in f1 f2 f3; do
    hdfs dfs -D dfs.blocksize=1048576 -put "$directory/data" "$path/$name"
  done
done
convert_or_refuse "$new_command" /a

echo "== job of the older command, killed, resumed by this one"
"$old_command" convert /b --policy=XOR-2-1 --layout=striped --allow-stale-readers --allow-rack-loss \
  --throttle=1MiB --files-at-once=1 --job=begun --execute >"$directory/out" 2>&1 &
pid=$!
until hdfs dfs -ls -R /.stripeline/convert 2>/dev/null | grep journal >/dev/null || ! kill -0 $pid 2>/dev/null; do
  sleep 0.2
done
# The command runs Java as its last step, in the same process.
kill -KILL $pid 2>/dev/null || fail "the older command has ended before it was killed: $(cat "$directory/out")"
wait $pid 2>/dev/null || true
"$new_command" convert /b --resume >"$directory/out" 2>&1 ||
  fail "--resume of the older job: $(cat "$directory/out")"
policy_is /b/f3 XOR-2-1
same_bytes /b
echo "  resumed"

echo "== DataNodes of this version, command of the older one"
"$old_command" cluster stop --dir="$directory/cluster" >/dev/null
start "$new_command"
for path in /a /b /c; do same_bytes "$path"; done
convert_or_refuse "$old_command" /c

echo "== everything of this version"
for path in /a /c; do
  "$new_command" convert "$path" --policy=XOR-2-1 --allow-rack-loss --execute >"$directory/out" 2>&1 ||
    fail "convert $path: $(cat "$directory/out")"
  policy_is "$path/f1" XOR-2-1
  same_bytes "$path"
done
hdfs fsck / 2>/dev/null | grep "is HEALTHY" >/dev/null || fail "fsck: $(hdfs fsck / 2>&1 | tail -40)"
echo "  converted, readable and healthy"
