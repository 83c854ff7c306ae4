#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev run without its build, while another trainer of the same user runs: run_live_test.sh BUILD.
set -euo pipefail
build=$1 root=$(cd "$(dirname "$0")/.." && pwd)
bin=$build/bin
/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "SKIPPED: no PyTorch under /usr/bin/python3"; exit 0; }
work=$(mktemp -d)
other="" ring=""
finish() {
  if [ -n "$other" ]; then
    kill "$other" 2>/dev/null || true
    wait "$other" 2>/dev/null || true
  fi
  [ -z "$ring" ] || rm -f "$ring" "${ring%.ring}.stack"
  rm -rf "$work"
}
trap finish EXIT
failed() { echo "FAILED: $1"; [ ! -e "$work/out.txt" ] || cat "$work/out.txt"; exit 1; }
ask() { "$bin/runglassctl" query --store "$work/out/run.rgl" --format csv "$1" | tail -n +2; }

# The other trainer: in the directory that an agent of this user reads by default.
env -u RUNGLASS_DIR -u XDG_RUNTIME_DIR PYTHONPATH="$build/python" /usr/bin/python3 - >"$work/ring" <<'END' &
import glob, os, time
import runglass as rg
assert rg.init(run="other-trainer", rank=0, world=1)
print(glob.glob("/dev/shm/runglass-%d/%d-*.ring" % (os.getuid(), os.getpid()))[0], flush=True)
for n in range(1 << 40):
    with rg.step(n):
        time.sleep(0.1)
END
other=$!
until [ -s "$work/ring" ]; do
  kill -0 "$other" 2>/dev/null || failed "the other trainer did not start"
  sleep 0.1
done
ring=$(cat "$work/ring")

env -u DISPLAY -u WAYLAND_DISPLAY -u RUNGLASS_RUN RUNGLASS_BUILD="$build" "$root/tests/run_live.sh" --headless --seconds 8 --out "$work/out" \
  >"$work/out.txt" 2>"$work/err.txt" || { cat "$work/err.txt"; failed "run_live.sh"; }
kill -0 "$other" && [ -e "$ring" ] || failed "the other trainer's ring was taken"

runs=$(ask "SELECT name FROM run")
[[ $runs =~ ^train_gpt-[0-9]{8}-[0-9]{6}$ ]] || failed "runs in the store: $runs"
[ "$(ask "SELECT count(*) FROM rank")" = 8 ] || failed "ranks: $(ask "SELECT count(*) FROM rank")"
[ "$(ask "SELECT count(*) > 0 FROM step")" = 1 ] || failed "no steps"

for view in $("$bin/runglass" --help | sed -n 's/.*View or layout: //p' | tr -d ','); do
  for theme in dark light; do
    grep -qxF "picture: $work/out/$view-$theme.png" "$work/out.txt" && [ -s "$work/out/$view-$theme.png" ] || failed "no picture of $view, $theme"
  done
done
reports=$(sed -n 's/^report: //p' "$work/out.txt")
[ "$(wc -l <<<"$reports")" = 2 ] || failed "reports: $reports"
grep -qF "$runs" "$(grep 'html$' <<<"$reports")" || failed "the report is not of $runs"

mapfile -t commands < <(sed -n '/^next:$/,$p' "$work/out.txt" | tail -n +2)
[ ${#commands[@]} = 3 ] || failed "${#commands[@]} next commands"
for command in "${commands[@]}"; do
  [[ $command == "  $bin/"* ]] || failed "no full path: $command"
  (cd / && bash -c "$command") >"$work/next.txt" 2>&1 || { cat "$work/next.txt"; failed "$command"; }
done
echo "one run ($runs), pictures and report of it, three commands that work"
