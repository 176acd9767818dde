#!/usr/bin/env bash
# Compiles every kernel of variants.txt to spv/ and validates it; stops at the first
# error. With --check compares with the committed spv/ instead of replacing it.
# Needs glslangValidator (Debian: glslang-tools), spirv-opt and spirv-val (spirv-tools).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case "${1:-}" in
"" | --check) ;;
*)
    echo "usage: build.sh [--check]" >&2
    exit 2
    ;;
esac

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

build_variant() { # OUT KERNEL OPERATOR TYPE
    local out=$1 kernel=$2 name=$2 defines=()
    if [ "$3" != - ]; then
        name+="_$3"
        defines+=("-DOP_${3^^}")
    fi
    if [ "$4" != - ]; then
        name+="_$4"
        defines+=("-DDTYPE_${4^^}")
    fi
    # The compiler reports on stdout, beside the name of the file. A warning is an error.
    if ! glslangValidator --target-env vulkan1.1 -Iinclude "${defines[@]}" -o "$out/$name.spv" "$kernel.comp" >"$out/$name.log" ||
        grep -q '^WARNING' "$out/$name.log"; then
        echo "$name:" >&2
        cat "$out/$name.log" >&2
        return 255 # makes xargs stop
    fi
    # Inlined and without variables SwiftShader compiles it in a sixth of the time. NoContraction
    # keeps floats as they are; merge-return comes first, since inlining needs it.
    spirv-opt --target-env=vulkan1.1 --preserve-bindings --preserve-spec-constants --merge-return -O \
        "$out/$name.spv" -o "$out/$name.opt" >"$out/$name.log" || return 255
    mv "$out/$name.opt" "$out/$name.spv"
    spirv-val --target-env vulkan1.1 "$out/$name.spv" || return 255
    rm "$out/$name.log"
}
export -f build_variant

sed -e 's/#.*//' -e '/^[[:space:]]*$/d' variants.txt |
    xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'build_variant "$@"' build_variant "$out"
# Captured first: a closed pipe would end the compiler with an error.
for tool in glslangValidator spirv-opt; do
    version=$($tool --version 2>&1)
    head -n 1 <<<"$version"
done >"$out/VERSION"

if [ "${1:-}" = --check ]; then
    diff -rq spv "$out"
    echo "spv/ is up to date"
else
    mkdir -p spv
    rm -f spv/*
    cp "$out"/* spv/
    echo "$(find spv -name '*.spv' | wc -l) kernels, $(cat spv/*.spv | wc -c) bytes"
fi
