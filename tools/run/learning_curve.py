#!/usr/bin/env python3
"""Plots the strength of the networks of training runs, as graded by `senet eval`.

    tools/run/learning_curve.py --labels tests/data/connect_four/labels_A.csv --visits 0 --visits 400 \\
        --run runs/first --run runs/second --out docs/connect_four_curve.svg

Plots one line for each run and number of visits, on logarithmic scales, with 95 % intervals. The
figure is the percentage of moves that do not preserve the result, or the loss per decision in
millipoints, as the game's labels allow. Lower is better. The time is the processor time of all
threads in minutes, from metrics.jsonl, or wall-clock time for old runs without that figure. Also
prints the points, one JSON object per line.
"""
import argparse
import json
import pathlib
import subprocess
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("learning_curve: matplotlib is missing: install python3-matplotlib, or matplotlib by pip")

matplotlib.use("Agg")
from matplotlib import pyplot  # after the backend is chosen


def fail(reason):
    sys.exit(f"learning_curve: {reason}")


def minutes_by_network(run):
    """Maps each network to its minutes of training. Also returns whether that is processor time."""
    lines = []
    try:
        text = (run / "metrics.jsonl").read_text()
        whole = text[:text.rfind("\n") + 1]  # the last line may be cut off if the run was killed
        lines = [json.loads(line) for line in whole.splitlines()]
    except (OSError, ValueError) as error:
        fail(f"{run}/metrics.jsonl: {error}")
    if not lines:
        fail(f"{run}/metrics.jsonl is empty")
    counts_processor = all("cpu_seconds" in line for line in lines)
    minutes, before, last = {}, 0.0, 0.0
    for line in lines:
        if counts_processor:
            if line["cpu_seconds"] < last:  # the run was resumed in another process
                before += last
            last = line["cpu_seconds"]
            seconds = before + last
        else:
            seconds = line["seconds"]
        minutes.setdefault(line["networks"], seconds / 60)
    return minutes, counts_processor


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


def grade(senet, game, labels, weights, visits):
    """The figure to plot, its value and its interval."""
    command = [senet, "eval", "--json", "--game", game, "--labels", str(labels), "--weights", str(weights),
               "--visits", str(visits)]
    told = subprocess.run(command, capture_output=True, text=True)
    if told.returncode != 0:
        fail(f"{' '.join(command)}: {told.stderr.strip()}")
    for line in map(json.loads, told.stdout.splitlines()):
        if line.get("case") != game:
            continue
        if line["metric"] == "result_preserving":
            value, low, high = (100 * (1 - line[key]) for key in ("value", "max", "min"))
            return {"figure": "% of moves that do not preserve the result", "value": value, "low": low, "high": high}
        if line["metric"] == "loss_millipoints":
            return {"figure": "millipoints lost per decision", "value": line["value"], "low": line["min"],
                    "high": line["max"]}
    fail(f"{' '.join(command)}: printed no figure to plot")


def curve(arguments, run, game, visits):
    minutes, counts_processor = minutes_by_network(run)
    points = []
    for number, weights in kept_networks(run, arguments.points):
        known = [made for made in minutes if made >= number]
        if not known:
            continue  # newer than the last line of metrics
        point = {"run": run.name, "visits": visits, "network": number,
                 "clock": "processor" if counts_processor else "wall",
                 "minutes": round(minutes[min(known)], 2),
                 **grade(arguments.senet, game, arguments.labels, weights, visits)}
        print(json.dumps(point), flush=True)
        points.append(point)
    return points


def draw(curves, out):
    matplotlib.rcParams["svg.hashsalt"] = "senet"  # makes the file reproducible
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for points in curves:
        x = [point["minutes"] for point in points]
        label = f"{points[0]['run']}, " + (f"{points[0]['visits']} visits" if points[0]["visits"] else "network alone")
        line, = axes.plot(x, [point["value"] for point in points], marker=".", label=label)
        axes.fill_between(x, [point["low"] for point in points], [point["high"] for point in points],
                          color=line.get_color(), alpha=0.15, linewidth=0)
    clocks = {point["clock"] for points in curves for point in points}
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}")
        axis.set_tick_params(which="minor", labelsize="small")
    axes.set_xlabel("minutes of training, " +
                    ("processor time" if clocks == {"processor"} else "wall-clock time"))
    axes.set_ylabel(curves[0][0]["figure"])
    axes.grid(which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=pathlib.Path, action="append", required=True,
                        help="a run folder; may be repeated")
    parser.add_argument("--labels", type=pathlib.Path, required=True,
                        help="the labels file, as for senet eval")
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
    curves = [curve(arguments, run, game, visits) for run in arguments.run for visits in arguments.visits or [0]]
    curves = [points for points in curves if points]
    if not curves:
        fail("metrics.jsonl ends before the first network")
    draw(curves, arguments.out)


if __name__ == "__main__":
    main()
