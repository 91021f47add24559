#include "nn/evaluator_scratch.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace senet {
namespace {

std::size_t longest_list(const LayerPlan& plan) {
  return std::max({plan.features, plan.policy_logits(), plan.size_of(plan.outcomes)});
}

}  // namespace

PlacedPlan::PlacedPlan(const LayerPlan& plan) {
  assert(plan.is_sound());
  const std::vector<ValueUse> uses = plan.uses();
  std::vector<RowsPlace> places(uses.size());
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const Layer& layer = plan.layers[i];
    const bool is_last_read = layer.in != kFeatures && uses[layer.in].last_reader == i;
    // The value whose buffer the result reuses, if any.
    const std::size_t under = is_activation(layer.kind) && is_last_read ? layer.in : layer.added;
    if (!plan.is_output(layer.out)) {
      places[layer.out] = {under == kNoValue ? buffers.take() : places[under].buffer,
                           padded(layer.outputs)};
    }
    if (is_last_read && layer.in != under) buffers.give_back(places[layer.in].buffer);
    if (layer.kind == LayerKind::kRelu && under == layer.in) {
      layers.back().then = Then::kRelu;
      continue;
    }
    const Then then = uses[layer.out].to_norm ? Then::kNorm : Then::kNothing;
    layers.push_back({layer, places[layer.in], places[layer.out], then});
  }
}

std::size_t EvaluatorScratch::block_rows(const LayerPlan& plan, std::size_t weight_bytes) {
  std::size_t bytes = 0;
  for (const Layer& layer : plan.layers) {
    if (layer.kind != LayerKind::kLinear || layer.in == kFeatures) continue;
    bytes += padded(layer.outputs) * padded(layer.inputs) * weight_bytes;
  }
  return bytes > kNearCache ? 2 * kRows : kRows;
}

EvaluatorScratch::EvaluatorScratch(const LayerPlan& plan, Heap& heap, std::size_t most_rows)
    : rows(most_rows),
      squares(rows * kPanel, heap),
      byte_rows(rows * padded(plan.widest()), heap),
      units(rows, heap),
      logits(rows * padded(plan.policy_logits()), heap),
      dense_rows(kDenseRows * padded(plan.features), heap),
      pieces(rows, plan.features, heap),
      raw_outcomes(kValueRows * padded(plan.size_of(plan.outcomes)), heap),
      shares(padded(plan.size_of(plan.outcomes)), heap),
      ascending(longest_list(plan)) {
  for (std::size_t left = PlacedPlan(plan).buffers.count(); left > 0; --left) {
    buffers.emplace_back(rows * padded(plan.widest()), heap);
  }
  std::iota(ascending.begin(), ascending.end(), std::uint16_t{0});
  // Padding beyond the last outcome has no weight in the softmax.
  std::fill_n(raw_outcomes.data(), raw_outcomes.size(), -1e30f);
}

std::size_t EvaluatorScratch::bytes(const LayerPlan& plan, std::size_t rows) {
  const std::size_t count = PlacedPlan(plan).buffers.count();
  const std::size_t widest = padded(plan.widest());
  const std::size_t row = count * widest + kPanel + 1 + padded(plan.policy_logits());
  const std::size_t ends =
      kDenseRows * padded(plan.features) + (kValueRows + 1) * padded(plan.size_of(plan.outcomes));
  return sizeof(EvaluatorScratch) + RowPieces::bytes(rows, plan.features) +
         count * sizeof(AlignedFloats) + rows * widest + (rows * row + ends) * sizeof(float) +
         longest_list(plan) * sizeof(std::uint16_t);
}

}  // namespace senet
