// The information around the board: chances of winning, moves considered, moves played.
const byId = (id) => document.getElementById(id);
const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const percent = (share) => `${Math.round(100 * share)}%`;

/** Shows the chances of winning found by `search`; null clears them. */
function showChances(search, you, colors) {
  const bar = byId("bar");
  if (!search) {
    bar.replaceChildren();
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
  byId("chances").setAttribute("aria-label", `Your chance of winning: ${percent(parts.win + parts.more)}`);
}

/** Lists a search's moves. onPick(move), if given, plays a move; onPreview(move or null) shows it. */
function showCandidates(search, title, onPick, onPreview) {
  byId("candidates-title").textContent = title;
  const body = byId("candidates").tBodies[0];
  body.replaceChildren();
  byId("search-facts").textContent = search
    ? `${counted(search.visits, "visit")}, ${counted(search.evaluations, "position")}, ${counted(search.depth, "ply", "plies")} deep`
    : "Nothing yet";
  const looked = (search?.candidates ?? []).filter(({visits}) => visits > 0);
  const most = Math.max(...looked.map(({visits}) => visits));
  for (const {move, visits, value} of looked) {
    const row = body.insertRow(), share = document.createElement("span");
    row.insertCell().textContent = move;
    share.className = "visits";
    share.textContent = visits;
    share.style.setProperty("--share", `${100 * visits / most}%`);
    row.insertCell().append(share);
    const cell = row.insertCell();
    cell.className = "number";
    cell.textContent = (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
    row.classList.toggle("played", move === search.played);
    if (!onPick) continue;
    row.classList.add("can-play");
    row.addEventListener("click", () => onPick(move));
    row.addEventListener("pointerenter", () => onPreview(move));
    row.addEventListener("pointerleave", () => onPreview(null));
  }
}

function showHistory({history, ply}, colors) {
  const list = byId("history");
  list.replaceChildren(...history.map(({player, dice, move}, i) => {
    const line = document.createElement("li");
    for (const [name, text] of [["n", `${ply - history.length + i + 1}.`], ["who", ""], ["dice", dice], ["move", move]]) {
      const part = document.createElement("span");
      part.className = name;
      part.textContent = text;
      if (name === "who") part.style.background = colors[player];
      line.append(part);
    }
    return line;
  }));
  if (history.length === 0) list.innerHTML = '<li class="empty">None yet</li>';
  list.scrollTop = list.scrollHeight;
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
