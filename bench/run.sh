#!/usr/bin/env bash
# Measures the workloads with aims and a sweep of sizes, and writes bench/results/ (the
# figures as JSON, charts as SVG) and bench/RESULTS.md. Leave the machine alone for the
# ten minutes that it takes.
#
#     bash bench/run.sh              # everything
#     bash bench/run.sh targets      # only the workloads with aims; or: sweep, report
#
# VKOPS_DEVICE chooses the device, PYTHON the interpreter that has PyTorch and NumPy.
# BENCH_WITH is put before each measurement, for example "taskset -c 0,1".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-/usr/bin/python3}
results=bench/results
read -r -a with <<<"${BENCH_WITH:-}"
mkdir -p "$results"
go build -o bin/vkops ./cmd/vkops

# peers FILE ARGUMENTS...: the file appears whole or not at all
peers() {
  local file=$results/$1
  shift
  "${with[@]}" "$python" bench/peers.py --json "$@" >"$file.new"
  mv "$file.new" "$file"
}

targets() {
  local op times=resident,end_to_end,copy,cpuref,plain,empty
  for op in cumsum logcumsumexp log1p nll; do
    peers "targets-$op.jsonl" --rounds 5 --preset targets --op "$op" --times "$times"
  done
  "${with[@]}" bin/vkops bench --preset targets --op cumsum --shape 1024 --rounds 1000 --times resident,empty --json >"$results/targets-small.jsonl"
  "${with[@]}" bin/vkops bench --op cumsum --shape 16777216 --rounds 9 --times copy,memcpy --json >"$results/copy.jsonl"
}

sweep() {
  local op
  for op in cumsum logcumsumexp log1p; do
    peers "sweep-$op.jsonl" --rounds 5 --op "$op" --shape 1024,16384,262144,4194304,16777216 --times resident,copy,cpuref,plain
  done
  peers sweep-nll.jsonl --rounds 5 --op nll --weight --shape 64x16,1024x16,16384x16,262144x16,1048576x16 --times resident,copy,cpuref
  for op in cumsum logcumsumexp log1p nll; do
    bin/vkops bench --from "$results/sweep-$op.jsonl" --plot "$results/$op.svg"
  done
}

report() { "$python" bench/report.py "$results" >bench/RESULTS.md.new && mv bench/RESULTS.md.new bench/RESULTS.md; }

case ${1:-all} in
  targets) targets; report ;;
  sweep) sweep; report ;;
  report) report ;;
  all) targets; sweep; report ;;
  *) echo "run.sh: $1 is not targets, sweep or report" >&2; exit 2 ;;
esac
