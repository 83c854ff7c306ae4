#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An agent on each node for as long as jobs run there, started by Slurm as root. In slurm.conf: PrologFlags=Alloc, and this file as both Prolog and Epilog. It tells
# the hub of /etc/runglass/agent.toml. Where systemd may keep the agent always, its service is simpler. Whatever fails here, no node is drained for it.
agent=${RUNGLASS_AGENT:-/usr/bin/runglass-agent} config=${RUNGLASS_CONFIG:-/etc/runglass/agent.toml} state=${RUNGLASS_STATE:-/var/lib/runglass-agent}
mkdir -p "$state/jobs" || exit 0
exec 9> "$state/jobs.lock"
flock 9
lives() { [ -s "$state/pid" ] && [ "$(cat "/proc/$(cat "$state/pid")/comm" 2> /dev/null)" = runglass-agent ]; }
ended() { ! lives; }
patiently() {  # TENTHS-OF-SECONDS COMMAND…
  local _
  for _ in $(seq "$1"); do
    "${@:2}" && return
    sleep 0.1
  done
}

case ${SLURM_SCRIPT_CONTEXT:-} in
  prolog_slurmd)
    touch "$state/jobs/$SLURM_JOB_ID"
    lives && exit 0
    setsid "$agent" --config "$config" --state-dir "$state" > "$state/agent.log" 2>&1 < /dev/null 9>&- &
    echo $! > "$state/pid"
    # slurmd ends what is left in this script's process group: not before the agent has left it.
    patiently 50 lives
    ;;
  epilog_slurmd)
    rm -f "$state/jobs/$SLURM_JOB_ID"
    [ -z "$(ls "$state/jobs")" ] && lives || exit 0
    kill "$(cat "$state/pid")"
    # It takes last words and hands over: at most 20 s. A job that comes meanwhile waits for the lock.
    patiently 250 ended
    rm -f "$state/pid"
    ;;
esac
exit 0
