#include "nn/onednn_evaluator.hpp"

#include <fmt/format.h>

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

Result<std::unique_ptr<Evaluator>> OneDnnEvaluator::make(const LayerPlan& plan,
                                                         std::span<const float> parameters,
                                                         std::size_t max_rows, bool exact) {
  const OneThread one_thread;  // products are compiled for the number of threads they will run on
  try {
    return std::unique_ptr<Evaluator>(new OneDnnEvaluator(plan, parameters, max_rows, exact));
  } catch (const dnnl::error& error) {
    return fail(fmt::format("oneDNN: {}", error.what()));
  }
}

OneDnnEvaluator::OneDnnEvaluator(const LayerPlan& plan, std::span<const float> parameters,
                                 std::size_t max_rows, bool exact)
    : kernels_(best_kernels()),
      scratch_(plan, default_heap(), max_rows),
      context_(plan, rungs(max_rows, exact), scratch_),
      steps_(plan, context_) {
  load(parameters);
}

void OneDnnEvaluator::load(std::span<const float> parameters) {
  const OneThread one_thread;
  steps_.load(parameters);
}

void OneDnnEvaluator::forward(const Batch& batch) {
  const std::size_t rows = batch.size();
  if (rows == 0) return;
  assert(rows <= context_.rungs.back());
  const OneThread one_thread;
  const auto rung = std::ranges::lower_bound(context_.rungs, rows);
  const auto number = static_cast<std::size_t>(rung - context_.rungs.begin());
  steps_.run({kernels_, batch, 0, rows, *rung, number, scratch_});
}

}  // namespace senet
