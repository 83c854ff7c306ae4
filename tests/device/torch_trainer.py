# SPDX-License-Identifier: Apache-2.0
"""The trainings of the GPU check, under PyTorch.

    torch_trainer.py load SECONDS             matrix products, without Runglass
    torch_trainer.py live SECONDS             a transformer with steps, a loss and checkpoints, as a user's
    torch_trainer.py until-killed FILE        a transformer; finished steps go to FILE
    torch_trainer.py profile OUT.json         steps 1000..1009 under torch.profiler; what it recorded goes to OUT.json
    torch_trainer.py exact OUT.json           the same steps in the tracer's exact mode
    torch_trainer.py worker KIND              blocks of steps on request, for overhead_check.py; KIND: bare, steps, tracer
"""
import contextlib
import json
import os
import sys
import time

import torch
from torch import nn

from progress_file import ProgressWriter

WARM, FIRST, PROFILED = 19, 1000, 10
SMALL_GPU = 30 << 30  # bytes; five trainings share the GPU in the overhead check
SMALL_KERNELS = 2000


class Transformer:
    """A step of `micro` micro batches: a copy to the GPU, forward, backward, optimizer, the loss back to the host."""

    def __init__(self, collective=None):
        torch.manual_seed(0)
        width = 1024 if torch.cuda.get_device_properties(0).total_memory < SMALL_GPU else 2048
        kind = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
        layers = [nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True, dropout=0.0) for _ in range(4)]
        self.model = nn.Sequential(*layers).cuda().to(kind)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-5)
        self.host = torch.randn(8, 512, width, dtype=kind).pin_memory()
        self.batch = torch.empty_like(self.host, device="cuda")
        self.collective, self.micro, self.loss = collective, 1, 0.0

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        for _ in range(self.micro):
            self.batch.copy_(self.host, non_blocking=True)
            loss = self.model(self.batch).float().pow(2).mean()
            loss.backward()
        if self.collective is not None:
            for parameter in self.model.parameters():
                self.collective(parameter.grad)
        self.optimizer.step()
        self.loss = loss.item()
        torch.cuda.synchronize()


class LaunchBound:
    """Kernels so small that the host's launches are all that a step consists of."""

    def __init__(self):
        self.numbers = torch.zeros(256, device="cuda")

    def step(self):
        for _ in range(SMALL_KERNELS):
            self.numbers.add_(1.0)
        torch.cuda.synchronize()


def load(seconds):
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for _ in range(50):
            torch.mm(a, a)
        torch.cuda.synchronize()


def live(seconds):
    import runglass
    runglass.init()
    runglass.layout(tp=1, pp=1, dp=1)
    training, number, until = Transformer(), 0, time.monotonic() + seconds
    while time.monotonic() < until:
        number += 1
        with runglass.step(number):
            training.step()
            runglass.scalar("loss", training.loss)
        if number % 50 == 0:
            runglass.checkpoint_begin(number, "none")
            runglass.checkpoint_durable(number, "none", size=0)
    runglass.shutdown()


def until_killed(path):
    import runglass
    runglass.init()
    training, progress, number = Transformer(), ProgressWriter(path), 0
    while True:
        number += 1
        with runglass.step(number):
            training.step()
        progress.finished(number)


def mapped():
    """Which of CUDA's libraries are libraries of their own here; the others are linked into PyTorch, where a preload does not see them."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        maps = file.read()
    return [name for name in ("libcudart", "libcublas", "libcublasLt", "libnccl") if name + "." in maps or name + "-" in maps]


def compared(path, exact):
    import runglass
    import torch.distributed as dist
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    calls = {"all_reduce": 0}
    collective = None
    if dist.is_nccl_available():
        dist.init_process_group("nccl")

        def collective(gradient):
            calls["all_reduce"] += 1
            dist.all_reduce(gradient)
    runglass.init()
    training = Transformer(collective)

    def steps(numbers):
        for number in numbers:
            with runglass.step(number):
                training.step()
    steps(range(1, WARM + 1))
    calls["all_reduce"] = 0
    events = []
    if exact:
        if not runglass.trace_kernels(steps=PROFILED, exact=True):
            sys.exit("the tracer is not in this process")
        time.sleep(3)  # CUPTI is loaded and enabled in a thread of the tracer
        steps(range(FIRST, FIRST + PROFILED))
        time.sleep(3)
    else:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            steps(range(FIRST, FIRST + PROFILED))
        raw = "%s.%d.trace" % (path, rank)
        profiler.export_chrome_trace(raw)
        with open(raw, encoding="utf-8") as file:
            for event in json.load(file)["traceEvents"]:
                if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                    events.append({"cat": event["cat"], "name": event["name"], "dur_ns": int(event["dur"] * 1000),
                                   "bytes": event["args"].get("bytes")})
        os.unlink(raw)
    if rank == 0:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"events": events, "calls": calls if collective else None, "mapped": mapped()}, file)
    runglass.shutdown()
    if collective is not None:
        dist.destroy_process_group()


def worker(kind):
    """A line of JSON asks for a block of steps, a line of JSON answers with their times."""
    runglass = None
    if kind != "bare":
        import runglass
        runglass.init()
    made, number = {}, 0
    for line in sys.stdin:
        ask = json.loads(line)
        name = ask["workload"]
        if name not in made:
            made[name] = Transformer() if name == "transformer" else LaunchBound()
        training = made[name]
        training.micro = ask.get("micro", 1)
        count = ask["warm"] + ask["steps"]
        if "every" in ask:
            runglass.trace_kernels(every=ask["every"])
        if "exact" in ask:
            runglass.trace_kernels(steps=count if ask["exact"] else 0, exact=True)
            time.sleep(1)  # enabled and disabled in a thread of the tracer
        times = []
        for at in range(count):
            number += 1
            if number % 100 == 0 and ask.get("every") != 1:
                number += 1  # a step whose kernels are traced is measured separately
            begin = time.perf_counter()
            with runglass.step(number) if runglass is not None else contextlib.nullcontext():
                training.step()
            if at >= ask["warm"]:
                times.append(time.perf_counter() - begin)
        print(json.dumps({"times": times}), flush=True)


def main():
    what, word = sys.argv[1], sys.argv[2]
    if what in ("load", "live"):
        (load if what == "load" else live)(float(word))
    elif what == "until-killed":
        until_killed(word)
    elif what in ("profile", "exact"):
        compared(word, what == "exact")
    elif what == "worker":
        worker(word)
    else:
        sys.exit("unknown: " + what)


if __name__ == "__main__":
    main()
