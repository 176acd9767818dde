#!/usr/bin/env bash
# Brings a second, independent Vulkan implementation: SwiftShader, which Debian
# ships inside its chromium-common package. Only the driver and its description
# are unpacked, into a cache folder; no browser is installed and nothing is
# written elsewhere. Prints the path of the driver's description, to be used as
#
#     VK_DRIVER_FILES=$(bash scripts/swiftshader.sh) vkops devices
#
# (VK_ICD_FILENAMES with loaders before 1.3.207). The folder is
# $VKOPS_SWIFTSHADER, by default ~/.cache/vkops/swiftshader.
set -euo pipefail

fail() {
  printf 'swiftshader: %s\n' "$*" >&2
  exit 1
}

folder=${VKOPS_SWIFTSHADER:-${XDG_CACHE_HOME:-$HOME/.cache}/vkops/swiftshader}
description=$folder/vk_swiftshader_icd.json
library=$folder/libvk_swiftshader.so

if [ -s "$description" ] && [ -s "$library" ]; then
  echo "$description"
  exit 0
fi

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null ||
    fail "$tool is not here: the driver comes from Debian's chromium-common package"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
download() { (cd "$work" && apt-get download -q -o Acquire::Retries=3 -o APT::Sandbox::User=root chromium-common </dev/null >&2); }
if ! download; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -q -o Acquire::Retries=3 </dev/null >&2 || echo "swiftshader: apt-get update failed" >&2
  download || fail "no package chromium-common to download on this system"
fi

dpkg-deb --fsys-tarfile "$work"/chromium-common_*.deb |
  tar -x -C "$work" --wildcards '*/vk_swiftshader_icd.json' '*/libvk_swiftshader.so' ||
  fail "chromium-common no longer carries vk_swiftshader_icd.json and libvk_swiftshader.so"
found=$(find "$work" -name vk_swiftshader_icd.json -print -quit)

# The library first, each by rename: a description in the folder means that
# both are there. The description names its library by a relative path.
mkdir -p "$folder"
for file in libvk_swiftshader.so vk_swiftshader_icd.json; do
  cp "$(dirname "$found")/$file" "$folder/.$file.$$"
  mv "$folder/.$file.$$" "$folder/$file"
done
echo "$description"
