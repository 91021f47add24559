#include "nn/fused_evaluator.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace senet {
namespace {

// Three buffers of 48 rows of 128 floats are 72 KiB: with the 64 KiB of the layer at work they stay
// in any second-level cache, while one panel of weights and a tile's rows stay in the first. A
// multiple of every kernel's tile_rows.
constexpr std::size_t kBlockRows = 48;

}  // namespace

std::size_t fused_evaluator_bytes(const NetworkSpec& spec) {
  const std::size_t width = padded(spec.width), logits = padded(spec.policy_logits);
  const std::size_t outcomes = padded(spec.outcomes), features = padded(spec.features);
  const std::size_t layers = std::size_t{spec.blocks} * 2 + spec.policy_layers + spec.value_layers;
  const std::size_t square = width * width + 3 * width;
  const std::size_t ends = 2 * features * width + (24 + 2) * features + (2 * logits + 2) * width +
                           (outcomes + 2) * width + 32 * outcomes;
  const std::size_t rows = kBlockRows * (3 * width + kPanel + logits);
  return sizeof(FusedEvaluator) + (layers * square + ends + rows) * sizeof(float);
}

FusedEvaluator::FusedEvaluator(const Network& network, const Kernels& kernels, Heap& heap)
    : kernels_(kernels),
      spec_(network.spec()),
      stride_(padded(spec_.width)),
      ends_(spec_, kernels, heap),
      trunk_norm_(spec_.width, heap),
      policy_out_(spec_.width, spec_.policy_logits, heap),
      means_(std::max(spec_.features, spec_.width)),
      trunk_(kBlockRows * stride_, heap),
      hidden_(kBlockRows * stride_, heap),
      scratch_(kBlockRows * stride_, heap),
      squares_(kBlockRows * kPanel, heap),
      logits_(kBlockRows * padded(spec_.policy_logits), heap) {
  assert(kBlockRows % kernels.tile_rows == 0);
  const auto add_layers = [&](std::vector<Layer>& layers, std::size_t count) {
    layers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) layers.emplace_back(spec_.width, heap);
  };
  add_layers(blocks_, std::size_t{spec_.blocks} * 2);
  add_layers(policy_, spec_.policy_layers);
  add_layers(value_, spec_.value_layers);
  load(network);
}

void FusedEvaluator::load(const Network& network) {
  assert(network.spec() == spec_);
  const std::size_t width = spec_.width;
  ParameterCursor at(network.parameters());
  const auto load_linear = [&](PanelLinear& packed, std::size_t outputs, Centre centre) {
    const LinearView layer = at.linear(width, outputs);
    means_.measure(layer, centre);
    packed.load(layer, means_);
    return layer;
  };
  const auto load_head = [&](std::vector<Layer>& layers) {
    for (Layer& layer : layers) {
      load_linear(layer.linear, width, Centre::kYes);
      layer.norm.load(at.norm(width));
    }
  };

  const LinearView input = at.linear(spec_.features, width);
  ends_.load_input(input, at.norm(width), means_);
  for (Layer& layer : blocks_) {
    layer.norm.load(at.norm(width));
    load_linear(layer.linear, width, Centre::kYes);
  }
  trunk_norm_.load(at.norm(width));
  load_head(policy_);
  ends_.load_policy_out(load_linear(policy_out_, spec_.policy_logits, Centre::kNo));
  load_head(value_);
  ends_.load_value_out(at.linear(width, spec_.outcomes));
  assert(at.done());
}

void FusedEvaluator::forward(const Batch& batch) {
  // Blocks as even as whole tiles allow, so that none is thin.
  const std::size_t rows = batch.size();
  const std::size_t tiles = (rows + kernels_.tile_rows - 1) / kernels_.tile_rows;
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  std::size_t first = 0;
  for (std::size_t block = 1; block <= blocks; ++block) {
    const std::size_t end = std::min(rows, tiles * block / blocks * kernels_.tile_rows);
    forward_rows(batch, first, end - first);
    first = end;
  }
}

void FusedEvaluator::forward_rows(const Batch& batch, std::size_t first, std::size_t rows) {
  ends_.run_input(batch, first, rows, trunk_.data(), squares_.data());
  run_blocks(rows);
  normalise(trunk_norm_, trunk_.data(), trunk_.data(), rows);

  const float* policy = run_head(policy_, rows);
  ends_.answer_policy(batch, first, rows, policy, [&](std::size_t row, std::size_t count) {
    const std::size_t logits_stride = padded(spec_.policy_logits);
    kernels_.linear(pass(policy_out_, policy + row * stride_, logits_.data(), logits_stride),
                    count);
    return logits_.data();
  });
  ends_.answer_value(batch, first, rows, run_head(value_, rows));
}

void FusedEvaluator::run_blocks(std::size_t rows) {
  float *trunk = trunk_.data(), *hidden = hidden_.data(), *scratch = scratch_.data();
  for (std::size_t i = 0; i < blocks_.size(); i += 2) {
    normalise(blocks_[i].norm, trunk, hidden, rows);
    kernels_.linear(pass(blocks_[i].linear, hidden, scratch, stride_), rows);
    normalise(blocks_[i + 1].norm, scratch, scratch, rows);
    kernels_.add_linear(pass(blocks_[i + 1].linear, scratch, trunk, stride_), rows);
  }
}

const float* FusedEvaluator::run_head(const std::vector<Layer>& layers, std::size_t rows) {
  const float* in = trunk_.data();
  float *out = hidden_.data(), *next = scratch_.data();
  for (const Layer& layer : layers) {
    kernels_.linear(pass(layer.linear, in, out, stride_), rows);
    normalise(layer.norm, out, out, rows);
    in = out;
    std::swap(out, next);
  }
  return in;
}

void FusedEvaluator::normalise(const PackedNorm& norm, const float* in, float* out,
                               std::size_t rows) {
  kernels_.norm_relu({in, out, stride_, spec_.width, squares_.data(), norm.scale(), norm.shift()},
                     rows);
}

LinearPass FusedEvaluator::pass(const PanelLinear& linear, const float* in, float* out,
                                std::size_t out_stride) {
  return {in,  stride_,    linear.inputs(), linear.panels(), linear.bias(), linear.panel_count(),
          out, out_stride, squares_.data()};
}

}  // namespace senet
