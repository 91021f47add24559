"""Learns Connect Four with PyTorch: senet plays games, this program learns from them, in rounds.

    python train.py FOLDER [--rounds 5] [--games 3000] [--steps 1000]
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
    """Self-play of a network, without training. Returns its samples."""
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
        searched = policy[rows].sum().clamp(min=1)
        policy_loss = -(policy[rows] * log_softmax(logits, -1)).sum() / searched
        value_loss = cross_entropy(outcomes, target[rows])
        optimiser.zero_grad()
        (policy_loss + value_loss).backward()
        optimiser.step()
        losses.append((policy_loss.item(), value_loss.item()))
    return np.mean(losses[-100:], axis=0)


def score(first, second, games=400, visits=50):
    """Points per game of the first evaluator. Two games have each opening, with sides swapped."""
    random, states = np.random.default_rng(1), []
    for _ in range(games // 2):
        state = senet.State("connect_four")
        for _ in range(4):
            state.play(int(random.choice(state.legal())))
        states += [state, state.copy()]
    for ply in range(38):
        for side, evaluator in enumerate((first, second)):
            turns = [s for i, s in enumerate(states) if not s.is_over and (i + ply) % 2 == side]
            if turns:
                for state, policy in zip(turns, senet.search(turns, evaluator, visits)[2]):
                    state.play(int(policy.argmax()))
    return np.mean([(state.value(i % 2) + 1) / 2 for i, state in enumerate(states)])


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=3000, help="of a round")
    parser.add_argument("--steps", type=int, default=1000, help="of a round")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)  # small layers: more threads only wait for each other
    untrained = network = senet.Network.untrained({"game": "connect_four", **SHAPE})
    module, samples = Module(network), []
    optimiser = torch.optim.AdamW(module.parameters(), 2e-3)
    print(f"untrained: {score(network, None):.3f} against random games")
    for number in range(1, given.rounds + 1):
        weights = given.folder / f"{number - 1}.safetensors"
        network.save(weights)
        samples.append(play(given.folder / f"round-{number}", weights, given.games, seed=number))
        losses = learn(module, optimiser, samples[-3:], given.steps)  # of the last three rounds
        network = module.to_network()
        print(f"round {number}: {len(samples[-1]['turn'])} positions, "
              f"losses {losses[0]:.3f} and {losses[1]:.3f}, {score(network, untrained):.3f} "
              f"against untrained, {score(network, None):.3f} against random games", flush=True)
    network.save(given.folder / "trained.safetensors")


if __name__ == "__main__":
    main()
