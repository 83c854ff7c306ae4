# SPDX-License-Identifier: Apache-2.0
"""A small byte-level GPT, one pipeline stage of it: heads, MLP and vocabulary split over tp."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from parallel import ColumnLinear, RowLinear, enter_tp, vocab_parallel_loss

VOCABULARY = 256


class Block(nn.Module):
    def __init__(self, config, groups, seed):
        super().__init__()
        n, self.group = config.width, groups.tp_group
        self.heads = config.heads // groups.tp_size
        self.norm1, self.norm2 = nn.LayerNorm(n), nn.LayerNorm(n)
        # Three matrices, not one of 3n: a split of the fused one would give one rank queries and the other values.
        self.query = ColumnLinear(n, n, groups, seed)
        self.key = ColumnLinear(n, n, groups, seed + 1)
        self.value = ColumnLinear(n, n, groups, seed + 2)
        self.project = RowLinear(n, n, groups, seed + 3, std=0.02 / (2 * config.layers) ** 0.5)
        self.up = ColumnLinear(n, 4 * n, groups, seed + 4)
        self.down = RowLinear(4 * n, n, groups, seed + 5, std=0.02 / (2 * config.layers) ** 0.5)
        self.register_buffer("mask", torch.triu(torch.full((config.sequence, config.sequence), float("-inf")), 1), persistent=False)

    def attend(self, x):
        batch, length, _ = x.shape
        split = lambda y: y.view(batch, length, self.heads, -1).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5 + self.mask[:length, :length]
        return self.project((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x):
        x = x + self.attend(enter_tp(self.norm1(x), self.group))
        return x + self.down(F.gelu(self.up(enter_tp(self.norm2(x), self.group))))


class Stage(nn.Module):
    """Embedding on the first stage, its share of the blocks, vocabulary and loss on the last one."""

    def __init__(self, config, groups):
        super().__init__()
        self.groups, n = groups, config.width
        self.is_first, self.is_last = groups.pp == 0, groups.pp == groups.pp_size - 1
        if self.is_first:
            generator = torch.Generator().manual_seed(config.seed)
            self.tokens = nn.Parameter(torch.randn(VOCABULARY, n, generator=generator) * 0.02)
            self.positions = nn.Parameter(torch.randn(config.sequence, n, generator=generator) * 0.02)
        each = config.layers // groups.pp_size
        self.blocks = nn.ModuleList(Block(config, groups, config.seed + 100 * (groups.pp * each + i + 1)) for i in range(each))
        if self.is_last:
            self.norm = nn.LayerNorm(n)
            self.head = ColumnLinear(n, VOCABULARY, groups, config.seed + 99)

    def forward(self, x, targets):
        """Token ids on the first stage, activations elsewhere; the loss on the last stage, activations elsewhere."""
        if self.is_first:
            x = self.tokens[x] + self.positions[: x.size(1)]
        for block in self.blocks:
            x = block(x)
        if not self.is_last:
            return x
        logits = self.head(enter_tp(self.norm(x), self.groups.tp_group))
        return vocab_parallel_loss(logits, targets, self.groups.tp_group, self.groups.tp * logits.size(-1))
