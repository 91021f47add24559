"""Runs all benchmarks of the Python package, peers included, one after the other.

    python python/benchmarks [--install-peers]

Each prints its table; env.py and search.py describe what they measure.
"""

import argparse
import pathlib
import subprocess
import sys

PEERS = ["jax", "pgx", "mctx", "open_spiel", "envpool"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--install-peers", action="store_true",
                        help=f"pip install {' '.join(PEERS)} first")
    if parser.parse_args().install_peers:
        subprocess.run([sys.executable, "-m", "pip", "install", *PEERS], check=True)
    for name in ("env.py", "search.py"):
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name(name)], check=True)


if __name__ == "__main__":
    main()
