# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of this folder: several hosts on one machine as network namespaces with names, machine-ids and addresses of their own, and a user
# `ada` without rights. All of it lies in a process namespace that the script enters, and ends with it; the machine's own network and files stay as they are.
#   enterNamespaces SCRIPT BIN "$@"   goes on in the namespaces; $bin and $work are set afterwards
#   host NAME; bridge NAME; wire HOST BRIDGE ADDRESS
#   on HOST COMMAND…                  start HOST COMMAND… &   (the process is the program itself)
#   as=(setpriv …)                    on HOST "${as[@]}" COMMAND…: as ada, whose home is $work/ada
skip() { echo "SKIPPED: $*"; exit 0; }

# Installed, or unpacked by ./dev into build/debian: that tree is laid over /usr of the namespaces.
debian=$(realpath -m "$(dirname "${BASH_SOURCE[0]}")/../../build/debian/usr")
unpacked=
needs() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null && continue
    [ -x "$debian/bin/$tool" ] || [ -x "$debian/sbin/$tool" ] || skip "$tool is not installed"
    unpacked=yes
  done
}

enterNamespaces() {  # SCRIPT BIN [inside WORK]
  bin=$(cd "$2" && pwd)
  work=${4:-}
  if [ "${3:-}" = inside ]; then
    if [ -n "$unpacked" ]; then mount -t overlay overlay -o "lowerdir=$debian:/usr" /usr 2>/dev/null || skip "an overlay cannot be mounted here"; fi
    trap 'failed "line $LINENO"' ERR
    return
  fi
  needs ip unshare nsenter setpriv jq
  [ "$(id -u)" = 0 ] || skip "needs root"
  [ -e /etc/machine-id ] || skip "this machine has no /etc/machine-id"
  unshare -n -m -p -u --fork --kill-child --mount-proc ip link add br0 type bridge 2>/dev/null || skip "network namespaces and bridges cannot be made here"
  work=$(mktemp -d "${TMPDIR:-/tmp}/runglass-deploy.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  local status=0
  unshare -n -m -p -u --fork --kill-child --mount-proc bash "$(realpath "$1")" "$bin" inside "$work" || status=$?
  exit "$status"
}

# What failed is told with what the programs said.
failed() {
  tail -n "${RG_LINES:-8}" "$work"/*.log "$work"/*/*.log >&2 2> /dev/null || true
  echo "FAILED after '${said:-the beginning}': $*" >&2
  exit 1
}
ok() {
  said=$1
  echo "ok: $1"
}
waitFor() {  # COMMAND…: until it succeeds, a minute at most
  local until=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$until" ] || return 1
    sleep 0.2
  done
}

# Before the first host, so that all of them see her, and the names of all.
makeAda() {
  local uid=4242
  install -d -m 700 -o "$uid" -g "$uid" "$work/ada"
  chmod 755 "$work"
  { cat /etc/passwd; echo "ada:x:$uid:$uid::$work/ada:/bin/bash"; } > "$work/passwd"
  { cat /etc/group; echo "ada:x:$uid:"; } > "$work/group"
  cp /etc/hosts "$work/hosts"
  mount --bind "$work/hosts" /etc/hosts
  mount --bind "$work/passwd" /etc/passwd
  mount --bind "$work/group" /etc/group
  mount -t tmpfs none /run
  as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups env -u XDG_RUNTIME_DIR -u XDG_STATE_HOME "HOME=$work/ada" USER=ada)
}

declare -A pid
host() {
  unshare -n -m -u sleep 3600 &
  pid[$1]=$!
  waitFor apart "${pid[$1]}" || failed "no namespaces for $1"
  on "$1" hostname "$1"
  on "$1" ip link set lo up
  printf '%032x\n' "$(printf '%s' "$1" | cksum | cut -d' ' -f1)" > "$work/machine-id.$1"
  on "$1" mount --bind "$work/machine-id.$1" /etc/machine-id
}
# unshare(1) makes all namespaces in one call, before sleep is begun.
apart() { [ "$(cat "/proc/$1/comm")" = sleep ]; }
on() { nsenter -t "${pid[$1]}" -n -m -u --wd="$work" -- "${@:2}"; }
start() { exec nsenter -t "${pid[$1]}" -n -m -u --wd="$work" -- "${@:2}"; }
bridge() {
  ip link add "$1" type bridge
  ip link set "$1" up
}
wire() {
  local near=$1-$2
  near=${near:0:15}
  ip link add "$near" type veth peer name "to-$2" netns "${pid[$1]}"
  ip link set "$near" master "$2" up
  on "$1" ip address add "$3/24" dev "to-$2"
  on "$1" ip link set "to-$2" up
  echo "$3 $1" >> "$work/hosts"
}

ask() {  # STORE SQL: what it says, without the names of columns
  "$bin/runglassctl" query --format csv --store "$1" "$2" | tail -n +2
}
