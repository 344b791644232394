# SPDX-License-Identifier: Apache-2.0
# Runs one command beside those that follow; sourced. Uses the trap EXIT of the script in the meantime.

# Starts a command or function in a process group of its own, which ends with the script: COMMAND...
begin_beside() {
  beside_output=$(mktemp)
  set -m
  "$@" >"$beside_output" 2>&1 </dev/null &
  beside=$!
  set +m
  trap 'kill -- "-$beside" 2>/dev/null || true; rm -f "$beside_output"' EXIT
}

# Waits for that command, prints what it has printed and returns its status.
await_beside() {
  local status=0
  wait "$beside" || status=$?
  cat "$beside_output"
  rm -f "$beside_output"
  trap - EXIT
  return "$status"
}
