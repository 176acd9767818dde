#!/usr/bin/env bash
# Installs what building and testing vkops needs and this machine lacks:
# a C compiler, the Vulkan loader, a software Vulkan device (Mesa's lavapipe),
# the GLSL compiler, the SPIR-V checker, the Vulkan headers and the validation
# layers. Does nothing, and needs neither network nor root, where all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# Go is not installed from here: distributions carry versions that are too old.
need_go=$(awk '$1 == "go" { print $2 }' go.mod)
command -v go >/dev/null || fail "Go is not installed; vkops needs Go $need_go or newer: https://go.dev/dl/"
have_go=$(go env GOVERSION 2>/dev/null) || fail "'go env' failed; vkops needs Go $need_go or newer: https://go.dev/dl/"
have_go=${have_go#go}
oldest=$(printf '%s\n%s\n' "$need_go" "${have_go%% *}" | sort -V | head -n 1)
[ "$oldest" = "$need_go" ] || fail "Go $have_go is too old; vkops needs Go $need_go or newer: https://go.dev/dl/"

missing=()
need() { # need PACKAGE CHECK...: notes the package where the check fails
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
compiles() { echo '#include <stdio.h>' | gcc -fsyntax-only -x c -; }
loader() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -F libvulkan.so.1; }
a_file() { compgen -G "$1"; }

need gcc command -v gcc
need libc6-dev compiles
need libvulkan1 loader
need mesa-vulkan-drivers a_file '/usr/share/vulkan/icd.d/lvp_icd*.json'
need glslang-tools command -v glslangValidator
need spirv-tools command -v spirv-val
need libvulkan-dev a_file /usr/include/vulkan/vulkan_core.h
need vulkan-validationlayers a_file '/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation*.json'

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install (Go $have_go)"
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
"${as_root[@]}" apt-get update -q </dev/null ||
  echo "setup: apt-get update failed; trying with the package lists that are here" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null ||
  fail "apt-get could not install ${missing[*]}"
echo "setup: done"
