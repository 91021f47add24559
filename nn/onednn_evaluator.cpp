#include "nn/onednn_evaluator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace senet {
namespace {

std::vector<std::size_t> rungs(std::size_t max_rows, bool exact) {
  std::vector<std::size_t> rungs;
  for (std::size_t rows = 1; rows < max_rows && !exact; rows *= 2) rungs.push_back(rows);
  rungs.push_back(max_rows);
  return rungs;
}

}  // namespace

Result<std::unique_ptr<Evaluator>> make_onednn(const Weights& weights, std::size_t max_rows,
                                               bool exact) {
  Result<std::unique_ptr<OneDnnEvaluator>> made =
      OneDnnEvaluator::make(weights.spec(), max_rows, exact);
  if (!made) return made.error();
  (*made)->load(weights);
  return std::move(*made);
}

Result<std::unique_ptr<OneDnnEvaluator>> OneDnnEvaluator::make(const LayerPlan& plan,
                                                               std::size_t max_rows, bool exact) {
  const OneThread one_thread;  // products are compiled for the number of threads they will run on
  try {
    return std::unique_ptr<OneDnnEvaluator>(new OneDnnEvaluator(plan, max_rows, exact));
  } catch (const dnnl::error& error) {
    return fail(fmt::format("oneDNN: {}", error.what()));
  }
}

OneDnnEvaluator::OneDnnEvaluator(const LayerPlan& plan, std::size_t max_rows, bool exact)
    : kernels_(best_kernels()),
      scratch_(plan, default_heap(), max_rows),
      context_(plan, rungs(max_rows, exact), scratch_),
      steps_(plan, context_) {}

void OneDnnEvaluator::load(const Weights& weights) {
  if (loaded_ == weights.id()) return;
  load(weights.network().parameters());
  loaded_ = weights.id();
}

void OneDnnEvaluator::load(std::span<const float> parameters) {
  const OneThread one_thread;
  loaded_ = std::nullopt;
  steps_.load(parameters);
}

void OneDnnEvaluator::forward(const Batch& batch, std::size_t first, std::size_t last) {
  const std::size_t rows = last - first;
  if (rows == 0) return;
  assert(rows <= context_.rungs.back());
  const OneThread one_thread;
  const auto rung = std::ranges::lower_bound(context_.rungs, rows);
  const auto number = static_cast<std::size_t>(rung - context_.rungs.begin());
  steps_.run({kernels_, batch, first, rows, *rung, number, scratch_});
}

}  // namespace senet
