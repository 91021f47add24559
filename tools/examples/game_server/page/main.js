// The page: plays one game at a time against the engine.
const levels = {
  casual: {visits: 6, temperature: 1},
  club: {visits: 30, temperature: 0.5},
  strong: {visits: 300},
  full: {},  // set to the server's maximum
};
const boards = {connect_four: ConnectFourBoard, backgammon: BackgammonBoard};
// Waits are short for users who prefer reduced motion.
const haste = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0.05 : 1;
const wait = (milliseconds) => new Promise((wake) => setTimeout(wake, haste * milliseconds));

let state = null;  // the server's last answer
let you = 0;  // the user's player index
let board = null;
let colors = [];
let turnNumber = 0;  // increases when pending requests become outdated
let analysis = Promise.resolve();  // the running search: the server allows one request per game at a time

const effort = () => levels[byId("level").value];
const rollText = ([a, b]) => (a === b ? `double ${a}s` : `${a} and ${b}`);
const remember = () => localStorage.setItem("senet", JSON.stringify({id: state.id, you}));

/** Thrown for an answer or an error that arrives too late to matter. */
class Outdated {}

/** The answer to a request; throws Outdated if its turn has ended meanwhile. */
async function inTurn(number, request) {
  try {
    const answer = await request;
    if (number === turnNumber) return answer;
  } catch (error) {
    if (number === turnNumber) throw error;
  }
  throw new Outdated();
}

/** Runs an action that calls the server and shows its errors. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (error instanceof Outdated) return;
    showToast(error.message);
    if (error.status === 404) return newGame(state?.game ?? "connect_four");
    if (!error.status || !state) return;
    const number = turnNumber;
    show(await api.state(state.id));
    if (state.turn === you || state.result) return;
    await wait(3000);  // Senet is to move: retry when the server may be less busy
    if (number === turnNumber) attempt(goOn);
  }
}

function show(next) {
  state = next;
  board.show(state);
  if (state.search) showChances(state.search, you, colors);
  showHistory(state, colors);
  byId("resign").disabled = Boolean(state.result);
}

async function newGame(game) {
  ++turnNumber;
  await analysis;
  if (state) api.close(state.id).catch(() => {});
  begin(await api.newGame(game), Number(byId("side").value));
}

function begin(next, side) {
  ++turnNumber;
  you = side;
  colors = boards[next.game].colors;
  document.querySelector("main").dataset.game = next.game;
  for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.game === next.game);
  byId("undo").hidden = byId("done").hidden = true;
  board = new boards[next.game](you, playMove, (canUndo, canPlay) => {
    byId("undo").hidden = !canUndo;
    byId("done").hidden = !canPlay;
  });
  showChances(null);
  showCandidates(null, "Moves Senet considered");
  state = next;
  remember();
  show(next);
  attempt(goOn);
}

/** Starts the turn of the player to move. */
async function goOn() {
  const number = ++turnNumber;
  const roll = state.dice ? rollText(state.dice) : "";
  const last = state.history.at(-1);
  const answer = last && last.player !== you ? `Senet played ${last.move}. ` : "";
  board.setEnabled(false);
  if (state.result) {
    board.showHints(null);
    return showResult();
  }
  if (state.turn !== you) {
    board.showHints(null);
    showStatus("Senet is thinking", roll && `Senet rolled ${roll}`, true);
    const reply = api.reply(state.id, state.ply, effort());
    analysis = reply.catch(() => {});
    const [next] = await inTurn(number, Promise.all([reply, wait(state.dice ? 900 : 500)]));
    show(next);
    showCandidates(next.search, "Moves Senet considered");
    return goOn();
  }
  if (state.legal[0] === "pass") {
    showStatus("You cannot move", answer + (roll && `You rolled ${roll}`));
    await wait(1800);
    if (number === turnNumber) await playMove("pass");
    return;
  }
  showStatus(roll ? `Your move: you rolled ${roll}` : "Your move", answer + board.help);
  board.setEnabled(true);
  if (byId("hints").checked) await showHints();
}

async function showHints() {
  const number = turnNumber;
  const found = api.analyse(state.id, byId("level").value === "full" ? levels.full : levels.strong);  // hints at a low level would be poor
  analysis = found.catch(() => {});
  const {search} = await inTurn(number, found);
  showChances(search, you, colors);
  showCandidates(search, "Good moves for you", playMove, (move) => board.preview(number === turnNumber ? move : null));
  board.showHints(search);
}

async function playMove(move) {
  const number = ++turnNumber;
  board.setEnabled(false);
  board.preview(null);
  await attempt(async () => {
    await analysis;
    if (number !== turnNumber) return;
    show(await inTurn(number, api.play(state.id, state.ply, move)));
    await goOn();
  });
}

function showResult() {
  const {winner, points, how} = state.result;
  const ways = {line: "four in a row", resignation: "by resignation", draw: ""};
  const way = ways[how] ?? `${how}, ${points} ${points === 1 ? "point" : "points"}`;
  showStatus(winner === null ? "It's a draw" : winner === you ? "You win" : "Senet wins", way);
  const sure = winner === null ? {draw: 1} : winner === you ? {win: 1} : {lose: 1};
  showChances({player: you, outcomes: sure}, you, colors);
}

byId("new").addEventListener("click", () => attempt(() => newGame(state.game)));
byId("resign").addEventListener("click", () => attempt(async () => {
  const number = ++turnNumber;
  await analysis;
  show(await inTurn(number, api.resign(state.id, you)));
  await goOn();
}));
byId("undo").addEventListener("click", () => board.undo());
byId("done").addEventListener("click", () => board.done());
byId("hints").addEventListener("change", (event) => {
  if (event.target.checked && state.turn === you && !state.result) attempt(showHints);
  else board.showHints(null);
});
byId("side").addEventListener("change", () => {
  if (state.ply <= 1) attempt(() => newGame(state.game));
  else showToast("This applies from the next game");
});
for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => attempt(() => newGame(tab.dataset.game)));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  if (/^(INPUT|BUTTON)$/.test(event.target.tagName) && (event.key === "Enter" || event.key === " ")) return;
  if (board?.key(event)) event.preventDefault();
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = (theme) => { document.documentElement.dataset.theme = theme; };
setTheme(localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => localStorage.getItem("theme") ?? setTheme(dark.matches ? "dark" : "light"));
byId("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});

/** Resumes the user's last game, or starts a new one. */
async function open() {
  const about = await api.about();
  levels.full = {visits: about.most_visits};
  for (const level of Object.values(levels)) level.visits = Math.min(level.visits, about.most_visits);
  for (const tab of document.querySelectorAll("[role=tab]")) tab.hidden = !about.games.includes(tab.dataset.game);
  const wanted = new URLSearchParams(location.search).get("game");
  const left = JSON.parse(localStorage.getItem("senet") ?? "null");
  const found = left && !wanted && await api.state(left.id).catch(() => null);
  if (found) {
    byId("side").value = left.you;
    begin(found, left.you);
  } else {
    await newGame(about.games.includes(wanted) ? wanted : about.games[0]);
  }
}
open().catch((error) => showToast(error.message));
