// Move generation. The board is converted once to sets of places, from which the turns are computed
// without a list of positions to find duplicates.
#include <algorithm>
#include <array>
#include <bit>

#include "games/backgammon/backgammon.hpp"

namespace senet {
using namespace backgammon;

namespace {

using List = ActionList<Backgammon::kMaxLegal>;

constexpr Places place(unsigned p) { return Places{1} << p; }
constexpr Places kNoPlace = Places{1} << 31;

// Two different dice have at most 240 turns (see Backgammon). list_on_points() also writes past the
// last turn.
constexpr std::size_t kRoomForPairs = 256;

// The places whose checkers a die can move. `occupied`: places with our checkers; `open`: points
// that are not blocked.
Places sources_for(Places occupied, Places open, unsigned die) {
  if (occupied & place(kBar)) return place(kBar) & open << die;
  Places sources = occupied & open << die;
  if ((occupied & kOutsideHome) == 0) {
    // All home: bear off from the die's own point, or from the highest point if that is lower.
    sources |= occupied & place(die);
    if (const Places highest = std::bit_floor(occupied); highest < place(die)) sources |= highest;
  }
  return sources;
}

// `occupied` after a checker moved from `source` with `die`; `count`: checkers at the source
// before.
Places after_step(Places occupied, unsigned source, unsigned die, unsigned count) {
  const Places from = place(source);
  if (count == 1) occupied &= ~from;
  return occupied | (from >> die & ~place(kOff));
}

// Turns with two different dice. First marks all pairs of sources, for the higher die played first
// and for the lower die played first. Then lists them in ascending order.
//
// Two pairs lead to the same position only in two cases: one checker moves with both dice and hits
// the same blots in either order, pairs (s, s - high) and (s - low, s); or two checkers are borne
// off, pairs (a, b) and (b, a). The higher of the two codes is omitted.
class PairTurns {
 public:
  PairTurns(const Checkers& mine, const Checkers& opponent, Dice dice)
      : mine_(mine), opponent_(opponent), dice_(dice) {}

  void list(List& out) const {
    const Places high_first = sources_for(occupied_, open_, dice_.high);
    const Places low_first = sources_for(occupied_, open_, dice_.low);
    if (stays_on_points()) {
      list_on_points(high_first, low_first, out);
    } else {
      list_anywhere(high_first, low_first, out);
    }
    if (!out.empty()) return;
    // The higher die must be played if either can.
    const std::size_t factor = high_first != 0 ? kSources : 1;
    for (Places left = high_first != 0 ? high_first : low_first; left != 0; left &= left - 1) {
      out.push_back(static_cast<Action>(static_cast<std::size_t>(std::countr_zero(left)) * factor));
    }
    if (out.empty()) out.push_back(kPass);
  }

 private:
  // No checker is on the bar, and none can be borne off, because two checkers are outside.
  bool stays_on_points() const {
    const Places outside = occupied_ & kOutsideHome;
    const bool two_outside =
        (outside & (outside - 1)) != 0 || (outside & places_with(mine_, 2)) != 0;
    return two_outside && (occupied_ & place(kBar)) == 0;
  }

  // The ordinary case, computed on whole sets. The higher die can be played first from
  // `high_first`. Playing the lower die first adds only turns in which the same checker then plays
  // the higher.
  void list_on_points(Places high_first, Places low_first, List& out) const {
    const unsigned high = dice_.high, low = dice_.low;
    const Places open_low = open_ << low, open_high = open_ << high;
    const Places single = occupied_ & ~places_with(mine_, 2);
    const Places moves_on = low_first >> low & open_high;
    // Turns of one checker that reach the same place in either order without an intermediate hit:
    // keep the code with the lower source of the higher die.
    const Places repeated = high_first & moves_on << low & ~(blots_ << high | blots_ << low);
    out.resize(kRoomForPairs);
    Action* end = out.data();
    for (Places rows = high_first | moves_on; rows != 0; rows &= rows - 1) {
      const Places a = rows & (~rows + 1);
      const Places after_high = ((occupied_ & ~(a & single)) | a >> high) & open_low;
      Places row = ((a & high_first) != 0 ? after_high : 0) | (a & moves_on) << low;
      row &= ~((a & repeated) >> high);
      const auto first = pair_action(static_cast<unsigned>(std::countr_zero(a)), 0);
      // Writes four at a time, even if fewer remain: the CPU cannot predict the exact number.
      while (row != 0) {
        for (int i = 0; i < 4; ++i) {
          *end = static_cast<Action>(first + std::countr_zero(row | kNoPlace));
          end += row != 0 ? 1 : 0;
          row &= row - 1;
        }
      }
    }
    out.resize(static_cast<std::size_t>(end - out.data()));
  }

  // The general case: entering, or possibly bearing off.
  void list_anywhere(Places high_first, Places low_first, List& out) const {
    std::array<Places, kSources> marked{};  // by source of the higher die, sources of the lower die
    Places rows = high_first;
    for (Places left = high_first; left != 0; left &= left - 1) {
      const auto source = static_cast<unsigned>(std::countr_zero(left));
      marked[source] = then(source, dice_.high, dice_.low);
    }
    for (Places left = low_first; left != 0; left &= left - 1) {
      const auto source = static_cast<unsigned>(std::countr_zero(left));
      Places next = then(source, dice_.low, dice_.high);
      for (rows |= next; next != 0; next &= next - 1) {
        marked[static_cast<std::size_t>(std::countr_zero(next))] |= place(source);
      }
    }
    // Whether a pair with a lower code leads to the same position.
    const auto is_repeated = [&](unsigned a, unsigned b) {
      const unsigned high = dice_.high, low = dice_.low;
      if (a > high && b == a - high) {
        const bool same_hits = (blots_ & (place(a - high) | place(a - low))) == 0;
        return same_hits && (marked[a - low] & place(a)) != 0;
      }
      return b < a && a <= low && (marked[b] & place(a)) != 0;  // both borne off, with either die
    };
    for (; rows != 0; rows &= rows - 1) {
      const auto a = static_cast<unsigned>(std::countr_zero(rows));
      for (Places row = marked[a]; row != 0; row &= row - 1) {
        const auto b = static_cast<unsigned>(std::countr_zero(row));
        if (!is_repeated(a, b)) out.push_back(pair_action(a, b));
      }
    }
  }

  // Sources of the second die after a checker on `source` moved with the first.
  Places then(unsigned source, unsigned first, unsigned second) const {
    return sources_for(after_step(occupied_, source, first, mine_[source]), open_, second);
  }

  const Checkers &mine_, &opponent_;
  const Dice dice_;
  const Places occupied_ = occupied_places(mine_), open_ = open_points(opponent_),
               blots_ = opponent_blots(opponent_);
};

// Doubles. Sorting the steps of a legal turn by descending source keeps it legal: a step of a
// checker further back does not depend on the steps in front of it and does not block them, and it
// brings the checkers home sooner. So sources are tried in descending order only, which visits each
// multiset once. Different multisets lead to different positions: the number of checkers differs at
// the highest place from which a different number leaves.
class DoublesTurns {
 public:
  DoublesTurns(const Checkers& mine, const Checkers& opponent, unsigned die, List& out)
      : die_(die), open_(open_points(opponent)), out_(out) {
    std::copy(mine.begin(), mine.end(), &counts_[kBeyond]);
  }

  void list(Places occupied) {
    step(occupied, 0, kBar);
    if (out_.empty()) out_.push_back(kPass);
  }

 private:
  // Tries all sources up to `highest` for step `depth` (from 0). Ascending sources give ascending
  // codes.
  void step(Places occupied, std::size_t depth, unsigned highest) {
    Places sources = sources_for(occupied, open_, die_) & (place(highest + 1) - 1);
    if (sources == 0) {
      end(depth);
      return;
    }
    if (depth == 3) {
      end_full(sources);
      return;
    }
    for (; sources != 0; sources &= sources - 1) {
      const auto source = static_cast<unsigned>(std::countr_zero(sources));
      std::uint8_t& from = counts_[kBeyond + source];
      std::uint8_t& to = counts_[kBeyond + source - die_];
      const unsigned count = from--;
      ++to;
      sources_[depth] = static_cast<std::uint8_t>(source);
      step(after_step(occupied, source, die_, count), depth + 1, source);
      sources_[depth] = 0;
      --to;
      ++from;
    }
  }

  // Adds a turn of `depth` steps that cannot be continued, unless a longer turn was found.
  void end(std::size_t depth) {
    if (depth == 0 || depth < most_) return;
    start_length(depth);
    out_.push_back(doubles_action(sources_));
  }

  // Adds all turns of four steps whose last step is from one of `sources`.
  void end_full(Places sources) {
    start_length(4);
    const unsigned three = doubles_action(sources_);
    for (; sources != 0; sources &= sources - 1) {
      out_.push_back(static_cast<Action>(three + static_cast<unsigned>(std::countr_zero(sources))));
    }
  }

  void start_length(std::size_t length) {
    if (length > most_) out_.clear();
    most_ = length;
  }

  // Our checkers by place, after room for those that a die takes beyond kOff.
  static constexpr std::size_t kBeyond = 6;
  std::array<std::uint8_t, kBeyond + std::tuple_size_v<Checkers>> counts_{};
  const unsigned die_;
  const Places open_;
  List& out_;
  Sources sources_{};
  std::size_t most_ = 0;
};

}  // namespace

void Backgammon::legal(ActionList<kMaxLegal>& out) const {
  const Checkers& mine = checkers_[on_roll_];
  const Checkers& opponent = checkers_[1 - on_roll_];
  if (dice_.is_double()) {
    DoublesTurns(mine, opponent, dice_.high, out).list(occupied_places(mine));
  } else {
    PairTurns(mine, opponent, dice_).list(out);
  }
}

}  // namespace senet
