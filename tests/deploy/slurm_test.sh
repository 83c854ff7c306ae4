#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What docs/operate/deploy.md says about Slurm, done with Debian's slurmctld, slurmd and munge: a login node and two compute nodes as namespaces (hosts.sh), each with its own
# slurmd, GPUs that are /dev/null by other names, a user without rights. The scripts of packaging/slurm are run as they stand. Where something is missing it says SKIPPED.
set -euo pipefail
source "$(dirname "$0")/hosts.sh"
source "$(dirname "$0")/slurm_cluster.sh"
needs slurmctld slurmd munged srun sbatch scontrol scancel
recipes=$(cd "$(dirname "$0")/../../packaging/slurm" && pwd)
python=$(cd "$(dirname "$0")/../../collectors/client/python" && pwd)
enterNamespaces "$0" "$@"
cd "$work"

makeHosts

# --- Slurm -----------------------------------------------------------------------------------------------------------------------------------
startMunge
mkdir slurm/prolog
cat > slurm/node_agent.sh <<END
#!/bin/bash
# Prolog and Epilog get no environment of the site's.
export RUNGLASS_AGENT=$bin/runglass-agent RUNGLASS_CONFIG=$work/site/agents/\$SLURMD_NODENAME/agent.toml RUNGLASS_STATE=$work/site-\$SLURMD_NODENAME
[ -e $work/with-prolog ] || exit 0
exec $recipes/node_agent.sh
END
chmod +x slurm/node_agent.sh
configureSlurm "KillWait=25
PrologFlags=Alloc
Prolog=$work/slurm/node_agent.sh
Epilog=$work/slurm/node_agent.sh"
startSlurm

# --- the trainer: steps, and what its own step was given -------------------------------------------------------------------------------------
cat > train.py <<END
import os, sys, time
sys.path.insert(0, "$python")
import runglass as rg
rg.init()
open("$home/saw-%s-%s" % (os.environ["SLURM_JOB_NAME"], os.environ["SLURMD_NODENAME"]), "w").write(os.environ.get("CUDA_VISIBLE_DEVICES", "none"))
for n in range(40):
    with rg.step(n):
        time.sleep(0.1)
rg.shutdown()
END
export RUNGLASS_AGENT=$bin/runglass-agent RUNGLASSCTL=$bin/runglassctl RUNGLASS_STEP=$recipes/agent_step.sh
# The nodes share this machine's /dev/shm, as no real ones do.
export RUNGLASS_LIB=$bin/../lib/librunglass.so
cat > rings.sh <<'END'
#!/bin/bash
export RUNGLASS_DIR=$HOME/rings-$SLURMD_NODENAME RUNGLASS_STATE=$HOME/state-$SLURMD_NODENAME-$SLURM_JOB_ID
exec "$@"
END
cat > step.sh <<END
#!/bin/bash
exec $work/rings.sh $recipes/agent_step.sh "\$@"
END
chmod +x rings.sh step.sh
ctl=("${as[@]}" "$bin/runglassctl")
batch=(timeout 60 nsenter -t "${pid[head]}" -n -m -u --wd="$work" -- "${as[@]}" sbatch --wait --nodes=2 --ntasks-per-node=1 --gres=gpu:2)
stepsIn() { ask "$1" "SELECT count(*) || ' steps of ' || count(DISTINCT rank) || ' ranks' FROM step WHERE phase <> 'none'"; }

# --- a hub on the login node, agents beside the job -----------------------------------------------------------------------------------------
mapfile -t agents < <(on head sinfo -h -N -o '--agent=%N' | sort -u)
on head "${ctl[@]}" pair --out "$home/trust" --hub 10.77.0.1 "${agents[@]}" > pair.log
start head "${ctl[@]}" serve --store "$home/run.rgl" --listen 0.0.0.0:7070 --trust "$home/trust" --listen "unix:$home/hub.sock" > hub.log 2>&1 &
hub=$!
waitFor grep -q 'unix:' hub.log || failed "the hub does not listen"
cat > beside.sbatch <<END
#!/bin/bash
srun --overlap --job-name=runglass --ntasks=\$SLURM_NNODES --ntasks-per-node=1 bash -c 'echo \$CUDA_VISIBLE_DEVICES > $home/agent-saw-\$SLURMD_NODENAME; exec $work/rings.sh $recipes/agent_step.sh $home/trust' &
srun $work/rings.sh python3 $work/train.py
scancel --signal=TERM "\$(squeue --steps --noheader --job \$SLURM_JOB_ID --format '%i %j' | awk '\$2 == "runglass" { print \$1 }')"
wait
END
"${batch[@]}" --job-name beside -o "$home/beside.log" beside.sbatch > sbatch.log 2>&1 || failed "the job failed"
for name in gpu-01 gpu-02; do
  [ "$(cat "$home/saw-beside-$name")" = 0,1 ] && [ "$(cat "$home/agent-saw-$name")" = 0,1 ] || failed "not both steps of $name see both GPUs"
  [ -z "$(ls "$home"/state-"$name"-*/spool 2>/dev/null)" ] || true
done
all() { [ "$(stepsIn "$home/run.rgl")" = "80 steps of 2 ranks" ]; }
waitFor all || failed "in the store: $(stepsIn "$home/run.rgl")"
[ "$(ask "$home/run.rgl" "SELECT group_concat(node, ' ') FROM (SELECT node FROM rank ORDER BY rank)")" = "gpu-01 gpu-02" ] || failed "the ranks' nodes are others"
grep -q 'waits in the spool' "$home/beside.log" && failed "an agent could not hand over"
ok "srun --overlap: agents beside the job, both see the node's GPUs; 80 of 80 steps"

# --- a job that brings its own hub -----------------------------------------------------------------------------------------------------------
"${batch[@]}" --job-name own --export=ALL,RUNGLASS_STEP="$work/step.sh",RUNGLASS_OUT="$home",RUNGLASS_LOCAL="$home/local" -o "$home/own.log" \
  "$recipes/job_with_hub.sh" srun "$work/rings.sh" python3 "$work/train.py" > sbatch.log 2>&1 || failed "the job with a hub failed"
own=$(ls "$home"/run-*.rgl)
[ "$(stepsIn "$own")" = "80 steps of 2 ranks" ] || failed "in the job's store: $(stepsIn "$own")"
"${ctl[@]}" verify --store "$own" > verify.log 2>&1 || failed "the job's store is damaged"
[ ! -e "$home/local" ] && [ -z "$(ls -d "$home"/.runglass-* 2>/dev/null)" ] || failed "the job left its folders behind"
grep -q 'waits in the spool' "$home/own.log" && failed "an agent could not hand over"
ok "a job with a hub on its first node: 80 of 80 steps in the store that it brings home"

# --- Prolog and Epilog ---------------------------------------------------------------------------------------------------------------------
kill "$hub"
wait "$hub" || failed "the hub did not end well"
on head "$bin/runglassctl" pair --out site --hub 10.77.0.1 --token-agent gpu-01 --token-agent gpu-02 --install-dir "$work/installed" > pair.log
start head "$bin/runglassctl" serve --store "$work/site.rgl" --listen 0.0.0.0:7070 --trust "$work/site" > site.log 2>&1 &
hub=$!
mkdir installed
for name in gpu-01 gpu-02; do on "$name" mount --bind "$work/site/agents/$name" "$work/installed"; done
waitFor grep -q 7070 site.log || failed "the site's hub does not listen"
touch with-prolog
cat > prolog.sbatch <<END
#!/bin/bash
srun $work/rings.sh python3 $work/train.py
END
"${batch[@]}" --job-name prolog -o "$home/prolog.log" prolog.sbatch > sbatch.log 2>&1 || failed "the job failed"
agentsLeft() { [ -z "$(ls site-gpu-*/pid 2>/dev/null)" ]; }
[ -e site-gpu-01/agent.log ] && [ -e site-gpu-02/agent.log ] || failed "Prolog started no agent"
waitFor agentsLeft || failed "Epilog left an agent behind"
waitFor idle || failed "a node was drained: $(on head sinfo 2>&1)"
nodes=$(ask site.rgl "SELECT group_concat(node, ' ') FROM (SELECT DISTINCT node FROM series WHERE metric = 'load_1m' ORDER BY node)")
[ "$nodes" = "gpu-01 gpu-02" ] || failed "the site's agents told of: $nodes; $(cat site-gpu-01/agent.log)"
ok "Prolog and Epilog: agents while the job ran, none after it"
kill "$hub"
wait "$hub" || failed "the site's hub did not end well"
echo "passed in $SECONDS s"
