# SPDX-License-Identifier: Apache-2.0
"""Three kinds of parallelism over gloo, each communication recorded with Runglass: groups, tensor-parallel layers, point to point."""
import torch
import torch.distributed as dist
import torch.nn as nn

import runglass as rg


class Groups:
    """The groups this rank belongs to. Ranks vary fastest in tp, then dp, then pp: the order "tp-cp-ep-dp-pp"."""

    def __init__(self, tp, dp, pp):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        if tp * dp * pp != self.world:
            raise SystemExit("tp %d x dp %d x pp %d is not the world size %d" % (tp, dp, pp, self.world))
        self.tp_size, self.dp_size, self.pp_size = tp, dp, pp
        self.tp, self.dp, self.pp = self.rank % tp, self.rank // tp % dp, self.rank // (tp * dp)
        self._ids = 0
        at = lambda t, d, p: t + tp * (d + dp * p)
        # new_group is collective: every rank makes every group, in the same order, and keeps its own.
        self.tp_group = self._make([[at(t, d, p) for t in range(tp)] for p in range(pp) for d in range(dp)])
        self.dp_group = self._make([[at(t, d, p) for d in range(dp)] for p in range(pp) for t in range(tp)])
        self.model_group = self._make([[at(t, d, p) for p in range(pp) for t in range(tp)] for d in range(dp)])
        self.previous = at(self.tp, self.dp, self.pp - 1) if self.pp > 0 else None
        self.next = at(self.tp, self.dp, self.pp + 1) if self.pp < pp - 1 else None

    def _make(self, lists):
        mine = None
        for ranks in lists:
            self._ids += 1
            handle = dist.new_group(ranks)
            if self.rank in ranks:
                mine = Group(handle, self._ids, len(ranks))
        return mine


class Group:
    """One process group with the number and the count of operations that Runglass joins ranks by."""

    def __init__(self, handle, number, size):
        self.handle, self.number, self.size, self.seq = handle, number, size, 0

    def all_reduce(self, tensor, name, op=dist.ReduceOp.SUM):
        if self.size == 1:
            return tensor
        self.seq += 1
        with rg.span(name, "comm", part="communication", group=self.number, seq=self.seq, bytes=tensor.numel() * tensor.element_size()):
            dist.all_reduce(tensor, op=op, group=self.handle)
        return tensor


class _EnterTensorParallel(torch.autograd.Function):
    """Identity forward, sum of gradients backward: in front of a layer that is split over tp."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x

    @staticmethod
    def backward(ctx, grad):
        return ctx.group.all_reduce(grad.contiguous().clone(), "tp_all_reduce"), None


class _LeaveTensorParallel(torch.autograd.Function):
    """Sum forward, identity backward: after a layer whose inputs are split over tp."""

    @staticmethod
    def forward(ctx, x, group):
        return group.all_reduce(x.contiguous().clone(), "tp_all_reduce")

    @staticmethod
    def backward(ctx, grad):
        return grad, None


enter_tp = _EnterTensorParallel.apply
leave_tp = _LeaveTensorParallel.apply


class ColumnLinear(nn.Module):
    """Y = X W split by outputs; the input must have gone through enter_tp."""

    def __init__(self, n_in, n_out, groups, seed, std=0.02):
        super().__init__()
        full = torch.randn(n_out, n_in, generator=torch.Generator().manual_seed(seed)) * std
        self.weight = nn.Parameter(full.chunk(groups.tp_size, 0)[groups.tp].clone())
        self.weight.split_over_tp = True

    def forward(self, x):
        return nn.functional.linear(x, self.weight)


class RowLinear(nn.Module):
    """Y = X W split by inputs; the partial results are summed over tp."""

    def __init__(self, n_in, n_out, groups, seed, std=0.02):
        super().__init__()
        full = torch.randn(n_out, n_in, generator=torch.Generator().manual_seed(seed)) * std
        self.weight = nn.Parameter(full.chunk(groups.tp_size, 1)[groups.tp].clone())
        self.weight.split_over_tp = True
        self.group = groups.tp_group

    def forward(self, x):
        return leave_tp(nn.functional.linear(x, self.weight), self.group)


class _VocabParallelLoss(torch.autograd.Function):
    """Mean cross-entropy of logits whose vocabulary is split over tp: two small sums instead of gathering the logits."""

    @staticmethod
    def forward(ctx, logits, targets, group, first):
        top = group.all_reduce(logits.max(-1).values, "tp_all_reduce", dist.ReduceOp.MAX)
        exps = (logits - top.unsqueeze(-1)).exp()
        local = targets - first
        mine = (local >= 0) & (local < logits.size(-1))
        local = local.clamp(0, logits.size(-1) - 1)
        picked = (logits.gather(-1, local.unsqueeze(-1)).squeeze(-1) - top) * mine
        both = group.all_reduce(torch.stack([exps.sum(-1), picked]), "tp_all_reduce")
        ctx.save_for_backward(exps / both[0].unsqueeze(-1), local, mine)
        return (both[0].log() - both[1]).mean()

    @staticmethod
    def backward(ctx, grad):
        probabilities, local, mine = ctx.saved_tensors
        result = probabilities.clone()
        result.scatter_add_(-1, local.unsqueeze(-1), -mine.unsqueeze(-1).to(result.dtype))
        return result * (grad / local.numel()), None, None, None


vocab_parallel_loss = _VocabParallelLoss.apply


class Pipe:
    """Activations to the next stage, gradients to the previous one. Sends do not wait; their buffers live until settle().

    Every micro-batch has a tag of its own, so that a receive never depends on the order of the sends under way.
    """

    def __init__(self, groups, shape):
        self.groups, self.shape, self.pending = groups, shape, []

    def _send(self, tensor, to, name, microbatch):
        with rg.span(name, "comm", part="communication", microbatch=microbatch, send_to=to,
                     bytes=tensor.numel() * tensor.element_size()):
            tensor = tensor.detach().contiguous()
            self.pending.append((dist.isend(tensor, to, tag=microbatch), tensor))

    def _receive(self, source, name, microbatch):
        tensor = torch.empty(self.shape)
        with rg.span(name, "comm", part="communication", microbatch=microbatch, recv_from=source,
                     bytes=tensor.numel() * tensor.element_size()):
            dist.recv(tensor, source, tag=microbatch)
        return tensor

    def send_forward(self, tensor, microbatch):
        if self.groups.next is not None:
            self._send(tensor, self.groups.next, "send_forward", microbatch)

    def receive_forward(self, microbatch):
        return None if self.groups.previous is None else self._receive(self.groups.previous, "recv_forward", microbatch).requires_grad_()

    def send_backward(self, tensor, microbatch):
        if self.groups.previous is not None:
            self._send(tensor.grad, self.groups.previous, "send_backward", microbatch)

    def receive_backward(self, microbatch):
        return None if self.groups.next is None else self._receive(self.groups.next, "recv_backward", microbatch)

    def settle(self):
        with rg.span("wait_sends", "comm", part="communication"):
            for work, _ in self.pending:
                work.wait()
        self.pending = []
