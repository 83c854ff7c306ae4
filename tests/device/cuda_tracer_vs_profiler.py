#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a machine with NVIDIA GPUs: a small training under the CUDA tracer and torch.profiler at once, compared class by class, and timed with and
without the tracer.

    tests/device/cuda_tracer_vs_profiler.py [--build build/release] [--steps 400] [--world N]

Then once more in exact mode, in a process of its own: two profilers cannot have CUPTI at once.

Passes when
  - direct kernels (launched by PyTorch itself) have the same names and counts, and those of 20 us and more the same median time within 5 %;
  - matrix products and NCCL kernels have the same count of calls, and the same sum of times within 5 %;
  - in exact mode every kernel, copy and memset of the profiler is there, by name and count, those inside cuBLAS, cuDNN, NCCL and Triton too, and
    those of 20 us and more have the same median time within 5 %; nothing of it is told twice;
  - a step with the tracer takes at most 0.5 % longer, one whose kernels are traced at most 10 %; an exact step's is printed.
Exits 77 (skipped) where there is no GPU, no PyTorch or no build.
"""
import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
LONG_NS = 20_000
# Kernels of cuBLAS and cuBLASLt, whose launches the tracer sees as one product each; their runtime is inside them.
PRODUCT = re.compile(r"gemm|nvjet|cutlass|xmma|splitKreduce|cublasLt|gemv", re.I)
COLLECTIVE = re.compile(r"^nccl(Dev)?Kernel", re.I)


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


# --- the training: one process per GPU ----------------------------------------------------------------------------------

def worker(arguments):
    import torch
    import torch.distributed as dist
    from torch import nn

    sys.path.insert(0, os.path.join(ROOT, "collectors", "client", "python"))
    import runglass

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    runglass.init()
    torch.manual_seed(0)
    width = 2048
    model = nn.Sequential(*[nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True, dropout=0.0) for _ in range(4)]).cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = torch.randn(8, 512, width, device="cuda", dtype=torch.bfloat16)

    def step(number):
        with runglass.step(number):
            optimizer.zero_grad(set_to_none=True)
            loss = model(batch).float().pow(2).mean()
            loss.backward()
            if world > 1:
                for parameter in model.parameters():
                    dist.all_reduce(parameter.grad)
            optimizer.step()
            torch.cuda.synchronize()

    for number in range(1, 20):  # warm-up, no multiple of 100
        step(number)
    times = []
    if arguments.profile:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            for number in range(1000, 1010):
                step(number)
        profiler.export_chrome_trace(arguments.out + ".%d.json" % rank)
    elif arguments.exact:
        assert runglass.trace_kernels(steps=10, exact=True), "no tracer"
        time.sleep(3)  # CUPTI is loaded and switched on meanwhile
        for number in range(1000, 1010):
            begin = time.perf_counter()
            step(number)
            times.append((number, time.perf_counter() - begin))
        time.sleep(3)
        with open(arguments.out + ".%d.json" % rank, "w") as file:
            json.dump(times, file)
    else:
        for number in range(1, arguments.steps + 1):
            begin = time.perf_counter()
            step(number)
            times.append((number, time.perf_counter() - begin))
        with open(arguments.out + ".%d.json" % rank, "w") as file:
            json.dump(times, file)
    runglass.shutdown()
    dist.destroy_process_group()


def run(arguments, out, tracer, every, profiled=False, exact=False):
    """The training in `world` processes; returns the tracer's GPU spans of rank 0 as lists of columns."""
    rings = tempfile.mkdtemp(prefix="rings-", dir="/dev/shm")
    environment = dict(os.environ, RUNGLASS_DIR=rings, RUNGLASS_RING_BYTES=str(64 << 20), RUNGLASS_TRACE_EVERY=str(every),
                       RUNGLASS_RUN="device", RUNGLASS_ATTEMPT="1", RUNGLASS_LIB=os.path.join(arguments.build, "lib", "librunglass.so"),
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000), WORLD_SIZE=str(arguments.world))
    if tracer:
        environment["LD_PRELOAD"] = os.path.join(arguments.build, "lib", "librunglass_cuda.so")
    reader = subprocess.Popen([os.path.join(arguments.build, "bin", "client_probe"), rings, str(arguments.world), "600", "gpu"],
                              stdout=subprocess.PIPE, text=True)
    command = [sys.executable, os.path.abspath(__file__), "--worker", "--out", out, "--steps", str(arguments.steps)]
    command += (["--profile"] if profiled else []) + (["--exact"] if exact else [])
    ranks = [subprocess.Popen(command, env=dict(environment, RANK=str(r), LOCAL_RANK=str(r))) for r in range(arguments.world)]
    failed = [r for r, process in enumerate(ranks) if process.wait() != 0]
    text = reader.communicate()[0]
    if failed:
        sys.exit("ranks %s failed" % failed)
    spans = [line.split("\t") for line in text.splitlines()]
    return [span for span in spans if span[1] == "0"]


# --- the comparison -----------------------------------------------------------------------------------------------------

def judge(failures, good, text):
    print(("ok    " if good else "FAIL  ") + text)
    if not good:
        failures.append(text)


def compare(spans, kernels, failures):
    ours = collections.defaultdict(list)
    for name, _, _, category, step, _, dur, _ in spans:
        if 1000 <= int(step) < 1010:
            ours[(category, name)].append(int(dur))
    theirs = collections.defaultdict(list)
    for kernel in kernels:
        theirs[kernel["name"][:1023]].append(int(kernel["dur"] * 1000))
    direct = {name: durs for (category, name), durs in ours.items()
              if category == "compute" and not name.startswith("cublas") and not name.endswith("GraphLaunch")}
    for name, durs in sorted(direct.items()):
        other = theirs.pop(name, [])
        judge(failures, len(durs) == len(other), "%d / %d times %s" % (len(durs), len(other), name[:90]))
        if other and statistics.median(other) >= LONG_NS:
            ratio = statistics.median(durs) / statistics.median(other)
            judge(failures, abs(ratio - 1) <= 0.05, "median %.3f of the profiler's: %s" % (ratio, name[:90]))
    sums = [("products", [d for (_, name), durs in ours.items() if name.startswith("cublas") for d in durs], PRODUCT),
            ("collectives", [d for (category, _), durs in ours.items() if category == "comm" for d in durs], COLLECTIVE)]
    for what, mine, pattern in sums:
        other = [d for name in list(theirs) if pattern.search(name) for d in theirs.pop(name)]
        if not mine and not other:
            print("none  %s: none on %s" % (what, "one GPU" if what == "collectives" else "this GPU"))
            continue
        judge(failures, what == "products" or len(mine) == len(other), "%s: %d calls, %d kernels" % (what, len(mine), len(other)))
        ratio = sum(mine) / max(sum(other), 1)
        judge(failures, abs(ratio - 1) <= 0.05, "%s: sum of times %.3f of the profiler's" % (what, ratio))
    for name, durs in sorted(theirs.items()):
        print("only the profiler saw %d x %s" % (len(durs), name[:100]))


def compare_exact(spans, events, failures):
    """Everything that CUPTI tells PyTorch's profiler it tells us: the same counts per name, the same times."""
    mine, theirs, twice = collections.defaultdict(list), collections.defaultdict(list), 0
    for name, _, _, category, step, _, dur, args in spans:
        if not 1000 <= int(step) < 1010:
            continue
        exact = json.loads(args or "{}").get("exact", False)
        if exact:
            mine[name if category in ("compute", "comm") else category].append(int(dur))
        elif not name.startswith(("cublas", "nccl")) and not name.endswith("GraphLaunch"):
            twice += 1
    kinds = {"kernel": None, "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
    for event in events:
        if event.get("cat") in kinds:
            theirs[kinds[event["cat"]] or event["name"][:1023]].append(int(event["dur"] * 1000))
    judge(failures, bool(mine), "%d exact spans of %d names" % (sum(map(len, mine.values())), len(mine)))
    judge(failures, twice == 0, "%d spans by events of what CUPTI tells" % twice)
    for name in sorted(set(mine) | set(theirs)):
        ours, other = mine.get(name, []), theirs.get(name, [])
        judge(failures, len(ours) == len(other), "exact: %d / %d times %s" % (len(ours), len(other), name[:90]))
        if ours and other and statistics.median(other) >= LONG_NS:
            ratio = statistics.median(ours) / statistics.median(other)
            judge(failures, abs(ratio - 1) <= 0.05, "exact: median %.3f of the profiler's: %s" % (ratio, name[:90]))


def step_seconds(out, traced_every):
    with open(out + ".0.json") as file:
        times = json.load(file)
    plain = [seconds for number, seconds in times if number % traced_every != 0]
    traced = [seconds for number, seconds in times if number % traced_every == 0]
    return statistics.median(plain or traced), statistics.median(traced or plain)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--world", type=int, default=0)
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments)
    try:
        import torch
    except ImportError:
        skip("no PyTorch")
    if not torch.cuda.is_available():
        skip("no GPU")
    for needed in ("lib/librunglass_cuda.so", "lib/librunglass.so", "bin/client_probe"):
        if not os.path.exists(os.path.join(arguments.build, needed)):
            skip("not built: " + needed)
    arguments.build = os.path.abspath(arguments.build)
    arguments.world = arguments.world or torch.cuda.device_count()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "profile")
        spans = run(arguments, out, tracer=True, every=1, profiled=True)
        with open(out + ".0.json") as file:
            events = json.load(file)["traceEvents"]
        compare(spans, [event for event in events if event.get("cat") == "kernel"], failures)
        out = os.path.join(folder, "exact")
        compare_exact(run(arguments, out, tracer=True, every=1_000_000, exact=True), events, failures)
        with open(out + ".0.json") as file:
            exact_step = statistics.median(seconds for _, seconds in json.load(file))
        # In turns, so that a warming GPU slows all of them alike.
        rounds = {"bare": [], "always": [], "traced": []}
        for _ in range(3):
            for name, tracer, every in (("bare", False, 100), ("always", True, 1_000_000), ("traced", True, 2)):
                out = os.path.join(folder, name)
                run(arguments, out, tracer, every)
                rounds[name].append(step_seconds(out, every)[1 if name == "traced" else 0])
        bare, always, traced = (statistics.median(rounds[name]) for name in ("bare", "always", "traced"))
        judge(failures, always / bare - 1 <= 0.005, "a step takes %.3f ms bare, %+.2f %% with the tracer" % (bare * 1e3, (always / bare - 1) * 100))
        judge(failures, traced / bare - 1 <= 0.10, "a traced step %+.2f %%" % ((traced / bare - 1) * 100))
    print("      an exact step %+.2f %%" % ((exact_step / bare - 1) * 100))
    print("%d failures" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
