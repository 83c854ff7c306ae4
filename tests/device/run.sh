#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The GPU check (docs/operate/limits.md): compares Runglass with nvidia-smi and torch.profiler on this machine's GPU and measures what it costs.
# Needs Python 3.9 or newer, PyTorch for most rows, and the kit of tests/device/pack.sh: around this file, or named by --kit.
#   run.sh [--kit FILE.tar.xz] [--out DIR] [--only nvml,probe,tracer,recent,live,overhead] [--deadline SECONDS]
# PYTHON names the Python that has PyTorch (default: python3). Exit 0: nothing failed. 1: a row failed. 2: wrong usage.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
kit=()
case " $* " in
  *" --kit "* | *" --kit="* | *" --tools "* | *" --tools="* | *" -h "* | *" --help "*) ;;
  *)
    if [ -d "$here/tools" ]; then kit=(--tools "$here/tools")
    else
      packed=$(ls -t "$here"/../../build/package/runglass-gpu-check-*.tar.xz 2>/dev/null | head -n 1 || true)
      [ -n "$packed" ] || { echo "run.sh: no kit: build one with tests/device/pack.sh, or name it with --kit FILE" >&2; exit 2; }
      kit=(--kit "$packed")
    fi ;;
esac
export PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/gpu_check.py" "${kit[@]}" "$@"
