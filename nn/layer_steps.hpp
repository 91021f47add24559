// The layers as the fast evaluators run them: weights in the kernels' formats (padded to whole
// panels, cut into panels or transposed, and centred), one step class per kind of layer, and a
// network as a list of steps, with oneDNN's products or with our own.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nn/batch.hpp"
#include "nn/evaluator_scratch.hpp"
#include "nn/kernels.hpp"
#include "nn/network.hpp"

namespace senet {

/// Reads the parameters of layers that are to be packed. If a LayerNorm follows a Linear, the mean
/// over the outputs is subtracted from the weights (per input) and from the bias, because the norm
/// ignores a row's mean (see kernels.hpp).
class PackSource {
 public:
  /// For the layers of this plan.
  explicit PackSource(const LayerPlan& plan) : means_(most_inputs(plan)) {}
  static std::size_t bytes(const LayerPlan& plan) { return most_inputs(plan) * sizeof(double); }

  /// The flat block to read parameters from.
  void use(std::span<const float> block) { block_ = block; }
  LayerParameters parameters(const Layer& layer) const { return {layer, block_}; }

  /// Calls weight(output, input, value) and bias(output, value) for every value of a Linear, one
  /// output after the other: its weights, then its bias.
  template <class Weight, class Bias>
  void read(const PlacedLayer& layer, Weight&& weight, Bias&& bias) {
    const LayerParameters from = parameters(layer);
    const double share = layer.then == Then::kNorm ? 1.0 / static_cast<double>(layer.outputs) : 0.0;
    double bias_mean = 0;
    std::ranges::fill(means_, 0.0);
    for (std::size_t output = 0; output < layer.outputs; ++output) {
      const float* const row = &from.weight[output * layer.inputs];
      for (std::size_t i = 0; i < layer.inputs; ++i) means_[i] += share * row[i];
      bias_mean += share * from.bias[output];
    }
    for (std::size_t output = 0; output < layer.outputs; ++output) {
      const float* const row = &from.weight[output * layer.inputs];
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        weight(output, i, static_cast<float>(row[i] - means_[i]));
      }
      bias(output, static_cast<float>(from.bias[output] - bias_mean));
    }
  }

 private:
  static std::size_t most_inputs(const LayerPlan& plan) {
    return std::ranges::max_element(plan.layers, {}, &Layer::inputs)->inputs;
  }

  std::span<const float> block_;
  std::vector<double> means_;
};

/// For LinearPass: panels of kPanel outputs, each [padded inputs, kPanel].
struct Panels {
  explicit Panels(const Layer& layer)
      : inputs(padded(layer.inputs)), biases(padded(layer.outputs)), weights(inputs * biases) {}
  std::size_t inputs, biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const {
    return (output / kPanel * inputs + input) * kPanel + output % kPanel;
  }
};

/// For ByteLinearPass: panels of kPanel outputs, each [padded inputs / kByteGroup, kPanel,
/// kByteGroup].
struct BytePanels {
  explicit BytePanels(const Layer& layer)
      : inputs(padded(layer.inputs)), biases(padded(layer.outputs)), weights(inputs * biases) {}
  std::size_t inputs, biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const {
    return (output / kPanel * inputs + input / kByteGroup * kByteGroup) * kPanel +
           output % kPanel * kByteGroup + input % kByteGroup;
  }
};

/// For DotPass: [outputs + 1, padded inputs], the last row zero.
struct OutputRows {
  explicit OutputRows(const Layer& layer)
      : stride(padded(layer.inputs)), biases(layer.outputs + 1), weights(stride * biases) {}
  std::size_t stride, biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const { return output * stride + input; }
};

/// For SparsePass (kStep = kPanel) and ShortSparsePass (kShortColumns): groups of at most
/// kSparseColumns outputs, each [inputs, outputs of the group], the outputs rounded up to a
/// multiple of kStep.
template <std::size_t kStep>
struct InputRows {
  explicit InputRows(const Layer& layer)
      : inputs(layer.inputs),
        biases(padded(layer.outputs)),
        columns(round_up(layer.outputs, kStep)),
        weights(inputs * columns) {}
  std::size_t inputs, biases, columns, weights;
  std::size_t at(std::size_t output, std::size_t input) const {
    const std::size_t first = output / kSparseColumns * kSparseColumns;
    const std::size_t in_group = std::min(kSparseColumns, columns - first);
    return first * inputs + input * in_group + (output - first);
  }
};

/// A Linear in one of these layouts.
template <class Layout>
struct PackedLinear {
  PackedLinear(const Layer& layer, Heap& heap)
      : layout(layer), weight(layout.weights, heap), bias(layout.biases, heap) {}
  static std::size_t bytes(const Layer& layer) {
    return (Layout(layer).weights + Layout(layer).biases) * sizeof(float);
  }
  void load(const PlacedLayer& layer, PackSource& source) {
    source.read(
        layer, [&](auto output, auto input, float w) { weight[layout.at(output, input)] = w; },
        [&](auto output, float b) { bias[output] = b; });
  }

  Layout layout;
  AlignedFloats weight, bias;
};

/// Multiplies the rows `in` by these panels into the rows `out`.
inline LinearPass linear_pass(const PackedLinear<Panels>& linear, const float* in,
                              std::size_t in_stride, float* out, std::size_t out_stride, Then then,
                              float* squares) {
  const float *const weight = linear.weight.data(), *const bias = linear.bias.data();
  const std::size_t inputs = linear.layout.inputs, panels = linear.layout.biases / kPanel;
  return {in, in_stride, inputs, weight, bias, panels, out, out_stride, then, squares};
}

/// The inner products of the row `in` with the weights of the `count` outputs `wanted`.
inline DotPass dot_pass(const PackedLinear<OutputRows>& linear, const float* in,
                        const std::uint16_t* wanted, std::size_t count, float* out) {
  const OutputRows& rows = linear.layout;
  return {in, linear.weight.data(), linear.bias.data(), rows.biases - 1, rows.stride, wanted, count,
          out};
}

/// A block of rows during a forward pass.
struct BlockPass {
  const Kernels& kernels;
  const Batch& batch;
  const SparseRows& features;
  std::size_t first, rows;  // rows [first, first + rows) of the batch
  std::size_t computed;     // rows that the products compute, at least `rows`
  std::size_t batch_size;   // index of that size in products that have several
  EvaluatorScratch& scratch;

  float* at(RowsPlace place) const { return scratch.buffers[place.buffer].data(); }
  float* squares() const { return scratch.squares.data(); }
  const RowResult& answer(std::size_t row) const { return batch.answer(first + row); }
};

/// Rows of few features, in floats.
class FloatEntries {
 public:
  FloatEntries(const Layer& layer, Heap& heap) : linear_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) {
    return PackedLinear<InputRows<kPanel>>::bytes(layer);
  }
  void load(const PlacedLayer& layer, PackSource& source) { linear_.load(layer, source); }
  /// Runs `layer` for the rows [row, row + count) of the pass.
  void run(const BlockPass& pass, std::size_t row, std::size_t count,
           const PlacedLayer& layer) const;

 private:
  PackedLinear<InputRows<kPanel>> linear_;
};

/// The same in 16 bits: half of the memory to read, and half of the instructions. A row consists of
/// pieces: whole weights, and shares of weights. Each weight is a whole multiple of its output's
/// unit, which is so large that no sum of RowPieces::kMost pieces exceeds 16 bits if it has at most
/// RowPieces::kRepeats of each weight. Rows of more pieces or larger values are multiplied in
/// floats. Relies on finite weights, and on rows that have each feature at most once (FeatureRow).
class ShortEntries {
 public:
  ShortEntries(const Layer& layer, Heap& heap)
      : layout_(layer),
        weight_(layout_.weights, heap),
        units_(layout_.biases, heap),
        bias_(layout_.biases, heap),
        weights_of_output_(layout_.inputs, heap),
        sorted_(layout_.inputs, heap),
        floats_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) {
    const InputRows<kShortColumns> layout(layer);
    return layout.weights * sizeof(std::int16_t) +
           2 * (layout.biases + layout.inputs) * sizeof(float) + FloatEntries::bytes(layer);
  }
  void load(const PlacedLayer& layer, PackSource& source);
  void run(const BlockPass& pass, std::size_t row, std::size_t count,
           const PlacedLayer& layer) const;

 private:
  float unit_of_output();
  void run_shorts(const BlockPass& pass, std::size_t row, std::size_t count,
                  const PlacedLayer& layer) const;

  InputRows<kShortColumns> layout_;
  AlignedVector<std::int16_t> weight_;
  AlignedFloats units_, bias_;
  AlignedFloats weights_of_output_, sorted_;  // scratch of load()
  FloatEntries floats_;
};

/// The Linear that reads the features: sparsely, as FloatEntries or ShortEntries, or densely for
/// rows with many features. The choice depends on the row only.
template <class Entries>
class SparseInputStep {
 public:
  SparseInputStep(const PlacedLayer& layer, Heap& heap)
      : layer_(layer), sparse_(layer, heap), dense_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) {
    return Entries::bytes(layer) + PackedLinear<Panels>::bytes(layer);
  }
  void load(PackSource& source) {
    sparse_.load(layer_, source);
    dense_.load(layer_, source);
  }
  void run(const BlockPass& pass) const;

 private:
  bool is_dense(const BlockPass& pass, std::size_t row) const {
    return std::size_t{*pass.features.active(pass.first + row)} * 2 > layer_.inputs;
  }
  void run_dense(const BlockPass& pass, std::size_t row, std::size_t count) const;

  PlacedLayer layer_;
  Entries sparse_;
  PackedLinear<Panels> dense_;
};

/// A LayerNorm with ReLU.
class NormStep {
 public:
  NormStep(const PlacedLayer& layer, Heap& heap)
      : layer_(layer), scale_(layer.to.stride, heap), shift_(layer.to.stride, heap) {}
  static std::size_t bytes(const Layer& layer) { return 2 * padded(layer.outputs) * sizeof(float); }
  void load(PackSource& source);
  void run(const BlockPass& pass) const;

 private:
  PlacedLayer layer_;
  AlignedFloats scale_, shift_;  // [stride], zero beyond the width
};

/// A ReLU.
class ReluStep {
 public:
  ReluStep(const PlacedLayer& layer, Heap&) : layer_(layer) {}
  static std::size_t bytes(const Layer&) { return 0; }
  void load(PackSource&) {}
  void run(const BlockPass& pass) const;

 private:
  PlacedLayer layer_;
};

/// The Linear that computes the policy's logits. Rows that want few logits use one inner product
/// for each; consecutive rows that want more than half use a matrix product for all logits.
template <class Product>
class LogitsStep {
 public:
  /// Maximum number of rows computed together: all logits of a row are long and should stay in a
  /// near cache.
  static constexpr std::size_t kLogitRows = 48;

  template <class Context>
  LogitsStep(const PlacedLayer& layer, Context& context)
      : layer_(layer), each_(layer, context), all_(layer, context) {}
  static std::size_t bytes(const Layer& layer) {
    return PackedLinear<OutputRows>::bytes(layer) + Product::bytes(layer);
  }
  void load(PackSource& source) {
    each_.load(layer_, source);
    all_.load(source);
  }
  void run(const BlockPass& pass) const {
    bool is_first = true;
    for (std::size_t row = 0; row < pass.rows;) {
      std::size_t end = row;
      while (end < pass.rows && end - row < kLogitRows && wants_most(pass.answer(end))) ++end;
      if (end == row) {
        answer_each(pass, row++);
        continue;
      }
      const float* all = all_.logits(pass, row, end - row, std::exchange(is_first, false));
      for (; row < end; ++row, all += padded(layer_.outputs)) pick(pass, pass.answer(row), all);
    }
  }

 private:
  /// Depends on this row only: other rows must not change how its answer is rounded.
  bool wants_most(const RowResult& answer) const {
    return answer.wanted.size() * 2 > layer_.outputs;
  }
  void answer_each(const BlockPass& pass, std::size_t row) const {
    const RowResult& answer = pass.answer(row);
    pass.kernels.dots(dot_pass(each_, pass.at(layer_.from) + row * layer_.from.stride,
                               answer.wanted.data(), answer.wanted.size(), answer.logits));
  }
  void pick(const BlockPass& pass, const RowResult& answer, const float* all) const {
    // A row that wants all logits usually wants them in order.
    const std::size_t count = answer.wanted.size();
    if (pass.scratch.is_ascending(answer.wanted)) {
      std::copy_n(all, count, answer.logits);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint16_t wanted = answer.wanted[i];
      answer.logits[i] = wanted == kNoLogit ? 0.0f : all[wanted];
    }
  }

  PlacedLayer layer_;
  PackedLinear<OutputRows> each_;
  Product all_;
};

/// The Linear that computes the outcomes, and their softmax.
class OutcomesStep {
 public:
  OutcomesStep(const PlacedLayer& layer, Heap& heap) : layer_(layer), linear_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) { return PackedLinear<OutputRows>::bytes(layer); }
  void load(PackSource& source);
  void run(const BlockPass& pass) const;

 private:
  PlacedLayer layer_;
  PackedLinear<OutputRows> linear_;
};

/// A network of packed layers, one step each. Only load() modifies it: any number of threads may
/// run it at once, each with its own scratch. The context is or contains the heap for the weights.
///
/// Product, constructed from the context, is the step of a Linear in front of an activation, and of
/// that activation if PlacedPlan has joined them. Product::Entries is how the first Linear
/// multiplies rows of few features. For the policy's logits Product has
/// logits(pass, row, count, is_first), which returns all logits of rows [row, row + count) of the
/// pass, [count, padded(logits)] f32; is_first marks the first call of a pass.
template <class Product>
class LayerSteps {
 public:
  template <class Context>
  LayerSteps(const LayerPlan& plan, Context& context) : source_(plan) {
    steps_.reserve(plan.layers.size());
    for (const PlacedLayer& layer : PlacedPlan(plan).layers) {
      with_type(plan, layer, [&]<class Kind>(std::type_identity<Kind>) {
        steps_.emplace_back(std::in_place_type<Kind>, layer, context);
      });
    }
  }

  /// Memory owned by a network of this shape, to within a few hundred bytes per layer.
  static std::size_t bytes(const LayerPlan& plan) {
    std::size_t bytes = PackSource::bytes(plan);
    for (const Layer& layer : plan.layers) {
      bytes += sizeof(Step);
      bytes += with_type(plan, layer,
                         [&]<class Kind>(std::type_identity<Kind>) { return Kind::bytes(layer); });
    }
    return bytes;
  }

  /// Loads the parameters of a network of the same shape. Allocates nothing.
  void load(std::span<const float> parameters) {
    source_.use(parameters);
    for (Step& step : steps_) {
      std::visit([&](auto& kind) { kind.load(source_); }, step);
    }
  }

  void run(const BlockPass& pass) const {
    for (const Step& step : steps_) {
      std::visit([&](const auto& kind) { kind.run(pass); }, step);
    }
  }

 private:
  using InputStep = SparseInputStep<typename Product::Entries>;
  using Step =
      std::variant<InputStep, NormStep, ReluStep, Product, LogitsStep<Product>, OutcomesStep>;

  /// Calls `use` with the type of the step for this layer.
  template <class Use>
  static decltype(auto) with_type(const LayerPlan& plan, const Layer& layer, Use&& use) {
    if (layer.kind == LayerKind::kNormRelu) return use(std::type_identity<NormStep>());
    if (layer.kind == LayerKind::kRelu) return use(std::type_identity<ReluStep>());
    if (layer.in == kFeatures) return use(std::type_identity<InputStep>());
    if (layer.out == plan.policy) return use(std::type_identity<LogitsStep<Product>>());
    if (layer.out == plan.outcomes) return use(std::type_identity<OutcomesStep>());
    return use(std::type_identity<Product>());
  }

  std::vector<Step> steps_;
  PackSource source_;  // scratch of load()
};

/// A product that uses our own kernels.
class PanelProduct {
 public:
  using Entries = FloatEntries;

  PanelProduct(const PlacedLayer& layer, Heap& heap) : layer_(layer), linear_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) { return PackedLinear<Panels>::bytes(layer); }
  void load(PackSource& source) { linear_.load(layer_, source); }
  void run(const BlockPass& pass) const;
  const float* logits(const BlockPass& pass, std::size_t row, std::size_t count,
                      bool is_first) const;

 private:
  PlacedLayer layer_;
  PackedLinear<Panels> linear_;
};

/// The same in bytes. Each weight is a whole multiple, -127 to 127, of its output's unit, the
/// largest weight of that output / 127; activations are multiples of their row's unit (BytesPass).
/// With AVX-512 VNNI it multiplies four times as fast.
class ByteProduct {
 public:
  using Entries = ShortEntries;

  ByteProduct(const PlacedLayer& layer, Heap& heap)
      : layer_(layer),
        layout_(layer),
        weight_(layout_.weights, heap),
        units_(layout_.biases, heap),
        bias_(layout_.biases, heap) {}
  static std::size_t bytes(const Layer& layer) {
    const BytePanels layout(layer);
    return layout.weights + 2 * layout.biases * sizeof(float);
  }
  void load(PackSource& source);
  void run(const BlockPass& pass) const;
  const float* logits(const BlockPass& pass, std::size_t row, std::size_t count,
                      bool is_first) const;

 private:
  /// Multiplies the rows [row, row + count) of the pass into the rows `out`.
  ByteLinearPass prepare(const BlockPass& pass, std::size_t row, std::size_t count, float* out,
                         std::size_t out_stride) const;

  PlacedLayer layer_;
  BytePanels layout_;
  AlignedVector<std::int8_t> weight_;
  AlignedFloats units_, bias_;
};

/// A network in the packed form, with PanelProduct or ByteProduct for the layers in front of the
/// outcomes, which are floats. Between two calls of load() any number of threads may run it at
/// once, each with its own scratch. A row's answers have the same bits in any range, at every batch
/// size and position, and with every instruction set that has fused multiply-add. With PanelProduct
/// it agrees with the reference evaluator to about 1e-6, with ByteProduct to about 1e-2.
template <class Product>
class Packed {
 public:
  /// `kernels` and `heap`, which holds the weights, outlive this.
  explicit Packed(const Network& network, const Kernels& kernels = best_kernels(),
                  Heap& heap = default_heap())
      : Packed(network.spec(), network.parameters(), kernels, heap) {}
  /// The same for any plan, with [plan.parameters] f32.
  Packed(const LayerPlan& plan, std::span<const float> parameters,
         const Kernels& kernels = best_kernels(), Heap& heap = default_heap())
      : kernels_(kernels), steps_(plan, heap) {
    assert(EvaluatorScratch::kRows % kernels.tile_rows == 0);
    load(parameters);
  }

  /// Memory of a network of this shape, to within a few hundred bytes per layer.
  static std::size_t bytes(const LayerPlan& plan) {
    return sizeof(Packed) + LayerSteps<Product>::bytes(plan);
  }

  const Kernels& kernels() const { return kernels_; }
  void load(std::span<const float> parameters) { steps_.load(parameters); }

  /// Answers rows [first, last) of the batch, in blocks that fit into the near caches. `scratch`
  /// must be made for this shape. Allocates nothing.
  void forward(Batch& batch, std::size_t first, std::size_t last, EvaluatorScratch& scratch) const;

 private:
  const Kernels& kernels_;
  LayerSteps<Product> steps_;
};

extern template class Packed<PanelProduct>;
extern template class Packed<ByteProduct>;
using PackedNetwork = Packed<PanelProduct>;
using PackedBytes = Packed<ByteProduct>;

}  // namespace senet
