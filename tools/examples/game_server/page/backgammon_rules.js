// Finds the steps that compose each legal turn. The server lists the legal turns in its notation:
// "24/18 13/11", "bar/23*/20", "8/5*(2)".
//
// Places are numbered from the perspective of the player to move: 0 off, 1..24 points, 25 the bar.

/** The effect of a turn, independent of the order of its steps: changes per place, and hits. */
function effectOf(changes, hits) {
  const gains = changes.map((change, place) => (change ? `${place}:${change}` : "")).filter(Boolean);
  return `${gains.join(" ")}|${[...hits].sort((a, b) => a - b).join(" ")}`;
}

function effectOfText(text) {
  const changes = new Array(26).fill(0), hits = new Set();
  for (const word of text.split(" ")) {
    const times = Number(word.match(/\((\d)\)$/)?.[1] ?? 1);
    const places = word.replace(/\(\d\)$/, "").split("/").map((part) => {
      const place = {bar: 25, off: 0}[part.replace("*", "")] ?? parseInt(part, 10);
      if (part.endsWith("*")) hits.add(place);
      return place;
    });
    changes[places[0]] -= times;
    changes[places.at(-1)] += times;
  }
  return effectOf(changes, hits);
}

/** Both players' checkers by place, each from its own perspective: `mine` belongs to `mover`. */
function placesOf(board, mover) {
  const side = ({points, bar, off}) => [off, ...points, bar];
  return {mine: side(board.players[mover]), theirs: side(board.players[1 - mover])};
}

/** The step from this place with this die, or null if it is illegal. */
function stepFrom({mine, theirs}, from, die) {
  if (mine[from] === 0 || (from !== 25 && mine[25] > 0)) return null;
  const to = Math.max(0, from - die);
  if (to === 0) {
    const farthest = mine.findLastIndex((count) => count > 0);
    if (farthest > 6 || (from < die && farthest > from)) return null;
    return {from, to, die, hit: false};
  }
  const waiting = theirs[25 - to];
  return waiting > 1 ? null : {from, to, die, hit: waiting === 1};
}

/** The places after a step. */
function afterStep({mine, theirs}, {from, to, hit}) {
  const next = {mine: [...mine], theirs: [...theirs]};
  --next.mine[from];
  ++next.mine[to];
  if (hit) {
    --next.theirs[25 - to];
    ++next.theirs[25];
  }
  return next;
}

/**
 * All sequences of steps that play the dice as a legal turn: [{steps, text}]. Empty for a pass.
 */
function turnsOf(places, dice, legal) {
  const texts = new Map(legal.filter((text) => text !== "pass").map((text) => [effectOfText(text), text]));
  const turns = [];
  const visit = (now, left, steps, changes, hits) => {
    const text = steps.length > 0 && texts.get(effectOf(changes, hits));
    if (text) turns.push({steps, text});
    for (const die of new Set(left)) {
      const rest = left.toSpliced(left.indexOf(die), 1);
      for (let from = 25; from > 0; --from) {
        const step = stepFrom(now, from, die);
        if (!step) continue;
        const changed = [...changes];
        --changed[from];
        ++changed[step.to];
        visit(afterStep(now, step), rest, [...steps, step], changed, step.hit ? new Set([...hits, step.to]) : hits);
      }
    }
  };
  const left = dice[0] === dice[1] ? new Array(4).fill(dice[0]) : [...dice];
  visit(places, left, [], new Array(26).fill(0), new Set());
  return turns;
}

const sameStep = (a, b) => a.from === b.from && a.die === b.die;

/** The turns that begin with these steps and have more. */
function turnsAfter(turns, steps) {
  return turns.filter((turn) => turn.steps.length > steps.length && steps.every((step, i) => sameStep(step, turn.steps[i])));
}

/**
 * The places that the checker on `from` can reach now: a Map of place -> steps. More than one step
 * if the checker uses several dice.
 */
function targetsOf(turns, steps, from) {
  const targets = new Map();
  for (const turn of turnsAfter(turns, steps)) {
    const way = [];
    for (const step of turn.steps.slice(steps.length)) {
      if (step.from !== (way.at(-1)?.to ?? from)) break;
      way.push(step);
      const known = targets.get(step.to);
      if (!known || known.length > way.length) targets.set(step.to, [...way]);
    }
  }
  return targets;
}
