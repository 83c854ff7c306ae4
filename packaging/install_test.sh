#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_test.sh FOLDER_OF_DEBS : installs the packages into a fresh Debian 12 root, uses them there (install_check.sh)
# and removes them again. The root is thrown away. Packages come from where this machine's apt takes them. Works as root and as an ordinary
# user (user namespaces).
set -euo pipefail
debs=$(realpath "${1:?install_test.sh FOLDER}")
here=$(realpath "$(dirname "$0")")

mirror() { apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | awk '$2 == "'"$1"'" && $3 == "main" {print $1; exit}'; }
sources=()
for suite in bookworm bookworm-updates bookworm-security; do
  site=$(mirror $suite)
  [ -z "$site" ] || sources+=("deb $site $suite main")
done
[ ${#sources[@]} -gt 0 ] || { echo "install test: this machine's apt knows no mirror of Debian 12 (bookworm)" >&2; exit 1; }

# What decides here whether an old mirror is accepted decides there too.
options=()
for key in Acquire::Check-Valid-Until Acquire::Check-Date Acquire::http::Proxy; do
  value=$(apt-config dump --format '%v' $key)
  [ -z "$value" ] || options+=("--aptopt=$key \"$value\";")
done

out=$debs/installed
rm -rf "$out" && mkdir -p "$out"
printf '%s\n' "${sources[@]}" |
  timeout --kill-after=10 1800 mmdebstrap --quiet --variant=apt "${options[@]}" \
    --customize-hook='mkdir -p "$1/packages" "$1/check"' \
    --customize-hook="copy-in $(printf '%q ' "$debs"/*.deb) /packages" \
    --customize-hook="copy-in $(printf %q "$here/install_check.sh") /check" \
    --customize-hook='chroot "$1" bash /check/install_check.sh' \
    --customize-hook="copy-out /check/out $(printf %q "$out")" \
    --format=null bookworm /dev/null -
mv "$out"/out/* "$out"/ && rmdir "$out/out"
echo "install test: passed; pictures and words: $out"
