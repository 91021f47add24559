// The replay buffer: the most recent positions of a game, for drawing random samples.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "selfplay/game_record.hpp"
#include "senet/game.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/samples.hpp"
#include "train_bridge/sum_tree.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// The properties of a game that determine the size of batches.
struct GameShape {
  std::size_t max_active, max_legal, logits_per_action, outcomes;
  std::size_t images;  // per sample: 2 in a game with mirror images, else 1

  /// Of the game to which the state `game` belongs.
  template <Game G>
  static constexpr GameShape of(const G& game = only_start<G>()) {
    return {most_active(game), most_legal(game), G::kLogitsPerAction, outcome_values(game).size(),
            has_mirror(game) ? std::size_t{2} : std::size_t{1}};
  }

  /// Batches of `rows` samples with room for `actions` policy targets.
  TrainBatch::Shape rows(std::size_t rows, std::size_t actions) const {
    return {rows, max_active, max_legal, logits_per_action, outcomes, actions};
  }
};

/// The shape of a run's training batches with these settings.
TrainBatch::Shape batch_shape(const GameShape& shape, const LearnSettings& settings);
/// The replay size for which a trainer that keeps the samples must have room.
ReplayRoom replay_room(const GameShape& shape, const LearnSettings& settings);

/// A ring of samples, independent of the game's type: a ReplayBuffer.
class Replay {
 public:
  virtual ~Replay() = default;

  virtual const GameShape& shape() const = 0;
  /// Samples that can be drawn, and the total of samples ever added.
  virtual std::size_t size() const = 0;
  virtual std::uint64_t added() const = 0;

  /// Adds the samples of a game, as made by for_each_sample(), and calls `each` after each one with
  /// its place in the ring. Fails, and adds no sample, when the record is not a legal game.
  virtual Result<void> add_game(const GameRecord& record, const SampleSettings& settings,
                                const std::function<void(std::uint32_t place)>& each) = 0;
  /// The position of the game added last that the search misjudged most, as the start of another
  /// game, and by how much (Sample::surprise). In a game of one player that was not solved it is
  /// the start, with 1. The game's own start does not count. 0 and unspecified if there is none.
  virtual float hardness() const = 0;
  virtual std::string hardest() const = 0;
  /// Draws `rows` samples from the newest `window` ones (at least one, all when larger), uniformly
  /// or by their priorities. In games with mirror images each sample is mirrored with probability
  /// 1/2. Requires size() >= 1.
  virtual void draw(std::size_t rows, std::size_t window, Random& random,
                    std::vector<DrawnSample>& drawn) const = 0;
  /// Fills `batch` with the samples at these places, up to the first whose policy targets do not
  /// fit.
  virtual void encode(std::span<const DrawnSample> drawn, TrainBatch& batch) = 0;
};

/// A ring of samples and a ring of their policy targets, both allocated once; new samples replace
/// the oldest. Positions are stored as game states: recomputing features and moves when a sample is
/// drawn is cheaper than storing them. Used by one thread.
///
///   samples     | state G | outcomes u16 x K | first policy entry u64 | entries u16 |   x capacity
///   policy      | action u16 | share of the visits u16 |                     x policy capacity
///   priorities  SumTree over the places of samples, if they have any
template <Game G>
class ReplayBuffer final : public Replay {
 public:
  /// Room for `capacity` samples with `policy_per_sample` policy entries on average; with more,
  /// older samples are dropped earlier. Games begin with `start`. The powers are `priority` and
  /// `priority_correction` of LearnSettings.
  ReplayBuffer(std::size_t capacity, std::size_t policy_per_sample,
               const G& start = only_start<G>(), float priority = 0, float priority_correction = 1)
      : start_(start),
        shape_(GameShape::of(start)),
        priority_(priority),
        priority_correction_(priority_correction),
        kept_(capacity),
        policy_(std::max(capacity * policy_per_sample, shape_.max_legal)) {
    if (priority_ > 0) priorities_.emplace(capacity);
  }

  static std::size_t bytes(std::size_t capacity, std::size_t policy_per_sample, float priority) {
    return capacity * (sizeof(Kept) + policy_per_sample * sizeof(PolicyEntry)) +
           (priority > 0 ? SumTree::bytes(capacity) : 0);
  }

  const GameShape& shape() const override { return shape_; }
  std::size_t capacity() const { return kept_.size(); }
  std::size_t size() const override { return static_cast<std::size_t>(end_ - begin_); }
  std::uint64_t added() const override { return end_; }

  Result<void> add_game(const GameRecord& record, const SampleSettings& settings,
                        const std::function<void(std::uint32_t place)>& each) override {
    hardness_ = 0;
    std::size_t turn = 0;
    const Result<void> added = for_each_sample<G>(
        record, settings, states_,
        [&](const Sample<G>& sample) {
          add(sample);
          each(newest());
          const bool is_own_start = sample.turn == 0 && record.start.empty();
          if (is_own_start || sample.surprise <= hardness_) return;
          hardness_ = sample.surprise;
          turn = sample.turn;
        },
        start_);
    if (!added) return added;
    const bool is_solved = record.end() == EndKind::kPlayed && record.final_outcome() == 0;
    if (player_count(start_) == 1 && !is_solved && !record.start.empty()) {
      hardness_ = 1;
      turn = 0;
    }
    hardest_ = states_[turn];
    return {};
  }

  float hardness() const override { return hardness_; }
  std::string hardest() const override {
    if constexpr (ScrambledGame<G>) {
      if (has_scrambles(start_)) return hardest_.as_start().text();
    }
    return hardest_.text();
  }

  /// Adds a sample as made by for_each_sample(): its visits are of legal actions, ascending, and
  /// not all zero.
  void add(const Sample<G>& sample) {
    if (size() == capacity()) ++begin_;
    std::uint64_t total = 0;
    for (const VisitCount& count : sample.visits) total += count.visits;
    while (begin_ < end_ &&
           policy_end_ + sample.visits.size() - at(begin_).first > policy_.size()) {
      ++begin_;
    }
    Kept& kept = kept_[place_of(end_)];
    kept.state = sample.state;
    std::ranges::transform(sample.outcomes, kept.outcomes.begin(), to_fixed);
    kept.first = policy_end_;
    kept.entries = static_cast<std::uint16_t>(sample.visits.size());
    for (const VisitCount& count : sample.visits) {
      policy_[policy_end_++ % policy_.size()] = {
          count.action, to_fixed(static_cast<float>(count.visits) / static_cast<float>(total))};
    }
    if (priorities_) {
      priorities_->set(place_of(end_), std::pow(sample.surprise + kLeastSurprise, priority_));
    }
    ++end_;
  }

  /// Place in the ring, below capacity(), of the sample added last.
  std::uint32_t newest() const { return place_of(end_ - 1); }

  void draw(std::size_t rows, std::size_t window, Random& random,
            std::vector<DrawnSample>& drawn) const override {
    drawn.clear();
    const auto among = static_cast<std::uint32_t>(std::clamp<std::size_t>(window, 1, size()));
    const Newest newest = priorities_ ? newest_by_priority(among) : Newest{};
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t place = priorities_ ? draw_by_priority(newest, among, random)
                                              : place_of(end_ - 1 - random.below(among));
      drawn.push_back({place, shape_.images == 2 && (random.next() & 1)});
    }
    if (priorities_) weigh(drawn);
  }

  void encode(std::span<const DrawnSample> drawn, TrainBatch& batch) override {
    batch.clear();
    for (const auto& [place, mirrored, weight] : drawn) {
      const Kept& kept = kept_[place];
      moves_.clear();
      if (kept.entries > 0) moves_to_consider(kept.state, moves_);
      if (!batch.fits(moves_.size())) return;
      add_to(batch, kept, mirrored, weight);
    }
  }

 private:
  struct Kept {
    G state;
    std::array<std::uint16_t, kOutcomes<G>> outcomes;
    std::uint16_t entries;
    std::uint64_t first;
  };
  struct PolicyEntry {
    Action action;
    std::uint16_t share;
  };

  std::uint32_t place_of(std::uint64_t sample) const {
    return static_cast<std::uint32_t>(sample % capacity());
  }
  const Kept& at(std::uint64_t sample) const { return kept_[place_of(sample)]; }

  /// The newest `among` samples in the sums of the priorities: one or two stretches of the ring.
  struct Newest {
    std::uint32_t first, last;  // places
    double before, sum;         // priorities before the first in the ring, and of all of them
  };
  Newest newest_by_priority(std::uint32_t among) const {
    const std::uint32_t first = place_of(end_ - among), last = place_of(end_ - 1);
    const double before = priorities_->before(first);
    const double until_last = priorities_->before(last) + priorities_->weight(last);
    const double seam = first <= last ? 0 : priorities_->total();
    return {first, last, before, seam - before + until_last};
  }
  std::uint32_t draw_by_priority(const Newest& newest, std::uint32_t among, Random& random) const {
    const std::uint64_t high = random.next();  // evaluated before the low half
    const std::uint64_t bits = high << 32 | random.next();
    double point = newest.before + static_cast<double>(bits >> 11) * 0x1p-53 * newest.sum;
    if (newest.first > newest.last && point >= priorities_->total()) point -= priorities_->total();
    const auto place = static_cast<std::uint32_t>(priorities_->find(point));
    // Rounding may find a neighbour of the stretch.
    const std::uint32_t after_first = (place + capacity32() - newest.first) % capacity32();
    return after_first < among ? place : newest.last;
  }
  /// Sets the importance weights. The number of samples and the sum of priorities cancel out.
  void weigh(std::vector<DrawnSample>& drawn) const {
    double least = std::numeric_limits<double>::infinity();
    for (const DrawnSample& sample : drawn) {
      least = std::min(least, priorities_->weight(sample.place));
    }
    for (DrawnSample& sample : drawn) {
      const double relative = least / priorities_->weight(sample.place);
      sample.weight = static_cast<float>(std::pow(relative, priority_correction_));
    }
  }
  std::uint32_t capacity32() const { return static_cast<std::uint32_t>(capacity()); }

  void add_to(TrainBatch& batch, const Kept& kept, [[maybe_unused]] bool mirror, float weight) {
    G state = kept.state;
    if constexpr (MirrorGame<G>) {
      if (mirror) state = kept.state.mirrored();
    }
    const std::span<float> outcomes =
        batch.add([&](FeatureRow& row) { state.encode(row); }, weight);
    to_distribution(std::span(kept.outcomes).first(shape_.outcomes), outcomes);
    // The policy target covers the moves that a search considers. Entries and moves are both
    // ascending, so one pass finds the share of each move. Visits of other moves, as in the records
    // of other engines, are ignored.
    std::array<std::uint16_t, G::kMaxLegal> shares;
    std::uint32_t sum = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      while (next < kept.entries && entry(kept, next).action < moves_[i]) ++next;
      const bool visited = next < kept.entries && entry(kept, next).action == moves_[i];
      shares[i] = visited ? entry(kept, next).share : 0;
      sum += shares[i];
    }
    if (sum == 0) return;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      Action action = moves_[i];
      if constexpr (MirrorGame<G>) {
        if (mirror) action = state.mirrored(action);
      }
      batch.add_action(static_cast<float>(shares[i]) / static_cast<float>(sum),
                       state.logits_of(action));
    }
  }
  const PolicyEntry& entry(const Kept& kept, std::size_t i) const {
    return policy_[(kept.first + i) % policy_.size()];
  }

  const G start_;
  const GameShape shape_;
  const float priority_, priority_correction_;
  std::optional<SumTree> priorities_;
  std::vector<Kept> kept_;
  std::vector<PolicyEntry> policy_;
  std::uint64_t begin_ = 0, end_ = 0, policy_end_ = 0;
  ActionList<G::kMaxLegal> moves_;
  std::vector<G> states_;  // of the game being added
  G hardest_ = start_;     // of the game added last
  float hardness_ = 0;
};

/// Policy entries of a sample: the visited moves of a typical position; with a dueling network the
/// move that was played; none without a policy.
template <Game G>
std::size_t policy_per_sample(const LearnSettings& settings, const G& start) {
  if (settings.samples.evaluates == Evaluates::kMoves) return 1;
  const bool has_policy = settings.samples.evaluates == Evaluates::kPosition;
  return has_policy ? std::min<std::size_t>(most_legal(start), 24) : 0;
}

/// The replay buffer of a run with these settings, whose games begin with `start`.
template <Game G>
std::unique_ptr<Replay> make_replay(const LearnSettings& settings,
                                    const G& start = only_start<G>()) {
  return std::make_unique<ReplayBuffer<G>>(settings.replay_capacity,
                                           policy_per_sample(settings, start), start,
                                           settings.priority, settings.priority_correction);
}

}  // namespace senet
