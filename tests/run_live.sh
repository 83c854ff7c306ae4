#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev run: console with an embedded hub, a local agent and the bundled real training job. Without a display, or with --headless, it runs
# for a while and then writes pictures of every view, the store and a report. All of it shows the job that was started here and no other:
# trainer and agent share a RUNGLASS_DIR of their own. Ends only what it started.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60 headless=0 out=""
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=1
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --headless) headless=1; shift ;;
    --out) out=$2; shift 2 ;;
    *) echo "./dev run: unknown option '$1'" >&2; exit 2 ;;
  esac
done
[[ $seconds =~ ^[0-9]+$ ]] || { echo "./dev run: --seconds must be a whole number" >&2; exit 2; }

build=${RUNGLASS_BUILD:-$PWD/build/release}
bin=$build/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/runglass-run.XXXXXX")
[ -n "$out" ] || out=$work/out
mkdir -p "$out"
out=$(cd "$out" && pwd)
store=$out/run.rgl
export RUNGLASS_DIR=$work/rings RUNGLASS_LIB=$build/lib/librunglass.so
export RUNGLASS_RUN=${RUNGLASS_RUN:-train_gpt-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$RUNGLASS_DIR"
[ ! -e "$store" ] || store=$out/run-$(date +%s).rgl

pids=()
stop() {
  local pid
  for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  pids=()
}
trap 'stop; rm -rf "$work/rings" "$work/agent" "$work/ckpt"; rm -f "$work"/*.log; rmdir "$work" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM

# Where to go on: commands that work as they are printed.
next() {
  local look
  if [ "$headless" = 1 ]; then printf -v look '%q status --store %q' "$bin/runglassctl" "$store"; else printf -v look '%q %q' "$bin/runglass" "$store"; fi
  printf 'next:\n  %s\n  %q analyze --store %q\n  %q query --store %q %q\n' "$look" "$bin/runglassctl" "$store" "$bin/runglassctl" "$store" \
    "SELECT step, value FROM scalar WHERE tag = 'loss' ORDER BY step DESC LIMIT 5"
}

if [ "$headless" = 1 ]; then
  "$bin/runglassctl" serve --store "$store" --listen 127.0.0.1:0 >"$work/hub.log" 2>&1 &
else
  "$bin/runglass" "$store" --listen 127.0.0.1:0 >"$work/hub.log" 2>&1 &
fi
hub=$!
pids+=("$hub")
listen=""
while [ -z "$listen" ]; do
  kill -0 "$hub" 2>/dev/null || { echo "the hub did not start:" >&2; cat "$work/hub.log" >&2; exit 1; }
  sleep 0.1
  listen=$(sed -n 's/^listening on //p' "$work/hub.log")
done
"$bin/runglass-agent" --hub "$listen" --state-dir "$work/agent" >"$work/agent.log" 2>&1 &
pids+=("$!")

python=/usr/bin/python3
of_run=()
if "$python" -c 'import torch' 2>/dev/null; then
  "$python" collectors/client/examples/launch.py --seconds "$seconds" \
    --checkpoint-dir "$work/ckpt" --checkpoint-every 25 >"$work/train.log" 2>&1 &
  trainer=$!
  pids+=("$trainer")
  of_run=(--run "$RUNGLASS_RUN")
else
  echo "no PyTorch under $python: the training job is left out (apt: python3-torch)" >&2
  trainer=""
fi

if [ "$headless" = 0 ]; then
  echo "store: $store; close the window to stop"
  wait "$hub"
  next
  exit 0
fi

[ -z "$trainer" ] || wait "$trainer" || { echo "the training job failed:" >&2; tail -n 20 "$work/train.log" >&2; exit 1; }
[ -n "$trainer" ] || sleep "$seconds"
sleep 1
stop
echo "store: $store"
for view in $("$bin/runglass" --help | sed -n 's/.*View or layout: //p' | tr -d ','); do
  for theme in dark light; do
    "$bin/runglass" screenshot --store "$store" "${of_run[@]}" --view "$view" --theme "$theme" --size 1920x1080 --out "$out/$view-$theme.png" &&
      echo "picture: $out/$view-$theme.png"
  done
done
# Of what would be proposed first, if anything is; else of the run.
"$bin/runglassctl" analyze --store "$store" "${of_run[@]}" >"$work/analyze.log" 2>&1 || cat "$work/analyze.log" >&2
key=$("$bin/runglassctl" incident propose --store "$store" "${of_run[@]}" | awk 'NR == 1 && $1 ~ /-/ { print $1 }')
subject=("${of_run[@]}")
if [ -n "$key" ]; then
  if "$bin/runglassctl" incident new --store "$store" "${of_run[@]}" --proposal "$key" >"$work/incident.log" 2>&1; then subject=(); else cat "$work/incident.log" >&2; fi
fi
"$bin/runglass" report --store "$store" "${subject[@]}" --out "$out" --format pdf,html | sed 's/^/report: /'
next
