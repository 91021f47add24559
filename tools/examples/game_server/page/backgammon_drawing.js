// Draws the backgammon board with the user's home at the bottom right. Places are numbered from the
// user's perspective: 0 own tray, 1..24 points, 25 own bar, 26 opponent's tray, 27 opponent's bar.
class BackgammonDrawing {
  static width = 1080;
  static height = 792;
  static tray = 0;
  static bar = 25;
  static theirTray = 26;
  static theirBar = 27;
  #point = 66;  // width of a point
  #left = 36;
  #top = 46;
  #size = 31;  // radius of a checker
  #length = 300;  // of a point
  places = [];  // place -> its pressable group
  #checkers = [[], []];  // of the user, of the opponent: {element, place}
  #pips = [];

  constructor(you, onPlace) {
    const {width, height} = BackgammonDrawing;
    this.colors = you === 0 ? ["light", "dark"] : ["dark", "light"];
    this.drawing = newDrawing(width, height, `Backgammon board; you play the ${this.colors[0]} checkers`);
    const half = 6 * this.#point;
    const inner = {y: this.#top, height: height - 2 * this.#top, rx: 6};
    svg(this.drawing, "rect", {width, height, rx: 22, fill: "var(--frame)"});
    for (const x of [this.#left, this.#left + half + this.#point]) {
      svg(this.drawing, "rect", {x, width: half, ...inner, fill: "var(--felt)"});
    }
    const barX = this.#left + half;  // a hinge in the middle of the bar
    svg(this.drawing, "rect", {x: barX, width: this.#point, y: 0, height, fill: "var(--frame-deep)"});
    svg(this.drawing, "path", {d: `M${barX + this.#point / 2} 0V${height}`, stroke: "#0005", "stroke-width": 2});
    const trayX = this.#xOf(BackgammonDrawing.tray) - 42, trayHeight = 300;
    for (const y of [this.#top, height - this.#top - trayHeight]) {
      svg(this.drawing, "rect", {x: trayX, y, width: 84, height: trayHeight, rx: 6, fill: "var(--tray)"});
    }
    for (let place = 1; place <= 24; ++place) this.#drawPoint(place);
    this.#pips = [height / 2 + 40, height / 2 - 20].map((y) =>
      svg(this.drawing, "text", {class: "pips", x: trayX + 42, y}));
    this.checkerLayer = svg(this.drawing, "g");
    this.countLayer = svg(this.drawing, "g", {"aria-hidden": true});
    this.diceLayer = svg(this.drawing, "g", {role: "img"});
    this.arrowLayer = svg(this.drawing, "g");
    const head = svg(svg(this.drawing, "defs"), "marker", {id: "head", viewBox: "0 0 10 10", refX: 5, refY: 5, markerWidth: 3, markerHeight: 3, orient: "auto"});
    svg(head, "path", {class: "arrow-head", d: "M0 0L10 5L0 10z"});
    for (let place = 0; place < 28; ++place) this.#addPlace(place, onPlace);
    for (const whose of [0, 1]) {
      for (let i = 0; i < 15; ++i) this.#checkers[whose].push({element: this.#drawChecker(this.colors[whose]), place: null});
    }
  }

  #xOf(place) {
    if (place === BackgammonDrawing.tray || place === BackgammonDrawing.theirTray) return BackgammonDrawing.width - 84;
    if (place === BackgammonDrawing.bar || place === BackgammonDrawing.theirBar) return this.#left + 6.5 * this.#point;
    const column = place <= 12 ? 12 - place : place - 13;
    return this.#left + (column + 0.5 + (column >= 6 ? 1 : 0)) * this.#point;
  }

  /** Whether checkers stack from the bottom up. */
  #isLow(place) {
    return place <= 12 || place === BackgammonDrawing.theirBar;
  }

  #drawPoint(place) {
    const x = this.#xOf(place), low = this.#isLow(place);
    const base = low ? BackgammonDrawing.height - this.#top : this.#top;
    const tip = low ? base - this.#length : base + this.#length;
    const half = this.#point / 2 - 2;
    svg(this.drawing, "path", {d: `M${x - half} ${base}L${x} ${tip}L${x + half} ${base}z`, fill: place % 2 ? "var(--point-a)" : "var(--point-b)"});
    svg(this.drawing, "text", {class: "label", "aria-hidden": true, x, y: low ? base + 31 : base - 13}, place);
  }

  #addPlace(place, onPlace) {
    const group = svg(this.drawing, "g", {class: "place", "data-place": place});
    const x = this.#xOf(place), low = this.#isLow(place), middle = BackgammonDrawing.height / 2;
    const y = low ? middle + 30 : this.#top - 30, height = middle - this.#top;
    svg(group, "rect", {class: "hit", x: x - this.#point / 2, y, width: this.#point, height, rx: 8});
    svg(group, "circle", {class: "mark ring", cx: x, r: this.#size + 1, fill: "none", stroke: "var(--glow)", "stroke-width": 4});
    svg(group, "circle", {class: "mark spot", cx: x, r: 13, fill: "var(--glow)", stroke: "#fff", "stroke-width": 3});
    onPress(group, () => onPlace(place));
    this.places.push(group);
  }

  #drawChecker(color) {
    const element = svg(this.checkerLayer, "g", {class: "checker"});
    const fill = `var(--${color}-checker)`, edge = `var(--${color}-edge)`, r = this.#size;
    svg(element, "circle", {class: "edge", r: r - 1, fill, stroke: edge});
    svg(element, "circle", {r: r * 0.68, fill: "none", stroke: edge, "stroke-width": 2, opacity: 0.5});
    svg(element, "circle", {r: r - 1, fill: "url(#gloss)"});
    return element;
  }

  /** The position and vertical scale of checker `i` of `count` on a place. */
  #spot(place, i, count) {
    const x = this.#xOf(place), {height} = BackgammonDrawing;
    if (place === BackgammonDrawing.tray) return [x, height - this.#top - 12 - i * 19.5, 0.3];
    if (place === BackgammonDrawing.theirTray) return [x, this.#top + 12 + i * 19.5, 0.3];
    const middle = height / 2, step = Math.min(2 * this.#size - 3, 240 / Math.max(1, count - 1));
    if (place === BackgammonDrawing.bar) return [x, middle - 62 - i * step, 1];  // enters at the top
    if (place === BackgammonDrawing.theirBar) return [x, middle + 62 + i * step, 1];
    const first = this.#top + this.#size + 1;
    return [x, this.#isLow(place) ? height - first - i * step : first + i * step, 1];
  }

  /** Shows the checkers of placesOf(board, user) and animates those that changed place. */
  show({mine, theirs}) {
    const seen = theirs.map((count, place) => [place === 0 ? 26 : place === 25 ? 27 : 25 - place, count]);
    this.#arrange(0, new Map(mine.map((count, place) => [place, count])));
    this.#arrange(1, new Map(seen));
    this.countLayer.replaceChildren();
    for (const checkers of this.#checkers) this.#layOut(checkers);
    const pips = (side) => side.reduce((sum, count, place) => sum + count * place, 0);
    this.#pips[0].textContent = `${pips(mine)} pips`;
    this.#pips[1].textContent = `${pips(theirs)} pips`;
    this.#pips.forEach((text, i) => text.setAttribute("aria-label", `${i === 0 ? "You have" : "Senet has"} ${text.textContent} to go`));
  }

  #arrange(whose, wanted) {
    const checkers = this.#checkers[whose], left = new Map(wanted), moving = [];
    for (const checker of checkers) {
      if ((left.get(checker.place) ?? 0) > 0) left.set(checker.place, left.get(checker.place) - 1);
      else moving.push(checker);
    }
    for (const [place, count] of left) {
      for (let i = 0; i < count; ++i) {
        const checker = moving.pop();
        checker.place = place;
        this.checkerLayer.append(checker.element);  // draws it above those that stay
        checkers.push(checkers.splice(checkers.indexOf(checker), 1)[0]);
      }
    }
  }

  #layOut(checkers) {
    const heights = new Map(), counts = new Map();
    for (const {place} of checkers) counts.set(place, (counts.get(place) ?? 0) + 1);
    for (const {element, place} of checkers) {
      const i = heights.get(place) ?? 0, count = counts.get(place);
      heights.set(place, i + 1);
      const [x, y, flat] = this.#spot(place, i, count);
      element.style.transform = `translate(${x}px, ${y}px) scale(1, ${flat})`;
      if (i + 1 !== count || flat !== 1) continue;
      for (const ring of this.places[place].querySelectorAll(".ring")) ring.setAttribute("cy", y);
      if (count > 5) {
        const color = checkers === this.#checkers[0] ? this.colors[0] : this.colors[1];
        // Without gloss behind the number, which would lower its contrast.
        svg(this.countLayer, "circle", {class: "count", cx: x, cy: y, r: 0.6 * this.#size, fill: `var(--${color}-checker)`});
        svg(this.countLayer, "text", {class: "count", x, y, fill: color === "light" ? "#3a3324" : "#fff"}, count);
      }
    }
    // The target mark is where the next checker would be.
    for (let place = 0; place < 28; ++place) {
      if (checkers !== this.#checkers[0]) break;
      const count = counts.get(place) ?? 0;
      const [, y] = this.#spot(place, count, count + 1);
      for (const spot of this.places[place].querySelectorAll(".spot")) spot.setAttribute("cy", y);
    }
  }

  /** Shows the user's steps as arrows from the top checker of one place to the top of another. */
  showArrows(steps) {
    this.arrowLayer.replaceChildren();
    const counts = new Array(28).fill(0);
    for (const {place} of this.#checkers[0]) ++counts[place];
    for (const {from, to} of steps) {
      const [x1, y1] = this.#spot(from, Math.max(0, counts[from] - 1), counts[from]);
      const [x2, y2] = this.#spot(to, counts[to], counts[to] + 1);
      --counts[from];
      ++counts[to];
      const bend = y1 < BackgammonDrawing.height / 2 ? 60 : -60;
      const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2 + bend], share = this.#size / Math.hypot(cx - x1, cy - y1);
      const start = `${x1 + share * (cx - x1)} ${y1 + share * (cy - y1)}`;  // the edge of the checker, which may show a count
      svg(this.arrowLayer, "path", {class: "arrow", d: `M${start}Q${cx} ${cy} ${x2} ${y2}`, "marker-end": "url(#head)"});
    }
  }

  /** Shows the dice, the user's on the right. `used` contains the values played so far. */
  showDice(dice, isYours, used = []) {
    this.diceLayer.replaceChildren();
    this.diceLayer.setAttribute("aria-label", dice ? `${isYours ? "Your" : "Senet's"} dice: ${rollText(dice)}` : "No dice");
    if (!dice) return;
    const values = dice[0] === dice[1] ? new Array(4).fill(dice[0]) : dice;
    const spent = [...used];
    const middle = this.#left + (isYours ? 10 : 3) * this.#point;
    values.forEach((value, i) => {
      const x = middle + (i - values.length / 2) * 72 + 6, y = BackgammonDrawing.height / 2 - 30;
      const at = spent.indexOf(value);
      if (at >= 0) spent.splice(at, 1);
      this.#drawDie(x, y, value, isYours ? this.colors[0] : this.colors[1], at >= 0);
    });
  }

  #drawDie(x, y, value, color, used) {
    const die = svg(this.diceLayer, "g", {class: used ? "die used" : "die"});
    svg(die, "rect", {x, y, width: 60, height: 60, rx: 12, fill: `var(--${color}-checker)`});
    const spots = {1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]};
    for (const spot of spots[value]) {
      svg(die, "circle", {cx: x + 14 + (spot % 3) * 16, cy: y + 14 + Math.floor(spot / 3) * 16, r: 5.6, fill: color === "light" ? "#2b2f38" : "#f6f1e4"});
    }
  }
}
