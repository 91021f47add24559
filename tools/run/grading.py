"""Grades networks by `senet eval` and `senet solve`, for the scripts in this folder."""
import collections
import json
import math
import pathlib
import subprocess
import sys


def fail(reason):
    sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {reason}")


def metrics(run):
    """The lines of metrics.jsonl, with the processor time of the whole run."""
    try:
        text = (run / "metrics.jsonl").read_text()
        lines = [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]  # the last may be cut off
    except (OSError, ValueError) as error:
        fail(f"{run}/metrics.jsonl: {error}")
    before = last = 0.0
    for line in lines:
        if line.get("cpu_seconds", last) < last:  # the run was resumed in another process
            before += last
        last = line.get("cpu_seconds", last)
        if "cpu_seconds" in line:
            line["cpu_seconds"] = before + last
    return lines


def answers(command, questions=None):
    """The JSON lines that a command of senet prints."""
    ended = subprocess.run(command, input=questions, capture_output=True, text=True)
    if ended.returncode != 0:
        fail(f"{' '.join(command)}: {ended.stderr.strip()}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def grade(senet, game, labels, weights, visits):
    """The figure to plot, its value and its interval."""
    command = [senet, "eval", "--json", "--game", game, "--labels", str(labels), "--weights", str(weights),
               "--visits", str(visits)]
    for line in answers(command):
        if line.get("case") != game:
            continue
        if line["metric"] == "result_preserving":
            value, low, high = (100 * (1 - line[key]) for key in ("value", "max", "min"))
            return {"figure": "% of moves that do not preserve the result", "value": value, "low": low, "high": high}
        if line["metric"] == "loss_millipoints":
            return {"figure": "millipoints lost per decision", "value": line["value"], "low": line["min"],
                    "high": line["max"]}
    fail(f"{' '.join(command)}: printed no figure to plot")


def share(count, all_of_them):
    """A percentage and its 95 % interval (Wilson's score interval)."""
    z, part = 1.96, count / all_of_them
    middle = part + z * z / (2 * all_of_them)
    reach = z * math.sqrt(part * (1 - part) / all_of_them + z * z / (4 * all_of_them ** 2))
    low, high = ((middle + side * reach) / (1 + z * z / all_of_them) for side in (-1, 1))
    return {name: round(100 * value, 2) for name, value in (("value", part), ("low", low), ("high", high))}


def solve(senet, game, puzzles, weights, visits):
    """The figures to plot by the length of the shortest solution."""
    command = [senet, "solve", "--game", game, "--weights", str(weights), "--visits", str(visits)]
    groups = collections.defaultdict(list)
    questions = "".join(json.dumps(puzzle) + "\n" for puzzle in puzzles)
    for puzzle, answer in zip(puzzles, answers(command, questions), strict=True):
        if "error" in answer:
            fail(f"--puzzles: line {answer['line']}: {answer['error']}")
        if answer["solved"] and answer["length"] < puzzle["length"]:
            fail(f"--puzzles: line {answer['line']}: there is a solution of {answer['length']} moves")
        groups[puzzle["length"]].append(answer)
    for length, group in sorted(groups.items()):
        solved = [answer["length"] for answer in group if answer["solved"]]
        yield {"length": length, "figure": "% of positions solved", **share(len(solved), len(group)),
               "shortest": round(100 * solved.count(length) / len(group), 2)}


def read_puzzles(file):
    try:
        puzzles = [json.loads(line) for line in file.read_text().splitlines()]
        if puzzles and all(isinstance(puzzle["length"], int) and puzzle["position"] for puzzle in puzzles):
            return puzzles
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"--puzzles: {file}: {error}")
    fail(f"--puzzles: {file}: no puzzles")
