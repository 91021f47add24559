// Batches to run again and again, with the memory for their answers.
#pragma once

#include <numeric>
#include <vector>

#include "games/random.hpp"
#include "nn/batch.hpp"
#include "search/decision.hpp"
#include "search/wanted_logits.hpp"

namespace senet {

/// Full batches of one size; some rows short of one are left out. Neither copied nor moved: the
/// batches point into it.
template <Game G>
class RecordedBatches {
 public:
  RecordedBatches(const RecordedBatches&) = delete;
  RecordedBatches& operator=(const RecordedBatches&) = delete;

  /// What a search asks about these positions; kAfterstates: they are afterstates already.
  RecordedBatches(const std::vector<G>& positions, std::size_t rows, Evaluates evaluates)
      : RecordedBatches(positions.size()) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      if (evaluates == Evaluates::kPosition) want_legal(positions[k], k);
      add(rows, G::kMaxActive, k, [&](FeatureRow& row) { positions[k].encode(row); });
    }
    drop_part_full();
  }

  /// `count` rows without a zero, of which all logits are wanted.
  static std::unique_ptr<RecordedBatches> dense(std::size_t count, std::size_t rows,
                                                std::uint64_t seed) {
    std::unique_ptr<RecordedBatches> dense(new RecordedBatches(count));
    Random random(seed, 0, 0, Purpose::kTest);
    for (std::size_t k = 0; k < count; ++k) {
      dense->wanted_[k].resize(G::kPolicyLogits);
      std::iota(dense->wanted_[k].begin(), dense->wanted_[k].end(), std::uint16_t{0});
      dense->add(rows, G::kFeatures, k, [&](FeatureRow& row) {
        for (std::size_t i = 0; i < G::kFeatures; ++i) row.add(i, random.uniform() + 0.01f);
      });
    }
    dense->drop_part_full();
    return dense;
  }

  const std::vector<Batch>& batches() const { return batches_; }
  /// Rows of all batches.
  double rows() const { return static_cast<double>(batches_.size() * batches_.front().size()); }
  /// Non-zero features and wanted logits of a row, means.
  double mean_active() const {
    return mean([](const Batch& batch, std::size_t row) { return batch.index(row).size(); });
  }
  double mean_wanted() const {
    return mean(
        [](const Batch& batch, std::size_t row) { return batch.answer(row).wanted.size(); });
  }

 private:
  explicit RecordedBatches(std::size_t count) : outcomes_(count), wanted_(count), logits_(count) {}

  template <class Encode>
  void add(std::size_t rows, std::size_t max_active, std::size_t k, Encode&& encode) {
    if (batches_.empty() || batches_.back().room() == 0) batches_.emplace_back(rows, max_active);
    logits_[k].resize(wanted_[k].size());
    batches_.back().add({outcomes_[k], wanted_[k], logits_[k].data()}, encode);
  }

  void want_legal(const G& position, std::size_t k) {
    ActionList<G::kMaxLegal> actions;
    position.legal(actions);
    WantedLogits<G> wanted;
    wanted.list({actions.data(), actions.size()});
    wanted_[k].assign(wanted.wanted().begin(), wanted.wanted().end());
  }

  void drop_part_full() {
    if (batches_.size() > 1 && batches_.back().room() > 0) batches_.pop_back();
  }

  template <class Count>
  double mean(Count&& count) const {
    std::size_t sum = 0;
    for (const Batch& batch : batches_) {
      for (std::size_t row = 0; row < batch.size(); ++row) sum += count(batch, row);
    }
    return static_cast<double>(sum) / rows();
  }

  std::vector<Batch> batches_;
  std::vector<Outcomes<G>> outcomes_;
  std::vector<std::vector<std::uint16_t>> wanted_;
  std::vector<std::vector<float>> logits_;
};

}  // namespace senet
