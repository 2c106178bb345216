#!/usr/bin/env bash
# Installs the packages of packages.txt that this machine lacks; says nothing and needs no network when it lacks none.
# `scripts/setup.sh --missing` prints what is missing, one a line, and installs nothing.
# `scripts/setup.sh PACKAGE...` installs those packages too.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
list="$root/packages.txt"

die() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

more=()
[[ "${1:-}" == "--missing" ]] || more=("$@")

wanted() {
  sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$list"
  ((${#more[@]} == 0)) || printf '%s\n' "${more[@]}"
}

installed() {
  # One line per package that is fully installed; dpkg-query complains of names it has never heard of and goes on.
  # shellcheck disable=SC2046
  dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' $(wanted) 2>/dev/null | sed -n 's/^ii  *//p' || true
}

missing() { comm -23 <(wanted | sort -u) <(installed | sort -u); }

if ! command -v dpkg-query >/dev/null; then
  die "this machine has no dpkg, so it is not a Debian system (packages.txt names Debian 12 packages)." \
    "Install the equivalents of packages.txt by hand, then build with: cmake --preset release && cmake --build build"
fi

mapfile -t packages < <(missing)
if [[ "${1:-}" == "--missing" ]]; then
  ((${#packages[@]} == 0)) || printf '%s\n' "${packages[@]}"
  exit 0
fi
((${#packages[@]} == 0)) && exit 0

command -v apt-get >/dev/null ||
  die "missing packages: ${packages[*]}" "apt-get is not here to install them; install them by hand and run this again."

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    die "missing packages: ${packages[*]}" "installing needs root and there is no sudo; as root, run: apt-get install ${packages[*]}"
  as_root=(sudo)
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }

echo "setup: installing ${packages[*]}"
apt update --quiet || echo "setup: apt-get update failed (is the network there?); trying with the lists that are here" >&2
apt install --yes --quiet --no-install-recommends "${packages[@]}" ||
  die "apt-get could not install: ${packages[*]}" "The list is packages.txt; its names are those of Debian 12 (bookworm)."

mapfile -t packages < <(missing)
((${#packages[@]} == 0)) || die "still missing after the installation: ${packages[*]}"
