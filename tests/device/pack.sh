#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and packs the kit of the GPU check: build/package/runglass-gpu-check-VERSION-linux-MACHINE.tar.xz, 60 MiB at most.
# There: tar -xf FILE && runglass-gpu-check-*/run.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
most=$((60 << 20))
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build build/release -j "${JOBS:-$(nproc)}" --target rg_gpu_check_kit
kit=$(ls -td build/release/gpu-check/runglass-gpu-check-*/ | head -n 1)
kit=$(basename "$kit")
git rev-parse HEAD 2>/dev/null >"build/release/gpu-check/$kit/COMMIT" || rm -f "build/release/gpu-check/$kit/COMMIT"
mkdir -p build/package
packed=build/package/$kit.tar.xz
tar --owner=0 --group=0 --sort=name -C build/release/gpu-check -cf - "$kit" | xz -6 -T0 >"$packed.new"
mv "$packed.new" "$packed"
bytes=$(stat -c %s "$packed")
echo "$packed: $((bytes / 1000000)) MB"
[ "$bytes" -le "$most" ] || { echo "pack.sh: the kit is larger than 60 MiB" >&2; exit 1; }
