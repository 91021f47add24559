#include "games/backgammon_shots.hpp"

namespace senet::backgammon {
namespace {

// What matters for hitting, as sets of own places.
struct Targets {
  Places occupied;  // checkers of ours, the bar included
  Places open;      // points a checker of ours may land on
  Places blots;     // points where it hits
};

// True when playing `first` and then `second` can hit; with `on_bar` checkers on the bar.
bool hits(const Targets& t, unsigned on_bar, unsigned first, unsigned second) {
  const Places bar = Places{1} << kBar;
  const Places landed = (on_bar > 0 ? bar : t.occupied) >> first & t.open;
  if (landed & t.blots) return true;
  if (on_bar == 0) return (landed >> second & t.blots) != 0;
  if (landed == 0) return false;
  const Places next = on_bar > 1 ? bar : (t.occupied & ~bar) | landed;
  return (next >> second & t.blots) != 0;
}

// True when up to four steps of `die` can hit.
bool hits_with_double(const Targets& t, unsigned on_bar, unsigned die) {
  const Places bar = Places{1} << kBar;
  Places moving = t.occupied;
  unsigned steps = 4;
  if (on_bar > 0) {
    const Places entry = bar >> die & t.open;
    if (entry & t.blots) return true;
    if (entry == 0 || on_bar >= steps) return false;
    steps -= on_bar;
    moving = (t.occupied & ~bar) | entry;
  }
  for (; steps > 0 && moving != 0; --steps) {
    moving = moving >> die & t.open;
    if (moving & t.blots) return true;
  }
  return false;
}

}  // namespace

int hitting_rolls(const Checkers& mine, const Checkers& opponent) {
  const Targets targets{occupied_places(mine), open_points(opponent), opponent_blots(opponent)};
  // Nothing to hit, or nothing behind it to hit with.
  if (targets.blots == 0 || (targets.occupied >> 1) < (targets.blots & (~targets.blots + 1)))
    return 0;
  const unsigned on_bar = mine[kBar];
  int rolls = 0;
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low < high; ++low) {
      if (hits(targets, on_bar, high, low) || hits(targets, on_bar, low, high)) rolls += 2;
    }
    if (hits_with_double(targets, on_bar, high)) rolls += 1;
  }
  return rolls;
}

}  // namespace senet::backgammon
