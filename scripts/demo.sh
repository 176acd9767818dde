#!/usr/bin/env bash
# Sets up, builds, lists the devices, scores a text with a letter model made of
# four operators, checks the device against the CPU, and measures it.
# VKOPS_DEVICE chooses another device than the default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n== %s\n' "$*"; }

step "set-up and build"
bash scripts/setup.sh
go build -o bin/vkops ./cmd/vkops
vkops=$PWD/bin/vkops

step "devices"
"$vkops" devices

step "a letter model of the beginning of Alice in Wonderland (examples/bigram)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go run ./examples/bigram "$folder"

step "its operators from the command line: on the device, on the CPU, every bit the same"
both() { # both NAME ARGUMENTS...: runs on the default device and on the twin
  local name=$1
  shift
  "$vkops" run "$@" -o "$folder/$name.npy"
  "$vkops" run "$@" -o "$folder/$name.cpu.npy" --device cpu >/dev/null
  cmp "$folder/$name.npy" "$folder/$name.cpu.npy"
}
both logits log1p -i "$folder/counts.npy"
both sums logcumsumexp --axis 1 -i "$folder/logits.npy"
both loss nll -i "$folder/logprobs.npy" -i "$folder/labels.npy"
both running cumsum --axis 0 -i "$folder/losses.npy"
echo "4 results, each byte for byte the same on the CPU"

step "conformance cases"
"$vkops" test tests/testdata | tail -n 1

step "verification"
"$vkops" verify

step "times for 4,194,304 elements"
"$vkops" bench --op cumsum,logcumsumexp,log1p --shape 4194304
"$vkops" bench --op nll --shape 4096x1024
