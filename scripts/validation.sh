#!/usr/bin/env bash
# Runs tests with Khronos' validation layer in every Vulkan instance that they
# open, synchronization checks included. A message ends the test where it is
# found: it is printed, and a trap shows what the goroutines were doing.
# Arguments are those of go test:
#
#     bash scripts/validation.sh -short ./host ./tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/vk_layer_settings.txt" <<'SETTINGS'
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG,VK_DBG_LAYER_ACTION_BREAK
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = stdout
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
SETTINGS
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation

if go test -count=1 -run '^TestValidationReports$' ./gpu >"$folder/provoked" 2>&1 ||
  ! grep -q "SIGTRAP" "$folder/provoked"; then
  cat "$folder/provoked"
  echo "validation: a barrier left out on purpose went unnoticed" >&2
  exit 1
fi
# The layer's synchronization checks keep 4 kB of each call for themselves, which would
# be taken for the library's.
go test -count=1 -skip '^(TestValidationReports|TestCallsLeakNothing)$' "$@"
