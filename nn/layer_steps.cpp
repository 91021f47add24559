#include "nn/layer_steps.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace senet {
namespace {

// Calls use(begin, end, kind) for each run of rows in [first, last) of the same kind_of(row), which
// is called once for each row.
template <class KindOf, class Use>
void for_each_run(std::size_t first, std::size_t last, KindOf&& kind_of, Use&& use) {
  bool next = first < last && kind_of(first);
  for (std::size_t row = first, end; row < last; row = end) {
    const bool kind = next;
    for (end = row + 1; end < last && (next = kind_of(end)) == kind;) ++end;
    use(row, end, kind);
  }
}

}  // namespace

// ---- Sparse input -------------------------------------------------------------------------------

void FloatEntries::run(const BlockPass& pass, std::size_t row, std::size_t count,
                       const PlacedLayer& layer) const {
  const std::size_t first = pass.first + row;
  pass.kernels.sparse_linear(
      {pass.features.index(first).data(), pass.features.value(first).data(),
       pass.features.active(first), pass.features.entry_stride(), linear_.weight.data(),
       linear_.bias.data(), linear_.layout.inputs, layer.to.stride,
       pass.at(layer.to) + row * layer.to.stride, layer.then, pass.squares() + row * kPanel},
      count);
}

void ShortEntries::load(const PlacedLayer& layer, PackSource& source) {
  floats_.load(layer, source);
  source.read(
      layer, [&](auto, auto input, float weight) { weights_of_output_[input] = weight; },
      [&](auto output, float bias) {
        const float unit = unit_of_output();
        units_[output] = unit;
        bias_[output] = bias;
        for (std::size_t input = 0; input < layout_.inputs; ++input) {
          weight_[layout_.at(output, input)] = static_cast<std::int16_t>(
              unit > 0 ? std::lround(weights_of_output_[input] / unit) : 0);
        }
      });
}

// The largest sum has the largest weights, whatever the signs: a share may be negative. Rounding
// adds at most half a unit to each piece, because a share is never larger than its rounded weight.
float ShortEntries::unit_of_output() {
  constexpr std::size_t kMost = RowPieces::kMost, kRepeats = RowPieces::kRepeats;
  constexpr double kMostSum = 32767.0 - kMost / 2.0;
  const std::size_t most = std::min(kMost / kRepeats, sorted_.size());
  const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::transform(weights_of_output_, sorted_.begin(),
                         [](float weight) { return std::abs(weight); });
  std::ranges::nth_element(sorted_, end - 1, std::ranges::greater());
  return static_cast<float>(kRepeats * std::accumulate(sorted_.begin(), end, 0.0) / kMostSum);
}

void ShortEntries::run(const BlockPass& pass, std::size_t row, std::size_t count,
                       const PlacedLayer& layer) const {
  RowPieces& pieces = pass.scratch.pieces;
  pieces.begin();
  for_each_run(
      row, row + count,
      [&](std::size_t each) {
        return pieces.cut(each, pass.features.index(pass.first + each),
                          pass.features.value(pass.first + each));
      },
      [&](std::size_t begin, std::size_t end, bool is_cut) {
        if (is_cut) {
          run_shorts(pass, begin, end - begin, layer);
        } else {
          floats_.run(pass, begin, end - begin, layer);
        }
      });
}

void ShortEntries::run_shorts(const BlockPass& pass, std::size_t row, std::size_t count,
                              const PlacedLayer& layer) const {
  const RowPieces& pieces = pass.scratch.pieces;
  pass.kernels.short_sparse_linear(
      {pieces.changes(row), pieces.parts(row), pieces.shares(row), pieces.counts(row),
       RowPieces::kMostChanges, RowPieces::kMost, weight_.data(), units_.data(), bias_.data(),
       layout_.inputs, layer.to.stride, pass.at(layer.to) + row * layer.to.stride, layer.then,
       pass.squares() + row * kPanel},
      count);
}

template <class Entries>
void SparseInputStep<Entries>::run(const BlockPass& pass) const {
  for_each_run(
      0, pass.rows, [&](std::size_t row) { return is_dense(pass, row); },
      [&](std::size_t begin, std::size_t end, bool dense) {
        if (dense) {
          run_dense(pass, begin, end - begin);
        } else {
          sparse_.run(pass, begin, end - begin, layer_);
        }
      });
  // The residual stream accumulates in rows beyond the block: without clearing them, their values
  // would grow from pass to pass.
  float* const out = pass.at(layer_.to);
  std::fill(out + pass.rows * layer_.to.stride, out + pass.computed * layer_.to.stride, 0.0f);
}

template <class Entries>
void SparseInputStep<Entries>::run_dense(const BlockPass& pass, std::size_t row,
                                         std::size_t count) const {
  const std::size_t columns = dense_.layout.inputs, stride = layer_.to.stride;
  float* const dense_rows = pass.scratch.dense_rows.data();
  for (const std::size_t end = row + count; row < end; row += EvaluatorScratch::kDenseRows) {
    const std::size_t some = std::min(end - row, EvaluatorScratch::kDenseRows);
    std::fill_n(dense_rows, some * columns, 0.0f);
    for (std::size_t i = 0; i < some; ++i) {
      const auto index = pass.features.index(pass.first + row + i);
      const auto value = pass.features.value(pass.first + row + i);
      float* const to = dense_rows + i * columns;
      if (pass.scratch.is_ascending(index)) {
        std::copy_n(value.data(), value.size(), to);
        continue;
      }
      for (std::size_t k = 0; k < index.size(); ++k) to[index[k]] += value[k];
    }
    pass.kernels.linear(linear_pass(dense_, dense_rows, columns, pass.at(layer_.to) + row * stride,
                                    stride, layer_.then, pass.squares() + row * kPanel),
                        some);
  }
}

template class SparseInputStep<FloatEntries>;
template class SparseInputStep<ShortEntries>;

// ---- Norm ---------------------------------------------------------------------------------------

void NormStep::load(PackSource& source) {
  const LayerParameters norm = source.parameters(layer_);
  std::ranges::copy(norm.weight, scale_.data());
  std::ranges::copy(norm.bias, shift_.data());
}

void NormStep::run(const BlockPass& pass) const {
  float *const out = pass.at(layer_.to), *const squares = pass.squares();
  const std::size_t stride = layer_.to.stride, width = layer_.outputs;
  pass.kernels.norm_relu(
      {pass.at(layer_.from), out, stride, width, squares, scale_.data(), shift_.data()}, pass.rows);
  if (layer_.then == Then::kNorm) pass.kernels.centre(out, stride, width, squares, pass.rows);
}

// ---- ReLU ---------------------------------------------------------------------------------------

void ReluStep::run(const BlockPass& pass) const {
  pass.kernels.relu(pass.at(layer_.from), pass.at(layer_.to), pass.rows * layer_.to.stride);
}

// ---- Outcomes -----------------------------------------------------------------------------------

void OutcomesStep::load(PackSource& source) { linear_.load(layer_, source); }

void OutcomesStep::run(const BlockPass& pass) const {
  // Two passes: otherwise the softmax's whole-vector loads would stall on the small stores that
  // wrote its input.
  const std::size_t outcomes = layer_.outputs, step = padded(outcomes);
  const std::uint16_t* const every = pass.scratch.ascending.data();
  float *const raw = pass.scratch.raw_outcomes.data(), *const shares = pass.scratch.shares.data();
  for (std::size_t done = 0; done < pass.rows; done += EvaluatorScratch::kValueRows) {
    const std::size_t count = std::min(pass.rows - done, EvaluatorScratch::kValueRows);
    for (std::size_t row = 0; row < count; ++row) {
      const float* const in = pass.at(layer_.from) + (done + row) * layer_.from.stride;
      pass.kernels.dots(dot_pass(linear_, in, every, outcomes, raw + row * step));
    }
    for (std::size_t row = 0; row < count; ++row) {
      pass.kernels.softmax(raw + row * step, shares, outcomes);
      std::copy_n(shares, outcomes, pass.answer(done + row).outcomes.data());
    }
  }
}

// ---- Our own products ---------------------------------------------------------------------------

void PanelProduct::run(const BlockPass& pass) const {
  const auto product = layer_.added == kNoValue ? pass.kernels.linear : pass.kernels.add_linear;
  product(linear_pass(linear_, pass.at(layer_.from), layer_.from.stride, pass.at(layer_.to),
                      layer_.to.stride, layer_.then, pass.squares()),
          pass.rows);
}

const float* PanelProduct::logits(const BlockPass& pass, std::size_t row, std::size_t count,
                                  bool /*is_first*/) const {
  float* const logits = pass.scratch.logits.data();
  const std::size_t stride = layer_.from.stride;
  pass.kernels.linear(linear_pass(linear_, pass.at(layer_.from) + row * stride, stride, logits,
                                  padded(layer_.outputs), layer_.then, pass.squares()),
                      count);
  return logits;
}

void ByteProduct::load(PackSource& source) {
  std::ranges::fill(units_, 0.0f);
  source.read(
      layer_,
      [&](auto output, auto, float weight) {
        units_[output] = std::max(units_[output], std::abs(weight) / kMostByte);
      },
      [&](auto output, float bias) { bias_[output] = bias; });
  source.read(
      layer_,
      [&](auto output, auto input, float weight) {
        const float unit = units_[output];
        weight_[layout_.at(output, input)] =
            static_cast<std::int8_t>(unit > 0 ? std::lround(weight / unit) : 0);
      },
      [](auto, float) {});
}

ByteLinearPass ByteProduct::prepare(const BlockPass& pass, std::size_t row, std::size_t count,
                                    float* out, std::size_t out_stride) const {
  const std::size_t stride = layer_.from.stride;
  std::uint8_t* const bytes = pass.scratch.byte_rows.data();
  float* const units = pass.scratch.units.data();
  pass.kernels.to_bytes({pass.at(layer_.from) + row * stride, stride, bytes, units}, count);
  return {bytes,
          units,
          stride,
          layout_.inputs,
          weight_.data(),
          units_.data(),
          bias_.data(),
          layout_.biases / kPanel,
          out,
          out_stride,
          layer_.then,
          pass.squares()};
}

void ByteProduct::run(const BlockPass& pass) const {
  const auto product =
      layer_.added == kNoValue ? pass.kernels.byte_linear : pass.kernels.add_byte_linear;
  product(prepare(pass, 0, pass.rows, pass.at(layer_.to), layer_.to.stride), pass.rows);
}

const float* ByteProduct::logits(const BlockPass& pass, std::size_t row, std::size_t count,
                                 bool /*is_first*/) const {
  float* const logits = pass.scratch.logits.data();
  pass.kernels.byte_linear(prepare(pass, row, count, logits, padded(layer_.outputs)), count);
  return logits;
}

template <class Product>
void Packed<Product>::forward(Batch& batch, std::size_t first, std::size_t last,
                              EvaluatorScratch& scratch) const {
  const SparseRows& features = batch.encode(first, last);
  // Blocks of nearly equal numbers of whole tiles, so that none is thin.
  const std::size_t rows = last - first;
  const std::size_t tiles = (rows + kernels_.tile_rows - 1) / kernels_.tile_rows;
  const std::size_t blocks = (rows + scratch.rows - 1) / scratch.rows;
  std::size_t done = 0;
  for (std::size_t block = 1; block <= blocks; ++block) {
    const std::size_t end = std::min(rows, tiles * block / blocks * kernels_.tile_rows);
    steps_.run({kernels_, batch, features, first + done, end - done, end - done, 0, scratch});
    done = end;
  }
}

template class Packed<PanelProduct>;
template class Packed<ByteProduct>;

}  // namespace senet
