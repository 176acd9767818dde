#!/usr/bin/env bash
# Proves the error bounds of docs/accuracy.md: Log1p on all float32 and all 16-bit
# inputs, everything else on many inputs that strain it. Prints the worst input of each
# proof, fails where a bound is broken. Takes some minutes on two cores.
#
#     bash scripts/prove.sh                       # on the default device
#     bash scripts/prove.sh -device cpu           # on the CPU twin
#     bash scripts/prove.sh -only log1p           # some of the proofs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec go run ./tests/prove "$@"
