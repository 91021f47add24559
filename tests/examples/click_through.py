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
    def __init__(self, program, *options, port=0):
        self.process = subprocess.Popen([program, "--port", str(port), "--rate", "0", "--seed", "11", *options],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)$", self.process.stdout.readline().strip())[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status < 300, content
        return content

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait() == 0, "the server did not end cleanly")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def figures_of(browser):
    """The candidates as (move, value, loss or None for the best, line)."""
    rows = browser.run("return [...document.querySelectorAll('#candidates tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    number = lambda text: float(text.replace("−", "-").rstrip("%"))  # noqa: E731
    return [(move, number(value), None if loss == "best" else abs(number(loss)), line[0] if line else "")
            for move, value, loss, *line in rows]


def check_figures(browser, rounding):
    """The best move comes first, and each loss is the difference to its value."""
    rows = figures_of(browser)
    check(rows and rows[0][2] is None and all(loss is not None for _, _, loss, _ in rows[1:]), f"only the first move is best: {rows}")
    for move, value, loss, _ in rows[1:]:
        check(abs(max(0, rows[0][1] - value) - loss) <= rounding, f"the loss of {move}: {rows}")
    return rows


def check_labels(browser):
    """The label of each column or place says what lies there."""
    stones = browser.run("""return [...document.querySelectorAll('.column, .place')].map(e => {
        const label = e.getAttribute('aria-label'), after = label.split(':').slice(1).join(':').split(';')[0];
        return [e.getAttribute('role'), after.match(/^ from the bottom/) ? after.split(',').length : Number(after.match(/\\d+/)?.[0] ?? 0)];
    })""")
    check(all(role in ("button", "img") for role, _ in stones), f"every place has a role: {stones}")
    drawn = browser.count(".disc, .checker")
    check(sum(count for _, count in stones) == drawn, f"labels account for all {drawn} pieces: {stones}")


def check_contrast(browser):
    shown = browser.run("return document.documentElement.dataset.theme")
    for theme in ("light", "dark"):
        browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
        check(browser.run("return getComputedStyle(document.documentElement).colorScheme") == theme, f"the color scheme is {theme}")
        poor = browser.poor_contrast()
        check(not poor, f"poor contrast in the {theme} theme: {poor}")
    browser.run("document.documentElement.dataset.theme = arguments[0]", shown)


def step_through(browser, pieces):
    """Looks at earlier positions; pieces(ply) is the number of discs after `ply` moves, or None."""
    last = browser.count("#history button")
    def shows(ply):
        browser.wait(f"document.getElementById('graph').getAttribute('aria-valuenow') === '{ply}'", f"position {ply}")
        check(pieces(ply) is None or browser.count(".disc") == pieces(ply), f"the discs of position {ply}")
        check(ply == last or browser.count("#board .on") == 0, "earlier positions are not playable")
    browser.run("document.getElementById('graph').focus()")
    for key, ply in (("ArrowLeft", last - 1), ("Home", 0), ("ArrowRight", 1), ("End", last)):
        browser.press(key)
        shows(ply)
    browser.click_at("#graph", 0.09)
    shows(0)
    check(browser.text("#status").startswith("Before the first move"), "the status says where we are")
    browser.touch("#forward")
    shows(1)
    browser.click("#history li:nth-child(2) button")
    shows(2)
    check(browser.count("#candidates tbody tr") >= 1, "moves of an earlier position are shown")
    check(browser.count("tr.played") == 1, "the move that was played is marked")
    label = browser.run("return document.getElementById('graph').getAttribute('aria-valuetext')")
    check(re.search(r"^Move 2 of \d+, (you|Senet) played .+, your chance of winning \d+%$", label), f"the graph describes itself: {label}")
    browser.click("#back")
    shows(1)
    browser.click("#latest")
    shows(last)


def take_back(browser):
    """Takes back moves in the middle of a game of Connect Four, and plays on from an earlier position."""
    first = browser.run("return [...document.querySelectorAll('#history .move')].map(m => m.textContent)")
    browser.click("#take-back")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === {len(first) - 2}", "two moves taken back")
    browser.press(first[-2])
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === {len(first)}", "the move again")
    browser.press("z", held="Control")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === {len(first) - 2}", "Ctrl+Z takes back too")
    browser.click("#history li:first-child button")
    browser.wait("!document.getElementById('fork').hidden", "an earlier position")
    browser.click("#fork")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 2", "Senet's other answer")
    check(browser.text("#history .move") == first[0], "the game goes on after the first move")
    return first


def check_review(browser, factor, rounding):
    """`factor` turns the average loss into the figure of the review; losses are rounded to `rounding`."""
    browser.wait("!document.getElementById('review').hidden && document.getElementById('review-progress').textContent === ''", "the review")
    rows = browser.run("return [...document.querySelectorAll('#review-table tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    check([row[0] for row in rows] == ["You", "Senet"], f"both players are reviewed: {rows}")
    moves = browser.run("return [...document.querySelectorAll('#history button')].map(b => [b.ariaLabel.includes(', you'), b.querySelector('.lost').textContent])")
    for name, choices, *_, figure in rows:
        losses = [float(lost.strip("−%")) if lost else 0 for is_yours, lost in moves if is_yours == (name == "You")]
        check(0 < int(choices) <= len(losses), f"choices are counted: {rows}")
        expected, tolerance = factor * sum(losses) / int(choices), factor * rounding * len(losses) / int(choices)
        check(abs(float(figure.rstrip("%")) - expected) <= tolerance + 0.06, f"the figure {figure} of {name}, not {expected}")
    if browser.count("#worst button"):
        ply = int(re.match(r"\d+", browser.text("#worst button"))[0]) - 1
        browser.click("#worst button")
        browser.wait(f"document.getElementById('graph').getAttribute('aria-valuenow') === '{ply}'", "the position of the costliest move")
        check_contrast(browser)
        browser.click("#latest")
    return rows


def play_connect_four(browser, server, shots):
    browser.open(f"http://127.0.0.1:{server.port}/?game=connect_four")
    browser.wait(MINE, "a column to play in")
    check(browser.count("#board svg .column.on") == 7, "seven columns are playable")
    ways = [lambda n: browser.click(f".column[data-move='{n}']"), lambda n: browser.touch(f".column[data-move='{n}']"),
            lambda n: browser.press(str(n))]
    moves, returned = 0, None
    while True:
        browser.wait(f"{MINE} || {OVER}", "the user's turn, or the end")
        if browser.run(f"return {OVER}"):
            break
        check(browser.count(".disc") == 2 * moves, f"a disc for each of {2 * moves} moves")
        if moves == 2:  # play the third move from the hints
            browser.click(".switch")
            browser.wait("document.getElementById('candidates-title').textContent.startsWith('Good moves')", "hints")
            rows = check_figures(browser, 1.1)
            check(len(rows) == 7 and all(re.fullmatch(r"[1-7]( [1-7])*", line) for _, _, _, line in rows), f"lines: {rows}")
            check(browser.text(".hint.best") == f"{rows[0][1]:.0f}%", "the best column shows its chance of winning")
            check_labels(browser)
            check_contrast(browser)
            browser.screenshot(shots / "connect_four.png")
            browser.click("#candidates tbody tr")
            browser.click(".switch")
        elif moves == 4 and not returned:
            step_through(browser, lambda ply: ply)
            returned = take_back(browser)
            moves = 1
            continue
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
    check(returned, "moves were taken back")
    check_review(browser, 1, 0.05)
    step_through(browser, lambda ply: ply)
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
    browser.run("document.getElementById('level').value = 6")  # with several visits: a single one considers no moves
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
            check_figures(browser, 0.0011)
            check_labels(browser)
            check_contrast(browser)
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
    browser.wait("!document.getElementById('review').hidden", "the review")
    check(browser.text("#review-table").find("%") < 0, "the review is not that of the game before")
    browser.screenshot(shots / "backgammon_end.png")
    check(undone > 0, "a turn was undone")
    check_review(browser, 500, 0.0005)
    step_through(browser, lambda ply: None)
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
    check_contrast(browser)
    browser.click("#tab-connect_four")
    browser.wait("document.querySelectorAll('.column.on').length === 7", "the other game")
    browser.screenshot(shots / "connect_four_narrow.png")
    check_contrast(browser)
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


def open_positions(browser, server):
    """Copies the address of a position, and opens it and others as another browser would."""
    browser.run("const side = document.getElementById('side'); side.value = '0'; side.dispatchEvent(new Event('change'))")
    browser.open(f"http://127.0.0.1:{server.port}/?game=connect_four&position=4453")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 4", "a position from columns")
    browser.press("4")
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 6", "Senet's answer")
    browser.click("#copy-link")
    browser.wait("document.getElementById('toast').textContent === 'Link copied'", "the link is copied")
    link, labels = browser.clipboard(), browser.run("return [...document.querySelectorAll('.column')].map(c => c.getAttribute('aria-label'))")
    check(link == browser.run("return location.href") and "position=7/7/" in link, f"the link contains the position: {link}")
    browser.run("localStorage.clear()")
    browser.open(link)
    browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === 6", "the same position")
    check(browser.run("return [...document.querySelectorAll('.column')].map(c => c.getAttribute('aria-label'))") == labels, "the same discs")
    check(browser.text("#history") == "None yet", "it is a new game")
    browser.open(f"http://127.0.0.1:{server.port}/?game=backgammon&position=rubbish")
    browser.wait(f"{MINE} && document.getElementById('toast').textContent.includes('14 characters')", "an error, and a new game")
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    browser.run("document.getElementById('position').value = arguments[0]", xgid)
    browser.click("#position-form button")
    browser.wait(f"{MINE} && document.getElementById('status').textContent.includes('you rolled 3 and 1')", "the position of an XGID")
    check(browser.run("return new URLSearchParams(location.search).get('position')") == "4HPwATDgc/ABMA:0:31", "its position in the address")
    browser.run("const field = document.getElementById('position'); field.value = 'rubbish'; field.focus()")
    browser.press("Enter")
    browser.wait("document.getElementById('toast').textContent.includes('14 characters')", "a wrong position is refused")
    check(browser.run(f"return {MINE}"), "the game goes on")


def open_long_game(browser, server):
    """Opens a game whose first moves the server has dropped."""
    draw, state = random.Random(3), {"ply": 0, "result": True}
    while state["ply"] < 203 or state["result"]:
        if state["result"]:
            state = server.ask("POST", "/api/games", {"game": "backgammon"})
        hits = [move for move in state["legal"] if "*" in move]  # make the game long
        state = server.ask("POST", f"/api/games/{state['id']}/move", {"move": draw.choice(hits or state["legal"])})
    browser.run("localStorage.setItem('senet', JSON.stringify({id: arguments[0], you: 0, position: arguments[1]}))",
                state["id"], state["position"])
    browser.open(f"http://127.0.0.1:{server.port}/")
    last = state["ply"]
    browser.wait(f"document.querySelectorAll('#history button').length === 200 && (({MINE}) || {OVER})", "the long game")
    browser.run("document.getElementById('graph').focus()")
    browser.press("Home")
    browser.wait("!document.getElementById('fork').hidden", "the oldest position")
    ply = int(browser.run("return document.getElementById('graph').getAttribute('aria-valuenow')"))
    check(ply >= last - 200 and ply > 0, f"the oldest position is that of ply {ply}")
    check(browser.text("#status").startswith(f"After move {ply} of "), f"the status of the oldest position: {browser.text('#status')}")
    label = browser.run("return document.getElementById('graph').getAttribute('aria-valuetext')")
    check(label.startswith(f"Move {ply} of "), f"the graph describes the oldest position: {label}")


def drag_over_graph(browser, server):
    """Drags over positions that are not known yet: only the last one is searched."""
    browser.open(f"http://127.0.0.1:{server.port}/?game=connect_four")
    browser.run("document.getElementById('level').value = 0")
    for discs in (0, 2, 4, 6):
        browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === {discs}", f"{discs} discs")
        browser.wait("/chance of winning/.test(document.getElementById('graph').getAttribute('aria-valuetext'))", "its chance of winning")
        if discs < 6:
            browser.press("4")
    before = server.ask("GET", "/api/metrics")["engine"]["searches"]
    browser.run("""const graph = document.getElementById('graph'), box = graph.getBoundingClientRect();
        for (let x = 258; x >= 75; --x) {  // from move 6 to move 1
          graph.dispatchEvent(new PointerEvent('pointermove', {buttons: 1, clientX: box.left + x / 340 * box.width}));
        }""")
    browser.wait("document.getElementById('graph').getAttribute('aria-valuenow') === '1'", "the last position of the drag")
    searches = server.ask("GET", "/api/metrics")["engine"]["searches"] - before
    check(searches == 1, f"a drag needs one search, not {searches}")


def refuse(browser, requests, status=0):
    """Refuses the page's requests that match `requests` with this status; 0: the server cannot be reached."""
    browser.run("""const [requests, status] = arguments;
        window.allowed ??= window.fetch;
        window.fetch = async (path, request) => {
          if (!new RegExp(requests).test(`${path} ${request.body ?? ""}`)) return allowed(path, request);
          if (status === 0) throw new TypeError("Failed to fetch");
          return new Response(JSON.stringify({error: {status, reason: "refused by the test"}}), {status});
        };""", requests, status)


def survive_errors(browser, program):
    """Plays on after refused requests and lost connections, after the server restarts, and with room for a single game."""
    toast = lambda text: browser.wait(f"document.getElementById('toast').textContent.includes('{text}')", f"the reason {text}")  # noqa: E731
    discs = lambda count: browser.wait(f"{MINE} && document.querySelectorAll('.disc').length === {count}", f"{count} discs")  # noqa: E731
    game = lambda: browser.run("return JSON.parse(localStorage.getItem('senet')).id")  # noqa: E731
    status = lambda text: browser.wait(f"document.getElementById('status').textContent.startsWith('{text}')", f"the status {text}")  # noqa: E731
    nothing = "^$"
    server = Server(program, "--client-games", "1")
    try:
        browser.open(f"http://127.0.0.1:{server.port}/?game=connect_four")
        browser.run("document.getElementById('level').value = 0")
        discs(0)
        refuse(browser, "/move .*\"move\"")  # the user's move
        browser.press("4")
        toast("The server cannot be reached")
        status("Trying again")
        refuse(browser, nothing)
        discs(0)
        status("Your move")
        refuse(browser, "/move .*(visits|level)")  # Senet's move
        browser.press("4")
        status("Trying again")
        check(browser.count(".disc") == 1 and not browser.run(f"return {MINE}"), "Senet is to move")
        refuse(browser, nothing)
        discs(2)
        for number in (409, 429, 503):  # the search on the user's turn: the board stays playable
            browser.run("document.getElementById('toast').textContent = ''")
            refuse(browser, "/analyse", number)
            browser.press("4")
            toast("refused by the test")
            check(browser.run(f"return {MINE}"), f"the board is playable after {number}")
            browser.click("#back")
            refuse(browser, nothing)
            browser.wait("!document.getElementById('fork').hidden", "the position before, as soon as the server answers")
            browser.click("#latest")
            browser.wait(MINE, "the live position is playable")

        refuse(browser, "/analyse", 503)
        browser.click("#resign")
        browser.wait(OVER, "the end by resignation")
        toast("refused by the test")
        check(browser.text("#review-progress").startswith("Reviewing move"), "the review waits")
        refuse(browser, nothing)
        browser.wait("!document.getElementById('review').hidden && document.getElementById('review-progress').textContent === ''", "the review")

        first = game()
        browser.click("#new")
        discs(0)
        second = game()
        check(second != first, "a new game takes the place of the only one")
        browser.run("document.getElementById('position').value = '4453'")
        browser.click("#position-form button")
        discs(4)
        check(game() != second, "so does a position")
        check(server.ask("GET", "/api/metrics")["games"]["open"] == 1, "one game is open")

        # A move on its way when a new game begins does not block the new game's first move.
        browser.run("""const send = window.fetch;
            window.fetch = async (path, request) => {
              if (path.endsWith("/move")) { window.fetch = send; await new Promise((wake) => { window.release = wake; }); }
              return send(path, request);
            };""")
        browser.press("4")
        browser.wait("window.release", "the move on its way")
        browser.click("#new")
        discs(0)
        browser.press("4")
        discs(2)
        browser.run("window.release()")

        refuse(browser, "/analyse", 503)  # the review cannot be completed after a restart
        browser.click("#resign")
        browser.wait("!document.getElementById('review').hidden", "the review")
        server.end()
        refuse(browser, nothing)
        toast("The server cannot be reached")
        server = Server(program, port=server.port)
        browser.wait("document.getElementById('review-progress').textContent.startsWith('The review stopped: ')", "the end of the review")
        browser.click("#new")
        discs(0)
        server.end()
        old = game()
        browser.press("4")
        status("Trying again")
        server = Server(program, port=server.port)
        browser.wait(f"JSON.parse(localStorage.getItem('senet')).id !== '{old}'", "a new game of the new server")
        discs(0)
        browser.press("4")
        discs(2)
        server.end()
    finally:
        server.process.kill()


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
                open_positions(browser, server)
                open_long_game(browser, server)
                drag_over_graph(browser, server)
                # Chromium logs refused requests: wrong positions, and a reload during a search.
                complaints = [text for text in browser.complaints() if not re.search(r"status of (400|409) ", text)]
                check(not complaints, f"the page logged errors: {complaints}")
                survive_errors(browser, program)
                # Requests fail here, but no error of the page itself may go unseen.
                complaints = [text for text in browser.complaints() if not re.search(r"Failed to load resource|net::ERR_", text)]
                check(not complaints, f"the page logged errors: {complaints}")
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
