#!/usr/bin/env bash
# Sets up, then runs every check: format, vet, builds for other systems, all
# tests on every Vulkan device of this machine, the race detector, the linters.
# The first failing step ends it. Arguments narrow the tests to those packages:
#
#     bash scripts/test.sh ./gpu ./host
#
# What this machine cannot run is SKIPPED, and named at the end. Where CI is set,
# as services for continuous integration do, that is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/steps.sh

# A change of this pin is a change of what is checked: on purpose, not by "latest".
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
staticcheck_needs=go1.26

skipped=()
cannot() { # cannot REASON: the step cannot run here
  [ -z "${CI:-}" ] || { echo "test: CI is set, nothing may be skipped: $1" >&2 && exit 1; }
  echo "SKIPPED: $1"
  skipped+=("SKIPPED: $step_name")
}
patiently() { # patiently COMMAND...: networks fail at times
  "$@" || { sleep 5 && "$@"; } || { sleep 20 && "$@"; }
}

step "set-up"
bash scripts/setup.sh
patiently go mod download

packages=("$@")
[ $# -gt 0 ] || packages=(./...)

step "format (gofmt)"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
  printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
  exit 1
fi

step "shellcheck"
shellcheck -S warning scripts/*.sh shaders/*.sh bench/*.sh .ci/run

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

step "staticcheck"
have_go=$(go env GOVERSION)
if [ "$(printf '%s\n%s\n' "$staticcheck_needs" "${have_go%% *}" | sort -V | head -n 1)" = "$staticcheck_needs" ]; then
  patiently go run "$staticcheck" -version
  go run "$staticcheck" ./...
else
  cannot "$staticcheck needs $staticcheck_needs, this is $have_go"
fi

# -count=1: a driver is no input that the test cache would notice. -vet=off: done above.
step "tests"
go test -count=1 -vet=off -shuffle=on -timeout 20m "${packages[@]}"

# Packages that start goroutines, share or cast memory, in their code or their tests.
# Those without have nothing that the detector could see.
step "tests under the race detector (-short)"
mapfile -t racing < <(
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "${packages[@]}" |
    while read -r package dir; do
      ! grep -qE '^[[:space:]]+go |"(unsafe|sync|sync/atomic|os/signal)"|\.Parallel\(\)' "$dir"/*.go || echo "$package"
    done
)
[ ${#racing[@]} -eq 0 ] || go test -count=1 -vet=off -shuffle=on -timeout 20m -race -short "${racing[@]}"

step "the example with GoMLX, a module of its own"
cd examples/gomlx
if patiently go mod download; then
  go vet . && go test -count=1 .
else
  cannot "its modules cannot be fetched"
fi
cd ../..

steps_passed test
[ ${#skipped[@]} -eq 0 ] || printf '%s\n' "${skipped[@]}"
