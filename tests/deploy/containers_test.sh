#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What packaging/kubernetes/trainer.yaml and agents.yaml rely on, without Kubernetes: two "pods" (process and mount namespaces, a /dev/shm of their own, a user without
# rights) write their rings into the node's /dev/shm; an agent of the node, root, finds them there and knows their processes. Where something is missing it says SKIPPED.
set -euo pipefail
source "$(dirname "$0")/hosts.sh"
needs python3
python=$(cd "$(dirname "$0")/../../collectors/client/python" && pwd)
enterNamespaces "$0" "$@"
cd "$work"

makeAda
home=$work/ada
mount -t tmpfs -o mode=1777 none /dev/shm  # the node's
ip link set lo up
"$bin/runglassctl" serve --store run.rgl --listen 127.0.0.1:7070 > hub.log 2>&1 &
hub=$!
waitFor grep -q 7070 hub.log || failed "the hub does not listen"
printf '[source.client]
users = "all"
' > agent.toml
"$bin/runglass-agent" --hub 127.0.0.1:7070 --config agent.toml --state-dir "$work/state" 2> agent.log &
agent=$!

cat > train.py <<END
import sys, time
sys.path.insert(0, "$python")
import runglass as rg
rg.init()
for n in range(60):
    with rg.step(n):
        time.sleep(0.1)
rg.shutdown()
END
mkdir node-shm
for rank in 0 1; do
  unshare -p -m --fork --kill-child --mount-proc bash -ec '
    mount --bind /dev/shm "$1/node-shm"
    mount -t tmpfs -o size=64m,mode=1777 none /dev/shm
    shift
    exec "$@"' pod "$work" "${as[@]}" "RUNGLASS_DIR=$work/node-shm/runglass-pod$rank" "RUNGLASS_LIB=$bin/../lib/librunglass.so" RUNGLASS_RUN=train RUNGLASS_ATTEMPT=1 \
    "RANK=$rank" WORLD_SIZE=2 LOCAL_RANK=0 python3 "$work/train.py" > "pod$rank.log" 2>&1 &
  pods[rank]=$!
done
both() { [ "$(ask run.rgl "SELECT count(DISTINCT rank) FROM step")" = 2 ]; }
waitFor both || failed "not both pods' steps arrived: $(ls -R /dev/shm)"
"$bin/runglassctl" capture --hub 127.0.0.1:7070 --run train > capture.log 2>&1 || failed "no capture"
# In its own namespace each trainer has the same small number; the node's agent looked at the right ones in the node's /proc.
looked() { [ "$(ask run.rgl "SELECT count(DISTINCT rank) FROM capture WHERE kind = 'process' AND text LIKE '%python%'")" = 2 ]; }
waitFor looked || failed "the capture did not find both processes: $(ask run.rgl "SELECT rank, kind, source FROM capture")"
ok "two pods in process namespaces of their own: rings in the node's /dev/shm, processes known"
for rank in 0 1; do wait "${pods[rank]}" || failed "pod $rank"; done
all() { [ "$(ask run.rgl "SELECT count(*) FROM step")" = 120 ] && [ -z "$(find /dev/shm -name '*.ring')" ]; }
waitFor all || failed "$(ask run.rgl "SELECT count(*) FROM step") of 120 steps; left: $(find /dev/shm -name '*.ring')"
ok "120 of 120 steps; no ring is left behind"
kill "$agent"
wait "$agent" || failed "the agent did not end well"
kill "$hub"
wait "$hub" || failed "the hub did not end well"
echo "passed in $SECONDS s"
