#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_test.sh FOLDER_OF_DEBS : installs the packages into a fresh Debian 12 root, uses them there (install_check.sh)
# and removes them again. The root is thrown away. Packages come from where this machine's apt takes them. Works as root and as an ordinary
# user (user namespaces).
set -euo pipefail
debs=$(realpath "${1:?install_test.sh FOLDER}")
here=$(realpath "$(dirname "$0")")

. "$here/debian_root.sh"
out=$debs/installed
rm -rf "$out" && mkdir -p "$out"
printf '%s\n' "${ROOT_SOURCES[@]}" |
  timeout --kill-after=10 1800 mmdebstrap --quiet --variant=apt "${ROOT_OPTIONS[@]}" \
    --customize-hook='mkdir -p "$1/packages" "$1/check"' \
    --customize-hook="copy-in $(printf '%q ' "$debs"/*.deb) /packages" \
    --customize-hook="copy-in $(printf %q "$here/install_check.sh") /check" \
    --customize-hook='chroot "$1" bash /check/install_check.sh' \
    --customize-hook="copy-out /check/out $(printf %q "$out")" \
    --format=null bookworm /dev/null -
mv "$out"/out/* "$out"/ && rmdir "$out/out"
echo "install test: passed; pictures and words: $out"
