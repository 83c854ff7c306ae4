#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
# A job that brings its own hub, on its first node, and takes the store home at the end:
#   sbatch --nodes=N --gres=gpu:8 job_with_hub.sh srun python train.py …
# RUNGLASS_OUT is where the store goes (default: where sbatch was called), RUNGLASS_LOCAL a folder on the first node's own disk.
set -euo pipefail
ctl=${RUNGLASSCTL:-runglassctl}
step=${RUNGLASS_STEP:-$(command -v agent_step.sh)}
out=${RUNGLASS_OUT:-$SLURM_SUBMIT_DIR}
local=${RUNGLASS_LOCAL:-/tmp/runglass-hub-$SLURM_JOB_ID}
trust=$out/.runglass-$SLURM_JOB_ID
port=$((20000 + SLURM_JOB_ID % 10000))
mkdir -p "$local"
chmod 700 "$local"

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
"$ctl" pair --out "$trust" --hub "${nodes[0]}" --port "$port" --reader "$USER" "${nodes[@]/#/--agent=}"
"$ctl" serve --store "$local/run.rgl" --listen "0.0.0.0:$port" --trust "$trust" --listen "unix:$local/hub.sock" &
hub=$!
srun --overlap --job-name=runglass --ntasks="$SLURM_NNODES" --ntasks-per-node=1 "$step" "$trust" &
agents=$!

status=0
"$@" || status=$?

# The agents hand over what they have (ending srun would kill them at once), then the hub closes the store, which may then lie anywhere.
scancel --signal=TERM "$(squeue --steps --noheader --job "$SLURM_JOB_ID" --format '%i %j' | awk '$2 == "runglass" { print $1 }')" || true
wait "$agents" || true
kill "$hub"
wait "$hub" || true
cp "$local/run.rgl" "$out/run-$SLURM_JOB_ID.rgl" && rm -rf "$local"
rm -rf "$trust"
exit "$status"
