#!/usr/bin/env python3
"""Measures what `senet monitor` costs the run that it watches.

    tools/bench/monitor_overhead.py [--pairs 40] [--seconds 5] [SENET]

Plays Connect Four with one worker and without training, so that all games are of one network. In
each pair of intervals a dashboard is attached in one and not in the other, in changing order, and
is killed at the end. Prints a line of JSON: the visits of an interval with a dashboard divided by
those without one, per second of the run's processor time and per second, each as the mean of all
pairs with its 95 % interval; and the dashboard's own processor time in seconds per second.
"""
import argparse
import json
import math
import os
import pathlib
import pty
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def figures(senet, run):
    text = subprocess.run([senet, "monitor", "--json", run], check=True, capture_output=True).stdout
    return json.loads(text)["figures"]


class Dashboard:
    """`senet monitor` in its own terminal, whose output is thrown away."""

    def __init__(self, senet, run):
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [senet, "monitor", run], stdin=theirs, stdout=theirs, stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"})
        os.close(theirs)
        self.reader = threading.Thread(target=self.drain, args=(ours,))
        self.reader.start()

    @staticmethod
    def drain(terminal):
        try:
            while os.read(terminal, 1 << 16):
                pass
        except OSError:  # the program has ended
            pass
        os.close(terminal)

    def kill(self):
        """Returns the processor time that it used."""
        self.process.send_signal(signal.SIGKILL)
        _, _, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = -signal.SIGKILL
        self.reader.join()
        return usage.ru_utime + usage.ru_stime


def interval(values):
    """The mean and its 95 % interval, in which the mean of many values is normal."""
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    mean = statistics.fmean(values)
    return {"mean": round(mean, 5), "low": round(mean - half, 5), "high": round(mean + half, 5)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("senet", nargs="?", default="build/release/tools/senet")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    if options.pairs < 2:
        parser.error("--pairs: at least 2")
    with tempfile.TemporaryDirectory() as folder:
        run = str(pathlib.Path(folder) / "run")
        daemon = subprocess.Popen(
            [options.senet, "selfplay", "--game", "connect_four", "--run", run, "--workers", "1",
             "--no-train", "--quiet"], stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while not (pathlib.Path(run) / "metrics.map").exists():
                if daemon.poll() is not None or time.monotonic() > until:
                    sys.exit("monitor_overhead: the run did not begin")
                time.sleep(0.1)
            time.sleep(options.seconds)
            per_processor, per_second, used = [], [], []
            for pair in range(options.pairs):
                rates = {}
                for attached in (pair % 2 == 0, pair % 2 == 1):
                    dashboard = Dashboard(options.senet, run) if attached else None
                    time.sleep(0.5)
                    before, began = figures(options.senet, run), time.monotonic()
                    time.sleep(options.seconds)
                    after = figures(options.senet, run)
                    if dashboard:
                        used.append(dashboard.kill() / (time.monotonic() - began + 0.5))
                    visits = after["visits"] - before["visits"]
                    rates[attached] = [visits / (after[unit] - before[unit])
                                       for unit in ("cpu_seconds", "seconds")]
                per_processor.append(rates[True][0] / rates[False][0])
                per_second.append(rates[True][1] / rates[False][1])
        finally:
            daemon.terminate()
            daemon.wait()
    print(json.dumps({
        "pairs": options.pairs,
        "visits_per_processor_second": interval(per_processor),
        "visits_per_second": interval(per_second),
        "dashboard_cores": round(statistics.fmean(used), 5),
    }))


if __name__ == "__main__":
    main()
