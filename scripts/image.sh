#!/usr/bin/env bash
# Builds the image without Docker, to test the Dockerfile where there is none: runs its
# steps in folders below FOLDER, each a Debian made by debootstrap, then the entry point
# as the image's user, on the devices and on a file. Needs root, the packages debootstrap
# and python3, and this machine's Go, which stands in for the one of the base image.
# Takes some minutes.
#
#     bash scripts/image.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'image: %s\n' "$*" >&2
  exit 1
}
[ $# -eq 1 ] || fail "usage: image.sh FOLDER"
folder=$(mkdir -p "$1" && realpath "$1")
go mod download # the stage takes modules from this machine: it may not know its network's certificates
goroot=$(go env GOROOT)
modules=$(go env GOMODCACHE)

# Mounts are private to this process and end with it.
[ "${IN_NAMESPACE:-}" = 1 ] || IN_NAMESPACE=1 exec unshare --mount --propagation private bash scripts/image.sh "$folder"

bind() { # bind FOLDER_HERE FOLDER_THERE
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
}

stage=0 root='' dir=/ user=root variables=()
# shellcheck disable=SC2016 # the inner shell's variables
inside() { # inside COMMAND...: in the stage, by its user, in its folder
  chroot --userspec="$user" "$root" /usr/bin/env -i HOME="/home/$user" \
    PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
    "${variables[@]}" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@"
}

from() {
  stage=$((stage + 1)) root=$folder/stage$((stage)) dir=/ user=root variables=()
  local base name=${3:-}
  base=$(grep -oE 'bookworm|trixie' <<<"$1") || fail "not a Debian known here: $1"
  if [ ! -e "$folder/$base/etc/debian_version" ]; then
    debootstrap --variant=minbase "$base" "$folder/$base" >"$folder/debootstrap.log" ||
      fail "debootstrap failed: $folder/debootstrap.log"
  fi
  [ ! -e "$root" ] || fail "$root is there already; name another folder, or remove it"
  cp -a "$folder/$base" "$root"
  [ -z "$name" ] || ln -sfn "$root" "$folder/$name"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  [ ! -d /etc/apt/apt.conf.d ] || cp -n /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  bind /proc /proc
  bind /dev /dev
  case $1 in golang:*)
    bind "$goroot" /usr/local/go
    bind "$modules" /modules
    variables=(GOMODCACHE=/modules GOCACHE=/tmp/cache "GOPROXY=$(go env GOPROXY)" GOFLAGS=-buildvcs=false)
    ;;
  esac
}

copy() { # copy [--from=STAGE] SOURCE... TARGET/
  local from=. target=${*: -1}
  case $1 in --from=*)
    from=$(realpath "$folder/${1#--from=}")
    shift
    ;;
  esac
  mkdir -p "$root$target"
  local source
  for source in "${@:1:$#-1}"; do
    if [ "$source" = . ]; then
      tar -c --exclude-vcs --exclude=./bin --exclude=./vkops . | tar -x -C "$root$target"
    else
      cp -a "$from/$source" "$root$target"
    fi
  done
}

entry=() arguments=()
strings() { python3 -c 'import json, sys; print("\n".join(json.loads(sys.argv[1])))' "$1"; }
while read -r word rest; do
  printf '== %s %s\n' "$word" "$rest"
  # shellcheck disable=SC2086 # the words of a line
  case $word in
  FROM) from $rest ;;
  COPY) copy $rest ;;
  RUN) inside sh -c "$rest" </dev/null ;;
  ENV) variables+=("$rest") ;;
  USER) user=$rest ;;
  WORKDIR) dir=$rest && mkdir -p "$root$rest" ;;
  ENTRYPOINT) mapfile -t entry < <(strings "$rest") ;;
  CMD) mapfile -t arguments < <(strings "$rest") ;;
  *) fail "no such step here: $word" ;;
  esac
done < <(grep -Ev '^(#|$)' Dockerfile)

printf '== as %s: %s\n' "$user" "${entry[*]} ${arguments[*]}"
[ "$user" != root ] || fail "the image runs as root"
inside "${entry[@]}" "${arguments[@]}"
sample=tests/testdata/spec/test_cumsum_1d
mkdir "$root/sample" && cp -r "$sample"/* "$root/sample/" && chmod -R a+rwX "$root/sample"
dir=/sample/test_data_set_0
inside "${entry[@]}" run ../model.onnx -i input_0.pb -i input_1.pb -o y.pb
cmp "$root$dir/y.pb" "$root$dir/output_0.pb" && echo "image: the result is right"
