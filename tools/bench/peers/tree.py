"""Runs the programs that tree.sh has compiled, in turns, and prints a table. The working directory is build/peers."""

import argparse
import pathlib
import statistics
import subprocess
import tempfile

PROGRAMS = {"Senet": "tree_senet", "alphazero-pybind11": "tree_alphazero", "OpenSpiel": "tree_open_spiel"}
MOST_PLIES, MOST_POSITIONS = 16, 200  # earlier positions have larger trees


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--simulations", type=int, default=800, help="of each search")
    parser.add_argument("--seconds", type=float, default=2, help="of each program and round")
    options = parser.parse_args()
    practice = pathlib.Path(__file__).parents[3] / "tests/data/connect_four/practice.txt"
    words = [line.split()[0] for line in practice.read_text().splitlines()]
    positions = [word for word in words if len(word) <= MOST_PLIES][:MOST_POSITIONS]
    rates = {name: [] for name in PROGRAMS}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(positions) + "\n")
        file.flush()
        for _ in range(options.rounds):
            for name, program in PROGRAMS.items():
                arguments = [f"./{program}", file.name, str(options.simulations), str(options.seconds)]
                rates[name].append(float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout))
    ours = statistics.median(rates["Senet"])
    print(f"{len(positions)} positions, {options.simulations} simulations each, medians of {options.rounds} rounds\n")
    print("| program | simulations per second | Senet's are |\n|---|--:|--:|")
    for name, found in rates.items():
        rate = statistics.median(found)
        print(f"| {name} | {rate:,.0f} | {'' if name == 'Senet' else f'{ours / rate:.2f} times as many'} |")


if __name__ == "__main__":
    main()
