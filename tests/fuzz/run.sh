#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM TARGET SECONDS: one fuzzer from its corpus, in a folder of its own; its output only when it fails.
set -euo pipefail
corpus=$(mktemp -d); log=$(mktemp)
trap 'rm -rf "$corpus" "$log"' EXIT
known=$(dirname "$0")/corpus/$2
[ ! -d "$known" ] || cp "$known"/* "$corpus/"
if ! RG_FUZZ_TARGET=$2 "$1" -max_total_time="$3" -rss_limit_mb=3072 -timeout=10 -print_final_stats=0 "$corpus" 2>"$log"; then
  cat "$log" >&2
  echo "fuzz: $2 failed" >&2
  exit 1
fi
echo "fuzz: $2 $(grep -o 'Done [0-9]* runs' "$log" | tail -n 1)"
