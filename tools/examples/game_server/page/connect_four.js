// The Connect Four board: discs fall behind a board with holes.
class ConnectFourBoard {
  static colors = ["var(--red)", "var(--gold)"];  // of the first and the second player
  #size = 100;
  #top = 88;  // space above the board for the preview disc
  #discs = new Map();  // "column,row" -> the disc's group
  #columns = [];
  #state = null;
  #you;

  /** How the panels show a value of the engine (win 1, loss -1) and the value that a move loses. */
  static figures = {
    heading: "Chance",
    explanation: "A draw counts as half a win.",
    value: (value) => percent((1 + value) / 2),
    loss: (loss) => `${(50 * loss).toFixed(1)}%`,
    showsTotal: false,
    rating: {name: "Lost per move", of: (average) => `${(50 * average).toFixed(1)}%`},
    note: "Lost: how much lower the chance of winning is than after Senet's best move. Senet judges with its own search, " +
      "so its own moves look a little better than they are.",
  };

  /** Calls onMove(text) with each move of the user. */
  constructor(you, onMove) {
    this.#you = you;
    const size = this.#size, width = 7 * size + 40, height = this.#top + 6 * size + 40;
    this.drawing = newDrawing(width, height, "Connect Four");
    const defs = svg(this.drawing, "defs");
    const mask = svg(defs, "mask", {id: "holes"});
    svg(mask, "rect", {width, height, fill: "#fff"});
    const shade = svg(defs, "linearGradient", {id: "board-shade", x2: 0, y2: 1});
    svg(shade, "stop", {offset: 0, "stop-color": "var(--lapis)"});
    svg(shade, "stop", {offset: 1, "stop-color": "var(--lapis-deep)"});
    svg(this.drawing, "rect", {x: 14, y: this.#top + 10, width: width - 28, height: 6 * size + 20, rx: 20, fill: "var(--hole)"});
    this.behind = svg(this.drawing, "g");
    const rims = svg(null, "g", {fill: "none"});
    for (let column = 0; column < 7; ++column) {
      for (let row = 0; row < 6; ++row) {
        const [x, y] = this.#centre(column, row);
        svg(mask, "circle", {cx: x, cy: y, r: 41, fill: "#000"});
        svg(rims, "circle", {cx: x, cy: y, r: 42.5, stroke: "#0000004d", "stroke-width": 3});
        svg(rims, "path", {d: `M${x - 42} ${y + 6}a42 42 0 0 0 84 0`, stroke: "#ffffff30", "stroke-width": 2.5});
      }
    }
    svg(this.drawing, "rect", {x: 6, y: this.#top, width: width - 12, height: 6 * size + 36, rx: 26, fill: "url(#board-shade)", mask: "url(#holes)"});
    this.drawing.append(rims);
    this.marks = svg(this.drawing, "g");
    for (let column = 0; column < 7; ++column) this.#addColumn(column, you, onMove);
  }

  #centre(column, row) {  // row 0 at the bottom
    return [20 + (column + 0.5) * this.#size, this.#top + 20 + (5.5 - row) * this.#size];
  }

  #addColumn(column, you, onMove) {
    const [x] = this.#centre(column, 0);
    const group = svg(this.drawing, "g", {class: "column", "data-move": column + 1});
    svg(group, "rect", {class: "hit", x: x - 50, y: 0, width: 100, height: this.#top + 6 * this.#size + 30, rx: 18});
    this.#disc(svg(group, "g", {class: "ghost"}), x, 44, you);
    const hint = svg(group, "text", {class: "hint", x, y: 52});
    onPress(group, () => onMove(String(column + 1)));
    this.#columns.push({group, hint});
  }

  #disc(parent, x, y, player) {
    const color = ConnectFourBoard.colors[player];
    svg(parent, "circle", {cx: x, cy: y, r: 43, fill: color});
    svg(parent, "circle", {cx: x, cy: y, r: 33, fill: "none", stroke: "#00000026", "stroke-width": 4});
    svg(parent, "circle", {cx: x, cy: y, r: 43, fill: "url(#gloss)"});
    return parent;
  }

  /** Shows a position; a single new disc falls. */
  show(state) {
    const wanted = new Map();
    state.board.rows.forEach((line, i) => [...line].forEach((cell, column) => {
      if (cell !== ".") wanted.set(`${column},${5 - i}`, cell === "X" ? 0 : 1);
    }));
    for (const [key, {group, player}] of this.#discs) {
      if (wanted.get(key) === player) continue;
      group.remove();
      this.#discs.delete(key);
    }
    const falls = this.#state !== null && wanted.size === this.#discs.size + 1;
    this.#state = state;
    for (const [key, player] of wanted) {
      if (this.#discs.has(key)) continue;
      const [x, y] = this.#centre(...key.split(",").map(Number));
      const fall = y - 20;
      const group = svg(this.behind, "g", {class: falls ? "disc" : "disc still",
        style: `--from:${-fall}px;--time:${Math.round(Math.sqrt(fall) * 17)}ms`});
      this.#discs.set(key, {group: this.#disc(group, x, y, player), player});
    }
    this.marks.replaceChildren();
    if (state.result?.how === "line") this.#markLine(state.board.rows);
    const last = state.history.at(-1);
    if (last && !state.result) this.#markLast(Number(last.move) - 1, state.board.rows);
  }

  #markLast(column, rows) {
    const row = 5 - rows.findIndex((line) => line[column] !== ".");
    const [cx, cy] = this.#centre(column, row);
    svg(this.marks, "circle", {class: "last", cx, cy, r: 8, fill: "#fffc"});
  }

  #markLine(rows) {
    const at = (column, row) => rows[5 - row]?.[column];
    for (let column = 0; column < 7; ++column) for (let row = 0; row < 6; ++row) {
      const color = at(column, row);
      if (color === ".") continue;
      for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        const cells = [0, 1, 2, 3].map((i) => [column + i * right, row + i * up]);
        if (!cells.every(([c, r]) => at(c, r) === color)) continue;
        for (const cell of cells) {
          const [cx, cy] = this.#centre(...cell);
          svg(this.marks, "circle", {class: "winner", cx, cy, r: 34, fill: "none", stroke: "#fff", "stroke-width": 8});
        }
      }
    }
  }

  /** Enables or disables moves of the user. */
  setEnabled(on) {
    this.#columns.forEach(({group}, column) =>
      setPressable(group, on && this.#state.legal.includes(String(column + 1)), this.#label(column)));
  }

  /** What lies in a column, for screen readers. */
  #label(column) {
    const stones = this.#state.board.rows.map((line) => line[column]).filter((cell) => cell !== ".").reverse();
    const owners = stones.map((cell) => ((cell === "X" ? 0 : 1) === this.#you ? "you" : "Senet"));
    const hint = this.#columns[column].hint.textContent;
    return `Column ${column + 1}: ${owners.length ? `from the bottom ${owners.join(", ")}` : "empty"}` +
      (owners.length === 6 ? "; full" : "") + (hint && `; chance of winning ${hint}`);
  }

  /** Writes each move's chance of winning above its column; null clears them. */
  showHints(search) {
    const {value} = ConnectFourBoard.figures, best = search?.candidates[0]?.move;
    this.#columns.forEach(({group, hint}, column) => {
      const found = search?.candidates.find(({move}) => move === String(column + 1));
      hint.textContent = found ? value(found.value) : "";
      hint.classList.toggle("best", best !== undefined && found?.move === best);
      group.setAttribute("aria-label", this.#label(column));
    });
  }

  /** Previews a move; null removes the preview. */
  preview(move) {
    this.#columns.forEach(({group}, column) => group.classList.toggle("preview", move === String(column + 1)));
  }

  /** Handles a key; false if the board does not use it. */
  key(event) {
    if (event.key >= "1" && event.key <= "7") {
      this.#columns[event.key - 1].group.dispatchEvent(new Event("click"));
      return true;
    }
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return false;
    moveFocus(this.#columns.map(({group}) => group), event.key === "ArrowLeft" ? -1 : 1);
    return true;
  }
  help = "Click a column, or press 1 to 7";
}
