#!/usr/bin/env python3
"""Plays both games on the server's page by mouse, touch and keyboard in a headless Chromium.

    click_through.py SERVER SOURCE ARTEFACTS

SERVER is the program, SOURCE the repository; screenshots are written to the folder ARTEFACTS. Exits
with 77 if Chromium or chromedriver is not installed.
"""

import http.client
import json
import pathlib
import random
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import webdriver  # noqa: E402  (in this folder)

OVER = "/^(You win|Senet wins|It's a draw)/.test(document.getElementById('status').textContent)"
MINE = "document.querySelector('.on') !== null"


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--port", "0", "--rate", "0", "--seed", "11"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)$", self.process.stdout.readline().strip())[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status < 300, told
        return told

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait() == 0, "the server did not end cleanly")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def play_connect_four(browser, server, shots):
    browser.open(f"http://127.0.0.1:{server.port}/?game=connect_four")
    browser.wait(MINE, "a column to play in")
    check(browser.count("#board svg .column.on") == 7, "seven columns are playable")
    ways = [lambda n: browser.click(f".column[data-move='{n}']"), lambda n: browser.touch(f".column[data-move='{n}']"),
            lambda n: browser.press(str(n))]
    moves = 0
    while True:
        browser.wait(f"{MINE} || {OVER}", "the user's turn, or the end")
        if browser.run(f"return {OVER}"):
            break
        check(browser.count(".disc") == 2 * moves, f"a disc for each of {2 * moves} moves")
        if moves == 2:  # play the third move from the hints
            browser.click(".switch")
            browser.wait("document.getElementById('candidates-title').textContent.startsWith('Good moves')", "hints")
            check(browser.count(".hint.best") >= 1, "a best column is marked")
            browser.screenshot(shots / "connect_four.png")
            browser.click("#candidates tbody tr")
            browser.click(".switch")
        else:
            column = browser.run("return [...document.querySelectorAll('.column.on')].map(c => c.dataset.move)")[moves % 2]
            ways[moves % 3](column)
        moves += 1
        browser.wait(f"document.querySelectorAll('#history li .move').length >= {2 * moves} || {OVER}", "Senet's answer")
        check(browser.count("#candidates tbody tr") >= 1, "Senet's candidates are listed")
    check(re.search(r"\d+%", browser.text("#chance-you")), "a chance of winning is shown")
    if browser.text("#status").find("win") >= 0:
        check(browser.count(".winner") >= 4, "the four in a line are marked")
    check(browser.count(".column.on") == 0, "no column is playable after the end")
    browser.screenshot(shots / "connect_four_end.png")
    return moves


def resign_while_it_thinks(browser):
    browser.click("#new")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 0", "another game")
    browser.click(".column[data-move='4']")
    browser.click("#resign")
    browser.wait(OVER, "the end by resignation")
    check(browser.text("#status").find("Senet wins") >= 0, "the player who resigned has lost")


def play_backgammon(browser, server, shots, draw):
    browser.click("#tab-backgammon")
    browser.wait("document.querySelector('main').dataset.game === 'backgammon'", "the backgammon board")
    browser.run("document.getElementById('level').value = 'casual'")
    press = [browser.click, browser.touch]
    turns = undone = 0
    while True:
        browser.wait(f"{MINE} || {OVER}", "the user's turn, or the end")
        if browser.run(f"return {OVER}"):
            break
        check(browser.count(".checker") == 30, "thirty checkers")
        if turns == 3:  # preview a hint as arrows, then play it
            browser.click(".switch")
            browser.wait("document.getElementById('candidates-title').textContent.startsWith('Good moves')", "hints")
            browser.run("document.querySelector('#candidates tbody tr').dispatchEvent(new PointerEvent('pointerenter'))")
            check(browser.count(".arrow") >= 1, "the turn is shown")
            browser.screenshot(shots / "backgammon_hints.png")
            browser.click(".switch")
            browser.click("#candidates tbody tr")
            turns += 1
            browser.wait(f"document.querySelector('.on') === null || {OVER} || {MINE}", "the turn is played")
            continue
        steps = 0
        while not browser.run("return !document.getElementById('done').hidden"):
            places = browser.run("return [...document.querySelectorAll('.place.on')].map(p => p.dataset.place)")
            targets = browser.run("return [...document.querySelectorAll('.place.target')].map(p => p.dataset.place)")
            check(places, "a turn that has begun can continue")
            if turns % 4 == 2:  # keyboard only
                browser.press("ArrowRight" if steps % 2 else "ArrowLeft")
                browser.press("Enter" if steps % 2 else " ")
            else:
                press[steps % 2](f".place[data-place='{draw.choice(targets or places)}'] .hit")
            steps += 1
            if turns % 5 == 1 and steps == 2 and undone < turns:  # undo the turn and start again
                undone = turns
                while browser.run("return !document.getElementById('undo').hidden"):
                    browser.press("Backspace")
                steps = 0
            check(steps < 20, "a turn ends within 20 steps")
        if turns == 5:
            browser.screenshot(shots / "backgammon.png")
        browser.press("Enter") if turns % 4 == 2 or turns % 2 else browser.click("#done")
        turns += 1
        browser.wait(f"document.querySelector('.on') === null || {OVER} || {MINE}", "the turn is played")
        check(turns < 300, "a game ends within 300 turns")
    check(browser.run("return [0, 1].some(p => document.querySelectorAll('#history li').length > 0)"), "moves are listed")
    browser.screenshot(shots / "backgammon_end.png")
    check(undone > 0, "a turn was undone")
    return turns


def check_rules(browser, server, source):
    """Compares the turns that the page composes step by step with the server's legal turns."""
    rules = pathlib.Path(source, "tools/examples/game_server/page/backgammon_rules.js").read_text()
    draw, states = random.Random(7), []
    for _ in range(4):
        state = server.ask("POST", "/api/games", {"game": "backgammon"})
        while not state["result"]:
            states.append({key: state[key] for key in ("board", "turn", "dice", "legal", "position")})
            state = server.ask("POST", f"/api/games/{state['id']}/move", {"move": draw.choice(state["legal"])})
        server.ask("DELETE", f"/api/games/{state['id']}")
    wrong = browser.run(rules + """
        return arguments[0].filter(({board, turn, dice, legal}) => {
          const texts = new Set(turnsOf(placesOf(board, turn), dice, legal).map(({text}) => text));
          const wanted = legal.filter((text) => text !== "pass");
          return texts.size !== wanted.length || wanted.some((text) => !texts.has(text));
        }).map(({position}) => position);""", states)
    check(not wrong, f"wrong turns in {wrong[:5]}")
    passes = sum(state["legal"] == ["pass"] for state in states)
    doubles = sum(state["dice"][0] == state["dice"][1] for state in states)
    check(passes > 0 and doubles > 10, "the positions include passes and doubles")
    return len(states)


def look(browser, shots):
    """Takes screenshots of the dark theme and of a narrow window."""
    browser.click("#new")
    browser.wait(MINE, "a new game")
    browser.click("#theme")
    browser.screenshot(shots / "backgammon_dark.png")
    browser.resize(412, 915)
    browser.wait("innerWidth < 900 && document.documentElement.scrollWidth <= innerWidth", "a page as narrow as the window")
    browser.screenshot(shots / "backgammon_narrow.png")
    browser.click("#tab-connect_four")
    browser.wait("document.querySelectorAll('.column.on').length === 7", "the other game")
    browser.screenshot(shots / "connect_four_narrow.png")
    browser.click("#resign")
    browser.wait(OVER, "the end by resignation")


def come_back(browser, server):
    """Lets Senet begin, reloads the page, and expects the same game."""
    browser.click("#new")
    browser.wait("document.querySelectorAll('.column.on').length === 7 && document.querySelectorAll('.disc').length === 0", "a new game")
    browser.run("const side = document.getElementById('side'); side.value = '1'; side.dispatchEvent(new Event('change'))")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 1", "Senet's first move")
    browser.press("4")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 3", "its answer")
    moves = browser.text("#history")
    browser.open(f"http://127.0.0.1:{server.port}/")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 3", "the same game")
    check(browser.text("#history") == moves, "the same moves")
    check(browser.run("return document.getElementById('side').value") == "1", "the same side")


def main():
    program, source, shots = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if webdriver.missing():
        print(f"click_through: SKIPPED: not installed: {' and '.join(webdriver.missing())}", file=sys.stderr)
        return 77
    shots.mkdir(parents=True, exist_ok=True)
    draw = random.Random(5)
    server = Server(program)
    try:
        with open(shots / "chromedriver.log", "w") as log:
            browser = webdriver.Browser(log)
            try:
                moves = play_connect_four(browser, server, shots)
                resign_while_it_thinks(browser)
                turns = play_backgammon(browser, server, shots, draw)
                states = check_rules(browser, server, source)
                look(browser, shots)
                come_back(browser, server)
                check(not browser.complaints(), f"the page logged errors: {browser.complaints()}")
            except Exception:
                browser.screenshot(shots / "failed.png")
                raise
            finally:
                browser.close()
        server.end()
    finally:
        server.process.kill()
    print(f"click_through: {moves} moves of Connect Four, {turns} turns of backgammon, the turns of {states} positions; "
          f"screenshots in {shots}")
    return 0


sys.exit(main())
