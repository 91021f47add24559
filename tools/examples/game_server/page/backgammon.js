// The backgammon board: the user composes a turn checker by checker.
class BackgammonBoard {
  static colors = ["var(--light-checker)", "var(--dark-checker)"];
  /** How the panels show a value of the engine (in points) and the value that a move loses. */
  static figures = {
    heading: "Equity",
    explanation: "Equity is in points, without a cube.",
    value: (value) => signed(value),
    loss: (loss) => loss.toFixed(3),
    showsTotal: true,
    rating: {name: "PR", of: (average) => (500 * average).toFixed(1)},
    note: "PR is 500 times the average loss of equity per unforced move, as in eXtreme Gammon; lower is better. Senet judges " +
      "with its own search and without a cube, so its own PR looks better than it is.",
  };
  #you;
  #onMove;
  #onProgress;
  #state = null;
  #turns = [];
  #steps = [];  // of the user's turn so far
  #selected = null;
  #enabled = false;

  /** Calls onMove(text) with a complete turn and onProgress(canUndo, canPlay) after each change. */
  constructor(you, onMove, onProgress) {
    this.#you = you;
    this.#onMove = onMove;
    this.#onProgress = onProgress;
    this.view = new BackgammonDrawing(you, (place) => this.#press(place));
    this.drawing = this.view.drawing;
  }

  show(state) {
    this.#state = state;
    this.#steps = [];
    this.#selected = null;
    this.#update();
  }

  /** Enables or disables moves of the user. */
  setEnabled(on) {
    this.#enabled = on;
    this.#steps = [];
    this.#selected = null;
    const {board, dice, legal} = this.#state;
    this.#turns = on ? turnsOf(placesOf(board, this.#you), dice, legal) : [];
    this.#update();
  }

  showHints() {}

  /** Shows a turn of the user as arrows; null shows none. */
  preview(move) {
    const turn = this.#turns.find(({text}) => text === move);
    this.view.showArrows(turn ? turn.steps : []);
  }

  undo() {
    if (this.#selected !== null) this.#selected = null;
    else this.#steps.pop();
    this.#update();
  }

  /** Plays the turn if it is complete. */
  done() {
    const turn = this.#complete();
    if (turn) this.#onMove(turn.text);
  }

  #complete() {
    return this.#turns.find(({steps}) => steps.length === this.#steps.length && steps.every((step, i) => sameStep(step, this.#steps[i])));
  }

  #places() {
    return this.#steps.reduce(afterStep, placesOf(this.#state.board, this.#you));
  }

  #press(place) {
    if (this.#selected !== null) {
      const way = targetsOf(this.#turns, this.#steps, this.#selected).get(place);
      if (way) {
        this.#steps.push(...way);
        this.#selected = null;
        this.#update();
        return;
      }
    }
    const targets = targetsOf(this.#turns, this.#steps, place);
    if (this.#selected === place || targets.size === 0) {
      this.#selected = null;
    } else if (targets.size === 1) {  // only one choice
      this.#steps.push(...targets.values().next().value);
      this.#selected = null;
    } else {
      this.#selected = place;
    }
    this.#update();
  }

  #update() {
    const {dice, turn} = this.#state;
    const places = this.#places();
    this.view.show(places);
    this.view.showDice(dice, turn === this.#you, this.#steps.map(({die}) => die));
    const sources = new Set(turnsAfter(this.#turns, this.#steps).map(({steps}) => steps[this.#steps.length].from));
    const targets = this.#selected === null ? new Map() : targetsOf(this.#turns, this.#steps, this.#selected);
    this.view.places.forEach((group, place) => {
      const isTarget = targets.has(place), isSource = sources.has(place);
      group.classList.toggle("source", isSource && this.#selected === null);
      group.classList.toggle("selected", place === this.#selected);
      group.classList.toggle("target", isTarget);
      setPressable(group, this.#enabled && (isTarget || isSource), this.#label(place, places, isTarget));
    });
    this.#onProgress(this.#enabled && (this.#steps.length > 0 || this.#selected !== null), this.#enabled && Boolean(this.#complete()));
  }

  /** What lies on a place, for screen readers. */
  #label(place, {mine, theirs}, isTarget) {
    const names = {0: "Your tray", 25: "Your bar", 26: "Senet's tray", 27: "Senet's bar"};
    const other = {0: null, 25: null, 26: 0, 27: 25}[place];
    const yours = place <= 25 ? mine[place] : 0, senets = other === undefined ? theirs[25 - place] : theirs[other] ?? 0;
    const checkers = yours ? `${counted(yours, "checker")} of yours` : senets ? `${counted(senets, "checker")} of Senet's` : "empty";
    return `${isTarget ? "Move to " : ""}${names[place] ?? `Point ${place}`}: ${checkers}`;
  }

  key(event) {
    if (event.key === "Backspace" || event.key === "u" || event.key === "Escape") this.undo();
    else if (event.key === "Enter") this.done();
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") moveFocus(this.view.places, 1);
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") moveFocus(this.view.places, -1);
    else return false;
    return true;
  }
  help = "Click a checker, then where to move it";
}
