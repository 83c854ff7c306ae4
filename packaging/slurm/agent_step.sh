#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One agent a node beside a Slurm job, by its own user. In the job script, before the trainer:
#   srun --overlap --job-name=runglass --ntasks=$SLURM_NNODES --ntasks-per-node=1 agent_step.sh ~/runglass-trust &
# and after it, so that the agents hand over what they have (ending srun would kill them at once):
#   scancel --signal=TERM "$(squeue --steps --noheader --job $SLURM_JOB_ID --format '%i %j' | awk '$2 == "runglass" { print $1 }')"; wait
# The folder is what `runglassctl pair` made, on a filesystem that the nodes see; a second argument HOST:PORT is the hub, if it is another than pair was told.
set -euo pipefail
mine=$1/agents/$SLURMD_NODENAME
# Of this job and on this node's disk: an agent's state belongs to one agent.
exec "${RUNGLASS_AGENT:-runglass-agent}" --config "$mine/agent.toml" ${2:+--hub "$2"} \
  --tls-ca "$mine/ca.pem" --tls-cert "$mine/agent.pem" --tls-key "$mine/agent.key" \
  --state-dir "${RUNGLASS_STATE:-/tmp/runglass-$USER-$SLURM_JOB_ID}"
