# SPDX-License-Identifier: Apache-2.0
# Sourced by what makes a root of Debian 12: ROOT_SOURCES, the mirrors that this machine's apt uses, and ROOT_OPTIONS, what decides here whether an
# old mirror is accepted.
mirror() { apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | awk '$2 == "'"$1"'" && $3 == "main" {print $1; exit}'; }
ROOT_SOURCES=()
for suite in bookworm bookworm-updates bookworm-security; do
  site=$(mirror $suite)
  [ -z "$site" ] || ROOT_SOURCES+=("deb $site $suite main")
done
[ ${#ROOT_SOURCES[@]} -gt 0 ] || { echo "this machine's apt knows no mirror of Debian 12 (bookworm)" >&2; exit 1; }
ROOT_OPTIONS=()
for key in Acquire::Check-Valid-Until Acquire::Check-Date Acquire::http::Proxy; do
  value=$(apt-config dump --format '%v' $key)
  [ -z "$value" ] || ROOT_OPTIONS+=("--aptopt=$key \"$value\";")
done
