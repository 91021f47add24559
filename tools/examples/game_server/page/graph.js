// The evaluation graph: the user's chance of winning after each move. It steps through the game.
class Graph {
  #width = 340;
  #height = 132;
  #left = 38;
  #right = 332;
  #top = 10;
  #bottom = 118;
  #first = 0;
  #last = 0;
  #chosen = 0;  // the ply on the board, or the one that the user chose since

  /** `frame` becomes a slider. Calls onStep(ply) when the user chooses a position. */
  constructor(frame, onStep) {
    this.frame = frame;
    const step = (ply) => {
      const next = Math.max(this.#first, Math.min(this.#last, ply));
      if (next === this.#chosen) return;
      this.#chosen = next;
      onStep(next);
    };
    const follow = (event) => {
      const box = frame.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * this.#width;
      step(Math.round(this.#first + (x - this.#left) / (this.#right - this.#left) * this.#span()));
    };
    frame.addEventListener("pointerdown", (event) => {
      frame.setPointerCapture(event.pointerId);
      follow(event);
    });
    frame.addEventListener("pointermove", (event) => event.buttons && follow(event));
    frame.addEventListener("keydown", (event) => {
      const by = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity}[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      step(this.#chosen + by);
    });
  }

  #span() {
    return Math.max(8, this.#last - this.#first);
  }
  #x(ply) {
    return this.#left + (this.#right - this.#left) * (ply - this.#first) / this.#span();
  }
  #y(chance) {
    return this.#bottom - (this.#bottom - this.#top) * chance;
  }

  /** `points` are {ply, chance, isMistake}, ascending, and may leave out plies; `text` describes the viewed one. */
  show({first, last, viewed, points, text}) {
    [this.#first, this.#last, this.#chosen] = [first, last, viewed];
    const drawing = svg(null, "svg", {viewBox: `0 0 ${this.#width} ${this.#height}`, "aria-hidden": true});
    for (const [chance, label] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
      const y = this.#y(chance);
      svg(drawing, "path", {class: "grid", d: `M${this.#left} ${y}H${this.#right}`});
      svg(drawing, "text", {x: this.#left - 5, y: y + 4}, label);
    }
    svg(drawing, "path", {class: "here", d: `M${this.#x(viewed)} ${this.#top}V${this.#bottom}`});
    const places = points.map(({ply, chance}) => `${this.#x(ply).toFixed(1)} ${this.#y(chance).toFixed(1)}`);
    if (places.length > 1) {
      svg(drawing, "path", {class: "area", d: `M${this.#x(points[0].ply)} ${this.#y(0.5)}L${places.join("L")}L${this.#x(points.at(-1).ply)} ${this.#y(0.5)}z`});
      svg(drawing, "path", {class: "line", d: `M${places.join("L")}`});
    }
    const r = this.#span() > 60 ? 2 : 3;
    for (const {ply, chance, isMistake} of points) {
      svg(drawing, "circle", {class: `point${isMistake ? " mistake" : ""}${ply === viewed ? " viewed" : ""}`,
        cx: this.#x(ply), cy: this.#y(chance), r: ply === viewed ? 5.5 : isMistake ? 4 : r});
    }
    this.frame.replaceChildren(drawing);
    for (const [name, value] of [["valuemin", first], ["valuemax", last], ["valuenow", viewed], ["valuetext", text]]) {
      this.frame.setAttribute(`aria-${name}`, value);
    }
  }
}
