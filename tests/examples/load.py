#!/usr/bin/env python3
"""Loads the example server with wrk, including malformed, oversized and slow requests, and checks
that it continues to serve.

    load.py SERVER [--sanitized]

Runs for SENET_WRK_SECONDS (default 3). Exits with 77 if wrk is not installed.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

OPTIONS = ["--port", "0", "--rate", "0", "--games", "100", "--visits", "400", "--memory-mib", "256", "--threads", "8", "--queue", "8",
           "--client-games", "100", "--connections", "150", "--client-connections", "1000", "--idle-seconds", "2", "--request-ms", "1000"]
PROGRAM_MIB = 64  # code, stacks and the page, besides the server's stated maximum


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def slow_clients(port, count, stop):
    """Sends requests byte by byte on `count` connections, replacing closed ones, until `stop`."""
    head = b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n{" + b" " * 40
    clients = {}
    while not stop.wait(0.05):
        while len(clients) < count:
            clients[socket.create_connection(("127.0.0.1", port))] = 0
        for client, sent in list(clients.items()):
            try:
                client.send(head[sent:sent + 1])
                clients[client] = sent + 1
            except OSError:
                client.close()
                del clients[client]
    for client in clients:
        client.close()


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def metrics_of(port):
    """The metrics; retries while the server is still busy."""
    while True:
        status, told = ask(port, "GET", "/api/metrics")
        if status == 200:
            return told
        check(status == 503, told)
        time.sleep(0.05)


def play_a_game(port):
    status, game = ask(port, "POST", "/api/games", {"game": "connect_four"})
    check(status == 201, f"a game is opened: {status} {game}")
    while not game["result"]:
        status, game = ask(port, "POST", f"/api/games/{game['id']}/move", {"visits": 20})
        check(status == 200, f"a move is played: {status} {game}")
    ask(port, "DELETE", f"/api/games/{game['id']}")


def load(server, port, bound, seconds):
    stop = threading.Event()
    slow = threading.Thread(target=slow_clients, args=(port, 50, stop))
    slow.start()
    script = pathlib.Path(__file__).with_name("load.lua")
    wrk = subprocess.run(["wrk", "-t", "2", "-c", "64", "-d", f"{seconds}s", "--latency", "-s", script, f"http://127.0.0.1:{port}"],
                         capture_output=True, text=True)
    while wrk.returncode == 0 and metrics_of(port)["connections"]["timed_out"] == 0:  # slow clients are cut off
        time.sleep(0.05)
    stop.set()
    slow.join()
    check(wrk.returncode == 0, wrk.stdout + wrk.stderr)
    print(wrk.stdout)
    while metrics_of(port)["games"]["open"] > 0:  # idle ones are closed
        time.sleep(0.1)
    play_a_game(port)
    metrics = metrics_of(port)
    print(json.dumps(metrics))
    requests, engine = metrics["requests"], metrics["engine"]
    check(requests["answered_2xx"] > 0 and requests["answered_4xx"] > 0, "requests were served and refused")
    check(requests["answered_5xx"] == requests["shed"], "every 5xx answer was load shedding")
    check(engine["memory"] <= engine["memory_bound"], "the engine stays within its memory bound")
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    resident = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
    print(f"resident at most {resident:.0f} MiB, bound {bound:.0f} + {PROGRAM_MIB} MiB")
    check(resident <= bound + PROGRAM_MIB or "--sanitized" in sys.argv, "memory stays below the stated maximum")


def main():
    if shutil.which("wrk") is None:
        print("load: SKIPPED: wrk is not installed", file=sys.stderr)
        return 77
    server = subprocess.Popen([sys.argv[1], *OPTIONS], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)$", server.stdout.readline().strip())[1])
        bound = sum(float(size) for size in re.findall(r"([\d.]+) MiB", server.stdout.readline()))
        load(server, port, bound, int(os.environ.get("SENET_WRK_SECONDS", "3")))
        server.send_signal(signal.SIGTERM)
        check(server.wait() == 0, "the server ends cleanly")
    finally:
        server.kill()
    return 0


sys.exit(main())
