// Cubeless backgammon: full rules, one action per turn, chance turns between the players' turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "games/backgammon/action.hpp"
#include "games/backgammon/bearoff.hpp"
#include "games/backgammon/board.hpp"
#include "games/list/backgammon.hpp"
#include "senet/game.hpp"

namespace senet {

/// A state of backgammon. A default-constructed one is the standard start with player 0 about to
/// make the opening roll.
///
///   player 0 rolls (chance) -> player 0 plays -> player 1 rolls (chance) -> player 1 plays -> ...
///
/// Memory layout, 56 bytes without padding (a cube would need two more bytes, for its value and
/// owner):
///
///   0        26        52      53    54   55      56
///   +---------+---------+-------+-----+----+-------+
///   | player 0| player 1|on roll|high |low |opening|     dice are 0 before the roll
///   +---------+---------+-------+-----+----+-------+
///
/// Bounds. A turn with two different dice moves one of at most 15 checkers with each die, and a
/// checker that moves with both dice can take them in two orders: at most 15 * 15 + 15 = 240
/// results. After k <= 4 equal dice the result is determined by how many of the k steps each of the
/// 15 checkers took: at most C(14 + k, k) <= C(18, 4) = 3,060 results.
class Backgammon {
 public:
  static constexpr std::string_view kName = "backgammon";
  static constexpr std::size_t kMaxLegal = 3060;
  static constexpr std::size_t kMaxPlies = 4096;  // the rules set no limit
  static constexpr std::size_t kMaxChance = backgammon::kRolls;
  static constexpr std::size_t kFeatures = 426;
  static constexpr std::size_t kMaxActive = 110;
  static constexpr std::size_t kPolicyLogits = backgammon::kPairs;
  static constexpr std::size_t kLogitsPerAction = 2;
  /// Win single, gammon, backgammon; lose single, gammon, backgammon: cubeless money points.
  static constexpr std::array<float, 6> kOutcomeValues{1, 2, 3, -1, -2, -3};
  static constexpr std::array<std::uint8_t, 6> kOutcomeMirror{3, 4, 5, 0, 1, 2};
  static constexpr float kValueRange = 3;
  static constexpr bool kHasAfterstates = true;
  /// Known are the states before a roll in which all checkers are home (games/tablebase.hpp).
  using Tablebase = backgammon::BearoffDatabase;

  /// The standard start before the opening roll.
  Backgammon() = default;
  /// The same for a game that `first` begins, who wins the opening roll.
  explicit Backgammon(Player first) : on_roll_(first) {}

  /// A state from a GNU Backgammon position id. `on_roll` has rolled `dice` or, without dice, is
  /// about to make an ordinary roll. Fails on an invalid id, player or dice.
  static Result<Backgammon> from_position_id(std::string_view text, Player on_roll,
                                             std::optional<backgammon::Dice> dice = std::nullopt);

  /// The same from a board. Fails also as backgammon::check() does.
  static Result<Backgammon> from_board(const backgammon::Board& board, Player on_roll,
                                       std::optional<backgammon::Dice> dice = std::nullopt);

  // The game concept; see senet/game.hpp.
  Turn turn() const;
  Player viewer() const { return on_roll_; }
  void legal(ActionList<kMaxLegal>& out) const;
  void play(Action action);
  std::uint8_t outcome() const;
  std::uint64_t key() const;
  std::size_t chance(std::span<float> probabilities) const;

  /// The 426 features described in games/backgammon/encode.cpp. Values are 0..3, mostly 0 or 1,
  /// except the pip lead in -1..1. On a chance turn, which is an afterstate, the dice features are
  /// 0: viewer() has not rolled yet.
  void encode(FeatureRow& row) const;

  /// Two different dice: the one logit with the action's code. Doubles: sources s1 >= s2 >= s3 >=
  /// s4 are two such pairs, (s1, s2) and (s3, s4). `action` is below backgammon::kActionCodes.
  static constexpr std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) {
    if (!backgammon::is_doubles(action)) return {action, kNoLogit};
    const backgammon::Sources s = backgammon::sources_of(action);
    return {backgammon::pair_action(s[0], s[1]), backgammon::pair_action(s[2], s[3])};
  }

  /// One word, "position id:player on roll:dice", the id from the perspective of the player on
  /// roll. Dice: two digits, "-" before an ordinary roll or in a finished game, "open" before the
  /// opening roll. The start is 4HPwATDgc/ABMA:0:open.
  std::string text() const;

  /// Reads text(), a position id alone (player 0 about to roll), or an XGID with or without its
  /// "XGID=".
  static Result<Backgammon> from_text(std::string_view text);

  /// Reads an XGID with or without "XGID=". The player at the bottom is player 0. Cube and match
  /// score are validated and ignored. Fails on bad text, on an impossible board (see
  /// backgammon::check()), and on a cube decision (dice D, B or R).
  static Result<Backgammon> from_xgid(std::string_view text);

  /// The state as an XGID for money play with a centred cube. An opening roll is written as an
  /// ordinary roll.
  std::string xgid() const;

  /// A turn in GNU Backgammon's notation, from the mover's perspective: "24/18 13/12", "bar/20",
  /// "8/5*(2) 6/3(2)", "6/off". A checker's steps are joined unless it hits in between ("24/14",
  /// "bar/23*/20"). "pass" if no die can be played. A roll: "63". The action is legal.
  std::string action_text(Action action) const;

  /// Reads such a text and returns the legal action that leads to the same position. Accepts plays
  /// in any order, steps joined or not, hits marked or not (but not a marked hit where there is no
  /// blot), "25" for "bar" and "0" for "off".
  Result<Action> action_from_text(std::string_view text) const;

  /// Checkers of player 0 or 1, from that player's own perspective.
  const backgammon::Checkers& checkers(Player player) const { return checkers_[player]; }
  /// The board from viewer()'s perspective.
  backgammon::Board board() const { return {checkers_[on_roll_], checkers_[1 - on_roll_]}; }
  /// The roll to be played; none on a chance turn or in a finished game.
  std::optional<backgammon::Dice> dice() const;

  bool operator==(const Backgammon&) const = default;

 private:
  bool is_over() const;

  std::array<backgammon::Checkers, 2> checkers_{backgammon::kStartCheckers,
                                                backgammon::kStartCheckers};
  std::uint8_t on_roll_ = 0;
  backgammon::Dice dice_{};
  std::uint8_t opening_ = 1;
};

static_assert(sizeof(Backgammon) == 56 && std::has_unique_object_representations_v<Backgammon>);
static_assert(StochasticGame<Backgammon>);

}  // namespace senet
