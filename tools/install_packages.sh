#!/usr/bin/env bash
# Installs the missing Debian 12 packages that Senet is built with; this needs root or sudo.
# Also installs packages named as arguments: tools/install_packages.sh clang-format
# --for-tests as the first argument also installs the optional programs of some tests: GNU
# Backgammon as the judge (docs/strength.md), Matplotlib for plots, a browser and a load generator
# for the example server, and clang for hosts of libsenet. If one of them cannot be installed, the
# script prints a warning and succeeds.
# --for-arm64 as the first argument installs what the arm64 preset needs: a cross compiler, an
# emulator and libraries of that architecture.
set -euo pipefail

helpers=()
if [[ ${1-} == --for-tests ]]; then
  helpers=(gnubg python3 python3-matplotlib chromium chromium-driver wrk clang)
  shift
fi
foreign=()
if [[ ${1-} == --for-arm64 ]]; then
  foreign=(g++-aarch64-linux-gnu qemu-user libfmt-dev:arm64 libgtest-dev:arm64)
  shift
fi

# docs/dependencies.md describes the purpose of each package.
packages=(
  g++ cmake ninja-build pkg-config git
  libdnnl-dev
  ocl-icd-opencl-dev # required by oneDNN's CMake file only
  libboost-fiber-dev libmimalloc-dev libabsl-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev libxxhash-dev libzstd-dev libgtest-dev libbenchmark-dev
  "${foreign[@]}" "$@"
)

fail() {
  echo "install_packages: $*" >&2
  exit 1
}

# shellcheck source=/dev/null
system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
if [[ "$system" != "debian 12" ]]; then
  fail "this system is \"${system:-unknown}\", not Debian 12. Install the equivalents of ${packages[*]}" \
    "and build with: cmake --preset release && cmake --build --preset release"
fi

# is_installed PACKAGE or PACKAGE:ARCHITECTURE; dpkg-query lists a package once per architecture.
native=$(dpkg --print-architecture)
is_installed() {
  local architecture=$native
  [[ $1 != *:* ]] || architecture=${1#*:}
  dpkg-query --show --showformat='${Architecture} ${db:Status-Status}\n' "$1" 2>/dev/null |
    grep -qxE "($architecture|all) installed"
}
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
missing_helpers=()
for package in "${helpers[@]}"; do
  is_installed "$package" || missing_helpers+=("$package")
done
if ((${#missing[@]} + ${#missing_helpers[@]} == 0)); then
  echo "packages: all ${#packages[@]} are installed"
  exit 0
fi

without() { # REASON PACKAGE...
  echo "install_packages: WARNING: ${*:2} could not be installed ($1); the tests that need them will be SKIPPED" >&2
}
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    ((${#missing[@]} == 0)) || fail "missing packages: ${missing[*]}; run as root or install sudo"
    without "neither root nor sudo" "${missing_helpers[@]}"
    exit 0
  fi
  as_root=(sudo)
fi
echo "packages: installing" "${missing[@]}" "${missing_helpers[@]}"
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
    -o Dpkg::Use-Pty=0 "$@"
}
if ((${#foreign[@]} > 0)); then "${as_root[@]}" dpkg --add-architecture arm64; fi
if ! apt_get update >/dev/null; then
  ((${#missing[@]} == 0)) || fail "apt-get update failed: check the network connection"
  without "apt-get update failed" "${missing_helpers[@]}"
  exit 0
fi
if ((${#missing[@]} > 0)); then
  apt_get install --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
fi
for package in "${missing_helpers[@]}"; do
  apt_get install --no-install-recommends "$package" >/dev/null || without "apt-get install failed" "$package"
done
