#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names what is missing to build, one line each, and how to get it; exits 3 if anything is.
set -euo pipefail

missing=0
need() {
  local program=$1 remedy=$2
  command -v "$program" >/dev/null && return
  echo "missing: $program ($remedy)" >&2
  missing=3
}

need cargo "https://rustup.rs"
need cc "Debian: apt-get install gcc"
need javac "Debian: apt-get install openjdk-17-jdk-headless"
need mvn "Debian: apt-get install maven"
need python3 "Debian: apt-get install python3 python3-venv; carries the linker for old glibc"

if ((missing == 0)); then
  java_feature=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  if [[ -z $java_feature ]] || ((java_feature < 17)); then
    echo "missing: JDK 17 or newer, javac is ${java_feature:-unknown} (openjdk-17-jdk-headless)" >&2
    missing=3
  fi
fi
exit "$missing"
