#!/usr/bin/env python3
"""Plots the curve of a short run that was resumed once, and checks the plot and the points.

    learning_curve_test.py SENET SOURCE

Exits with 77 if matplotlib is not installed.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SENET, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*command, expected=0):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert ended.returncode == expected, f"{command}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended


def learn(folder, games, *more):
    run(SENET, "selfplay", "--run", folder, "--quiet", "--games", games, *more)


def first_lines(file, into, groups=None, most=200):
    """Writes the first lines of a file; with `groups`, a function of a line, the first of each group."""
    counts = collections.Counter()
    kept = []
    for line in file.read_text().splitlines(keepends=True):
        group = groups(line) if groups else None
        counts[group] += 1
        if counts[group] <= most:
            kept.append(line)
    into.write_text("".join(kept))
    return into


def main():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Few of them: the programs may be slow ones, with sanitizers.
        labels = first_lines(SOURCE / "tests/data/connect_four/labels_A.csv", folder / "labels.csv")
        puzzles = first_lines(SOURCE / "tests/data/cube2/puzzles.jsonl", folder / "puzzles.jsonl",
                              groups=lambda line: json.loads(line)["length"], most=10)
        tool = [sys.executable, SOURCE / "tools/run/learning_curve.py", "--senet", SENET, "--labels", labels]
        learn(folder / "one", 150, "--game", "connect_four", "--visits", 4, "--fast-visits", 2, "--width", 16, "--blocks", 1,
              "--begin-after", 100, "--steps-per-iteration", 5, "--train-batch", 64, "--workers", 1, "--checkpoint-seconds", 0.2)
        learn(folder / "one", 150, "--resume")
        learn(folder / "other", 2, "--game", "backgammon", "--width", 16, "--blocks", 1, "--workers", 1)

        out = folder / "curve.svg"
        told = run(*tool, "--run", folder / "one", "--visits", 0, "--visits", 3, "--out", out)
        points = [json.loads(line) for line in told.stdout.splitlines()]
        for visits in (0, 3):
            drawn = [point for point in points if point["visits"] == visits]
            assert len(drawn) >= 2, told.stdout
            minutes = [point["minutes"] for point in drawn]
            assert minutes == sorted(minutes) and all(point["clock"] == "processor" for point in drawn), drawn
            assert all(point["low"] <= point["value"] <= point["high"] for point in drawn), drawn
        last = points[-1]
        weights = folder / f"one/weights/{last['network']:06}.safetensors"
        marks = run(SENET, "eval", "--json", "--game", "connect_four", "--labels", labels, "--weights", weights, "--visits", 3)
        kept = [line for line in map(json.loads, marks.stdout.splitlines()) if line.get("metric") == "result_preserving"]
        assert abs(100 * (1 - kept[0]["value"]) - last["value"]) < 1e-9, (kept, last)
        drawing = xml.etree.ElementTree.parse(out).getroot()
        assert drawing.tag.endswith("svg") and "one, network alone" in out.read_text()

        # Resumed twice and killed in the middle of a line: the times of the processes add up.
        numbers = sorted({point["network"] for point in points})
        made = [{"networks": network, "cpu_seconds": seconds}
                for network, seconds in zip([0] + numbers, (1, 300, 600, 180, 480, 60))]
        expected = dict(zip(numbers, (5, 10, 13, 18, 19)))
        metrics = folder / "one/metrics.jsonl"
        kept_metrics = metrics.read_text()
        metrics.write_text("".join(json.dumps(line) + "\n" for line in made) + '{"networks": 7, "cpu')
        told = run(*tool, "--run", folder / "one", "--out", out)
        minutes = {point["network"]: point["minutes"] for point in map(json.loads, told.stdout.splitlines())}
        assert minutes == expected, (minutes, expected)
        metrics.write_text(kept_metrics)
        run(*tool, "--run", folder / "one", "--visits", 0, "--visits", 3, "--out", out)

        before = out.read_bytes()
        run(*tool, "--run", folder / "one", "--visits", 0, "--visits", 3, "--out", out)
        assert out.read_bytes() == before, "the same points gave a different file"

        # Puzzles: a line for each length of their solutions.
        learn(folder / "puzzle", 150, "--game", "cube2", "--width", 16, "--workers", 1, "--train-batch", 64, "--begin-after", 100,
              "--steps-per-iteration", 5, "--scramble-moves", 2)
        puzzle_tool = [sys.executable, SOURCE / "tools/run/learning_curve.py", "--senet", SENET, "--run", folder / "puzzle",
                       "--visits", 200, "--out", out]
        told = run(*puzzle_tool, "--puzzles", puzzles, "--points", 1)
        last = {point["length"]: point for point in map(json.loads, told.stdout.splitlines())}
        assert sorted(last) == list(range(1, 12)), told.stdout
        assert last[1]["value"] == last[1]["shortest"] == 100 and last[1]["low"] > 60, last[1]
        assert all(point["shortest"] <= point["value"] <= point["high"] for point in last.values()), told.stdout
        assert "<!-- 11 moves -->" in out.read_text()

        # Runs of equal processor time, a line for each variant.
        compare = [sys.executable, SOURCE / "tools/run/ablation.py", "--senet", SENET, "--game", "cube2", "--puzzles",
                   puzzles, "--core-minutes", 0.02, "--seeds", 2,
                   "--out", folder / "ablation"]
        few = "--width 16 --train-batch 64 --begin-after 100 --scramble-moves 2"
        variants = ["--variant", f"small: {few}", "--variant", f"moves: {few} --mode moves"]
        told = run(*compare, *variants).stdout.splitlines()
        assert [line.split(" | ")[0] for line in told[2:]] == ["| small", "| moves"], told
        assert all(line.count("..") == line.count("|") - 2 == 5 for line in told[2:]), told
        assert run(*compare, *variants).stdout.splitlines() == told, "runs that had ended gave other figures"
        refused = run(*compare, "--variant", "odd: --width 3", expected=1)
        assert "--width" in refused.stderr and "Traceback" not in refused.stderr, refused.stderr
        refused = run(*compare, "--variant", "small: --width 24", expected=1)
        assert "other options" in refused.stderr, refused.stderr
        refused = run(*compare, "--variant", "odd", expected=1)
        assert "no colon" in refused.stderr, refused.stderr

        bad = folder / "bad.jsonl"
        for text, reason in (("", "no puzzles"), ("{}", "length"), ('{"position": "x", "length": 1}', "line 1")):
            bad.write_text(text)
            refused = run(*puzzle_tool, "--puzzles", bad, expected=1)
            assert reason in refused.stderr and "Traceback" not in refused.stderr, refused.stderr

        for runs, reason in ((["none"], "none/config.json"), (["one", "other"], "of different games")):
            words = [word for run_name in runs for word in ("--run", folder / run_name)]
            refused = run(*tool, *words, "--out", out, expected=1)
            assert reason in refused.stderr and "Traceback" not in refused.stderr, refused.stderr


main()
