#!/usr/bin/env python3
"""Plots the strength of the networks of training runs, as graded by `senet eval` or `senet solve`.

    tools/run/learning_curve.py --labels tests/data/connect_four/labels_A.csv --visits 0 --visits 400 \\
        --run runs/first --run runs/second --out docs/connect_four_curve.svg
    tools/run/learning_curve.py --puzzles tests/data/cube2/puzzles.jsonl --run runs/cube --out cube.svg

Plots one line for each run and number of visits, with 95 % intervals. With labels, the figure is
the percentage of moves that do not preserve the result, or the loss per decision in millipoints, as
the game's labels allow; lower is better, and scales are logarithmic. With puzzles, JSON lines with
a "position" and the "length" of its shortest solution, there is a line for each length, and the
figure is the percentage of positions that are solved; "shortest" in the points is the percentage
solved in that many moves. The time is the processor time of all
threads in minutes, from metrics.jsonl, or wall-clock time for old runs without that figure. Also
prints the points, one JSON object per line.
"""
import argparse
import collections
import json
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("learning_curve: matplotlib is missing: install python3-matplotlib, or matplotlib by pip")

matplotlib.use("Agg")
from matplotlib import pyplot  # after the backend is chosen

from grading import fail, grade, metrics, read_puzzles, solve


def minutes_by_network(run):
    """Maps each network to its minutes of training. Also returns whether that is processor time."""
    lines = metrics(run)
    if not lines:
        fail(f"{run}/metrics.jsonl is empty")
    clock = "cpu_seconds" if all("cpu_seconds" in line for line in lines) else "seconds"
    minutes = {}
    for line in lines:
        minutes.setdefault(line["networks"], line[clock] / 60)
    return minutes, clock == "cpu_seconds"


def kept_networks(run, most):
    """About `most` of the numbered weights files, evenly spaced by the logarithm of the number."""
    files = {int(file.stem): file for file in (run / "weights").glob("[0-9]*.safetensors")}
    if not files:
        fail(f"{run}/weights contains no numbered networks")
    numbers = sorted(number for number in files if number > 0)
    chosen, last = [], 0.0
    factor = (numbers[-1] / numbers[0]) ** (1 / most) if numbers else 1
    for number in numbers:
        if number >= last * factor or number == numbers[-1]:
            chosen.append((number, files[number]))
            last = number
    return chosen


def points_of(arguments, run, game, visits):
    minutes, counts_processor = minutes_by_network(run)
    points = []
    for number, weights in kept_networks(run, arguments.points):
        known = [made for made in minutes if made >= number]
        if not known:
            continue  # newer than the last line of metrics
        figures = (solve(arguments.senet, game, arguments.puzzles, weights, visits) if arguments.puzzles
                   else [grade(arguments.senet, game, arguments.labels, weights, visits)])
        for figure in figures:
            point = {"run": run.name, "visits": visits, "network": number,
                     "clock": "processor" if counts_processor else "wall",
                     "minutes": round(minutes[min(known)], 2), **figure}
            print(json.dumps(point), flush=True)
            points.append(point)
    return points


def by_length(points):
    """The points of puzzles of each length; all of them with labels."""
    groups = collections.defaultdict(list)
    for point in points:
        groups[point.get("length")].append(point)
    return list(groups.values())


def draw(curves, out):
    matplotlib.rcParams["svg.hashsalt"] = "senet"  # makes the file reproducible
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    is_solved = "length" in curves[0][0]
    is_mixed = len(curves) > len({points[0].get("length") for points in curves})
    for number, points in enumerate(curves):
        x = [point["minutes"] for point in points]
        label = f"{points[0]['run']}, " + (f"{points[0]['visits']} visits" if points[0]["visits"] else "network alone")
        if is_solved:
            length = f"{points[0]['length']} move" + "s" * (points[0]["length"] > 1)
            label = f"{label}, {length}" if is_mixed else length
        color = matplotlib.colormaps["turbo"](number / len(curves)) if is_solved else None
        line, = axes.plot(x, [point["value"] for point in points], marker=".", label=label, color=color)
        axes.fill_between(x, [point["low"] for point in points], [point["high"] for point in points],
                          color=line.get_color(), alpha=0.15, linewidth=0)
    clocks = {point["clock"] for points in curves for point in points}
    axes.set_xscale("log")
    if not is_solved:
        axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}")
        axis.set_tick_params(which="minor", labelsize="small")
    axes.set_xlabel("minutes of training, " +
                    ("processor time" if clocks == {"processor"} else "wall-clock time"))
    axes.set_ylabel(curves[0][0]["figure"])
    axes.grid(which="both", alpha=0.3)
    axes.legend(**{"fontsize": "small", "loc": "center left", "bbox_to_anchor": (1, 0.5)} if is_solved else {})
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=pathlib.Path, action="append", required=True,
                        help="a run folder; may be repeated")
    graded = parser.add_mutually_exclusive_group(required=True)
    graded.add_argument("--labels", type=pathlib.Path, help="the labels file, as for senet eval")
    graded.add_argument("--puzzles", type=pathlib.Path,
                        help="positions of a game of one player and the lengths of their shortest solutions")
    parser.add_argument("--visits", type=int, action="append",
                        help="visits per decision (default: 0, the network alone); may be repeated")
    parser.add_argument("--points", type=int, default=30,
                        help="approximate number of networks of each run")
    parser.add_argument("--senet", default="build/release/tools/senet", help="the senet program")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="the output file, .svg or .png")
    arguments = parser.parse_args()

    games = set()
    for run in arguments.run:
        try:
            games.add(json.loads((run / "config.json").read_text())["game"])
        except (OSError, json.JSONDecodeError, KeyError) as error:
            fail(f"{run}/config.json: {error}")
    if len(games) > 1:
        fail(f"--run: the runs are of different games: {', '.join(sorted(games))}")
    game = games.pop()
    if arguments.puzzles:
        arguments.puzzles = read_puzzles(arguments.puzzles)
    curves = [points for run in arguments.run for visits in arguments.visits or [0]
              for points in by_length(points_of(arguments, run, game, visits))]
    if not curves:
        fail("metrics.jsonl ends before the first network")
    draw(curves, arguments.out)


if __name__ == "__main__":
    main()
