// What the senet program does with a game by its type, beside self-play
// (train_bridge/run_game.hpp). Everything else about a game its commands know from AnyGame.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "nn/network.hpp"
#include "tools/bench_tree.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

class GameRecord;
class RecordedBatches;
class WorkerTrace;
enum class EvaluatorKind : std::uint8_t;
struct Measured;
struct PlayerHolder;
struct PlayerSettings;
struct PlayoutCounts;

/// The table of a game (games/registry.hpp).
struct Programs {
  // senet match and senet eval. Own players are programs of their own for this game alone.
  std::string_view own_player_words;  // for --help; "" when there are none
  bool (*is_own_player)(std::string_view word);
  Result<PlayerHolder> (*make_own_player)(const std::string& word, const PlayerSettings& settings);
  /// A network that searches; `word` as open_network() takes it.
  Result<PlayerHolder> (*make_network_player)(const std::string& word,
                                              const PlayerSettings& settings);

  // senet inspect
  /// replay() of selfplay/record_replay.hpp.
  Result<void> (*replay)(const GameRecord& record, std::vector<AnyState>& states);

  // senet bench
  /// recorded_decisions() of tools/bench_positions.hpp.
  Result<std::vector<AnyState>> (*recorded_decisions)(const BenchSettings& settings,
                                                      const Network& network, std::size_t count);
  /// What a search asks about these positions; kAfterstates: they are afterstates already.
  std::unique_ptr<RecordedBatches> (*record_batches)(std::span<const AnyState> positions,
                                                     std::size_t rows, Evaluates evaluates);
  /// The positions as samples with legal moves as targets; their outcomes are left to be filled.
  TrainBatch (*sparse_batch)(std::span<const AnyState> positions, const BenchSettings& settings);
  MeasureTree measure_tree;
  Result<Measured> (*measure_selfplay)(const BenchSettings& settings, std::size_t workers,
                                       EvaluatorKind evaluator, Network network,
                                       WorkerTrace* trace);
  /// Plays the game of that number blindly to its end, and counts.
  void (*play_out)(std::uint64_t seed, std::uint64_t number, PlayoutCounts& counts);

  /// tools/programs_of.hpp
  template <Game G>
  static constexpr Programs of();
};

/// The same game's table.
inline const Programs& programs_of(const AnyGame& game) { return **find_game<Programs>(game.name); }

}  // namespace senet
