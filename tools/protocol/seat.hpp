// One game as a session sees it: the position on the table and the player that thinks about it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/perft.hpp"
#include "senet/game.hpp"
#include "tools/protocol/options.hpp"
#include "tools/protocol/problem.hpp"
#include "tools/protocol/requests.hpp"
#include "tools/protocol/thought.hpp"

namespace senet::protocol {

using Clock = std::chrono::steady_clock;

/// Where the game stands.
struct Standing {
  Turn turn = Turn::kPlayer0;
  Player viewer = 0;       // the player on turn or about to roll
  double final_value = 0;  // when over, for player 0
  bool must_roll = false;  // a turn of chance
  std::size_t moves = 0;   // of the player on turn, those that deserve a thought
};

/// When a search ends; asked at least once a millisecond.
struct ThinkLimits {
  std::uint32_t visits = 1;
  std::optional<Clock::time_point> until = std::nullopt;
  std::function<bool()> goes_on = {};  // false: end now
};

/// Belongs to one thread at a time. Every function that is refused leaves all as it was.
class Seat {
 public:
  virtual ~Seat() = default;

  /// G::kName.
  virtual std::string_view game() const = 0;

  /// Builds the player anew, as far as `change` says, and reserves all that its searches need; the
  /// position stays. Throws std::bad_alloc where there is not so much memory.
  virtual Result<void> configure(const Options& options, Change change) = 0;

  /// Sets the position: moves behind it are played. `on_roll`: who rolls when the text does not say
  /// (a position id).
  virtual Result<void> set_position(const PositionRequest& position, Player on_roll) = 0;
  /// Backgammon: the roll to be played, in place of one that may be there.
  virtual Result<void> set_dice(int first, int second) = 0;
  /// Backgammon: who is on roll. The checkers stay as that player sees them.
  virtual Result<void> set_on_roll(Player player) = 0;

  virtual Standing standing() const = 0;
  /// The position as G::text() writes it.
  virtual std::string text() const = 0;
  /// The board for people, line by line.
  virtual std::vector<std::string> drawing() const = 0;

  /// What the network alone thinks of the position, whoever's turn it is, chance's included.
  virtual Evaluation evaluate() = 0;
  /// Searches; a player is on turn. Tells `progress` now and then, with the best `variations`
  /// moves.
  virtual Thought think(const ThinkLimits& limits, std::size_t variations,
                        const std::function<void(const Thought&)>& progress) = 0;
  /// Counts leaves; none when goes_on() said no.
  virtual std::optional<Leaves> count_leaves(int depth,
                                             const std::function<bool()>& goes_on) const = 0;
  /// Searches fixed positions with so many visits each; none when goes_on() said no.
  virtual std::optional<BenchTotals> bench(std::uint32_t visits,
                                           const std::function<bool()>& goes_on) = 0;
};

/// The table of a game (games/registry.hpp).
struct SeatTable {
  std::unique_ptr<Seat> (*make)();  // without a player yet

  template <Game G>
  static constexpr SeatTable of();
};

/// A seat at the start position of the game that the options name, with its player ready.
Result<std::unique_ptr<Seat>> make_seat(const Options& options);

}  // namespace senet::protocol
