// Full-width search by plies: every move, every roll of the dice, and the best replies, to a fixed
// depth.
//
//   ply 0   the network's evaluation of an afterstate; the result if the game is over or the
//           tablebase knows it
//   ply n   the mean over all rolls of the best reply's value at ply n - 1
//
// At each ply from 1 on, a filter keeps the moves and replies that were near the best at the ply
// before. Values are distributions over the outcomes, so they mix without loss.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>

#include "games/sound_moves.hpp"
#include "nn/batch.hpp"
#include "nn/heap.hpp"
#include "search/decision.hpp"
#include "search/expansion.hpp"
#include "search/outcomes.hpp"
#include "search/scratch.hpp"
#include "search/settings.hpp"
#include "search/step.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// One search by plies at a time. Search runs it when settings.plies.ply is above 0, and drivers
/// see only Search. Its memory is reserved by the constructor: a frame for each ply.
///
///   root: moves, best first -----> frame: an afterstate of the root at ply n
///                                  rolls x replies, best first ---> frame: at ply n - 1 ...
///
/// A leaf is one afterstate: the replies to all of its rolls (to as many rolls as the scratch holds
/// in very wide positions). Their rows fill batches even when a single search runs.
template <Game G>
class Plies {
 public:
  /// For positions with at most `edges` moves or outcomes of the dice.
  Plies(const SearchSettings& settings, std::size_t edges, Heap& heap)
      : settings_(settings.plies),
        temperature_(settings.afterstate_temperature),
        rolls_(most_rolls(edges)),
        moves_(edges, heap),
        frames_(settings_.ply, heap),
        replies_(settings_.ply * rolls_ * settings_.replies, heap),
        counts_(settings_.ply * rolls_, heap) {}

  /// Bytes that an object of this size allocates.
  static std::size_t bytes(const PlySettings& settings, std::size_t edges) {
    const std::size_t rolls = settings.ply * most_rolls(edges);
    return edges * sizeof(Move) + settings.ply * sizeof(Frame) +
           rolls * (settings.replies * sizeof(Move) + sizeof(std::uint16_t));
  }

  /// As Search::set_tablebase().
  void set_tablebase(const Tablebase<G>& tablebase) { tablebase_ = tablebase; }

  /// Begins a search of `root`, in which a player is to move, among the moves `only` (see
  /// SearchBudget); abandons one in progress.
  void start(const G& root, std::span<const Action> only = {}) {
    assert(is_decision(root.turn()));
    root_ = root;
    only_ = only;
    depth_ = visits_ = evaluations_ = 0;
    count_ = 0;
    phase_ = Phase::kList;
  }
  void forget() {
    visits_ = 0;
    phase_ = Phase::kDone;
  }

  /// As Search::gather() and absorb().
  Step gather(Batch& batch, SearchScratch<G>& scratch) {
    for (std::uint32_t leaves = 0; leaves < kPause; ++leaves) {
      if (phase_ == Phase::kDone) return Step::kDone;
      if (phase_ == Phase::kList) list_leaf(scratch);
      const std::uint32_t written = write_leaf(batch, scratch);
      evaluations_ += written;
      if (roll_ < last_roll_) return Step::kBatchFull;
      if (written > 0) return Step::kWaiting;
      finish_leaf(scratch);
    }
    return Step::kPaused;
  }
  void absorb(SearchScratch<G>& scratch) {
    if (phase_ == Phase::kRows && roll_ == last_roll_) finish_leaf(scratch);
  }
  bool has_leaf() const { return phase_ == Phase::kRows; }

  /// 1 when all moves are valued at ply 0, plus the number of plies completed since; 0 before.
  std::uint32_t visits() const { return visits_; }

  /// Whether the results of all moves are known.
  bool is_settled() const { return visits_ > 0 && evaluations_ == 0; }

  const G& root() const { return root_; }

  /// The result of the last completed ply: the moves that were searched.
  Decision<G> decision(SearchScratch<G>& scratch) const {
    const Move& best = moves_[0];
    auto& choices = scratch.choices;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Move& move = moves_[i];
      choices[i] = {.action = move.action,
                    .visits = move.ply + 1u,
                    .target = 0,
                    .prior = move.prior,
                    .value = move.value};
    }
    return {.choices = {choices.data(), count_},
            .outcomes = best.outcomes,
            .value = best.value,
            .visits = visits_,
            .evaluations = evaluations_,
            .depth = visits_ - 1,
            .proven = false,
            .full = false};
  }
  /// The distribution after a legal move of the root, for its player.
  Outcomes<G> outcomes_after(Action action) const {
    const Move* const move = find(action);
    if (move != nullptr) return move->outcomes;
    return spread_value(root_, unsound_value(root_, moves_[0].value, action));
  }

 private:
  // kList: the next leaf is known; kRows: it is listed, and its rows are being written or answered.
  enum class Phase : std::uint8_t { kList, kRows, kDone };

  /// A move or reply, valued for the player who makes it.
  struct Move {
    Action action;
    std::uint16_t ply;     // of value and outcomes
    float prior;           // of the root's moves
    float value;           // mean_value(outcomes)
    Outcomes<G> outcomes;  // at the last completed ply
    Outcomes<G> next;      // at the ply in progress
  };
  /// The moves of one decision, whose `kept` best are being valued at `ply`.
  struct Choosing {
    Move* moves;
    std::uint32_t kept;
    std::uint32_t ply;
    std::uint32_t at;  // moves valued or begun at this ply
  };
  /// An afterstate that is being valued at a ply of 1 or more.
  struct Frame {
    G after;
    Player mover;  // who moved there; `mean` is for this player
    std::uint32_t ply;
    std::uint32_t rolls, listed;  // of these, the replies of the first `listed` are valued at ply 0
    std::uint32_t roll;           // from ply 2 on: the roll whose replies are being chosen from
    Choosing replies;
    Outcomes<G> mean;
    std::array<float, std::max<std::size_t>(1, kMaxChance<G>)> probability;
  };

  static std::size_t most_rolls(std::size_t edges) {
    return std::max<std::size_t>(1, std::min(edges, kMaxChance<G>));
  }

  const Move* find(Action action) const {
    const auto end = moves_.get() + count_;
    const auto found =
        std::find_if(moves_.get(), end, [&](const Move& move) { return move.action == action; });
    return found == end ? nullptr : found;
  }

  Frame& frame() const { return frames_[depth_ - 1]; }
  std::uint32_t listed() const { return depth_ == 0 ? 0 : frame().listed; }
  Move* replies_to(std::uint32_t roll) const {
    return replies_.get() + ((depth_ - 1) * rolls_ + roll) * settings_.replies;
  }
  std::uint16_t& count_of(std::uint32_t roll) const {
    return counts_[(depth_ - 1) * rolls_ + roll];
  }

  // The position in which a move of the leaf is made; for the root, the only "roll" is 0.
  G rolled(std::uint32_t roll) const {
    if (depth_ == 0) return root_;
    G state = frame().after;
    if (state.turn() == Turn::kChance) state.play(static_cast<Action>(roll));
    return state;
  }
  // Who chooses in a position after a roll; nobody does on another chance turn.
  Player chooser(const G& state) const {
    return is_decision(state.turn()) ? perspective(state.turn()) : frame().mover;
  }

  // Lists the moves of the leaf: of the root, or of the frame's next rolls, as many as fit. A
  // position without a decision has one row, its own, with a placeholder for the move.
  void list_leaf(SearchScratch<G>& scratch) {
    const std::uint32_t rolls = depth_ == 0 ? 1 : frame().rolls;
    auto& moves = scratch.moves;
    moves.clear();
    roll_ = last_roll_ = listed();
    scratch.ends[roll_] = 0;
    for (; last_roll_ < rolls; ++last_roll_) {
      const G state = rolled(last_roll_);
      ActionList<G::kMaxLegal> here;
      if (is_decision(state.turn())) {
        moves_to_search(state, depth_ == 0 ? only_ : std::span<const Action>(), here);
      } else {
        here.push_back(0);
      }
      if (moves.size() + here.size() > G::kMaxLegal) break;
      const std::size_t begin = moves.size();
      moves.resize(begin + here.size());
      std::copy(here.begin(), here.end(), moves.begin() + begin);
      scratch.ends[last_roll_ + 1] = static_cast<std::uint16_t>(moves.size());
    }
    row_ = 0;
    phase_ = Phase::kRows;
  }

  // The moves of one of the leaf's rolls, and the distributions after them.
  static std::span<const Action> moves_of(const SearchScratch<G>& scratch, std::uint32_t roll) {
    return {scratch.moves.data() + scratch.ends[roll],
            scratch.moves.data() + scratch.ends[roll + 1]};
  }
  static std::span<Outcomes<G>> answers_of(SearchScratch<G>& scratch, std::uint32_t roll) {
    return {scratch.afterstates.data() + scratch.ends[roll],
            scratch.afterstates.data() + scratch.ends[roll + 1]};
  }

  // Writes rows from row_ of roll_ on, until all are written or the batch is full. Returns how many
  // it has written.
  std::uint32_t write_leaf(Batch& batch, SearchScratch<G>& scratch) {
    std::uint32_t written = 0;
    for (; roll_ < last_roll_; ++roll_, row_ = 0) {
      const G state = rolled(roll_);
      const std::span<Outcomes<G>> answers = answers_of(scratch, roll_);
      if (is_decision(state.turn())) {
        written +=
            write_afterstates(state, moves_of(scratch, roll_), answers, row_, batch, tablebase_);
      } else {
        written += write_afterstate(state, answers[0], row_, batch, tablebase_);
      }
      if (row_ < answers.size()) break;
    }
    return written;
  }

  // Takes the answers to the leaf and proceeds to the next.
  void finish_leaf(SearchScratch<G>& scratch) {
    if (depth_ == 0) {
      take_root(scratch);
    } else {
      for (std::uint32_t roll = listed(); roll < last_roll_; ++roll) take_roll(roll, scratch);
      frame().listed = last_roll_;
    }
    phase_ = Phase::kList;
    proceed();
  }

  void take_root(SearchScratch<G>& scratch) {
    const Player mover = perspective(root_.turn());
    const std::span<Outcomes<G>> answers = answers_of(scratch, 0);
    settle_afterstates(root_, moves_of(scratch, 0), answers, mover);
    count_ = static_cast<std::uint32_t>(answers.size());
    for (std::uint32_t i = 0; i < count_; ++i) {
      moves_[i] = {scratch.moves[i], 0, 0, mean_value(root_, answers[i]), answers[i], {}};
    }
    sort({moves_.get(), count_});
    float sum = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      sum += moves_[i].prior = std::exp((moves_[i].value - moves_[0].value) / temperature_);
    }
    for (std::uint32_t i = 0; i < count_; ++i) moves_[i].prior /= sum;
    choosing_ = all_of(moves_.get(), count_);
    visits_ = 1;
  }

  // At ply 1 the best reply counts; beyond it the replies that the filter keeps are valued deeper.
  void take_roll(std::uint32_t roll, SearchScratch<G>& scratch) {
    Frame& frame = this->frame();
    const G state = rolled(roll);
    const Player player = chooser(state);
    const std::span<const Action> moves = moves_of(scratch, roll);
    const std::span<Outcomes<G>> answers = answers_of(scratch, roll);
    if (is_decision(state.turn())) {
      settle_afterstates(state, moves, answers, player);
    } else {
      settle(state, answers[0], player);
    }
    const std::size_t room = frame.ply == 1 ? 1 : settings_.replies;
    Move* const best = replies_to(roll);
    std::uint16_t& count = count_of(roll);
    count = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const float value = mean_value(state, answers[i]);
      std::size_t place = count;
      while (place > 0 && value > best[place - 1].value) --place;
      if (place == room) continue;
      if (count < room) ++count;
      std::move_backward(best + place, best + count - 1, best + count);
      best[place] = {moves[i], 0, 0, value, answers[i], {}};
    }
    if (frame.ply == 1) add(frame, roll, player, best->outcomes);
  }

  void add(Frame& frame, std::uint32_t roll, Player player, const Outcomes<G>& outcomes) const {
    const Outcomes<G> seen =
        moves_before(frame.after, mirrored_if(player != frame.mover, frame.after, outcomes));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      frame.mean[i] += frame.probability[roll] * seen[i];
    }
  }

  // Goes on until a leaf is needed or the search is done: begins and ends frames.
  void proceed() {
    for (;;) {
      if (depth_ == 0) {
        Move* const move = next_move(choosing_, settings_.ply, settings_.moves, settings_.window);
        visits_ = std::max(visits_, moves_[0].ply + 1u);
        if (move == nullptr || is_settled()) {
          phase_ = Phase::kDone;
          return;
        }
        if (begin(root_, *move, perspective(root_.turn()), choosing_.ply)) return;
        continue;
      }
      Frame& frame = this->frame();
      if (frame.listed < frame.rolls) return;
      if (frame.ply == 1 || frame.roll == frame.rolls) {
        --depth_;
        Choosing& above = depth_ == 0 ? choosing_ : this->frame().replies;
        above.moves[above.at - 1].next = frame.mean;
        continue;
      }
      if (frame.replies.moves == nullptr) {
        frame.replies = all_of(replies_to(frame.roll), count_of(frame.roll));
      }
      const G state = rolled(frame.roll);
      const Player player = chooser(state);
      Move* const move =
          next_move(frame.replies, frame.ply - 1, settings_.replies, settings_.reply_window);
      if (move == nullptr) {
        add(frame, frame.roll, player, frame.replies.moves[0].outcomes);
        frame.replies.moves = nullptr;
        ++frame.roll;
      } else if (begin(state, *move, player, frame.replies.ply)) {
        return;
      }
    }
  }

  static Choosing all_of(Move* moves, std::uint32_t count) { return {moves, count, 0, count}; }

  // The next move to value, at the ply choosing.ply; null when the best is known at ply `last`.
  Move* next_move(Choosing& choosing, std::uint32_t last, std::uint32_t most, float window) const {
    const std::span<Move> moves(choosing.moves, choosing.kept);
    if (choosing.at == choosing.kept) {
      if (choosing.ply > 0) {
        for (Move& move : moves) {
          move.outcomes = move.next;
          move.value = mean_value(root_, move.outcomes);
          move.ply = static_cast<std::uint16_t>(choosing.ply);
        }
        sort(moves);
      }
      if (choosing.ply == last) return nullptr;
      choosing.kept = std::min(choosing.kept, most);
      // Values at ply 0 err most. Half the window at each further ply loses nothing.
      const float least = moves[0].value - std::ldexp(window, -static_cast<int>(choosing.ply));
      while (moves[choosing.kept - 1].value < least) --choosing.kept;
      choosing.ply = choosing.kept == 1 ? last : choosing.ply + 1;  // one move is chosen: value it
      choosing.at = 0;
    }
    return &choosing.moves[choosing.at++];
  }

  // Begins the frame of the position after `move`. False if the result there is known: the move has
  // it already.
  bool begin(const G& before, Move& move, Player mover, std::uint32_t ply) {
    G after = before;
    if (is_decision(before.turn())) after.play(move.action);
    if (Outcomes<G> known{}; after.turn() == Turn::kOver || tablebase_.find(after, known)) {
      move.next = move.outcomes;
      return false;
    }
    Frame& frame = frames_[depth_++];
    frame.after = after;
    frame.mover = mover;
    frame.ply = ply;
    frame.rolls = 1;
    frame.listed = frame.roll = 0;
    frame.replies.moves = nullptr;
    frame.mean = {};
    frame.probability[0] = 1;
    if constexpr (StochasticGame<G>) {
      if (after.turn() == Turn::kChance) {
        frame.rolls = static_cast<std::uint32_t>(after.chance(frame.probability));
      }
    }
    return true;
  }

  static void sort(std::span<Move> moves) {
    std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      return a.value != b.value ? a.value > b.value : a.action < b.action;
    });
  }

  PlySettings settings_;
  float temperature_;
  Tablebase<G> tablebase_;
  std::size_t rolls_;
  G root_{};
  std::span<const Action> only_;  // the root's moves to search; empty: all
  Phase phase_ = Phase::kDone;
  std::uint32_t visits_ = 0;
  std::uint32_t evaluations_ = 0;
  // The root's moves, by the ply that they reached, then by value.
  Block<Move> moves_;
  std::uint32_t count_ = 0;
  Choosing choosing_{};
  // One frame for each afterstate on the line being valued.
  Block<Frame> frames_;
  std::uint32_t depth_ = 0;
  Block<Move> replies_;          // [ply, rolls, settings.replies]
  Block<std::uint16_t> counts_;  // [ply, rolls]
  // The leaf: rolls up to last_roll_ are listed; the next row is row_ of roll_.
  std::uint32_t roll_ = 0, last_roll_ = 0;
  std::size_t row_ = 0;
};

}  // namespace senet
