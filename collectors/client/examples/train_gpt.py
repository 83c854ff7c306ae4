#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT on real text with data, pipeline and tensor parallelism over gloo, and tells Runglass all about it.

One process of it; launch.py starts them all. RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT come from the environment.
"""
import argparse
import glob
import math
import os
import signal
import sys
import time

sys.path.insert(0, os.environ.get("RUNGLASS_PYTHON", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")))

import torch
import torch.distributed as dist

import runglass as rg
from model import Stage
from parallel import Groups, Pipe


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100000, help="stop after this step")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long (0: only by --steps)")
    parser.add_argument("--tp", type=int, default=2)
    parser.add_argument("--pp", type=int, default=2)
    parser.add_argument("--dp", type=int, default=2)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--sequence", type=int, default=64)
    parser.add_argument("--batch", type=int, default=4, help="sequences per micro-batch")
    parser.add_argument("--microbatches", type=int, default=4)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--warmup", type=int, default=20, help="steps of rising learning rate")
    parser.add_argument("--decay", type=int, default=2000, help="steps until the cosine reaches a tenth")
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--text", nargs="*", default=sorted(glob.glob("/usr/share/common-licenses/*")), help="files to learn")
    parser.add_argument("--checkpoint-dir", default="")
    parser.add_argument("--checkpoint-every", type=int, default=100)
    parser.add_argument("--resume", action="store_true", help="go on from the newest checkpoint of --checkpoint-dir")
    parser.add_argument("--slow-rank", type=int, default=-1, help="this rank really does extra work in its forward pass")
    parser.add_argument("--slow-factor", type=float, default=2.0, help="how much longer that rank's forward pass computes")
    parser.add_argument("--slow-from", type=int, default=0, help="first slow step")
    return parser.parse_args()


def load_text(paths):
    """All files as one row of bytes; links to the same file count once."""
    data = b"".join(open(path, "rb").read() for path in sorted({os.path.realpath(path) for path in paths}) if os.path.isfile(path))
    if len(data) < 10000:
        raise SystemExit("train_gpt: too little text: name some files with --text")
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).long()


class Data:
    """Random windows of the text. A step's windows depend on nothing but the step, so that every layout learns the same."""

    def __init__(self, config, groups):
        self.text, self.config, self.groups = load_text(config.text), config, groups

    def step(self, step):
        c, each = self.config, self.config.microbatches * self.config.batch
        whole = each * self.groups.dp_size
        generator = torch.Generator().manual_seed(c.seed * 1000003 + step)
        starts = torch.randint(len(self.text) - c.sequence - 1, (whole,), generator=generator)
        mine = each * self.groups.dp
        rg.data_range("text", step * whole + mine, step * whole + mine + each)
        rows = torch.stack([self.text[s:s + c.sequence + 1] for s in starts[mine:mine + each].tolist()])
        return [(rows[i:i + c.batch, :-1], rows[i:i + c.batch, 1:]) for i in range(0, each, c.batch)]


class Drag:
    """Extra work of a slow rank: as much more CPU time as its forward pass took, spent in matrix products."""

    def __init__(self, config, groups):
        self.first = config.slow_from if groups.rank == config.slow_rank else None
        self.factor, self.matrix = config.slow_factor, torch.randn(96, 96)

    def pay(self, step, cpu_ns):
        if self.first is None or step < self.first:
            return
        end = time.thread_time_ns() + cpu_ns * (self.factor - 1)
        while time.thread_time_ns() < end:
            self.matrix @ self.matrix


class Trainer:
    def __init__(self, config):
        self.config = config
        self.groups = Groups(config.tp, config.dp, config.pp)
        self.stage = Stage(config, self.groups)
        self.pipe = Pipe(self.groups, (config.batch, config.sequence, config.width))
        self.data, self.drag = Data(config, self.groups), Drag(config, self.groups)
        decayed = [p for p in self.stage.parameters() if p.dim() > 1]
        others = [p for p in self.stage.parameters() if p.dim() <= 1]
        self.optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                                           lr=config.lr, betas=(0.9, 0.95))

    def learning_rate(self, step):
        c = self.config
        if step < c.warmup:
            return c.lr * (step + 1) / c.warmup
        done = min(1.0, (step - c.warmup) / max(1, c.decay - c.warmup))
        return c.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))

    def forward(self, step, m, batch):
        received = self.pipe.receive_forward(m)
        with rg.span("forward", part="forward", microbatch=m):
            begin = time.thread_time_ns()
            out = self.stage(batch[0] if received is None else received, batch[1])
            self.drag.pay(step, time.thread_time_ns() - begin)
        self.pipe.send_forward(out, m)
        return received, out

    def backward(self, m, received, out):
        grad = self.pipe.receive_backward(m)
        with rg.span("backward", part="backward", microbatch=m):
            if grad is None:
                (out / self.config.microbatches).backward()
            else:
                out.backward(grad)
        if received is not None:
            self.pipe.send_backward(received, m)
        return out.detach() if grad is None else None

    def one_forward_one_backward(self, step, batches):
        """1F1B: fill the pipe, alternate, drain. Returns the mean loss on the last stage, 0 elsewhere."""
        count, ahead = len(batches), min(self.groups.pp_size - 1 - self.groups.pp, len(batches))
        in_flight, losses = [], []
        for m in range(count + ahead):
            if m < count:
                in_flight.append((m,) + self.forward(step, m, batches[m]))
            if m >= ahead:
                loss = self.backward(*in_flight.pop(0))
                if loss is not None:
                    losses.append(loss)
        self.pipe.settle()
        return torch.stack(losses).mean() if losses else torch.zeros(())

    def reduce_gradients(self):
        grads = [p.grad for p in self.stage.parameters()]
        flat = torch.cat([g.reshape(-1) for g in grads])
        self.groups.dp_group.all_reduce(flat, "dp_all_reduce")
        flat /= self.groups.dp_size
        at = 0
        for g in grads:
            g.copy_(flat[at:at + g.numel()].view_as(g))
            at += g.numel()

    def clip_gradients(self):
        """Global norm over tp and pp: a parameter that every tp rank holds counts once."""
        square = torch.zeros(())
        for p in self.stage.parameters():
            if getattr(p, "split_over_tp", False) or self.groups.tp == 0:
                square += p.grad.pow(2).sum()
        norm = self.groups.model_group.all_reduce(square, "norm_all_reduce").sqrt().item()
        if norm > self.config.clip:
            for p in self.stage.parameters():
                p.grad.mul_(self.config.clip / norm)
        return norm

    def step(self, step):
        """One training step; returns (loss of the whole batch, gradient norm, learning rate)."""
        with rg.span("data", "dataload", part="data"):
            batches = self.data.step(step)
        loss = self.one_forward_one_backward(step, batches)
        self.reduce_gradients()
        with rg.span("optimizer", part="optimizer"):
            norm = self.clip_gradients()
            lr = self.learning_rate(step)
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        # Every stage but the last adds 0, every tp rank of the last the same value.
        self.groups.dp_group.all_reduce(loss, "loss_all_reduce")
        loss = self.groups.model_group.all_reduce(loss / (self.groups.dp_size * self.groups.tp_size), "loss_all_reduce")
        return loss.item(), norm, lr

    # --- checkpoints: one file per model-parallel rank, written by the first replica; "latest" moves last -------------------

    def _shard(self, step):
        return os.path.join(self.config.checkpoint_dir, "step-%06d" % step, "tp%d-pp%d.pt" % (self.groups.tp, self.groups.pp))

    def save(self, step):
        if not self.config.checkpoint_dir:
            return
        folder = os.path.dirname(self._shard(step))
        with rg.span("checkpoint", "checkpoint"):
            if self.groups.rank == 0:
                rg.checkpoint_begin(step, folder)
            if self.groups.dp == 0:
                os.makedirs(folder, exist_ok=True)
                with open(self._shard(step) + ".tmp", "wb") as file:
                    torch.save({"stage": self.stage.state_dict(), "optimizer": self.optimizer.state_dict(), "step": step}, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(self._shard(step) + ".tmp", self._shard(step))
            dist.barrier()
            if self.groups.rank == 0:
                latest = os.path.join(self.config.checkpoint_dir, "latest")
                with open(latest + ".tmp", "w") as file:
                    file.write(str(step))
                os.rename(latest + ".tmp", latest)
                rg.checkpoint_durable(step, folder, sum(e.stat().st_size for e in os.scandir(folder)))

    def resume(self):
        """The step to start with."""
        latest = os.path.join(self.config.checkpoint_dir, "latest")
        if not self.config.resume or not os.path.exists(latest):
            return 0
        with open(latest) as file:
            step = int(file.read())
        saved = torch.load(self._shard(step))
        self.stage.load_state_dict(saved["stage"])
        self.optimizer.load_state_dict(saved["optimizer"])
        rg.fact("resumed_from_step", step)
        return step


def train(config):
    dist.init_process_group("gloo")
    trainer = Trainer(config)
    groups = trainer.groups
    rg.layout(tp=config.tp, pp=config.pp, dp=config.dp, cp=1, ep=1, vpp=1)
    first = trainer.resume()
    for key, value in sorted(vars(config).items()):
        if groups.rank == 0 and key != "text":
            rg.fact("config." + key, value)
    tokens = config.dp * config.microbatches * config.batch * config.sequence
    begin = time.monotonic()
    stop = torch.zeros(1)
    for step in range(first, config.steps):
        rg.phase("init" if step == first else "warmup" if step < first + 5 else "steady")
        saving = config.checkpoint_every > 0 and (step + 1) % config.checkpoint_every == 0
        before = time.monotonic()
        with rg.step(step):
            loss, norm, lr = trainer.step(step)
            if saving:
                rg.phase("checkpoint")
                trainer.save(step + 1)
        elapsed = time.monotonic() - before
        if groups.rank == 0:
            for name, value in (("loss", loss), ("grad_norm", norm), ("learning_rate", lr), ("tokens_per_s", tokens / elapsed)):
                rg.scalar(name, value, step=step)
            line = "step %d | loss %.4f | grad norm %.3f | lr %.2e | %.0f ms | %.0f tokens/s" % (step, loss, norm, lr, elapsed * 1e3,
                                                                                                 tokens / elapsed)
            print(line, flush=True)
            rg.log(line, stream="stdout")
            stop[0] = config.seconds > 0 and time.monotonic() - begin > config.seconds
        if config.seconds > 0:
            dist.broadcast(stop, 0)
            if stop.item():
                break
    rg.shutdown("finished")
    dist.barrier()


def main():
    config = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    rg.init(framework="train_gpt")
    signal.signal(signal.SIGTERM, lambda number, frame: (rg.shutdown("terminated"), os._exit(143)))
    train(config)


if __name__ == "__main__":
    main()
