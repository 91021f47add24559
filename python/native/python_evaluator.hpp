// An evaluator that asks a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "games/any_game.hpp"
#include "nn/evaluator.hpp"

namespace senet::python {

/// Calls function(obs, mask) -> (logits, outcomes) for each batch:
///
///   obs       [n, features] f32      dense features, from the perspective of the player to move
///   mask      [n, policy_logits] bool  the logits that are read; None if the search evaluates
///                                    afterstates, which need none
///   logits    [n, policy_logits] f32 raw; may be None where the mask is
///   outcomes  [n, outcomes] f32      probabilities
///
/// obs and mask are the evaluator's own memory, which the next call overwrites; the function may
/// use it as it likes. Belongs to one thread at a time, which must not hold the interpreter lock in
/// forward(); construction and destruction need the lock.
class PythonEvaluator final : public Evaluator {
 public:
  /// For batches of up to `rows` rows. A call that fails sets `stop` before another thread can get
  /// the interpreter lock. `game` and `stop` outlive the evaluator.
  PythonEvaluator(nanobind::callable function, const AnyGame& game, std::size_t rows,
                  bool has_policy, std::atomic<bool>& stop);

  std::string_view name() const override { return "python"; }
  void load(const Weights&) override {}
  using Evaluator::forward;
  void forward(Batch& batch, std::size_t first, std::size_t last) override;

 private:
  void write_row(std::size_t row, std::span<const std::uint16_t> index,
                 std::span<const float> value, std::span<const std::uint16_t> wanted);
  void ask(const Batch& batch, std::size_t first, std::size_t count);

  const nanobind::callable function_;
  const AnyGame& game_;
  const std::size_t rows_;
  const bool has_policy_;
  std::atomic<bool>& stop_;
  nanobind::object obs_array_, mask_array_;  // NumPy arrays [rows, ...], mask_array_ may be None
  float* obs_;                               // their elements
  bool* mask_ = nullptr;
};

}  // namespace senet::python
