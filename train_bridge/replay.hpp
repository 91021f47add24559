// The most recent positions of a run, for what does not know its game's type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "games/random.hpp"
#include "senet/result.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

class GameRecord;
struct LearnSettings;
struct SampleSettings;

/// What of a game decides how large batches are.
struct GameShape {
  std::size_t max_active, max_legal, logits_per_action, outcomes;
  std::size_t images;  // of a sample: 2 in a game with mirror images, else 1

  template <Game G>
  static constexpr GameShape of() {
    return {G::kMaxActive, G::kMaxLegal, G::kLogitsPerAction, kOutcomes<G>,
            MirrorGame<G> ? std::size_t{2} : std::size_t{1}};
  }

  /// Batches of `rows` samples with room for `actions` policy targets.
  TrainBatch::Shape rows(std::size_t rows, std::size_t actions) const {
    return {rows, max_active, max_legal, logits_per_action, outcomes, actions};
  }
};

/// The batches that a run with these settings trains on.
TrainBatch::Shape batch_shape(const GameShape& shape, const LearnSettings& settings);
/// What a trainer that keeps the replay's samples has to have room for.
ReplayRoom replay_room(const GameShape& shape, const LearnSettings& settings);

/// A ring of samples; the oldest make room for the newest. See ReplayBuffer, which it is.
class Replay {
 public:
  virtual ~Replay() = default;

  virtual const GameShape& shape() const = 0;
  /// Samples that can be drawn, and samples ever added.
  virtual std::size_t size() const = 0;
  virtual std::uint64_t added() const = 0;

  /// Adds the samples of a game, those that for_each_sample() makes, and calls `each` behind every
  /// one with its place in the ring. A reason, and no sample, when the record is no game by the
  /// rules.
  virtual Result<void> add_game(const GameRecord& record, const SampleSettings& settings,
                                const std::function<void(std::uint32_t place)>& each) = 0;
  /// Draws `rows` samples uniformly from the newest `window` ones (at least one, all when larger).
  /// Games with a mirror image show it half of the time. Needs size() >= 1.
  virtual void draw(std::size_t rows, std::size_t window, Random& random,
                    std::vector<DrawnSample>& drawn) const = 0;
  /// Fills `batch` with the samples of these places, up to the first whose policy targets do not
  /// fit.
  virtual void encode(std::span<const DrawnSample> drawn, TrainBatch& batch) = 0;
};

}  // namespace senet
