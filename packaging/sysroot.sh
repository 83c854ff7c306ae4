#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sysroot.sh FOLDER PACKAGE... : unpacks Debian's arm64 libraries into FOLDER, for the cross compiler (cmake/aarch64.cmake) and for qemu-user.
# They come from where this machine's apt takes its own; nothing of this machine is changed. A folder made for the same packages stays as it is.
set -euo pipefail
folder=$(realpath -m "${1:?sysroot.sh FOLDER PACKAGE...}"); shift
here=$(realpath "$(dirname "$0")")
wanted="$*"
[ "$(cat "$folder/.packages" 2>/dev/null || true)" = "$wanted" ] && exit 0

. "$here/debian_root.sh"
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
printf '%s\n' "${ROOT_SOURCES[@]}" |
  timeout --kill-after=10 1800 mmdebstrap --quiet --variant=extract --architectures=arm64 "${ROOT_OPTIONS[@]}" --include="$(IFS=,; echo "$*")" \
    --format=directory bookworm "$folder" -
# Links to /lib/... are meant inside the root.
find "$folder" -type l -lname '/*' ! -path "$folder/dev/*" | while read -r link; do ln -sfnr "$folder$(readlink "$link")" "$link"; done
echo "$wanted" >"$folder/.packages"
