#!/usr/bin/env bash
# Sets up, then runs every check: format, vet, builds for other systems, all
# tests on every Vulkan device of this machine, the race detector, the linters.
# The first failing step ends it. Arguments narrow the tests to those packages:
#
#     bash scripts/test.sh ./gpu ./host
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A change of this pin is a change of what is checked: on purpose, not by "latest".
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
staticcheck_needs=go1.26

step_name=
begin=$SECONDS
step() {
  step_name=$1
  printf '\n== %s (%d s so far)\n' "$step_name" $((SECONDS - begin))
}
trap '[ $? -eq 0 ] || printf "\ntest: failed in step: %s\n" "$step_name" >&2' EXIT

step "set-up"
bash scripts/setup.sh

packages=("$@")
[ $# -gt 0 ] || packages=(./...)

step "format (gofmt)"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
  printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
  exit 1
fi

step "build and vet"
[ "$(go env CGO_ENABLED)" = 1 ] || { echo "cgo is off: without it no Vulkan device can be used" >&2; exit 1; }
go build ./...
go vet ./...

step "builds without cgo: linux, windows, darwin"
for system in linux windows darwin; do
  echo "$system"
  CGO_ENABLED=0 GOOS=$system go build ./...
done
CGO_ENABLED=0 go vet ./...

# -count=1: a driver is no input that the test cache would notice.
step "tests"
go test -count=1 -shuffle=on -timeout 20m "${packages[@]}"

step "tests under the race detector (-short)"
go test -count=1 -shuffle=on -timeout 20m -race -short "${packages[@]}"

step "staticcheck"
have_go=$(go env GOVERSION)
if [ "$(printf '%s\n%s\n' "$staticcheck_needs" "${have_go%% *}" | sort -V | head -n 1)" = "$staticcheck_needs" ]; then
  go run "$staticcheck" ./...
else
  echo "SKIPPED: $staticcheck needs $staticcheck_needs, this is $have_go"
fi

step "shellcheck"
shellcheck -S warning scripts/*.sh shaders/*.sh .ci/run

step "the example with GoMLX, a module of its own"
if (cd examples/gomlx && go mod download); then
  (cd examples/gomlx && go vet . && go test -count=1 .)
else
  echo "SKIPPED: its modules cannot be fetched"
fi

printf '\ntest: all steps passed in %d s\n' $((SECONDS - begin))
