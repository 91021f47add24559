// One finished game as data: its start, every turn with the search's results, and its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "senet/game.hpp"

namespace senet {

/// The model index of a turn in which no network took part.
inline constexpr std::uint16_t kNoModel = 0xffff;

/// How the action of a turn was chosen.
enum class TurnKind : std::uint8_t {
  kChance,      // dice or another chance outcome
  kFullSearch,  // the full budget of visits: a policy target
  kFastSearch,  // a smaller budget (playout cap randomisation): no policy target
  kForced,      // the only legal action, or the only sound one (games/sound_moves.hpp)
  kRandom,      // drawn uniformly from the sound moves, to vary openings
};

/// How a game ended.
enum class EndKind : std::uint8_t {
  kNone,      // still in play: not for a log of finished games
  kPlayed,    // by the rules of the game
  kCut,       // at the ply cap; the network's outcome distribution replaces the result
  kResigned,  // a player resigned, conceding an outcome
};

/// Visits of one action at the root.
struct VisitCount {
  Action action = 0;
  std::uint32_t visits = 0;

  bool operator==(const VisitCount&) const = default;
};

/// Converts a probability in [0, 1] to fixed point: 65535 is 1. NaN gives 0.
std::uint16_t to_fixed(float probability);

/// Converts fixed-point probabilities back to a distribution that sums to 1 (normalised; all zeros
/// become uniform). Both spans have the same length.
void to_distribution(std::span<const std::uint16_t> fixed, std::span<float> out);

/// One turn of a record; its lists are stored in the record (see GameRecord).
struct RecordedTurn {
  Action action = 0;               // as played: a move, or a chance outcome
  std::uint16_t model = kNoModel;  // index into GameRecord::models
  TurnKind kind = TurnKind::kChance;
  Player player = 0;                // who moved; 0 on a chance turn
  bool has_root = false;            // the root's value and outcomes are stored
  bool has_chosen = false;          // the chosen action's outcomes are stored
  bool has_visited = false;         // the outcomes of every visited action are stored
  float root_value = 0;             // the root's value for `player`, in the game's value range
  std::uint32_t first_outcome = 0;  // offsets into the record's lists
  std::uint32_t first_visit = 0;
  std::uint32_t visit_count = 0;

  bool operator==(const RecordedTurn&) const = default;
};

/// A player's turn as the self-play loop passes it to the record. Empty spans mean "not known".
struct RecordedDecision {
  Action action = 0;
  Player player = 0;                      // who moved
  TurnKind kind = TurnKind::kFullSearch;  // not kChance
  std::uint16_t model = kNoModel;         // from GameRecord::model_index
  /// The root's value for `player`, finite; stored only together with root_outcomes.
  float root_value = 0;
  /// [outcomes] distributions at the root and of the chosen move's afterstate, both from the
  /// perspective of `player`.
  std::span<const float> root_outcomes = {};
  std::span<const float> chosen_outcomes = {};
  /// Each action once, in any order. Actions without visits may be left out.
  std::span<const VisitCount> visits = {};
  /// [visits, outcomes] distributions of the visited actions' afterstates, from the perspective of
  /// `player`. `visits` must then ascend by action.
  std::span<const float> visited_outcomes = {};
};

/// A game from start to end. Independent of the game's type: actions are plain numbers, and outcome
/// vectors have the width of the game (`outcomes`).
///
/// Outcome vectors of a turn are from the perspective of the player who moved, as are all results
/// of a search; the end of the game is from player 0's perspective. Every turn names its player, so
/// one can be converted to the other (kOutcomeMirror).
///
/// Turns, outcome vectors and visit counts are stored in three flat vectors. clear() keeps their
/// memory, so a reused record stops allocating. Not thread-safe while it changes.
class GameRecord {
 public:
  /// Limits enforced by encode().
  static constexpr std::size_t kMaxText = 4096;       // bytes of each text
  static constexpr std::size_t kMaxOutcomes = 255;    // width of an outcome vector, at least 1
  static constexpr std::size_t kMaxModels = 4096;     // different models in one game
  static constexpr std::size_t kMaxTurns = 1u << 20;  // turns of one game
  // No run gets there: only damage and forgery have larger numbers, and the next one must exist.
  static constexpr std::uint64_t kMaxGameNumber = std::uint64_t{1} << 62;

  // Set by the self-play loop before the first turn.
  std::uint64_t seed = 0;         // of the run; with `game_number` it fixes every draw of the game
  std::uint64_t game_number = 0;  // within the run
  std::size_t outcomes = 0;       // ways the game can end: width of all outcome vectors
  std::string game;               // its name
  std::string start;              // G::text() of the first state; empty: the game's start position
  std::string evaluator;          // Evaluator::name()
  std::string settings;           // how it was played: a short text or a hash
  std::vector<std::uint64_t>
      models;  // Network::id() of every network that chose a move (see model_index)

  /// Resets to an empty record. Keeps the memory.
  void clear();

  /// Index of the model with this content id; adds it when new.
  std::uint16_t model_index(std::uint64_t id);

  /// Appends a chance outcome.
  void add_chance(Action outcome);
  /// Appends a player's turn. Copies the spans; outcome vectors are empty or `outcomes` wide.
  void add_decision(const RecordedDecision& decision);

  /// Ends the game by its rules. `outcome` is G::outcome(), from player 0's perspective.
  void end_played(std::uint8_t outcome);
  /// Ends the game at the ply cap. `distribution` [outcomes] is the network's estimate, from player
  /// 0's perspective.
  void end_cut(std::span<const float> distribution);
  /// Ends the game by resignation of `player`. `outcome` is the conceded one, from player 0's
  /// perspective.
  void end_resigned(Player player, std::uint8_t outcome);

  EndKind end() const { return end_; }
  /// The final outcome from player 0's perspective; valid for kPlayed and kResigned.
  std::uint8_t final_outcome() const { return final_outcome_; }
  /// The player who resigned; valid for kResigned.
  Player resigned_by() const { return resigned_by_; }
  /// The network's distribution from player 0's perspective in fixed point; empty unless kCut.
  std::span<const std::uint16_t> cut_outcomes() const { return cut_outcomes_; }

  /// All turns in order. This and the spans below are valid until the record changes.
  std::span<const RecordedTurn> turns() const { return turns_; }
  /// Fixed-point outcomes of the root and of the chosen move or afterstate, for a turn of this
  /// record, from its player's perspective; empty when absent.
  std::span<const std::uint16_t> root_outcomes(const RecordedTurn& turn) const;
  std::span<const std::uint16_t> chosen_outcomes(const RecordedTurn& turn) const;
  /// Visits at the root of a turn of this record, by ascending action.
  std::span<const VisitCount> visits(const RecordedTurn& turn) const;
  /// Fixed-point outcomes of visits(turn)[i]'s afterstate, from the turn's player's perspective;
  /// empty when absent.
  std::span<const std::uint16_t> visited_outcomes(const RecordedTurn& turn, std::size_t i) const;

  bool operator==(const GameRecord&) const = default;

 private:
  template <class Io>
  friend class RecordPayload;  // converts to and from bytes (record_codec.cpp)

  void add_outcomes(std::span<const float> distribution, std::vector<std::uint16_t>& to) const;

  void set_end(EndKind kind, Player resigned_by, std::uint8_t outcome);

  EndKind end_ = EndKind::kNone;
  std::uint8_t final_outcome_ = 0;
  Player resigned_by_ = 0;
  std::vector<std::uint16_t> cut_outcomes_;
  std::vector<RecordedTurn> turns_;
  std::vector<std::uint16_t> outcome_lists_;  // per turn: root, chosen, then visited
  std::vector<VisitCount> visit_lists_;
};

}  // namespace senet
