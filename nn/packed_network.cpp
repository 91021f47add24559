#include "nn/packed_network.hpp"

#include <algorithm>
#include <cassert>

namespace senet {

void PanelProduct::run(const BlockPass& pass) const {
  const auto product = layer_.added == kNoValue ? pass.kernels.linear : pass.kernels.add_linear;
  product(linear_pass(linear_, pass.at(layer_.from), layer_.from.stride, pass.at(layer_.to),
                      layer_.to.stride, pass.squares()),
          pass.rows);
}

const float* PanelProduct::logits(const BlockPass& pass, std::size_t row, std::size_t count,
                                  bool /*is_first*/) const {
  float* const logits = pass.scratch.logits.data();
  const std::size_t stride = layer_.from.stride;
  pass.kernels.linear(linear_pass(linear_, pass.at(layer_.from) + row * stride, stride, logits,
                                  padded(layer_.outputs), pass.squares()),
                      count);
  return logits;
}

PackedNetwork::PackedNetwork(const LayerPlan& plan, std::span<const float> parameters,
                             const Kernels& kernels, Heap& heap)
    : kernels_(kernels), steps_(plan, heap) {
  assert(EvaluatorScratch::kRows % kernels.tile_rows == 0);
  load(parameters);
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
    steps_.run({kernels_, batch, first + done, end - done, end - done, 0, scratch});
    done = end;
  }
}

}  // namespace senet
