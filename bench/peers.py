#!/usr/bin/env python3
"""Measures vkops and other libraries on the same shapes, in turns in one run.

    bench/peers.py --preset targets
    bench/peers.py --peer torch --rounds 9 -- --op logcumsumexp --shape 4096x4096 --axis 0,1

What it does not know goes to 'vkops bench', whose help lists the flags. Each round
measures everything once; the figures are medians. Ratios above 1 say how many times
faster vkops is, with tensors on its device, than the peer on the CPU.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HOW = "apt-get install python3-{} (Debian), or leave it out with --peer {}"


def fail(message):
    sys.exit(f"peers.py: {message}")


class Torch:
    """PyTorch on the CPU, writing into an existing tensor where it can."""

    def __init__(self, threads):
        import torch

        self.torch = torch
        torch.set_num_threads(threads)
        self.version = f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads"

    def prepare(self, case):
        t, attrs = self.torch, case["attrs"]
        if case["dtype"] not in ("float16", "bfloat16", "float32", "float64", "int32", "int64"):
            return None
        dtype = getattr(t, case["dtype"])
        if dtype.is_floating_point:
            x = (t.rand(case["shape"], dtype=t.float32) * 2 - 1).to(dtype)
        else:
            x = t.randint(-(2**31), 2**31 - 1, case["shape"], dtype=dtype)
        out = t.empty_like(x)
        if case["op"] == "cumsum" and not attrs["exclusive"] and not attrs["reverse"]:
            return lambda: t.cumsum(x, attrs["axis"], dtype=dtype, out=out)
        if case["op"] == "logcumsumexp":
            return lambda: t.logcumsumexp(x, attrs["axis"], out=out)
        if case["op"] == "log1p":
            return lambda: t.log1p(x, out=out)
        if case["op"] == "nll":
            labels = t.randint(0, case["shape"][1], [case["shape"][0], *case["shape"][2:]])
            weight = t.rand(case["shape"][1], dtype=dtype) if len(case["inputs"]) > 2 else None
            ignored = attrs.get("ignore_index", -100)
            return lambda: t.nn.functional.nll_loss(x, labels, weight, reduction=attrs["reduction"], ignore_index=ignored)
        return None


class Numpy:
    """NumPy, which runs on one core."""

    def __init__(self, threads):
        import numpy

        self.np = numpy
        self.version = f"NumPy {numpy.__version__}, 1 thread"

    def prepare(self, case):
        np, attrs = self.np, case["attrs"]
        if case["dtype"] == "bfloat16":
            return None
        dtype = np.dtype(case["dtype"])
        random = np.random.default_rng(1)
        if dtype.kind == "f":
            x = (random.random(case["shape"], dtype=np.float32) * 2 - 1).astype(dtype)
        else:
            x = random.integers(0, 2**31 - 1, case["shape"]).astype(dtype)
        out = np.empty_like(x)
        if case["op"] == "cumsum" and not attrs["exclusive"] and not attrs["reverse"]:
            return lambda: np.cumsum(x, attrs["axis"], dtype=dtype, out=out)
        if case["op"] == "logcumsumexp":
            return lambda: np.logaddexp.accumulate(x, attrs["axis"], out=out)
        if case["op"] == "log1p":
            return lambda: np.log1p(x, out=out)
        return None


PEERS = {"torch": Torch, "numpy": Numpy}


class Vkops:
    """vkops bench --serve: an answer for each command."""

    def __init__(self, path, arguments):
        try:
            self.process = subprocess.Popen([path, "bench", "--serve", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as e:
            fail(f"{path}: {e.strerror}; build it with: go build -o bin/vkops ./cmd/vkops")

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            fail(f"vkops ended with code {self.process.wait()}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def clocked(run):
    start = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start


def measure(vkops, case, peers, rounds, seconds):
    """One case: a warm-up, then rounds in turns."""
    runs, broken = {}, {}
    for name, peer in peers.items():
        try:
            if run := peer.prepare(case):
                run()
                runs[name] = run
        except (RuntimeError, NotImplementedError) as e:  # a type that it lacks
            broken[name] = str(e).splitlines()[0]
    vkops.ask("round")
    vkops.ask("reset")
    samples = {name: [] for name in runs}
    start, done = time.monotonic(), 0
    while done < rounds or (seconds and time.monotonic() - start < seconds and done < 1000):
        vkops.ask("round")
        for name, run in runs.items():
            samples[name].append(clocked(run))
        done += 1
    result = vkops.ask("result")
    result["peers"] = {name: int(statistics.median(samples[name])) if name in runs else None for name in peers}
    return result, broken


def milliseconds(ns):
    return "-" if ns is None else f"{ns / 1e6:.3g} ms" if ns >= 1e5 else f"{ns / 1e3:.3g} us"


def times(a, b):
    return "-" if a is None or b is None else f"{a / b:.2f}x"


def title(case):
    attrs = [k if v is True else f"{k}={v}" for k, v in case["attrs"].items() if v is not False]
    return " ".join([case["op"], *attrs, case["dtype"], "x".join(map(str, case["shape"])) or "scalar"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vkops", default=os.path.join(os.path.dirname(__file__), "..", "bin", "vkops"), help="the program (default: bin/vkops)")
    parser.add_argument("--peer", action="append", choices=PEERS, help="only this library; may be repeated (default: all)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of PyTorch (default: all cores)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds at least")
    parser.add_argument("--seconds", type=float, default=0, help="more rounds until so long has passed, 1,000 at most")
    parser.add_argument("--json", action="store_true", help="print the lines of 'vkops bench --json' with a field more, peers")
    args, rest = parser.parse_known_args()
    rest = [a for a in rest if a != "--"]

    peers = {}
    for name in args.peer or PEERS:
        try:
            peers[name] = PEERS[name](args.threads)
        except ImportError as e:
            others = " --peer ".join(p for p in PEERS if p != name)
            fail(f"{name} is not installed for {sys.executable} ({e}): " + HOW.format(name, others))
    log = sys.stderr if args.json else sys.stdout
    print("with " + "; ".join(p.version for p in peers.values()), file=log, flush=True)

    vkops = Vkops(args.vkops, rest)
    while case := vkops.ask("next"):
        result, broken = measure(vkops, case, peers, args.rounds, args.seconds)
        if args.json:
            print(json.dumps(result), flush=True)
            continue
        print(f"{title(result)} on {result['device']}, {result['rounds']} rounds")
        ours = result["resident_ns"]
        print(f"    vkops {milliseconds(ours)}, copy {milliseconds(result['copy_ns'])} ({times(ours, result['copy_ns'])}), twin {milliseconds(result['cpuref_ns'])}")
        for name, ns in result["peers"].items():
            note = f"  {broken[name]}" if name in broken else ""
            print(f"    {name} {milliseconds(ns)}: vkops is {times(ns, ours)} as fast{note}", flush=True)
    vkops.close()


if __name__ == "__main__":
    main()
