#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The bundled example: eight ranks learn exactly what one does, tell Runglass about it, and go on from a checkpoint.
# Skips (77) without PyTorch. RG_PROBE and RUNGLASS_LIB name the built programs, RG_SOURCE_DIR the tree.
set -euo pipefail
for python in /usr/bin/python3 python3 ""; do
  [ -n "$python" ] || { echo "no python3 with torch"; exit 77; }
  "$python" -c 'import torch.distributed as d; assert d.is_available()' 2>/dev/null && break
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
launch=("$python" "$RG_SOURCE_DIR/collectors/client/examples/launch.py")
small=(--sequence 32 --width 32 --batch 2 --warmup 4 --lr 0.01 --checkpoint-every 4)
fail() { echo "FAILED: $1"; tail -n 40 "$dir"/*.txt; exit 1; }
numbers() { sed -n 's/^step \([0-9]*\) | loss \([0-9.]*\) | grad norm \([0-9.]*\).*/\1 \2 \3/p' "$1"; }

export RUNGLASS_DIR=$dir/rings RUNGLASS_RUN=smoke
"$RG_PROBE" "$dir/rings" 16 500 >"$dir/probe.txt" &
probe=$!
"${launch[@]}" "${small[@]}" --steps 6 --checkpoint-dir "$dir/saved" >"$dir/eight.txt" 2>&1 || fail "eight ranks"
"${launch[@]}" "${small[@]}" --steps 8 --checkpoint-dir "$dir/saved" --resume >"$dir/resumed.txt" 2>&1 || fail "resume"
RUNGLASS=off "${launch[@]}" --ranks 1 "${small[@]}" --steps 8 --tp 1 --pp 1 --dp 1 --microbatches 8 >"$dir/one.txt" 2>&1 || fail "one rank"
wait $probe || fail "probe"

# Split over tp, pp and dp, and across a restart: the same losses and gradient norms as one process, to 2 in 1,000.
{ numbers "$dir/eight.txt"; numbers "$dir/resumed.txt"; } | awk '!seen[$1]++' >"$dir/split.txt"
numbers "$dir/one.txt" | paste - "$dir/split.txt" | awk '
  function far(a, b) { return (a > b ? a - b : b - a) > 0.002 * b + 0.0005 }
  $1 != $4 || far($2, $5) || far($3, $6) { print "differs:", $0; bad = 1 } END { exit bad || NR != 8 }' || fail "the split model is not the whole one"
[ "$(numbers "$dir/resumed.txt" | head -n 1 | cut -d' ' -f1)" = 4 ] || fail "resumed at another step than the checkpoint's"
awk 'NR == 1 { first = $2 } { last = $2 } END { exit !(last < first - 0.5) }' "$dir/split.txt" || fail "it does not learn"

for line in 'run smoke state 2' 'checkpoint 4 durable 1' 'rank 6 tp 0 pp 1 dp 1' 'fact resumed_from_step = 4' \
  'series loss rank -1 labels {"canonical":"loss"} points 6' 'series step_time_ns rank 7 labels  points 6' \
  'series step_part_wait_ns rank 3 labels {"part":"communication"} points 6' 'span recv_forward rank 7 category comm step 2' \
  'span tp_all_reduce rank 0 category comm step 5' 'span dp_all_reduce rank 5 category comm step 1' 'span forward rank 2 category compute step 0'; do
  grep -qF "$line" "$dir/probe.txt" || fail "the agent did not hear: $line"
done
! grep -q '^issue' "$dir/probe.txt" || fail "issues"
[ "$(grep -c '^attempt .*: finished' "$dir/probe.txt")" = 2 ] || fail "not two finished attempts"
