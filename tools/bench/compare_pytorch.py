#!/usr/bin/env python3
"""Compares the training speed of senet and PyTorch with the same network, GPU and batches.

    tools/bench/compare_pytorch.py --senet build/release/tools/senet \\
        [--batch 1024,4096,16384] [--seconds 3] [--rounds 3]

PyTorch uses the same network, losses and optimiser as senet: LayerNorm and ReLU, residual blocks,
cross entropies over legal moves and over outcomes, gradients clipped to norm 1, AdamW with decay on
weight matrices only, and a moving average of the weights. senet plays games and writes a batch of
their positions to a file; both train on it, in alternating runs. PyTorch's batch is already on the
device; so are senet's samples (--replay-on-device), and a step passes only their indices.
Three PyTorch modes are compared: eager, torch.compile, and torch.compile with CUDA graphs (mode
"max-autotune"), each in bfloat16 with autocast.
"""
import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn

LOGITS, OUTCOMES, WIDTH, BLOCKS = 676, 6, 128, 3


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)

    def forward(self, x):
        return torch.relu(self.norm(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Norm(), nn.Linear(WIDTH, WIDTH), Norm(), nn.Linear(WIDTH, WIDTH))

    def forward(self, x):
        return x + self.layers(x)


def tower(layers, outputs):
    parts = []
    for _ in range(layers):
        parts += [nn.Linear(WIDTH, WIDTH), Norm()]
    return nn.Sequential(*parts, nn.Linear(WIDTH, outputs))


class Network(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, WIDTH), Norm(), *[Block() for _ in range(BLOCKS)], Norm())
        self.policy = tower(2, LOGITS)
        self.value = tower(1, OUTCOMES)

    def forward(self, x):
        x = self.trunk(x)
        return self.policy(x), self.value(x)


class Step:
    """One optimiser step on a fixed batch on the device."""

    def __init__(self, batch, mode, expected_parameters):
        torch.manual_seed(1)
        device = "cuda"
        self.network = Network(batch["features"].shape[1]).to(device)
        parameters = sum(p.numel() for p in self.network.parameters())
        if parameters != expected_parameters:
            sys.exit(f"compare_pytorch: its network has {parameters} parameters, senet's {expected_parameters}")
        decays = [p for p in self.network.parameters() if p.dim() > 1]
        rest = [p for p in self.network.parameters() if p.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": decays, "weight_decay": 1e-4}, {"params": rest, "weight_decay": 0.0}],
            lr=torch.tensor(1e-3, device=device), fused=True)
        self.average = [p.detach().clone() for p in self.network.parameters()]
        self.features = batch["features"].to(device)
        numbers = batch["logits"].to(device).long()
        self.numbers, self.used = numbers.clamp(min=0).flatten(1), (numbers >= 0).float()
        self.legal = self.used.amax(2) > 0
        self.policy_target = batch["targets"].to(device)
        self.value_target = batch["outcomes"].to(device)
        self.losses = self.forward if mode is None else torch.compile(self.forward, mode=mode, dynamic=False)

    def forward(self, features, numbers, used, legal, policy_target, value_target):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            policy, value = self.network(features)
        actions = (policy.float().gather(1, numbers).view_as(used) * used).sum(2)
        shares = torch.log_softmax(actions.masked_fill(~legal, -1e30), 1)
        policy_loss = -(policy_target * shares.masked_fill(~legal, 0)).sum(1).mean()
        value_loss = -(value_target * torch.log_softmax(value.float(), 1)).sum(1).mean()
        return policy_loss + value_loss

    def __call__(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.losses(self.features, self.numbers, self.used, self.legal, self.policy_target, self.value_target)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        torch._foreach_lerp_(self.average, list(self.network.parameters()), 1e-3)
        return loss


def torch_rate(step, rows, seconds):
    for _ in range(10):
        step()
    torch.cuda.synchronize()
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(20):
            loss = step()
        loss.item()
        steps += 20
    return rows * steps / (time.perf_counter() - began)


def read_batch(file):
    """The tensors of a safetensors file, all f32."""
    data = file.read_bytes()
    length, = struct.unpack_from("<Q", data)
    tensors = {}
    for name, tensor in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            count = math.prod(tensor["shape"])
            flat = torch.frombuffer(bytearray(data), dtype=torch.float32, count=count,
                                    offset=8 + length + tensor["data_offsets"][0])
            tensors[name] = flat.view(tensor["shape"]).clone()
    return tensors


def senet_figures(program, rows, seconds, batch):
    """Samples per second, and the number of parameters of the network."""
    command = [program, "bench", "train", "--game", "backgammon", "--trainer", "cuda", "--precision", "bf16",
               "--batch", str(rows), "--workers", "1", "--games", "8", "--replay-on-device", "--save-batch", str(batch),
               "--seconds", str(seconds), "--json"]
    figures = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        figure = json.loads(line)
        if "/sparse/" in figure["case"]:
            figures[figure["metric"]] = figure["value"]
    return figures["samples_per_second"], figures["parameters"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--senet", required=True)
    arguments.add_argument("--batch", default="1024,4096,16384")
    arguments.add_argument("--seconds", type=float, default=3)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    if not torch.cuda.is_available():
        sys.exit("compare_pytorch: PyTorch found no CUDA device")
    torch.set_float32_matmul_precision("high")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    ways = {"eager": None, "compiled": "default", "compiled, CUDA graphs": "max-autotune"}
    with tempfile.TemporaryDirectory() as folder:
        compare(options, ways, pathlib.Path(folder) / "batch.safetensors")


def compare(options, ways, batch):
    for rows in map(int, options.batch.split(",")):
        # Print each result at once, because torch.compile is slow.
        for name, mode in ways.items():
            rate, parameters = senet_figures(options.senet, rows, options.seconds, batch)
            own, theirs = [rate], []
            step = Step(read_batch(batch), mode, parameters)
            for turn in range(options.rounds):
                if turn > 0:
                    own.append(senet_figures(options.senet, rows, options.seconds, batch)[0])
                theirs.append(torch_rate(step, rows, options.seconds))
            rate, ours = sorted(theirs)[options.rounds // 2], sorted(own)[options.rounds // 2]
            print(f"batch {rows:6}  {name:22} {rate:11.0f} samples/s {1e6 * rows / rate:8.1f} us per step"
                  f"  senet {ours:11.0f} samples/s {1e6 * rows / ours:8.1f} us: {ours / rate:6.2f} times as fast",
                  flush=True)


if __name__ == "__main__":
    main()
