#!/usr/bin/env python3
"""Compares settings of training by runs of equal processor time with several seeds each.

    tools/run/ablation.py --game cube2 --puzzles tests/data/cube2/puzzles.jsonl --core-minutes 5 \\
        --variant "the recipe:" --variant "n-step 3:--n-step 3" --out runs/ablation

Each variant is a name and, after the colon, further options of `senet selfplay`. The runs are made
one after the other, seed by seed, and end when all of their threads together have used the
processor for so long. The networks alone then solve the puzzles (see learning_curve.py). Prints a
Markdown table: for each variant the mean over its seeds, and the least and the greatest of them.
Called again, it makes only the runs that are missing.
"""
import argparse
import json
import pathlib
import shlex
import signal
import subprocess
import tempfile
import time

from grading import fail, metrics, read_puzzles, solve


def recorded_seconds(run):
    """The processor time of a run, by the processes that have ended."""
    lines = metrics(run) if (run / "metrics.jsonl").exists() else []
    return lines[-1]["cpu_seconds"] if lines else 0.0


def live_seconds(senet, run):
    """The processor time of the process that plays a run."""
    told = subprocess.run([senet, "monitor", "--json", str(run)], capture_output=True, text=True)
    if told.returncode != 0:  # it begins
        return 0.0
    shown = json.loads(told.stdout)
    return shown["figures"]["cpu_seconds"] or 0.0 if shown["state"] == "running" else 0.0


def train(arguments, run, seed, options):
    """Makes a run and ends it after the core-minutes."""
    limit = 60 * arguments.core_minutes
    before = recorded_seconds(run)
    if before >= limit:
        return
    command = [arguments.senet, "selfplay", "--game", arguments.game, "--run", str(run), "--seed", str(seed),
               "--workers", str(arguments.workers), "--quiet", *options]
    with tempfile.TemporaryFile("w+") as messages, subprocess.Popen(command, stderr=messages) as program:
        while program.poll() is None and before + live_seconds(arguments.senet, run) < limit:
            time.sleep(0.2)
        if program.poll() is None:
            program.send_signal(signal.SIGTERM)
        program.wait()
        messages.seek(0)
        reason = messages.read().strip()
    if recorded_seconds(run) < limit:
        fail(f"{' '.join(command)}: ended before {arguments.core_minutes:g} core-minutes: {reason}")


def text_of(shares):
    """The mean, the least and the greatest of some percentages."""
    return f"{sum(shares) / len(shares):.1f} ({min(shares):.1f} .. {max(shares):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", required=True)
    parser.add_argument("--puzzles", type=pathlib.Path, required=True,
                        help="positions and the lengths of their shortest solutions")
    parser.add_argument("--variant", action="append", required=True, help="NAME:OPTIONS; may be repeated")
    parser.add_argument("--core-minutes", type=float, default=5)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each variant (default: 3)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--senet", default="build/release/tools/senet", help="the senet program")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder for the runs")
    arguments = parser.parse_args()
    puzzles = read_puzzles(arguments.puzzles)
    arguments.out.mkdir(parents=True, exist_ok=True)

    runs = {}  # by the name of the variant
    for seed in range(1, arguments.seeds + 1):  # what else the machine does then meets all variants
        for variant in arguments.variant:
            name, colon, options = variant.partition(":")
            if not colon:
                fail(f"--variant: {variant}: there is no colon between name and options")
            run = arguments.out / f"{name.replace('/', '-')}-{seed}"
            made_with = run.with_name(run.name + ".options")
            if made_with.exists() and made_with.read_text() != options:
                fail(f"--variant: {variant}: {run} was made with other options: {made_with.read_text()}")
            made_with.write_text(options)
            train(arguments, run, seed, shlex.split(options))
            runs.setdefault(name, []).append(run)

    lengths = sorted({puzzle["length"] for puzzle in puzzles})[-3:]
    print("| variant | solved | by a shortest way |", " | ".join(f"{length} moves away" for length in lengths), "|")
    print("|---" * (3 + len(lengths)) + "|", flush=True)
    for name, seeds in runs.items():
        columns = []  # of each seed
        for run in seeds:
            groups = list(solve(arguments.senet, arguments.game, puzzles, run / "weights/latest.safetensors", 0))
            by_length = {group["length"]: group for group in groups}
            mean = [sum(group[figure] for group in groups) / len(groups) for figure in ("value", "shortest")]
            columns.append(mean + [by_length[length]["value"] for length in lengths])
        print(f"| {name} |", " | ".join(text_of(shares) for shares in zip(*columns)), "|", flush=True)


if __name__ == "__main__":
    main()
