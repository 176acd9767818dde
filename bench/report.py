#!/usr/bin/env python3
"""Prints bench/RESULTS.md from the lines that run.sh left in a folder."""

import glob
import json
import os
import platform
import subprocess
import sys

from peers import milliseconds, times, title


def lines(pattern):
    for path in sorted(glob.glob(pattern)):
        with open(path) as f:
            yield from (json.loads(line) for line in f)


def processor():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), platform.processor())


def commit():
    """What was measured."""
    found = subprocess.run(["git", "log", "-1", "--format=%h of %cs"], capture_output=True, text=True)
    return f"vkops at {found.stdout.strip()}" if found.returncode == 0 else "vkops"


def versions():
    """Drivers and libraries, as they are now."""
    device = json.loads(subprocess.run(["bin/vkops", "devices", "--json"], check=True, capture_output=True, text=True).stdout)
    found = [f"{d['name']}, {d['driver']}, Vulkan {d['api']}" for d in device if d["default"]]
    found.append(subprocess.run(["go", "version"], check=True, capture_output=True, text=True).stdout.strip())
    for name in ("torch", "numpy"):
        try:
            found.append(f"{name} {__import__(name).__version__}")
        except ImportError:
            found.append(f"{name} not installed")
    return found


def verdict(value, aim, most):
    """A cell: the value, the aim, and whether it was met."""
    if not aim:
        return "" if value is None else f"{value:.2f}x"
    if value is None:
        return "not measured"
    met = value <= aim if most else value >= aim
    cell = f"{value:.2f}x ({'at most' if most else 'at least'} {aim:.2g}x)"
    return cell if met else f"**{cell}: missed**"


def quotient(a, b):
    return a / b if a and b else None


def targets(results):
    cases = {}
    for r in results:
        if r["rounds"] >= cases.get(title(r), r)["rounds"]:
            cases[title(r)] = {**cases.get(title(r), {}), **{k: v for k, v in r.items() if v is not None}}
    print("| workload | vkops | of copy | PyTorch | speed of PyTorch's | NumPy | speed of NumPy's |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    other = []
    for name, r in cases.items():
        aims, peers = r.get("aims", {}), r.get("peers", {})
        ours, torch, numpy = r.get("resident_ns"), peers.get("torch"), peers.get("numpy")
        print(f"| {name} | {milliseconds(ours)} | {verdict(quotient(ours, r.get('copy_ns')), aims.get('of_copy'), True)} "
              f"| {milliseconds(torch)} | {verdict(quotient(torch, ours), aims.get('of_torch'), False)} | {milliseconds(numpy)} | {times(numpy, ours)} |")
        if aims.get("of_empty"):
            other.append((name, f"of an empty submission and its wait ({milliseconds(r.get('empty_ns'))})", quotient(ours, r.get("empty_ns")), aims["of_empty"], True))
        if aims.get("end_to_end"):
            other.append((name, f"slice in, slice out ({milliseconds(r.get('end_to_end_ns'))}), of the resident time", quotient(r.get("end_to_end_ns"), ours), aims["end_to_end"], True))
        if aims.get("twin_of_plain"):
            plain, twin = r.get("plain_ns"), r.get("cpuref_ns")
            other.append((name, f"speed of the twin ({milliseconds(twin)}), of a plain Go loop's ({milliseconds(plain)})", quotient(plain, twin), aims["twin_of_plain"], False))
    print("\n| workload | what | |\n| --- | --- | --- |")
    for name, what, value, aim, most in other:
        print(f"| {name} | {what} | {verdict(value, aim, most)} |")


def main():
    folder = sys.argv[1]
    print("# Measured speeds\n")
    print("`bash bench/run.sh` wrote this page; [docs/performance.md](../docs/performance.md) says how to read it.\n")
    print(f"Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}.", "; ".join([commit(), *versions()]) + ".\n")
    print("Times are medians of rounds in which vkops and the others take turns: tensors on the\ndevice, "
          "submission to fence. PyTorch runs on all cores, NumPy on one. A speed above 1x is\na win of vkops, below 1x a loss. "
          "In brackets the aim; what misses it is set in bold.\n")
    for r in lines(os.path.join(folder, "copy.jsonl")):
        rate = [f"{milliseconds(r[k])} ({r['bytes'] / r[k]:.3g} GB/s)" for k in ("copy_ns", "memcpy_ns")]
        print(f"A copy of {r['bytes'] >> 21} MiB takes {rate[0]} by the fastest copy shader, which is what \"of copy\" means,\n"
              f"and {rate[1]} by vkCmdCopyBuffer.\n")
    print("## Workloads with aims\n")
    targets(lines(os.path.join(folder, "targets-*.jsonl")))
    charts = [c for c in ("cumsum", "logcumsumexp", "log1p", "nll") if os.path.exists(os.path.join(folder, c + ".svg"))]
    if charts:
        print("\n## Time and bandwidth against size")
    for chart in charts:
        print(f"\n![{chart}: time and bandwidth against size](results/{chart}.svg)")
        print("\n| workload | vkops | of copy | twin | PyTorch | NumPy |\n| --- | --- | --- | --- | --- | --- |")
        for r in lines(os.path.join(folder, f"sweep-{chart}.jsonl")):
            ours = r["resident_ns"]
            print(f"| {title(r)} | {milliseconds(ours)} | {times(ours, r['copy_ns'])} | {milliseconds(r['cpuref_ns'])} "
                  f"| {milliseconds(r['peers'].get('torch'))} | {milliseconds(r['peers'].get('numpy'))} |")


if __name__ == "__main__":
    main()
