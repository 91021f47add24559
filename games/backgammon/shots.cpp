#include "games/backgammon/board.hpp"

#include <array>

namespace senet::backgammon {
namespace {

constexpr Places kBarPlace = Places{1} << kBar;

// What matters for hitting, as sets of own places.
struct Targets {
  Places occupied;  // checkers of ours, the bar included
  Places open;      // points a checker of ours may land on
  Places blots;     // points where it hits
};

// True when up to four steps of `die` can hit, with no checker on the bar.
bool hits_with_double(const Targets& targets, unsigned die) {
  const Places one = targets.occupied >> die & targets.open;
  const Places two = one >> die & targets.open;
  const Places three = two >> die & targets.open;
  const Places four = three >> die;
  return ((one | two | three | four) & targets.blots) != 0;
}

// The same with checkers on the bar, which take the first steps.
bool enters_and_hits_with_double(const Targets& targets, unsigned on_bar, unsigned die) {
  const Places entry = kBarPlace >> die & targets.open;
  if (entry & targets.blots) return true;
  if (entry == 0) return false;
  Places moving = (targets.occupied & ~kBarPlace) | entry;
  Places reached = 0;
  for (unsigned step = on_bar; step < 4; ++step) {
    moving = moving >> die & targets.open;
    reached |= moving;
  }
  return (reached & targets.blots) != 0;
}

}  // namespace

int hitting_rolls(const Checkers& mine, const Checkers& opponent) {
  const Targets targets{occupied_places(mine), open_points(opponent), opponent_blots(opponent)};
  const Places lowest_blot = targets.blots & (~targets.blots + 1);
  // Nothing to hit, or nothing behind it to hit with.
  if (targets.blots == 0 || targets.occupied >> 1 < lowest_blot) return 0;

  // landed[d]: where a checker can land with die d. next[d]: the places from which the other die
  // can then hit though it could not before: where the checker landed, and all others when it was
  // the last one on the bar.
  const unsigned on_bar = mine[kBar];
  const Places sources = on_bar > 0 ? kBarPlace : targets.occupied;
  const Places freed = on_bar == 1 ? targets.occupied & ~kBarPlace : 0;
  std::array<Places, 7> landed{}, next{};
  for (unsigned die = 1; die <= 6; ++die) {
    landed[die] = sources >> die & targets.open;
    next[die] = on_bar > 1 || landed[die] == 0 ? 0 : landed[die] | freed;
  }
  int rolls = 0;
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low < high; ++low) {
      const Places reached = landed[high] | landed[low] | next[high] >> low | next[low] >> high;
      rolls += (reached & targets.blots) != 0 ? 2 : 0;
    }
    rolls += (on_bar == 0 ? hits_with_double(targets, high)
                          : enters_and_hits_with_double(targets, on_bar, high))
                 ? 1
                 : 0;
  }
  return rolls;
}

}  // namespace senet::backgammon
