#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Loads the alert rules and the dashboard of docs/monitoring into the programs that they are made for: promtool checks
# and runs the rules, Prometheus scrapes a real cluster with them, and Grafana's own model reads the dashboard. Needs
# what `make build` made. Leaves no process behind.
# usage: scripts/test-monitoring.sh
# Prometheus is the one on the PATH, else Debian's package, unpacked into build/monitoring.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly DIRECTORY=$PWD/build/monitoring
readonly GRAFANA_MODEL='grafana-foundation-sdk==1769699998!10.1.0'

mkdir -p "$DIRECTORY"
if ! { command -v promtool && command -v prometheus; } >/dev/null && [ ! -x "$DIRECTORY/usr/bin/promtool" ]; then
  cd "$DIRECTORY"
  if ! apt-get -qq download prometheus 2>/dev/null; then
    echo "Prometheus is missing: put prometheus and promtool on the PATH (Debian: apt-get install prometheus)" >&2
    exit 1
  fi
  dpkg -x prometheus_*.deb .
  rm prometheus_*.deb
  cd - >/dev/null
fi
export PATH=$PATH:$DIRECTORY/usr/bin
if ! PYTHONPATH=$DIRECTORY/python python3 -c 'import grafana_foundation_sdk, yaml' 2>/dev/null; then
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-warn-conflicts \
    --target "$DIRECTORY/python" "$GRAFANA_MODEL" PyYAML==6.0.3
fi
PYTHONPATH=$DIRECTORY/python exec python3 scripts/test-monitoring.py
