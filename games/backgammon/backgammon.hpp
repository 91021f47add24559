// Backgammon, cubeless: full rules, one action per turn, chance turns between the players' turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "games/backgammon/action.hpp"
#include "games/backgammon/board.hpp"
#include "games/list/backgammon.hpp"
#include "senet/game.hpp"

namespace senet {

/// A state of backgammon. A default-constructed one is the standard start with player 0 about to
/// make the opening roll.
///
///   player 0 rolls (chance) -> player 0 plays -> player 1 rolls (chance) -> player 1 plays -> ...
///
/// Memory, 56 bytes without padding (there is no cube yet; its value and owner would be two more
/// bytes here):
///
///   0        26        52      53    54   55      56
///   +---------+---------+-------+-----+----+-------+
///   | player 0| player 1|on roll|high |low |opening|     dice are 0 before the roll
///   +---------+---------+-------+-----+----+-------+
///
/// Bounds. A turn with two different dice moves one of at most 15 checkers with each die, and one
/// checker that takes both dice has two ways: at most 15 * 15 + 15 = 240 results. After k <= 4
/// equal dice the result is fixed by how many of the k steps each of 15 checkers took: that is at
/// most C(14 + k, k) <= C(18, 4) = 3,060 results.
class Backgammon {
 public:
  static constexpr std::string_view kName = "backgammon";
  static constexpr std::size_t kMaxLegal = 3060;
  static constexpr std::size_t kMaxPlies = 4096;  // games have no greatest length
  static constexpr std::size_t kMaxChance = backgammon::kRolls;
  static constexpr std::size_t kFeatures = 344;
  static constexpr std::size_t kMaxActive = 56;
  static constexpr std::size_t kPolicyLogits = backgammon::kPairs;
  static constexpr std::size_t kLogitsPerAction = 2;
  /// Win single, gammon, backgammon; lose single, gammon, backgammon: money points without a cube.
  static constexpr std::array<float, 6> kOutcomeValues{1, 2, 3, -1, -2, -3};
  static constexpr std::array<std::uint8_t, 6> kOutcomeMirror{3, 4, 5, 0, 1, 2};
  static constexpr float kValueRange = 3;
  static constexpr bool kHasAfterstates = true;

  /// The standard start, opening roll.
  Backgammon() = default;

  /// A state from a GNU position id: `on_roll` has rolled `dice`, or is about to make an ordinary
  /// roll.
  static Result<Backgammon> from_position_id(std::string_view text, Player on_roll,
                                             std::optional<backgammon::Dice> dice = std::nullopt);

  /// The same from a board.
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

  /// The 344 features drawn in games/backgammon/encode.cpp. Values are 0..3, most of them 0 or 1,
  /// but for the pip lead, which is -1..1. On a chance turn the dice features are 0: the position
  /// before the roll of viewer(), which is what an afterstate is.
  void encode(FeatureRow& row) const;

  /// Two different dice: the one logit of the action's number. Doubles: sources s1 >= s2 >= s3 >=
  /// s4 are read as two such pairs, (s1, s2) and (s3, s4). Action below backgammon::kActionCodes.
  static constexpr std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) {
    if (!backgammon::is_doubles(action)) return {action, kNoLogit};
    const backgammon::Sources s = backgammon::sources_of(action);
    return {backgammon::pair_action(s[0], s[1]), backgammon::pair_action(s[2], s[3])};
  }

  /// One word, "position id:player on roll:dice", the id as the player on roll sees it. Dice: two
  /// digits, "-" before an ordinary roll or in a finished game, "open" before the opening roll. The
  /// start is 4HPwATDgc/ABMA:0:open.
  std::string text() const;

  /// Reads text(), a position id alone (player 0 about to roll), or an XGID with or without its
  /// "XGID=": the player at the bottom is player 0; cube and match score are read but do not matter
  /// to the rules here.
  static Result<Backgammon> from_text(std::string_view text);

  /// Reads an XGID with or without "XGID=". Fails with a reason on bad text, an impossible board
  /// (see backgammon::check()), or when the player on roll is asked about the cube (dice D, B or R)
  /// and not about a play.
  static Result<Backgammon> from_xgid(std::string_view text);

  /// The state as an XGID for money play with a centred cube. It cannot say "opening roll".
  std::string xgid() const;

  /// A turn as GNU Backgammon writes it, from the mover's side: "24/18 13/12", "bar/20", "8/5*(2)
  /// 6/3(2)", "6/off", a checker's steps joined where it hits nothing between ("24/14",
  /// "bar/23*/20"); "pass" without a play. A roll: "63". The action is legal.
  std::string action_text(Action action) const;

  /// Reads such text in any order, with steps joined or not, hits marked or not (a hit marked where
  /// there is none is an error), "25" for "bar" and "0" for "off": the legal action that leads to
  /// that position.
  Result<Action> action_from_text(std::string_view text) const;

  /// Checkers of player 0 or 1, each from the player's own side.
  const backgammon::Checkers& checkers(Player player) const { return checkers_[player]; }
  /// The board from the side of viewer().
  backgammon::Board board() const { return {checkers_[on_roll_], checkers_[1 - on_roll_]}; }
  /// The roll to be played; none on a chance turn.
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
