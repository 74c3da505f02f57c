#!/usr/bin/env bash
# Installs what building Godwit from source needs and npm can't bring: compilers for the native addons
# (MsQuic, FUSE), and what the end-to-end tests use. For Debian and Ubuntu; needs root.
# It is safe to run again. `--list` only says what it would install.
set -euo pipefail

# build-essential: C compiler and linker. cmake: MsQuic. pkg-config: finds libraries.
# fuse3: fusermount3, for mounts. xfsprogs, btrfs-progs, dosfstools, exfatprogs, exfat-fuse, ntfs-3g: other disks, for tests.
# iproute2: network changes in tests. git: repositories in synced folders, in tests.
# acl, attr, libcap2-bin: access lists, extended attributes and capabilities of files, in tests.
packages=(build-essential cmake pkg-config fuse3 iproute2 git ca-certificates
  xfsprogs btrfs-progs dosfstools exfatprogs exfat-fuse ntfs-3g acl attr libcap2-bin)

# rust-version of the addon. A cargo that is there is left alone; else the distribution's, where it is new enough.
readonly OLDEST_CARGO=88

cargo_is_new_enough() {
  local minor
  minor=$(cargo --version 2>/dev/null | sed -nE 's/^cargo 1\.([0-9]+)\..*/\1/p')
  [ -n "$minor" ] && [ "$minor" -ge "$OLDEST_CARGO" ]
}

distribution_cargo_is_new_enough() {
  local minor
  minor=$(apt-cache policy cargo 2>/dev/null | sed -nE 's/.*Candidate: 1\.([0-9]+)\..*/\1/p')
  [ -n "$minor" ] && [ "$minor" -ge "$OLDEST_CARGO" ]
}

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done

if [ "${1:-}" = "--list" ]; then
  echo "packages: ${packages[*]}"
  echo "missing: ${missing[*]:-none}"
  cargo_is_new_enough && echo "cargo: $(cargo --version)" || echo "cargo: 1.$OLDEST_CARGO or newer is missing"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "godwit: this is not Debian or Ubuntu. Install the like of: ${packages[*]}, and Rust 1.$OLDEST_CARGO or newer." >&2
  exit 1
fi

if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "godwit: installing ${missing[*]} needs root: run 'sudo $0'." >&2
    exit 1
  fi
  echo "Installing ${missing[*]} ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >/dev/null
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! cargo_is_new_enough; then
  if [ "$(id -u)" -eq 0 ] && distribution_cargo_is_new_enough; then
    echo "Installing cargo ..."
    apt-get install -y -qq --no-install-recommends cargo >/dev/null
  else
    echo "godwit: Rust 1.$OLDEST_CARGO or newer is missing. Install it with rustup (rust-lang.org), then run this again." >&2
    exit 1
  fi
fi
echo "All prerequisites are installed."
