#include "nn/packed_network.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace senet {

std::size_t PackedNetwork::bytes(const NetworkSpec& spec) {
  const std::size_t width = padded(spec.width), logits = padded(spec.policy_logits);
  const std::size_t outcomes = padded(spec.outcomes), features = padded(spec.features);
  const std::size_t layers = std::size_t{spec.blocks} * 2 + spec.policy_layers + spec.value_layers;
  const std::size_t square = width * width + 3 * width;
  const std::size_t ends = 2 * features * width + 3 * features + (2 * logits + 2) * width +
                           3 * logits + (outcomes + 2) * width + outcomes;
  return sizeof(PackedNetwork) + (layers * square + ends) * sizeof(float);
}

PackedNetwork::PackedNetwork(const Network& network, const Kernels& kernels, Heap& heap)
    : kernels_(kernels),
      spec_(network.spec()),
      stride_(padded(spec_.width)),
      ends_(spec_, kernels, heap),
      trunk_norm_(spec_.width, heap),
      policy_out_(spec_.width, spec_.policy_logits, heap),
      means_(std::max(spec_.features, spec_.width)) {
  assert(EvaluatorScratch::kRows % kernels.tile_rows == 0);
  const auto add_layers = [&](std::vector<Layer>& layers, std::size_t count) {
    layers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) layers.emplace_back(spec_.width, heap);
  };
  add_layers(blocks_, std::size_t{spec_.blocks} * 2);
  add_layers(policy_, spec_.policy_layers);
  add_layers(value_, spec_.value_layers);
  load(network);
}

void PackedNetwork::load(const Network& network) {
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

void PackedNetwork::forward(const Batch& batch, std::size_t first, std::size_t last,
                            EvaluatorScratch& scratch) const {
  // Blocks as even as whole tiles allow, so that none is thin.
  const std::size_t rows = last - first;
  const std::size_t tiles = (rows + kernels_.tile_rows - 1) / kernels_.tile_rows;
  const std::size_t blocks = (rows + EvaluatorScratch::kRows - 1) / EvaluatorScratch::kRows;
  std::size_t done = 0;
  for (std::size_t block = 1; block <= blocks; ++block) {
    const std::size_t end = std::min(rows, tiles * block / blocks * kernels_.tile_rows);
    forward_block(batch, first + done, end - done, scratch);
    done = end;
  }
}

void PackedNetwork::forward_block(const Batch& batch, std::size_t first, std::size_t rows,
                                  EvaluatorScratch& scratch) const {
  float *const trunk = scratch.trunk.data(), *const squares = scratch.squares.data();
  ends_.run_input(batch, first, rows, trunk, squares, scratch.ends);
  run_blocks(rows, scratch);
  normalise(trunk_norm_, trunk, trunk, squares, rows);

  const float* const policy = run_head(policy_, rows, scratch);
  ends_.answer_policy(batch, first, rows, policy, [&](std::size_t row, std::size_t count) {
    float* const logits = scratch.logits.data();
    const std::size_t logits_stride = padded(spec_.policy_logits);
    kernels_.linear(pass(policy_out_, policy + row * stride_, logits, logits_stride, squares),
                    count);
    return logits;
  });
  ends_.answer_value(batch, first, rows, run_head(value_, rows, scratch), scratch.ends);
}

void PackedNetwork::run_blocks(std::size_t rows, EvaluatorScratch& scratch) const {
  float *const trunk = scratch.trunk.data(), *const hidden = scratch.hidden.data();
  float *const other = scratch.other.data(), *const squares = scratch.squares.data();
  for (std::size_t i = 0; i < blocks_.size(); i += 2) {
    normalise(blocks_[i].norm, trunk, hidden, squares, rows);
    kernels_.linear(pass(blocks_[i].linear, hidden, other, stride_, squares), rows);
    normalise(blocks_[i + 1].norm, other, other, squares, rows);
    kernels_.add_linear(pass(blocks_[i + 1].linear, other, trunk, stride_, squares), rows);
  }
}

const float* PackedNetwork::run_head(const std::vector<Layer>& layers, std::size_t rows,
                                     EvaluatorScratch& scratch) const {
  const float* in = scratch.trunk.data();
  float *out = scratch.hidden.data(), *next = scratch.other.data();
  float* const squares = scratch.squares.data();
  for (const Layer& layer : layers) {
    kernels_.linear(pass(layer.linear, in, out, stride_, squares), rows);
    normalise(layer.norm, out, out, squares, rows);
    in = out;
    std::swap(out, next);
  }
  return in;
}

void PackedNetwork::normalise(const PackedNorm& norm, const float* in, float* out, float* squares,
                              std::size_t rows) const {
  kernels_.norm_relu({in, out, stride_, spec_.width, squares, norm.scale(), norm.shift()}, rows);
}

LinearPass PackedNetwork::pass(const PanelLinear& linear, const float* in, float* out,
                               std::size_t out_stride, float* squares) const {
  return {in,  stride_,    linear.inputs(), linear.panels(), linear.bias(), linear.panel_count(),
          out, out_stride, squares};
}

}  // namespace senet
