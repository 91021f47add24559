"""Learns Connect Four with PyTorch: senet plays games, this program learns from them, in rounds.

    python train.py FOLDER
"""

import pathlib
import sys

import numpy as np
import senet
import torch
from senet.torch import Module
from torch.nn.functional import cross_entropy, log_softmax

SHAPE = {"width": 64, "blocks": 1}


def play(folder, weights, games, seed):
    """Self-play of a network, without training. Returns its samples."""
    run = senet.Run(folder).start("connect_four", weights=weights, no_train=True, games=games,
                                  visits=100, workers=1, seed=seed, quiet=True, **SHAPE)
    if run.wait() != 0:
        raise RuntimeError((run.folder / "daemon.log").read_text())
    return run.records().read(lambda_=0.9, features="dense", policy="dense")


def learn(module, optimiser, samples, steps):
    """Learns from random batches of all samples. Returns the losses of the last batch."""
    features, target, policy = (torch.from_numpy(np.concatenate([part[name] for part in samples]))
                                for name in ("features", "target", "policy"))
    for _ in range(steps):
        rows = torch.randint(len(features), (512,))
        logits, outcomes = module(features[rows])
        # Positions that had a fast search have no policy target: all zeros.
        searched = policy[rows].sum().clamp(min=1)
        policy_loss = -(policy[rows] * log_softmax(logits, -1)).sum() / searched
        value_loss = cross_entropy(outcomes, target[rows])
        optimiser.zero_grad()
        (policy_loss + value_loss).backward()
        optimiser.step()
    return policy_loss.item(), value_loss.item()


def main(folder, rounds=5, games=3000, steps=1000):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)  # small layers: more threads only wait for each other
    untrained = network = senet.Network.untrained({"game": "connect_four", **SHAPE})
    module, samples = Module(network), []
    optimiser = torch.optim.AdamW(module.parameters(), 2e-3)
    for number in range(1, rounds + 1):
        weights = folder / f"{number - 1}.safetensors"
        network.save(weights)
        samples.append(play(folder / f"round-{number}", weights, games, seed=number))
        losses = learn(module, optimiser, samples[-3:], steps)  # of the last three rounds
        network = module.to_network()
        scores = [senet.match("connect_four", network, other).score for other in (untrained, None)]
        print(f"round {number}: losses {losses[0]:.3f} and {losses[1]:.3f}, score {scores[0]:.3f} "
              f"against untrained, {scores[1]:.3f} against random games", flush=True)
    network.save(folder / "trained.safetensors")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python train.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
