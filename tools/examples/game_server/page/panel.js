// The information around the board: chances of winning, moves considered, moves played.
const byId = (id) => document.getElementById(id);
const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const percent = (share) => `${Math.round(100 * share)}%`;
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const rollText = ([a, b]) => (a === b ? `double ${a}s` : `${a} and ${b}`);

/** The chance that the user wins according to a search; a draw counts half. */
function chanceOf({outcomes, player}, you) {
  const share = (...names) => names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);
  const wins = share("win", "win_gammon", "win_backgammon") + share("draw") / 2;
  return player === you ? wins : 1 - wins;
}

/** Whether `element` has to be built again. Replacing a button while it is pressed would lose the click. */
function isStale(element, ...contents) {
  const key = JSON.stringify(contents);
  const changed = element.dataset.contents !== key;
  element.dataset.contents = key;
  return changed;
}

/** Shows the chances of winning found by `search`; null clears them. */
function showChances(search, you, colors) {
  const bar = byId("bar");
  if (!search) {
    bar.replaceChildren();
    byId("chances").setAttribute("aria-label", "Chances of winning: not known yet");
    byId("chance-you").textContent = "You";
    byId("chance-senet").textContent = "Senet";
    return;
  }
  const {outcomes} = search, mine = search.player === you;
  const share = (name) => outcomes[name] ?? 0;
  const win = share("win"), lose = share("lose");
  const more = share("win_gammon") + share("win_backgammon"), less = share("lose_gammon") + share("lose_backgammon");
  const parts = mine ? {win, more, draw: share("draw"), lose, less} : {win: lose, more: less, draw: share("draw"), lose: win, less: more};
  const order = [["more", you], ["win", you], ["draw", null], ["lose", 1 - you], ["less", 1 - you]];
  if (bar.children.length !== order.length) bar.replaceChildren(...order.map(() => document.createElement("i")));
  order.forEach(([name, player], i) => {
    const part = bar.children[i];
    part.style.width = `${100 * parts[name]}%`;
    part.style.backgroundColor = player === null ? "var(--soft)" : colors[player];
    part.textContent = name === "draw" && parts.draw > 0.12 ? "draw" : "";
    part.classList.toggle("strong", name === "more" || name === "less");
  });
  const names = [["chance-you", "You", parts.win + parts.more], ["chance-senet", "Senet", parts.lose + parts.less]];
  for (const [id, name, value] of names) {
    const bold = document.createElement("b");
    bold.textContent = percent(value);
    byId(id).replaceChildren(`${name} `, bold);
  }
  const draw = parts.draw > 0.005 ? `, a draw ${percent(parts.draw)}` : "";
  byId("chances").setAttribute("aria-label", `Your chance of winning: ${percent(parts.win + parts.more)}${draw}`);
}

function factsOf({visits, evaluations, depth}) {
  const all = counted(visits, "visit");
  if (evaluations === 0) return `${all}, all from earlier searches`;
  return `${all}, ${counted(evaluations, "position")} evaluated, ${counted(depth, "ply", "plies")} deep`;
}

/**
 * Lists a search's moves with the figures of the game. `played` is marked. onPick(move), if given,
 * plays a move; onPreview(move or null) shows it.
 */
function showCandidates(search, figures, title, played, onPick, onPreview) {
  byId("candidates-title").textContent = title;
  byId("value-heading").textContent = figures.heading;
  const table = byId("candidates"), body = table.tBodies[0];
  if (!isStale(table, search, figures.heading, title, played)) return;
  body.replaceChildren();
  byId("search-facts").textContent = search ? `${factsOf(search)}. ${figures.explanation}` : "Nothing yet";
  // Without a visit or a line, a value is only that of the position.
  const [best, ...others] = (search?.candidates ?? []).filter(({visits, line}) => visits > 0 || line);
  const known = best ? [best, ...others.sort((a, b) => b.value - a.value)] : [];
  table.hidden = known.length === 0;
  const hasLines = known.some(({line}) => line?.length > 0);
  byId("line-heading").hidden = !hasLines;
  for (const {move, visits, value, line} of known) {
    const row = body.insertRow(), name = document.createElement(onPick ? "button" : "span");
    name.textContent = move;
    row.insertCell().append(name);
    row.title = counted(visits, "visit");
    const loss = figures.loss(Math.max(0, best.value - value));
    for (const text of [figures.value(value), Number.parseFloat(loss) > 0 ? `−${loss}` : move === best.move ? "best" : loss]) {
      const cell = row.insertCell();
      cell.className = "number";
      cell.textContent = text;
    }
    if (hasLines) {
      const cell = row.insertCell();
      cell.className = "line";
      cell.textContent = line?.join(" ") ?? "";
    }
    row.classList.toggle("played", move === played);
    if (move === played) name.setAttribute("aria-label", `${move}, played`);
    if (!onPick) continue;
    name.setAttribute("aria-label", `Play ${move}`);
    row.classList.add("can-play");
    row.addEventListener("click", () => onPick(move));
    for (const event of ["pointerenter", "focusin"]) row.addEventListener(event, () => onPreview(move));
    for (const event of ["pointerleave", "focusout"]) row.addEventListener(event, () => onPreview(null));
  }
}

/** Lists the moves. `mistakes` (ply -> mistake) adds losses; onStep(ply) is called for a chosen move. */
function showHistory({history, ply: last}, viewed, you, colors, mistakes, figures, onStep) {
  const list = byId("history"), first = last - history.length;
  const lostAt = (ply) => {
    const lost = figures.loss(mistakes.get(ply)?.loss ?? 0);
    return Number.parseFloat(lost) > 0 ? lost : "";
  };
  if (isStale(list, history, last, you, colors, history.map((_, i) => lostAt(first + i)))) {
    list.replaceChildren(...history.map(({player, dice, move}, i) => {
      const item = document.createElement("li"), line = document.createElement("button");
      const ply = first + i, lost = lostAt(ply);
      for (const [name, text] of [["n", `${ply + 1}.`], ["who", ""], ["dice", dice], ["move", move], ["lost", lost && `−${lost}`]]) {
        const part = document.createElement("span");
        part.className = name;
        part.textContent = text;
        if (name === "who") part.style.background = colors[player];
        line.append(part);
      }
      const roll = dice ? `, ${rollText(dice)}` : "";
      line.setAttribute("aria-label", `Move ${ply + 1}, ${player === you ? "you" : "Senet"}${roll}: ${move}${lost && `, lost ${lost}`}`);
      line.addEventListener("click", () => onStep(ply + 1));
      item.append(line);
      return item;
    }));
    if (history.length === 0) list.innerHTML = '<li class="empty">None yet</li>';
  }
  [...list.querySelectorAll("button")].forEach((line, i) => {
    if (first + i + 1 === viewed) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
  });
  const current = list.querySelector("[aria-current]")?.parentElement;
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

/** Shows the line below the board, and a smaller one. */
function showStatus(text, small = "", isThinking = false) {
  const line = document.createElement("span"), below = document.createElement("small");
  line.textContent = text;
  line.className = isThinking ? "dots" : "";
  below.textContent = small;
  byId("status").replaceChildren(line, below);
}

let toastTimer = 0;
function showToast(text) {
  const toast = byId("toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, 4000);
}
