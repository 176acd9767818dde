#!/usr/bin/env bash
# Installs what this machine lacks to run, build or test vkops:
#
#     bash scripts/setup.sh            # all of it
#     bash scripts/setup.sh --build    # to build: Go is there, a C compiler, the shader tools
#     bash scripts/setup.sh --run      # to run a built vkops: the Vulkan loader and lavapipe,
#                                      # Mesa's Vulkan device in software
#
# Does nothing, and needs neither network nor root, where all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

build=1 run=1 test=1
case "${1:-}" in
"") ;;
--build) run=0 test=0 ;;
--run) build=0 test=0 ;;
*) fail "usage: setup.sh [--build | --run]" ;;
esac

missing=()
need() { # need PACKAGE CHECK...: notes the package where the check fails
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
compiles() { echo '#include <stdio.h>' | gcc -fsyntax-only -x c -; }
loader() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -F libvulkan.so.1; }
certificates() { # where Go looks for them
  [ -n "${SSL_CERT_FILE:-}" ] || a_file '/etc/ssl/certs/ca-certificates.crt' || a_file '/etc/pki/tls/certs/ca-bundle.crt' ||
    a_file '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem' || a_file '/etc/ssl/cert.pem'
}
a_file() { compgen -G "$1"; }
numpy() { python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy'; }

# Go is not installed from here: distributions carry versions that are too old.
need_go() {
  local need have
  need=$(awk '$1 == "go" { print $2 }' go.mod)
  command -v go >/dev/null || fail "Go is not installed; vkops needs Go $need or newer: https://go.dev/dl/"
  have=$(go env GOVERSION 2>/dev/null) || fail "'go env' failed; vkops needs Go $need or newer: https://go.dev/dl/"
  have=${have#go}
  [ "$(printf '%s\n%s\n' "$need" "${have%% *}" | sort -V | head -n 1)" = "$need" ] ||
    fail "Go $have is too old; vkops needs Go $need or newer: https://go.dev/dl/"
}

if [ $build = 1 ]; then
  need_go
  need ca-certificates certificates # to fetch modules
  need gcc command -v gcc
  need libc6-dev compiles
  need glslang-tools command -v glslangValidator
  need spirv-tools command -v spirv-val
fi
if [ $run = 1 ]; then
  need libvulkan1 loader
  need mesa-vulkan-drivers a_file '/usr/share/vulkan/icd.d/lvp_icd*.json'
fi
if [ "${1:-}" = --run ]; then # NVIDIA's driver, passed into a container, loads these
  need libxext6 a_file '/usr/lib/*/libXext.so.6'
  need libegl1 a_file '/usr/lib/*/libEGL.so.1'
fi
if [ $test = 1 ]; then
  need libvulkan-dev a_file /usr/include/vulkan/vulkan_core.h
  need vulkan-validationlayers a_file '/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation*.json'
  need shellcheck command -v shellcheck
  need python3-numpy numpy # the README makes an array with it
fi

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install"
  exit 0
fi

command -v apt-get >/dev/null ||
  fail "missing: ${missing[*]} (Debian's package names); this script installs them on Debian and Ubuntu only"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "missing: ${missing[*]}; installing them needs root or sudo"
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q -o Acquire::Retries=3 </dev/null ||
  echo "setup: apt-get update failed; trying with the package lists that are here" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y -o Acquire::Retries=3 --no-install-recommends "${missing[@]}" </dev/null ||
  fail "apt-get could not install ${missing[*]}"
echo "setup: done"
