// One finished game as data: how it started, every turn with what the search thought of it, how it
// ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "senet/game.hpp"

namespace senet {

/// Stands for "no network had a say" where a turn names its model.
inline constexpr std::uint16_t kNoModel = 0xffff;

/// How the action of a turn came about.
enum class TurnKind : std::uint8_t {
  kChance,      // dice or another chance outcome
  kFullSearch,  // the full budget of visits: a policy target
  kFastSearch,  // a smaller budget (playout cap randomisation): no policy target
  kForced,      // the only legal action, or the only sound one (games/sound_moves.hpp)
  kRandom,      // drawn blindly among the sound ones, to vary openings
};

/// How a game ended.
enum class EndKind : std::uint8_t {
  kNone,      // still being played: cannot be encoded
  kPlayed,    // by the rules of the game
  kCut,       // at the ply cap; the network's outcome distribution stands for the result
  kResigned,  // a player gave up, conceding an outcome
};

/// Visits of one action at the root.
struct VisitCount {
  Action action = 0;
  std::uint32_t visits = 0;

  bool operator==(const VisitCount&) const = default;
};

/// A probability in [0, 1] as a fixed-point number: 65535 stands for 1. NaN gives 0.
std::uint16_t to_fixed(float probability);

/// Turns fixed-point probabilities back into a distribution that sums to 1 (rounding is evened out;
/// all zeros become uniform). Both spans have the same length.
void to_distribution(std::span<const std::uint16_t> fixed, std::span<float> out);

/// One turn as a record keeps it; its lists lie in the record (see GameRecord).
struct RecordedTurn {
  Action action = 0;               // as played: a move, or a chance outcome
  std::uint16_t model = kNoModel;  // index into GameRecord::models
  TurnKind kind = TurnKind::kChance;
  Player player = 0;                // who moved; 0 on a chance turn
  bool has_root = false;            // the root's value and outcomes are there
  bool has_chosen = false;          // the chosen action's outcomes are there
  float root_value = 0;             // of the root for `player`, in the game's value range
  std::uint32_t first_outcome = 0;  // offsets into the record's lists
  std::uint32_t first_visit = 0;
  std::uint32_t visit_count = 0;

  bool operator==(const RecordedTurn&) const = default;
};

/// What the self-play loop hands over for a player's turn. Empty spans mean "not known".
struct RecordedDecision {
  Action action = 0;
  Player player = 0;                      // who moved
  TurnKind kind = TurnKind::kFullSearch;  // not kChance
  std::uint16_t model = kNoModel;         // from GameRecord::model_index
  /// Of the root for `player`, finite; kept only together with root_outcomes.
  float root_value = 0;
  /// [outcomes] distributions at the root and after the chosen move (of its afterstate), both as
  /// `player` sees them.
  std::span<const float> root_outcomes = {};
  std::span<const float> chosen_outcomes = {};
  /// Each action once, in any order. Actions without visits may be left out.
  std::span<const VisitCount> visits = {};
};

/// A game from its start to its end. Not tied to a game's type: actions are self-contained numbers,
/// and outcome vectors have the game's own width (`outcomes`, kOutcomes<G>).
///
/// Outcome vectors are told to the player who moved, like everything at a decision of a search;
/// only the end of the game is told to player 0. A turn says who moved, so both can be translated
/// (kOutcomeMirror).
///
/// Turns, outcome vectors and visit counts lie in three flat vectors; clear() keeps their memory,
/// so that a record that is used again and again stops allocating. Not shared by threads while it
/// changes.
class GameRecord {
 public:
  /// Limits that encode() holds every record to.
  static constexpr std::size_t kMaxText = 4096;       // bytes of each text
  static constexpr std::size_t kMaxOutcomes = 255;    // width of an outcome vector, at least 1
  static constexpr std::size_t kMaxModels = 4096;     // different models in one game
  static constexpr std::size_t kMaxTurns = 1u << 20;  // turns of one game

  // Written by whoever plays the game, before the first turn.
  std::uint64_t seed = 0;         // of the run; with `game_number` it fixes every draw of the game
  std::uint64_t game_number = 0;  // within the run
  std::size_t outcomes = 0;       // ways the game can end: width of all outcome vectors
  std::string game;               // G::kName
  std::string start;              // G::text() of the first state; empty: the game's start position
  std::string evaluator;          // Evaluator::name()
  std::string settings;           // whatever tells how it was played: a short text or a hash
  std::vector<std::uint64_t>
      models;  // Network::id() of every network that chose a move (see model_index)

  /// Back to an empty record. Keeps the memory.
  void clear();

  /// Index of the model with this content id, added when new.
  std::uint16_t model_index(std::uint64_t id);

  /// Appends a chance outcome.
  void add_chance(Action outcome);
  /// Appends a player's turn. Copies what the spans show; vectors are empty or `outcomes` wide.
  void add_decision(const RecordedDecision& decision);

  /// Ends the game by its rules. `outcome` is G::outcome(), as player 0 sees it.
  void end_played(std::uint8_t outcome);
  /// Ends the game at the ply cap: `distribution` [outcomes] is the network's, as player 0 sees it.
  void end_cut(std::span<const float> distribution);
  /// Ends the game because `player` gave up `outcome`, which is as player 0 sees it.
  void end_resigned(Player player, std::uint8_t outcome);

  EndKind end() const { return end_; }
  /// How the game came out for player 0; when kPlayed or kResigned.
  std::uint8_t final_outcome() const { return final_outcome_; }
  /// Who gave up; when kResigned.
  Player resigned_by() const { return resigned_by_; }
  /// The network's distribution for player 0 in fixed point; when kCut, else empty.
  std::span<const std::uint16_t> cut_outcomes() const { return cut_outcomes_; }

  /// All turns in order. This and the spans below are valid until the record changes.
  std::span<const RecordedTurn> turns() const { return turns_; }
  /// Fixed-point outcomes of the root of a turn of this record, and of the chosen move or
  /// afterstate, as its player sees them; empty when absent.
  std::span<const std::uint16_t> root_outcomes(const RecordedTurn& turn) const;
  std::span<const std::uint16_t> chosen_outcomes(const RecordedTurn& turn) const;
  /// Visits at the root of a turn of this record, by ascending action.
  std::span<const VisitCount> visits(const RecordedTurn& turn) const;

  bool operator==(const GameRecord&) const = default;

 private:
  template <class Io>
  friend class RecordPayload;  // between a record and its bytes (record_codec.cpp)

  void add_outcomes(std::span<const float> distribution, std::vector<std::uint16_t>& to) const;

  void set_end(EndKind kind, Player resigned_by, std::uint8_t outcome);

  EndKind end_ = EndKind::kNone;
  std::uint8_t final_outcome_ = 0;
  Player resigned_by_ = 0;
  std::vector<std::uint16_t> cut_outcomes_;
  std::vector<RecordedTurn> turns_;
  std::vector<std::uint16_t> outcome_lists_;  // per turn: root, then chosen
  std::vector<VisitCount> visit_lists_;
};

}  // namespace senet
