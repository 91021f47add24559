// The review of a finished game: what each move lost against the best one.

/**
 * The loss of the move at `ply`: {ply, player, move, best, loss}. Null if the move was forced or the
 * search of its position does not contain it.
 */
function mistakeAt(ply, {history, ply: last}, known) {
  const turn = history[ply - last + history.length];
  const candidates = known?.search?.candidates;
  if (!turn || !candidates || known.state.legal.length < 2) return null;
  const played = candidates.find(({move}) => move === turn.move);
  if (!played) return null;
  const loss = Math.max(0, candidates[0].value - played.value);
  return {ply, player: turn.player, move: turn.move, best: candidates[0].move, loss};
}

/** Shows the players' averages and the costliest moves. `progress` is a text while moves are missing. */
function showReview(mistakes, progress, you, figures, onStep) {
  byId("review-progress").textContent = progress;
  const body = byId("review-table").tBodies[0];
  byId("review-table").hidden = mistakes.length === 0;
  body.replaceChildren();
  for (const [name, player] of [["You", you], ["Senet", 1 - you]]) {
    const own = mistakes.filter((mistake) => mistake.player === player);
    const total = own.reduce((sum, {loss}) => sum + loss, 0);
    const row = body.insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    const texts = [own.length, figures.loss(total), own.length ? figures.rating.of(total / own.length) : "–"];
    for (const text of figures.showsTotal ? texts : [texts[0], texts[2]]) {
      const cell = row.insertCell();
      cell.className = "number";
      cell.textContent = text;
    }
  }
  byId("review-total").hidden = !figures.showsTotal;
  byId("review-rating").textContent = figures.rating.name;
  byId("review-note").textContent = figures.note;
  const worst = mistakes.filter(({loss}) => Number.parseFloat(figures.loss(loss)) > 0).sort((a, b) => b.loss - a.loss).slice(0, 5);
  byId("worst-title").hidden = worst.length === 0;
  if (isStale(byId("worst"), worst, you)) byId("worst").replaceChildren(...worst.map(({ply, player, move, best, loss}) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const lost = document.createElement("b"), better = document.createElement("small");
    lost.textContent = `−${figures.loss(loss)}`;
    better.textContent = `better: ${best}`;
    button.append(`${ply + 1}. ${player === you ? "You" : "Senet"}: ${move} `, lost, better);
    button.addEventListener("click", () => onStep(ply));
    item.append(button);
    return item;
  }));
}
