#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What docs/operate/deploy.md says about ssh, done as it stands there between six hosts (namespaces, hosts.sh): a hub with TLS by `pair`, agents on nodes that reach it, one
# behind a jump host, an engineer who only reaches that jump host. All by a user without rights; sshd is Debian's, with keys of this test. Where something is missing
# it says SKIPPED.
#   head     10.77.0.1             login node: the hub, a port with TLS and a socket of its owner's
#   gpu-a    10.77.0.11            reaches the hub
#   gpu-b    10.77.0.12            reaches the hub
#   bastion  10.77.0.2, 10.78.0.2  forwards no packets
#   gpu-far  10.78.0.3             reaches the bastion alone
#   laptop   10.78.0.5             reaches the bastion alone
set -euo pipefail
source "$(dirname "$0")/hosts.sh"
sshd=/usr/sbin/sshd
needs ssh ssh-keygen "$sshd"
enterNamespaces "$0" "$@"
cd "$work"

makeAda
mkdir /run/sshd  # sshd wants it empty
bridge inner
bridge outer
for name in head bastion gpu-a gpu-b gpu-far laptop; do host "$name"; done
wire head inner 10.77.0.1
wire bastion inner 10.77.0.2
wire gpu-a inner 10.77.0.11
wire gpu-b inner 10.77.0.12
wire bastion outer 10.78.0.2
wire gpu-far outer 10.78.0.3
wire laptop outer 10.78.0.5
# Nobody listens yet: a host that is reached refuses, to one that is not there is no way at all.
answers() { { on "$1" bash -c "</dev/tcp/$2" 2>&1 || true; } | grep -q "$3"; }
waitFor answers gpu-far 10.78.0.2/22 refused || failed "gpu-far does not reach the bastion"
answers gpu-far 10.77.0.1/7070 unreachable && answers laptop 10.77.0.1/22 unreachable || failed "there is a way past the bastion"
ok "six hosts; gpu-far and laptop reach the bastion alone"

# --- ssh -------------------------------------------------------------------------------------------------------------------------------------
home=$work/ada
ssh-keygen -q -t ed25519 -N '' -f hostkey
"${as[@]}" ssh-keygen -q -t ed25519 -N '' -f "$home/key"
cat > sshd_config <<END
HostKey $work/hostkey
AuthorizedKeysFile $home/key.pub
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile none
END
cat > ssh_config <<END
Host *
  IdentityFile $home/key
  UserKnownHostsFile $work/known_hosts
  BatchMode yes
  ExitOnForwardFailure yes
  ServerAliveInterval 15
Host bastion
  HostName 10.78.0.2
Host head
  HostName 10.77.0.1
Host gpu-b
  HostName 10.77.0.12
END
for address in 10.78.0.2 10.77.0.1 10.77.0.12; do echo "$address $(cut -d' ' -f1,2 hostkey.pub)"; done > known_hosts
for name in bastion head gpu-b; do start "$name" "$sshd" -D -e -f "$work/sshd_config" 2> "sshd-$name.log" & done
ssh=("${as[@]}" ssh -F "$work/ssh_config")
loggedIn() { [ "$(on laptop "${ssh[@]}" "$@" hostname)" = "${!#}" ]; }
waitFor loggedIn bastion || failed "no ssh to the bastion"
waitFor loggedIn -J bastion head || failed "no ssh through the bastion"
ok "ssh -J bastion head"

# --- the hub and its nodes -------------------------------------------------------------------------------------------------------------------
ctl=("${as[@]}" "$bin/runglassctl")
"${ctl[@]}" pair --out "$home/trust" --hub 10.77.0.1 --agent gpu-a --agent gpu-b --agent gpu-far --install-dir /mnt > pair.log
start head "${ctl[@]}" serve --store "$home/run.rgl" --listen 0.0.0.0:7070 --trust "$home/trust" --listen "unix:$home/hub.sock" > hub.log 2>&1 &
hub=$!
waitFor grep -q 'unix:' hub.log || failed "the hub does not listen"
declare -A agents
agent() {  # HOST OPTIONS…: with what pair made for it
  on "$1" mount --bind "$home/trust/agents/$1" /mnt
  start "$1" "${as[@]}" "$bin/runglass-agent" --config /mnt/agent.toml --state-dir "$home/state-$1" "${@:2}" 2> "agent-$1.log" &
  agents[$1]=$!
}
samplesOf() { ask "${2:-$home/run.rgl}" "SELECT coalesce(sum(sample_count), 0) FROM series WHERE node = '$1'"; }
heard() { [ "$(samplesOf "$@")" -gt 20 ]; }
agent gpu-a
agent gpu-b
for name in gpu-a gpu-b; do waitFor heard "$name" || failed "nothing of $name arrived"; done
ok "agents of two hosts over TLS with certificates of their own"

# gpu-far has no way to the hub but a tunnel that it makes, and makes again.
agent gpu-far --hub localhost:7070
waitFor grep -q 'trying again' agent-gpu-far.log || failed "an agent without a way does not say so"
start gpu-far bash -c 'while true; do "$@"; sleep 5; done' tunnel "${ssh[@]}" -N -L 7070:10.77.0.1:7070 bastion 2> tunnel.log &
tunnel=$!
waitFor heard gpu-far || failed "nothing of gpu-far arrived through the tunnel"
ok "an agent through ssh -L; the hub's certificate is good for localhost"

load="sample((SELECT min(series_id) FROM series WHERE node = 'gpu-far' AND metric = 'load_1m')"
cut=$(date +%s%N)
tries=$(grep -c 'trying again' agent-gpu-far.log)
kill "$(pgrep -P "$tunnel" ssh)"
lost() { [ "$(grep -c 'trying again' agent-gpu-far.log)" -gt "$tries" ]; }
waitFor lost || failed "the tunnel is cut and the agent does not say so"
meanwhile() { [ "$(ask "$home/run.rgl" "SELECT count(*) FROM $load, $cut, $((cut + 5000000000)))")" -ge 4 ]; }
waitFor meanwhile || failed "what the agent saw while the tunnel was cut does not come"
holes=$(ask "$home/run.rgl" "SELECT count(*) FROM (SELECT time_ns - lag(time_ns) OVER (ORDER BY time_ns) AS pause FROM $load)) WHERE pause > 2500000000")
[ "$holes" = 0 ] || failed "$holes pauses of more than 2.5 s in what is told once a second"
ok "a cut tunnel: the agent kept what it saw and sent it when the tunnel was back"

# --- the engineer's end: the hub's socket through the bastion -------------------------------------------------------------------------------
start laptop "${ssh[@]}" -J bastion -N -o StreamLocalBindUnlink=yes -L "$home/laptop.sock:$home/hub.sock" head 2> laptop.log &
waitFor test -S "$home/laptop.sock" || failed "no socket on the laptop"
cat > played.toml <<END
name = "played"
seed = 1
steps = 500
[cluster]
nodes = 1
gpus_per_node = 2
[job]
tp = 2
pp = 1
dp = 1
step_seconds = 1.0
END
# An agent that plays a run, and an order to that run: both ways, with all rights, since it is its owner's.
start laptop "${as[@]}" "$bin/runglass-agent" --hub "unix:$home/laptop.sock" --state-dir "$home/state-laptop" --simulate played.toml 2> agent-laptop.log &
played=$!
plays() { [ "$(ask "$home/run.rgl" "SELECT count(*) FROM step")" -gt 0 ]; }
waitFor plays || failed "nothing of a run that is played through the forwarded socket arrived"
run=$(ask "$home/run.rgl" "SELECT name FROM run")
on laptop "${ctl[@]}" capture --hub "unix:$home/laptop.sock" --run "$run" > capture.log 2>&1 || failed "no order through the forwarded socket"
# A copy at home through the jump host, and the fifteen lines; another user's copy needs the socket too.
on laptop "${ctl[@]}" follow --from "unix:$home/laptop.sock" --store "$home/here.rgl" --once --timeout 60 > follow.log 2>&1 || failed "no copy through the forwarded socket: $(cat follow.log)"
[ "$(ask "$home/here.rgl" "SELECT name FROM run WHERE name = '$run'")" = "$run" ] || failed "the copy at home lacks the run"
copied() { ask "$home/here.rgl" "SELECT count(*) FROM step"; }
before=$(copied)
[ "$before" -gt 0 ] || failed "the copy at home lacks the run's steps"
more() { [ "$(ask "$home/run.rgl" "SELECT count(*) FROM step")" -gt "$before" ]; }
waitFor more || failed "the run that is played does not go on"
on laptop "${ctl[@]}" status --from "unix:$home/laptop.sock" > status.log 2>&1 || failed "no status through the forwarded socket: $(cat status.log)"
grep -q "$run" status.log || failed "status --from does not know the run"
on laptop "${ctl[@]}" follow --from "unix:$home/laptop.sock" --store "$home/here.rgl" --once --timeout 60 > follow.log 2>&1 || failed "a copy does not go on: $(cat follow.log)"
[ "$(copied)" -gt "$before" ] || failed "a copy that goes on has nothing new"
ok "runglassctl follow and status --from at home, through the jump host"
kill "$played"
wait "$played" || failed "the agent at the forwarded socket did not end well"
ok "ssh -J bastion -N -L SOCKET:SOCKET head: a session and an order go through"
# Another user of the login node gets no further than the socket's mode; the folder is opened so that it is the socket that is asked.
chmod 711 "$home"
on head setpriv --reuid nobody --regid nogroup --clear-groups "$bin/runglassctl" capture --hub "unix:$home/hub.sock" --run "$run" > other.log 2>&1 &&
  failed "another user may use the socket"
grep -q 'Permission denied' other.log || failed "another user was refused for another reason"
ok "another user of the login node may not use it"

# --- the other way round: a hub at home, nodes that only ssh reaches -------------------------------------------------------------------------
start laptop "${ctl[@]}" serve --store "$home/home.rgl" --listen 127.0.0.1:7071 > home.log 2>&1 &
laptop_hub=$!
waitFor grep -q 7071 home.log || failed "the hub at home does not listen"
start laptop "${ssh[@]}" -J bastion -N -R 7071:127.0.0.1:7071 gpu-b 2> reverse.log &
start gpu-b "${as[@]}" "$bin/runglass-agent" --hub 127.0.0.1:7071 --state-dir "$home/state-reverse" 2> agent-reverse.log &
agents[reverse]=$!
waitFor heard gpu-b "$home/home.rgl" || failed "nothing of gpu-b arrived at home"
ok "ssh -J bastion -N -R: a node sends to a hub at home"

# --- the end: everybody says goodbye, nothing was lost --------------------------------------------------------------------------------------
for name in "${!agents[@]}"; do kill "${agents[$name]}"; done
for name in "${!agents[@]}"; do wait "${agents[$name]}" || failed "the agent $name did not end well"; done
grep -l 'waits in the spool' agent-*.log && failed "an agent could not hand over"
kill "$hub" "$laptop_hub"
wait "$hub" && wait "$laptop_hub" || failed "a hub did not end well"
for store in run home; do "${ctl[@]}" verify --store "$home/$store.rgl" > verify.log 2>&1 || failed "$store.rgl is damaged"; done
[ "$(ask "$home/run.rgl" "SELECT count(*) FROM ingest_issue WHERE code LIKE 'wire.%'")" = 0 ] ||
  failed "$(ask "$home/run.rgl" "SELECT code, detail FROM ingest_issue WHERE code LIKE 'wire.%'")"
nodes=$(ask "$home/run.rgl" "SELECT group_concat(node, ' ') FROM (SELECT node FROM node WHERE node LIKE 'gpu%' ORDER BY node)")
[ "$nodes" = "gpu-a gpu-b gpu-far" ] || failed "other nodes: $nodes"
ok "no gap; the stores are sound"
echo "passed in $SECONDS s"
