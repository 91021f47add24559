// Batches to run again and again, with the memory for their answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/batch.hpp"
#include "nn/network_spec.hpp"

namespace senet {

/// Full batches of one size; some rows short of one are left out. Neither copied nor moved: the
/// batches point into it.
class RecordedBatches {
 public:
  /// For `count` rows, added one after the other, with so many outcomes each; batches of `rows`
  /// rows of at most `max_active` features.
  RecordedBatches(std::size_t count, std::size_t outcomes, std::size_t rows, std::size_t max_active)
      : outcomes_(count * outcomes),
        wanted_(count),
        logits_(count),
        width_(outcomes),
        rows_(rows),
        max_active_(max_active) {}
  RecordedBatches(const RecordedBatches&) = delete;
  RecordedBatches& operator=(const RecordedBatches&) = delete;

  /// `count` rows without a zero, of which all logits are wanted.
  static std::unique_ptr<RecordedBatches> dense(const NetworkSpec& spec, std::size_t count,
                                                std::size_t rows, std::uint64_t seed);

  /// Adds a row of which these logits are wanted.
  template <class Encode>
  void add(std::span<const std::uint16_t> wanted, Encode&& encode) {
    if (batches_.empty() || batches_.back().room() == 0) batches_.emplace_back(rows_, max_active_);
    wanted_[added_].assign(wanted.begin(), wanted.end());
    logits_[added_].resize(wanted.size());
    const std::span<float> outcomes = std::span(outcomes_).subspan(added_ * width_, width_);
    batches_.back().add({outcomes, wanted_[added_], logits_[added_].data()}, encode);
    ++added_;
  }
  /// To be called behind the last row.
  void drop_part_full() {
    if (batches_.size() > 1 && batches_.back().room() > 0) batches_.pop_back();
  }

  const std::vector<Batch>& batches() const { return batches_; }
  /// Rows of all batches.
  double rows() const { return static_cast<double>(batches_.size() * batches_.front().size()); }
  /// Non-zero features and wanted logits of a row, means.
  double mean_active() const;
  double mean_wanted() const;

 private:
  std::vector<Batch> batches_;
  std::vector<float> outcomes_;  // [count, width_]
  std::vector<std::vector<std::uint16_t>> wanted_;
  std::vector<std::vector<float>> logits_;
  std::size_t width_, rows_, max_active_;
  std::size_t added_ = 0;
};

}  // namespace senet
