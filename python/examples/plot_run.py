"""Draws a run of Connect Four: losses, score against its last network, openings, calibration.

    python plot_run.py FOLDER OUT.svg [--games 100]
"""

import argparse
import pathlib

import matplotlib
import numpy as np
import senet

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--games", type=int, default=200, help="of each score, an even number")
    given = parser.parse_args(arguments)
    run = senet.Run(given.folder)
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), dpi=75)
    (losses, scores), (openings, values) = axes

    frame = run.frame()
    frame["minutes"] = frame["seconds"] / 60
    frame.plot("minutes", ["policy_loss", "value_loss"], ax=losses, title="Losses")

    # Files of weights are numbered, and `networks` counts them.
    names = sorted(file.stem for file in (run.folder / "weights").glob("[0-9]*.safetensors"))
    networks = [run.network(name) for name in names]
    minutes = np.interp([int(name) for name in names],
                        [0, *frame["networks"]], [0, *frame["minutes"]])
    scores.plot(minutes, [senet.match("connect_four", network, networks[-1], given.games).score
                          for network in networks], ".-")
    scores.set(title="Points against the last network", xlabel="minutes", ylim=(0, 0.6))

    data = run.records().read(features="none", policy="dense", text=True)
    # The share of visits of each column in the start position, as the run goes.
    start = np.array([text == senet.Game("connect_four").start for text in data["text"]])
    shares = data["policy"][start & (data["policy"].sum(axis=1) > 0)]
    shares = [part.mean(axis=0) for part in np.array_split(shares, min(20, len(shares)))]
    openings.stackplot(np.linspace(0, 1, len(shares)), np.transpose(shares), labels="1234567")
    openings.set(title="First move: share of visits", xlabel="share of the games",
                 xlim=(0, 1), ylim=(0, 1))
    openings.legend(loc="center left", fontsize=7)

    # What the search expected, in 20 groups, and what came of it, in the last third of the games.
    late = data["game_number"] > np.quantile(data["game_number"], 2 / 3)
    late &= ~np.isnan(data["root_value"])
    expected, result = data["root_value"][late], data["result"][late]
    groups = [group for group in np.array_split(np.argsort(expected), 20) if len(group)]
    values.plot([-1, 1], [-1, 1], color="lightgrey")
    values.plot([expected[group].mean() for group in groups],
                [result[group].mean() for group in groups], "o")
    values.set(title="Value calibration, last third", xlabel="value of the search",
               ylabel="mean result")
    figure.tight_layout()
    figure.savefig(given.out)


if __name__ == "__main__":
    main()
