# SPDX-License-Identifier: Apache-2.0
# Sourced after hosts.sh: Debian's Slurm on the hosts `head`, `gpu-01` and `gpu-02`, with two GPUs (/dev/null by other names) on each node.
# $home is ada's.
#   makeHosts; startMunge; configureSlurm LINES (the rest of slurm.conf); startSlurm; startController

makeHosts() {
  makeAda
  home=$work/ada
  bridge lan
  for name in head gpu-01 gpu-02; do host "$name"; done
  wire head lan 10.77.0.1
  wire gpu-01 lan 10.77.0.11
  wire gpu-02 lan 10.77.0.12
  mkdir state spool slurm
  export SLURM_CONF=$work/slurm/slurm.conf PATH=$PATH:/usr/sbin
}

startMunge() {
  mkdir -p /run/munge
  head -c 64 /dev/urandom > munge.key
  chmod 400 munge.key
  munged --foreground --force --key-file "$work/munge.key" --socket /run/munge/munge.socket.2 --pid-file "$work/munged.pid" --log-file "$work/munged.log" \
    --seed-file "$work/munge.seed" 2> munged.err.log &
  waitFor munge -n || failed "munge does not answer"
}

startController() {
  start head slurmctld -D "$@" >> slurmctld.log 2>&1 &
  controller=$!
}
idle() { [ "$(on head sinfo -h -o '%D %t')" = "2 idle" ]; }

configureSlurm() {
  local name
  for name in gpu0 gpu1; do mknod "$name" c 1 3 2> /dev/null || skip "devices cannot be made here"; done  # /dev/null, twice
  cat > slurm/slurm.conf <<END
ClusterName=recipes
SlurmctldHost=head(10.77.0.1)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=gpu-01 NodeAddr=10.77.0.11 CPUs=2 Gres=gpu:2
NodeName=gpu-02 NodeAddr=10.77.0.12 CPUs=2 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES MaxTime=10 OverSubscribe=NO
$1
END
  echo "Name=gpu File=$work/gpu[0-1]" > slurm/gres.conf
}

startSlurm() {
  local name
  startController -c
  for name in gpu-01 gpu-02; do
    mkdir "spool/$name"
    start "$name" slurmd -D -N "$name" 2> /dev/null &
  done
  waitFor idle || failed "Slurm has no two idle nodes: $(on head sinfo 2>&1)"
  ok "Slurm with two nodes of two GPUs: $(on head sinfo --version)"
}
