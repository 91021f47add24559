"""Learns Connect Four with PyTorch: senet plays games, this program learns from them, in rounds.

    python train.py FOLDER [--rounds 4] [--games 1500] [--steps 400]
"""

import argparse
import pathlib

import numpy as np
import senet
import torch
from senet.torch import Module
from torch.nn.functional import cross_entropy, log_softmax

SHAPE = {"width": 64, "blocks": 1}


def play(folder, weights, games, seed):
    """Self-play of a network without training. Returns its samples."""
    run = senet.Run(folder).start("connect_four", weights=weights, no_train=True, games=games,
                                  visits=100, workers=1, seed=seed, quiet=True, **SHAPE)
    if run.wait() != 0:
        raise RuntimeError((run.folder / "daemon.log").read_text())
    return run.records().read(lambda_=0.9, features="dense", policy="dense")


def learn(module, optimiser, samples, steps):
    """Learns from random batches of all samples. Returns the mean losses of the last 100 steps."""
    features, target, policy = (torch.from_numpy(np.concatenate([part[name] for part in samples]))
                                for name in ("features", "target", "policy"))
    losses = []
    for _ in range(steps):
        rows = torch.randint(len(features), (512,))
        logits, outcomes = module(features[rows])
        # Positions that had a fast search have no policy target: all zeros.
        searched = policy[rows].sum(1).sum().clamp(min=1)
        policy_loss = -(policy[rows] * log_softmax(logits, -1)).sum() / searched
        value_loss = cross_entropy(outcomes, target[rows])
        optimiser.zero_grad()
        (policy_loss + value_loss).backward()
        optimiser.step()
        losses.append((policy_loss.item(), value_loss.item()))
    return np.mean(losses[-100:], axis=0)


def score(network, games=400):
    """Points per game against random moves, without a search. Each side begins every second game."""
    random = np.random.default_rng(1)
    states = [senet.State("connect_four") for _ in range(games)]
    for ply in range(42):
        playing = [(i, state) for i, state in enumerate(states) if not state.is_over]
        ours = [state for i, state in playing if i % 2 == ply % 2]
        if ours:
            for state, policy in zip(ours, senet.search(ours, network, visits=1)[2]):
                state.play(int(policy.argmax()))
        for i, state in playing:
            if i % 2 != ply % 2:
                state.play(int(random.choice(state.legal())))
    return np.mean([(state.value(i % 2) + 1) / 2 for i, state in enumerate(states)])


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--games", type=int, default=1500, help="of a round")
    parser.add_argument("--steps", type=int, default=400, help="of a round")
    given = parser.parse_args(arguments)
    torch.manual_seed(1)
    network = senet.Network.untrained({"game": "connect_four", **SHAPE})
    module, samples = Module(network), []
    optimiser = torch.optim.AdamW(module.parameters(), 2e-3)
    print(f"round 0: score against random {score(network):.3f}")
    for number in range(1, given.rounds + 1):
        given.folder.mkdir(parents=True, exist_ok=True)
        network.save(weights := given.folder / f"{number - 1}.safetensors")
        samples.append(play(given.folder / str(number), weights, given.games, seed=number))
        losses = learn(module, optimiser, samples[-2:], given.steps)  # of the last two rounds
        network = module.to_network()
        print(f"round {number}: {len(samples[-1]['turn'])} positions, losses: policy {losses[0]:.3f}, "
              f"value {losses[1]:.3f}; score against random {score(network):.3f}", flush=True)
    network.save(given.folder / "trained.safetensors")


if __name__ == "__main__":
    main()
