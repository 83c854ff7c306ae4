#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs inside a fresh Debian 12 root (install_test.sh): installs the packages from /packages and uses what they brought, as an ordinary user.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM
out=/check/out
mkdir -p $out
fail() { echo "install check: $*" >&2; exit 1; }
say() { echo "  $*"; }

apt-get install -qq -y --no-install-recommends /packages/*.deb >$out/apt.log 2>&1 || { tail -n 30 $out/apt.log >&2; fail "the packages cannot be installed"; }
say "installed: $(dpkg-query -W -f='${Package} ${Version}, ' runglass runglassctl runglass-agent librunglass0 librunglass-dev)"
for program in runglass runglassctl runglass-agent; do
  [ "$(command -v $program)" = /usr/bin/$program ] || fail "$program is not in /usr/bin"
  ! ldd /usr/bin/$program | grep -q 'not found' || fail "$program misses libraries"
  $program --help >$out/$program.txt || fail "$program --help"
  $program --version
done
getent passwd runglass >/dev/null || fail "the user of the hub is missing"

useradd --create-home watcher
watcher=(setpriv --reuid=watcher --regid=watcher --init-groups env -C /home/watcher HOME=/home/watcher)  # replaces itself: same pid
as_user() { "${watcher[@]}" "$@"; }
cat >/home/watcher/train.log <<'LOG'
 iteration        1/     100 | consumed samples:           16 | elapsed time per iteration (ms): 1000.0 | learning rate: 1.000E-04 | global batch size:    16 | lm loss: 1.050000E+01 | loss scale: 1.0 | grad norm: 1.000 | number of skipped iterations:   0 | number of nan iterations:   0 |
 iteration        2/     100 | consumed samples:           32 | elapsed time per iteration (ms): 1001.0 | learning rate: 1.000E-04 | global batch size:    16 | lm loss: 9.250000E+00 | loss scale: 1.0 | grad norm: 0.900 | number of skipped iterations:   0 | number of nan iterations:   0 |
 iteration        3/     100 | consumed samples:           48 | elapsed time per iteration (ms): 1002.0 | learning rate: 1.000E-04 | global batch size:    16 | lm loss: 8.125000E+00 | loss scale: 1.0 | grad norm: 0.800 | number of skipped iterations:   0 | number of nan iterations:   0 |
LOG
as_user runglassctl import --store night.rgl train.log >$out/import.txt
loss=$(as_user runglassctl query --store night.rgl --format csv "SELECT value FROM scalar WHERE tag = 'lm loss' ORDER BY step DESC LIMIT 1" | tail -n 1)
[ "$loss" = 8.125 ] || fail "the imported loss is '$loss', not 8.125"
say "import and query: last loss $loss"

"${watcher[@]}" runglassctl serve --store live.rgl --listen 127.0.0.1:0 >$out/hub.txt 2>&1 &
hub=$!
trap 'kill -KILL $hub 2>/dev/null || true' EXIT
for _ in $(seq 100); do grep -q '^listening on' $out/hub.txt && break; sleep 0.1; done
address=$(sed -n 's/^listening on //p' $out/hub.txt)
[ -n "$address" ] || fail "the hub does not listen"
as_user runglass-agent --hub "$address" --state-dir /home/watcher/agent --simulate /usr/share/runglass/scenarios/slow-gpu.toml --speed max 2>$out/agent.txt ||
  { cat $out/agent.txt >&2; fail "the simulation"; }
kill -TERM $hub
wait $hub || fail "the hub did not end well"
trap - EXIT
as_user runglassctl verify --store live.rgl >$out/verify.txt || fail "verify"
steps=$(as_user runglassctl query --store live.rgl --format csv "SELECT count(DISTINCT step) FROM step" | tail -n 1)
[ "$steps" -gt 0 ] || fail "nothing of the simulation arrived"
as_user runglassctl analyze --store live.rgl >$out/analyze.txt
say "agent into hub: $steps steps, findings: $(as_user runglassctl query --store live.rgl --format csv 'SELECT group_concat(DISTINCT kind) FROM finding' | tail -n 1)"

for theme in dark light; do
  as_user runglass screenshot --store live.rgl --view overview --theme $theme --out overview-$theme.png 2>$out/screenshot.txt || { cat $out/screenshot.txt >&2; fail "screenshot"; }
  [ ! -s $out/screenshot.txt ] || { cat $out/screenshot.txt >&2; fail "a screenshot complains"; }
  cp /home/watcher/overview-$theme.png $out/
done
say "screenshots: $(stat -c %s $out/overview-*.png | tr '\n' ' ')bytes"

# What a file manager and a browser do: the type by content and by name, its program, a path, a file: URL, a link.
apt-get install -qq -y --no-install-recommends shared-mime-info desktop-file-utils libglib2.0-bin sqlite3 man-db groff-base bash-completion gcc libc6-dev pkg-config python3 >>$out/apt.log 2>&1
cp /home/watcher/night.rgl /home/watcher/night
sqlite3 /home/watcher/other.db 'CREATE TABLE t (x)'
for pair in night.rgl:application/x-runglass night:application/x-runglass other.db:application/vnd.sqlite3; do
  type=$(as_user gio info -a standard::content-type ${pair%%:*} | sed -n 's/.*content-type: //p')
  [ "$type" = "${pair#*:}" ] || fail "${pair%%:*} is of type '$type', not ${pair#*:}"
done
desktop=$(as_user gio mime x-scheme-handler/runglass | sed -n 's/.*for .*: //p')
[ "$desktop" = org.runglass.Runglass.desktop ] || fail "runglass:// links are opened by '$desktop'"
desktop=$(as_user gio mime application/x-runglass | sed -n 's/.*for .*: //p')
[ "$desktop" = org.runglass.Runglass.desktop ] || fail "stores are opened by '$desktop'"
uuid=$(as_user runglassctl info --store live.rgl --json | sed -n 's/.*"store_uuid":"\([^"]*\)".*/\1/p')
run=$(as_user runglassctl query --store live.rgl --format csv "SELECT run_uuid FROM run LIMIT 1" | tail -n 1)
[ -n "$uuid" ] || uuid=$(as_user sqlite3 live.rgl "SELECT value FROM rg_meta WHERE key = 'store_uuid'")
opens() {  # stays open until it is asked to end, and complains about nothing
  as_user timeout --preserve-status -s TERM 6 runglass "$1" >$out/open.txt 2>&1 || { cat $out/open.txt >&2; fail "runglass $1"; }
  [ ! -s $out/open.txt ] || { cat $out/open.txt >&2; fail "runglass $1 complains"; }
}
opens /home/watcher/live.rgl
opens file:///home/watcher/live.rgl
opens "runglass://$uuid/run/$run?view=ranking"
say "types, opening a path, a file: URL and runglass://$uuid/…: as they should"

# Trainers: C by pkg-config, Python by Debian's and by any other.
cat >/home/watcher/trainer.c <<'C'
#include <runglass.h>
int main(void) { rg_init(NULL); rg_step_begin(1); rg_step_end(); int on = rg_enabled(); rg_shutdown(NULL); return on ? 0 : 1; }
C
as_user sh -c 'gcc trainer.c $(pkg-config --cflags --libs runglass) -o trainer && RUNGLASS_DIR=$HOME/rings ./trainer' || fail "a C trainer"
say "a C trainer links: $(ldd /home/watcher/trainer | grep -o 'librunglass.so.0' | head -n 1)"
python_says='import runglass as rg, sys; rg.init(); rg.shutdown(); sys.exit(0 if "CDLL" in repr(rg._lib) else "no library: %r" % rg._lib)'
as_user env RUNGLASS_DIR=/home/watcher/rings python3 -c "$python_says" || fail "Debian's Python"
as_user env RUNGLASS_DIR=/home/watcher/rings PYTHONPATH=/usr/share/runglass/python python3 -c "$python_says" || fail "another Python"
as_user env LD_PRELOAD=/usr/lib/$(gcc -print-multiarch)/runglass/librunglass_cuda.so true || fail "the tracer cannot be preloaded"
for program in runglass runglassctl runglass-agent; do
  as_user sh -c "man --warnings=w $program >/dev/null" 2>$out/man.txt && [ ! -s $out/man.txt ] || { cat $out/man.txt >&2; fail "man $program"; }
done

# Away again: nothing is left but the stores.
apt-get purge -qq -y runglass runglassctl runglass-agent librunglass0 librunglass-dev >>$out/apt.log 2>&1 || { tail -n 20 $out/apt.log >&2; fail "purge"; }
left=$(find / -xdev \( -path /proc -o -path /sys -o -path /check -o -path /packages -o -path /home \) -prune -o -iname '*runglass*' -print)
[ -z "$left" ] || fail "left behind: $left"
say "purged: nothing is left"
