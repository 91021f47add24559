// The page: plays one game at a time against the engine.
// Strengths for networks without levels. The server limits the visits.
const plainStrengths = [
  {name: "Casual", effort: {visits: 6, temperature: 1}},
  {name: "Club", effort: {visits: 30, temperature: 0.5}},
  {name: "Strong", effort: {visits: 300}},
];
const blunder = 0.08;  // the graph marks moves that lose more
const boards = {connect_four: ConnectFourBoard, backgammon: BackgammonBoard};
const positionHelp = {
  connect_four: "Also accepts columns played from the start, such as 4453.",
  backgammon: "Also accepts GNU Backgammon position IDs and XGIDs.",
};
// Waits are short for users who prefer reduced motion.
const haste = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0.05 : 1;
const wait = (milliseconds) => pause(haste * milliseconds);
const retryPause = 2000;  // milliseconds from an error to the next attempt

let about = null;  // the server's games, their levels and limits
let strengths = [];  // to choose from, the weakest first
let live = null;  // the server's state of the game
let plies = [];  // ply -> {state, search}: what is known about each position of the game
let viewed = 0;  // the ply on the board
let lastReply = null;  // the search of Senet's last move
let liveStatus = [""];  // arguments of showStatus() for the live position
let reviewProgress = null;  // null before the review; "" when it is complete
let isPlaying = false;  // a move of the user is on its way; until showLive()
let you = 0;  // the user's player index
let board = null;
let colors = [];
let figures = {};
let turnNumber = 0;  // increases when pending requests become outdated
let viewNumber = 0;  // the same for requests that only show a position
let queue = Promise.resolve();  // the server allows one request per game at a time

const chosenStrengths = () => JSON.parse(localStorage.getItem("strengths") ?? "{}");  // game -> index
const effort = () => strengths[byId("level").value].effort;
const isYourTurn = () => live.turn === you && live.legal[0] !== "pass";
const firstPly = () => live.ply - live.history.length;
const turnBefore = (ply) => live.history[ply - firstPly() - 1];

/** Thrown for an answer or an error that arrives too late to matter. */
class Outdated {}

/** Sends a request after all earlier ones; throws Outdated if its turn has ended meanwhile. */
async function ask(number, request) {
  const answer = queue.then(() => {
    if (number !== turnNumber) throw new Outdated();
    return request();
  });
  queue = answer.catch(() => {});
  try {
    const content = await answer;
    if (number === turnNumber) return content;
  } catch (error) {
    if (number === turnNumber) throw error;
  }
  throw new Outdated();
}

/** Runs an action that calls the server and shows its errors. If it has ended the turn, the game is resumed. */
async function attempt(action) {
  const before = turnNumber;
  try {
    await action();
  } catch (error) {
    if (error instanceof Outdated) return;
    showToast(error.message);
    const number = turnNumber;
    if (number === before) return;
    setStatus("Trying again", error.message, true);
    await pause(retryPause);
    if (number === turnNumber) attempt(resume);
  }
}

/** Continues with the server's state of the game, or with a new game if the server has closed it. */
async function resume() {
  const number = ++turnNumber;
  const next = await ask(number, () => api.state(live.id)).catch((error) => {
    if (error.status !== 404) throw error;
  });
  if (!next) return newGame(live.game);
  showLive(next);
  await goOn();
}

/** Shows the game's new state. */
function showLive(next) {
  live = next;
  isPlaying = false;
  plies.length = next.ply + 1;
  plies[next.ply] = {...plies[next.ply], state: next};
  ++viewNumber;
  viewed = next.ply;
  showBoard();
  showFigures();
}

/** Shows the viewed position on the board and in the address. */
function showBoard() {
  const {state} = plies[viewed], isLive = viewed === live.ply;
  board.show(state);
  board.showHints(null);
  board.setEnabled(isLive && isYourTurn() && !isPlaying);
  byId("fork").hidden = isLive;
  if (isLive) {
    showStatus(...liveStatus);
  } else {
    const {player, move} = live.history[viewed - firstPly()];
    const roll = state.dice ? ` with ${rollText(state.dice)}` : "";
    showStatus(viewed === 0 ? "Before the first move" : `After move ${viewed} of ${live.ply}`,
      `${player === you ? "You" : "Senet"} played ${move}${roll} here`);
  }
  const address = new URL(location.pathname, location.origin);
  address.search = `?game=${state.game}&position=${encodeURIComponent(state.position).replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
  history.replaceState(null, "", address);
  localStorage.setItem("senet", JSON.stringify({id: live.id, you, position: state.position}));
  byId("position").value = state.position;
}

/** Shows what is known about the viewed position and the game. */
function showFigures() {
  const {search} = plies[viewed], isLive = viewed === live.ply;
  board.preview(null);
  const mistakes = new Map();
  for (let ply = firstPly(); ply < live.ply; ++ply) {
    const mistake = mistakeAt(ply, live, plies[ply]);
    if (mistake) mistakes.set(ply, mistake);
  }
  const points = [];
  for (let ply = firstPly(); ply <= live.ply; ++ply) {
    const chance = chanceAt(ply);
    const loss = mistakes.get(ply)?.loss ?? 0;
    if (chance !== null) points.push({ply, chance, isMistake: reviewProgress !== null && loss > blunder});
  }
  const now = points.findLast(({ply}) => ply <= viewed);
  const turn = turnBefore(viewed);  // unknown if the server has dropped it
  graph.show({first: firstPly(), last: live.ply, viewed, points,
    text: (viewed === 0 ? "Before the first move" : `Move ${viewed} of ${live.ply}`) +
      (turn ? `, ${turn.player === you ? "you" : "Senet"} played ${turn.move}` : "") +
      (now?.ply === viewed ? `, your chance of winning ${percent(now.chance)}` : "")});
  showChances(isLive && live.result ? certainSearch() : plies[now?.ply]?.search ?? plies[now?.ply]?.reply ?? null, you, colors);
  const isReviewed = reviewProgress !== null;
  showHistory(live, viewed, you, colors, isReviewed ? mistakes : new Map(), figures, (ply) => attempt(() => view(ply)));

  const showsHints = isLive && isYourTurn() && byId("hints").checked;
  if (!isLive) {
    showCandidates(search, figures, "Moves in this position", live.history[viewed - firstPly()].move);
    board.showHints(search ?? null);
  } else if (showsHints && search) {
    showCandidates(search, figures, "Good moves for you", null, playMove, (move) => board.preview(move));
    board.showHints(search);
  } else {
    showCandidates(lastReply, figures, "Moves Senet considered", lastReply?.played);
    board.showHints(null);
  }

  byId("review").hidden = !isReviewed;
  if (isReviewed) showReview([...mistakes.values()], reviewProgress, you, figures, (ply) => attempt(() => view(ply)));
  byId("resign").disabled = Boolean(live.result);
  byId("take-back").disabled = lastChoice() < 0;
  byId("back").disabled = viewed === firstPly();
  byId("forward").disabled = byId("latest").disabled = isLive;
}

/** A search that knows the result of the finished game. */
function certainSearch() {
  const {winner} = live.result;
  return {player: you, outcomes: winner === null ? {draw: 1} : winner === you ? {win: 1} : {lose: 1}};
}

/** The user's chance of winning after `ply` moves, or null if it is not known. */
function chanceAt(ply) {
  if (ply === live.ply && live.result) return chanceOf(certainSearch(), you);
  const search = plies[ply]?.search ?? plies[ply]?.reply;
  return search ? chanceOf(search, you) : null;
}

/** The ply of the user's last move that was a choice, or -1. */
function lastChoice() {
  const at = live.history.findLastIndex(({player, move}) => player === you && move !== "pass");
  return at < 0 ? -1 : firstPly() + at;
}

/**
 * Searches the position after `ply` moves, at any level with the maximum strength. Retries after temporary errors.
 * Throws Outdated if the turn has ended, or if isWanted() is false when the request is sent.
 */
async function study(ply, isWanted = () => true) {
  const number = turnNumber;
  const request = () => {
    if (!isWanted()) throw new Outdated();
    return api.analyse(live.id, {visits: about.most_visits, ply});
  };
  for (;;) {
    try {
      const answer = await ask(number, request);
      plies[ply] = {...plies[ply], state: answer, search: answer.search};
      return;
    } catch (error) {
      if (!error.isTemporary) throw error;
      showToast(error.message);
      await pause(retryPause);
    }
  }
}

/** Shows the position after `ply` moves. */
async function view(ply) {
  const number = ++viewNumber;
  if (ply < live.ply && !plies[ply]?.search) await study(ply, () => number === viewNumber);
  if (number !== viewNumber) return;
  viewed = ply;
  showBoard();
  showFigures();
}

async function newGame(game, position) {
  let old = live, next;
  try {
    next = await api.newGame(game, position, old ? 1 : undefined);
  } catch (error) {
    if (!old || (error.status !== 429 && error.status !== 503)) throw error;
    ++turnNumber;  // make room: close the old game first
    await api.close(old.id);
    old = null;
    next = await api.newGame(game, position);
  }
  if (old) queue.then(() => api.close(old.id)).catch(() => {});
  begin(next, position === undefined ? Number(byId("side").value) : next.turn ?? 0);
}

/** Offers the levels of the game's network, and the maximum. Keeps the strength that the user chose for this game. */
function offerStrengths(game) {
  const ratings = about.levels[game] ?? [];
  const limited = ({name, effort}) => ({name, effort: {...effort, visits: Math.min(effort.visits, about.most_visits)}});
  strengths = ratings.length === 0 ? plainStrengths.map(limited)
    : ratings.map((rating, index) => ({name: `Level ${index + 1} · ${rating} Elo`, effort: {level: index + 1}}));
  strengths.push({name: "Maximum", effort: {visits: about.most_visits}});
  byId("level").replaceChildren(...strengths.map(({name}, index) => new Option(name, index)));
  const chosen = chosenStrengths()[game];
  byId("level").value = strengths[chosen] ? chosen : Math.max(0, strengths.length - 2);
}

function begin(next, side) {
  if (live?.game !== next.game) offerStrengths(next.game);
  ++turnNumber;
  queue = Promise.resolve();
  you = side;
  byId("side").value = you;
  ({colors, figures} = boards[next.game]);
  document.querySelector("main").dataset.game = next.game;
  for (const tab of document.querySelectorAll("nav button")) tab.setAttribute("aria-pressed", tab.dataset.game === next.game);
  byId("position-help").textContent = positionHelp[next.game];
  byId("undo").hidden = byId("done").hidden = true;
  board = new boards[next.game](you, playMove, (canUndo, canPlay) => {
    byId("undo").hidden = !canUndo;
    byId("done").hidden = !canPlay;
  });
  plies = [];
  lastReply = reviewProgress = null;
  liveStatus = [""];
  showChances(null);
  showLive(next);
  attempt(goOn);
}

/** Sets the status of the live position. */
function setStatus(...status) {
  liveStatus = status;
  if (viewed === live.ply) showStatus(...status);
}

/** Starts the turn of the player to move. */
async function goOn() {
  const number = ++turnNumber;
  const roll = live.dice ? rollText(live.dice) : "";
  const last = live.history.at(-1);
  const answer = last && last.player !== you ? `Senet played ${last.move}. ` : "";
  if (live.result) {
    setStatus(...resultText());
    return runReview();
  }
  if (live.turn !== you) {
    setStatus("Senet is thinking", roll && `Senet rolled ${roll}`, true);
    const reply = ask(number, () => api.reply(live.id, live.ply, effort()));
    const [next] = await Promise.all([reply, wait(live.dice ? 900 : 500)]);
    if (number !== turnNumber) return;
    plies[live.ply] = {...plies[live.ply], reply: next.search};
    lastReply = next.search;
    showLive(next);
    return goOn();
  }
  if (live.legal[0] === "pass") {
    setStatus("You cannot move", answer + (roll && `You rolled ${roll}`));
    await wait(1800);
    if (number === turnNumber) await playMove("pass");
    return;
  }
  setStatus(roll ? `Your move: you rolled ${roll}` : "Your move", answer + board.help);
  await attempt(async () => {  // for the graph, the review and hints
    await study(live.ply);
    showFigures();
  });
}

async function playMove(move) {
  if (isPlaying) return;
  isPlaying = true;
  board.setEnabled(false);
  board.preview(null);
  await attempt(async () => {
    const number = ++turnNumber;
    showLive(await ask(number, () => api.play(live.id, live.ply, move)));
    await goOn();
  });
}

/** Returns to the position after `ply` moves and plays on from there. */
async function goBackTo(ply) {
  const number = ++turnNumber;
  const next = await ask(number, () => api.undo(live.id, ply));
  reviewProgress = lastReply = null;
  liveStatus = [""];
  showLive(next);
  await goOn();
}

function resultText() {
  const {winner, points, how} = live.result;
  const ways = {line: "Four in a row", resignation: "By resignation", draw: "The board is full"};
  const way = ways[how] ?? `${how[0].toUpperCase()}${how.slice(1)}, ${counted(points, "point")}`;
  return [winner === null ? "It's a draw" : winner === you ? "You win" : "Senet wins", way];
}

/** Searches all positions of the finished game that are not known yet. */
async function runReview() {
  for (let ply = firstPly(); ply < live.ply; ++ply) {
    const {search, state} = plies[ply] ?? {};
    if (live.history[ply - firstPly()].move === "pass" || state?.legal.length === 1 || (search && mistakeAt(ply, live, plies[ply]))) continue;
    reviewProgress = `Reviewing move ${ply + 1} of ${live.ply} …`;
    showFigures();
    try {
      await study(ply);
    } catch (error) {
      if (error instanceof Outdated) throw error;
      reviewProgress = `The review stopped: ${error.message}`;
      return showFigures();
    }
  }
  reviewProgress = "";
  showFigures();
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`${what} copied`);
  } catch {  // without HTTPS there is no clipboard: select the text instead
    byId("position").value = text;
    byId("position").select();
    showToast("Press Ctrl+C to copy");
  }
}

const graph = new Graph(byId("graph"), (ply) => attempt(() => view(ply)));
const stepTo = (ply) => attempt(() => view(Math.max(firstPly(), Math.min(live.ply, ply))));
byId("back").addEventListener("click", () => stepTo(viewed - 1));
byId("forward").addEventListener("click", () => stepTo(viewed + 1));
byId("latest").addEventListener("click", () => stepTo(live.ply));
byId("fork").addEventListener("click", () => attempt(() => goBackTo(viewed)));
byId("take-back").addEventListener("click", () => attempt(() => goBackTo(lastChoice())));
byId("level").addEventListener("change", () => {
  const chosen = chosenStrengths();
  localStorage.setItem("strengths", JSON.stringify({...chosen, [live.game]: byId("level").value}));
});
byId("new").addEventListener("click", () => attempt(() => newGame(live.game)));
byId("resign").addEventListener("click", () => attempt(async () => {
  const number = ++turnNumber;
  showLive(await ask(number, () => api.resign(live.id, you)));
  await goOn();
}));
byId("undo").addEventListener("click", () => board.undo());
byId("done").addEventListener("click", () => board.done());
byId("hints").addEventListener("change", () => showFigures());
byId("side").addEventListener("change", () => {
  if (live.ply <= 1) attempt(() => newGame(live.game));
  else showToast("This applies from the next game");
});
byId("position-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => newGame(live.game, byId("position").value.trim()));
});
byId("copy-link").addEventListener("click", () => copy(location.href, "Link"));
byId("copy-position").addEventListener("click", () => copy(plies[viewed].state.position, "Position"));
for (const tab of document.querySelectorAll("nav button")) tab.addEventListener("click", () => attempt(() => newGame(tab.dataset.game)));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("select, #position")) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !byId("take-back").disabled) {
    event.preventDefault();
    if (byId("undo").hidden) byId("take-back").click();
    else board.undo();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|BUTTON)$/.test(event.target.tagName) && (event.key === "Enter" || event.key === " ")) return;
  if (board?.key(event)) event.preventDefault();
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = (theme) => { document.documentElement.dataset.theme = theme; };
dark.addEventListener("change", () => localStorage.getItem("theme") ?? setTheme(dark.matches ? "dark" : "light"));
byId("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});

/** Opens the position in the address, resumes the user's last game, or starts a new one. */
async function open() {
  about = await api.about();
  for (const tab of document.querySelectorAll("nav button")) tab.hidden = !about.games.includes(tab.dataset.game);
  const address = new URLSearchParams(location.search);
  const game = about.games.includes(address.get("game")) ? address.get("game") : null;
  const position = game && address.get("position");
  const left = JSON.parse(localStorage.getItem("senet") ?? "null");
  const isLeft = left && (position ? position === left.position : !game);
  const found = isLeft && await api.state(left.id).catch(() => null);
  if (found) return begin(found, left.you);
  try {
    await newGame(game ?? about.games[0], position ?? undefined);
  } catch (error) {
    if (!position || error.status !== 400) throw error;
    showToast(`The position in the address is wrong: ${error.message}`);
    await newGame(game);
  }
}
open().catch((error) => showToast(error.message));
