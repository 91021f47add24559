#!/usr/bin/env bash
# Installs the Debian 12 packages that Senet is built with, if any is missing; needs root or sudo then.
# Names given as arguments are installed as well: tools/install_packages.sh clang-format
# --with-gnubg as the first argument: GNU Backgammon too, which judges in tests (docs/strength.md), where it can be
# installed; elsewhere it is loudly done without.
set -euo pipefail

wants_gnubg=0
if [[ ${1-} == --with-gnubg ]]; then
  wants_gnubg=1
  shift
fi

# docs/dependencies.md says what each is for.
packages=(
  g++ cmake ninja-build pkg-config git
  libdnnl-dev
  ocl-icd-opencl-dev # oneDNN's CMake file asks for it; nothing of ours does
  libopenblas-dev libboost-context-dev libmimalloc-dev libabsl-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev libxxhash-dev libzstd-dev libexpected-dev libcpp-httplib-dev libgtest-dev libbenchmark-dev
  "$@"
)

fail() {
  echo "install_packages: $*" >&2
  exit 1
}

# shellcheck source=/dev/null
system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
if [[ "$system" != "debian 12" ]]; then
  fail "this system is \"${system:-unknown}\", not Debian 12. Install what matches ${packages[*]}" \
    "and build with: cmake --preset release && cmake --build --preset release"
fi

is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null || true) == installed ]]
}
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
judge=()
((wants_gnubg == 0)) || is_installed gnubg || judge=(gnubg)
if ((${#missing[@]} + ${#judge[@]} == 0)); then
  echo "packages: all ${#packages[@]} are there"
  exit 0
fi

without_judge() {
  echo "install_packages: WARNING: gnubg could not be installed ($*);" \
    "tests against GNU Backgammon will be SKIPPED" >&2
}
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    ((${#missing[@]} == 0)) || fail "run this as root, or install sudo, to install: ${missing[*]}"
    without_judge "neither root nor sudo"
    exit 0
  fi
  as_root=(sudo)
fi
echo "packages: installing" "${missing[@]}" "${judge[@]}"
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
    -o Dpkg::Use-Pty=0 "$@"
}
if ! apt_get update >/dev/null; then
  ((${#missing[@]} == 0)) || fail "apt-get update failed: is the network there?"
  without_judge "apt-get update failed"
  exit 0
fi
if ((${#missing[@]} > 0)); then
  apt_get install --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
fi
if ((${#judge[@]} > 0)); then
  apt_get install --no-install-recommends "${judge[@]}" >/dev/null || without_judge "apt-get install failed"
fi
