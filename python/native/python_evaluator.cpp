#include "python/native/python_evaluator.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "python/native/arrays.hpp"
#include "python/native/module.hpp"

namespace senet::python {
namespace {

using Answer = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object zeros(std::size_t rows, std::size_t columns, const char* type) {
  return nb::module_::import_("numpy").attr("zeros")(nb::make_tuple(rows, columns), type);
}

/// The first `count` rows of an array.
nb::object first_rows(const nb::object& array, std::size_t rows, std::size_t count) {
  return count == rows ? array
                       : nb::object(array[nb::slice(nb::int_(0), nb::int_(count), nb::none())]);
}

/// An answer of the function: [rows, columns] f32.
Answer read_answer(const char* name, const nb::object& given, std::size_t rows,
                   std::size_t columns) {
  const std::string wanted = "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  Answer answer;
  if (!nb::try_cast(given, answer)) {
    throw nb::type_error(("evaluator: " + std::string(name) + " is not an array " + wanted +
                          " of floats on the CPU (of a PyTorch tensor, return .detach().cpu())")
                             .c_str());
  }
  if (answer.shape(0) != rows || answer.shape(1) != columns) {
    raise_value_error("evaluator: the shape of " + std::string(name) + " is " + shape_text(answer) +
                      ", not " + wanted);
  }
  return answer;
}

}  // namespace

PythonEvaluator::PythonEvaluator(nb::callable function, const AnyGame& game, std::size_t rows,
                                 bool has_policy, std::atomic<bool>& stop)
    : function_(std::move(function)),
      game_(game),
      rows_(rows),
      has_policy_(has_policy),
      stop_(stop),
      obs_array_(zeros(rows, game.features, "float32")),
      mask_array_(has_policy ? zeros(rows, game.policy_logits, "bool") : nb::none()),
      obs_(nb::cast<nb::ndarray<float>>(obs_array_).data()) {
  if (has_policy_) mask_ = nb::cast<nb::ndarray<bool>>(mask_array_).data();
}

void PythonEvaluator::write_row(std::size_t row, std::span<const std::uint16_t> index,
                                std::span<const float> value,
                                std::span<const std::uint16_t> wanted) {
  float* const obs = obs_ + row * game_.features;
  std::fill_n(obs, game_.features, 0.0f);
  for (std::size_t i = 0; i < index.size(); ++i) obs[index[i]] = value[i];
  if (!has_policy_) return;
  bool* const mask = mask_ + row * game_.policy_logits;
  std::fill_n(mask, game_.policy_logits, false);
  for (const std::uint16_t logit : wanted) {
    if (logit != kNoLogit) mask[logit] = true;
  }
}

void PythonEvaluator::forward(Batch& batch, std::size_t first, std::size_t last) {
  const SparseRows& rows = batch.encode(first, last);
  for (std::size_t row = first; row < last; ++row) {
    write_row(row - first, rows.index(row), rows.value(row), batch.answer(row).wanted);
  }
  const nb::gil_scoped_acquire locked;
  try {
    ask(batch, first, last - first);
  } catch (...) {
    stop_ = true;
    throw;
  }
}

void PythonEvaluator::ask(const Batch& batch, std::size_t first, std::size_t count) {
  const nb::object answer =
      function_(first_rows(obs_array_, rows_, count),
                has_policy_ ? first_rows(mask_array_, rows_, count) : mask_array_);
  if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2) {
    throw nb::type_error("evaluator: the answer is not a tuple (logits, outcomes)");
  }
  const std::size_t width = game_.outcome_values.size();
  const Answer outcomes = read_answer("outcomes", answer[1], count, width);
  Answer logits;
  if (has_policy_) logits = read_answer("logits", answer[0], count, game_.policy_logits);
  for (std::size_t row = 0; row < count; ++row) {
    const RowResult& result = batch.answer(first + row);
    const std::span<const float> given(outcomes.data() + row * width, width);
    float sum = 0;
    bool are_positive = true;
    for (const float probability : given) {
      sum += probability;
      are_positive &= probability >= 0;
    }
    if (!are_positive || !(std::abs(sum - 1) < 1e-3f)) {
      raise_value_error("evaluator: row " + std::to_string(row) +
                        " of outcomes is not a distribution (its sum is " + std::to_string(sum) +
                        ")");
    }
    std::ranges::copy(given, result.outcomes.begin());
    if (!has_policy_) continue;
    const float* const all = logits.data() + row * game_.policy_logits;
    for (std::size_t i = 0; i < result.wanted.size(); ++i) {
      const std::uint16_t logit = result.wanted[i];
      result.logits[i] = logit == kNoLogit ? 0 : all[logit];
      if (!std::isfinite(result.logits[i])) {
        raise_value_error("evaluator: a logit of row " + std::to_string(row) + " is not finite");
      }
    }
  }
}

}  // namespace senet::python
