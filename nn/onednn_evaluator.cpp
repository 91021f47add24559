#include "nn/onednn_evaluator.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <algorithm>
#include <cassert>
#include <string_view>

namespace senet {
namespace {

using Desc = dnnl::memory::desc;
using Dim = dnnl::memory::dim;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

std::vector<std::size_t> batch_sizes(std::size_t max_rows, bool exact) {
  std::vector<std::size_t> batch_sizes;
  for (std::size_t rows = 1; rows < max_rows && !exact; rows *= 2) batch_sizes.push_back(rows);
  batch_sizes.push_back(max_rows);
  return batch_sizes;
}

/// While this object exists, oneDNN uses only the calling thread: it sets the thread's OpenMP team
/// size to one and restores it afterwards. Affects only the calling thread.
class OneThread {
 public:
  OneThread() {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = omp_get_max_threads();
};

}  // namespace

OneDnnContext::OneDnnContext(const LayerPlan& plan, std::span<const std::size_t> row_counts,
                             EvaluatorScratch& bound_to)
    : engine(dnnl::engine::kind::cpu, 0),
      stream(engine),
      batch_sizes(row_counts.begin(), row_counts.end()),
      scratch(bound_to) {
  std::size_t largest = 0;
  for (const Layer& layer : plan.layers) {
    if (layer.in == kFeatures) continue;  // not computed by oneDNN
    largest = std::max(largest, padded(layer.inputs) * padded(layer.outputs));
  }
  staging.resize(largest);
}

OneDnnLinear::OneDnnLinear(const PlacedLayer& layer, OneDnnContext& context)
    : layer_(layer), context_(&context), bias_(padded(layer.outputs)) {
  for (const std::size_t rows : context.batch_sizes) add_product(rows);
}

// Two formulations compute the same. An inner product is faster where oneDNN has small-matrix
// kernels for it (AVX-512 and better). Elsewhere a 1x1 convolution is: one image, one pixel high
// and `rows` wide, with the columns as channels.
void OneDnnLinear::add_product(std::size_t rows) {
  const auto n = static_cast<Dim>(rows), i = static_cast<Dim>(padded(layer_.inputs)),
             o = static_cast<Dim>(padded(layer_.outputs));
  constexpr auto kForward = dnnl::prop_kind::forward_inference;
  dnnl::primitive_attr attributes;
  if (layer_.added != kNoValue) {
    dnnl::post_ops operations;
    operations.append_sum(1.0f);
    attributes.set_post_ops(operations);
  }
  const dnnl::inner_product_forward::primitive_desc inner(
      {kForward, Desc({n, i}, kFloat, Tag::ab), Desc({o, i}, kFloat, Tag::any),
       Desc({o}, kFloat, Tag::a), Desc({n, o}, kFloat, Tag::ab)},
      attributes, context_->engine);
  if (std::string_view(inner.impl_info_str()).starts_with("brgemm")) {
    add_product<dnnl::inner_product_forward>(inner, Desc({o, i}, kFloat, Tag::ab));
    return;
  }
  const dnnl::convolution_forward::primitive_desc convolution(
      {kForward,
       dnnl::algorithm::convolution_direct,
       Desc({1, i, 1, n}, kFloat, Tag::nhwc),
       Desc({o, i, 1, 1}, kFloat, Tag::any),
       Desc({o}, kFloat, Tag::a),
       Desc({1, o, 1, n}, kFloat, Tag::nhwc),
       {1, 1},
       {0, 0},
       {0, 0}},
      attributes, context_->engine);
  add_product<dnnl::convolution_forward>(convolution, Desc({o, i, 1, 1}, kFloat, Tag::abcd));
}

template <class Primitive, class Description>
void OneDnnLinear::add_product(const Description& compiled, const Desc& plain_weights) {
  const dnnl::engine& engine = context_->engine;
  EvaluatorScratch& scratch = context_->scratch;
  AlignedFloats& out = layer_.is_output() ? scratch.logits : scratch.buffers[layer_.to.buffer];
  Product product{
      Primitive(compiled),
      {dnnl::memory(compiled.src_desc(), engine, scratch.buffers[layer_.from.buffer].data()),
       packed_for(compiled.weights_desc(), plain_weights),
       dnnl::memory(compiled.bias_desc(), engine, bias_.data()),
       dnnl::memory(compiled.dst_desc(), engine, out.data())},
      {}};
  constexpr std::array kNames{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    product.arguments[k] = {kNames[k], product.memories[k].get()};
  }
  products_.push_back(std::move(product));
}

const dnnl::memory& OneDnnLinear::packed_for(const Desc& weights, const Desc& plain_weights) {
  for (const Version& version : versions_) {
    if (version.memory.get_desc() == weights) return version.memory;
  }
  const dnnl::memory staging(plain_weights, context_->engine, context_->staging.data());
  const dnnl::memory memory(weights, context_->engine);
  versions_.push_back({memory, dnnl::reorder(staging, memory), staging});
  return versions_.back().memory;
}

void OneDnnLinear::load(PackSource& source) {
  AlignedFloats& staging = context_->staging;
  std::ranges::fill(staging, 0.0f);
  source.read(
      layer_,
      [&](auto output, auto input, float weight) {
        staging[output * layer_.from.stride + input] = weight;
      },
      [&](auto output, float bias) { bias_[output] = bias; });
  for (const Version& version : versions_) {
    const std::array<dnnl_exec_arg_t, 2> arguments = {
        dnnl_exec_arg_t{DNNL_ARG_FROM, version.staging.get()},
        dnnl_exec_arg_t{DNNL_ARG_TO, version.memory.get()}};
    dnnl_primitive_execute(version.reorder.get(), context_->stream.get(), 2, arguments.data());
  }
}

void OneDnnLinear::multiply(const BlockPass& pass) const {
  const Product& product = products_[pass.batch_size];
  // Cannot fail: every argument was checked when the product was compiled and bound.
  dnnl_primitive_execute(product.primitive.get(), context_->stream.get(),
                         static_cast<int>(product.arguments.size()), product.arguments.data());
}

void OneDnnLinear::run(const BlockPass& pass) const {
  multiply(pass);
  float* const out = pass.at(layer_.to);
  const std::size_t stride = layer_.to.stride;
  switch (layer_.then) {
    case Then::kNothing:
      break;
    case Then::kNorm:
      pass.kernels.sum_squares(out, stride, pass.squares(), pass.rows);
      break;
    case Then::kRelu:
      pass.kernels.relu(out, out, pass.rows * stride);
      break;
  }
}

const float* OneDnnLinear::logits(const BlockPass& pass, std::size_t row, std::size_t /*count*/,
                                  bool is_first) const {
  if (is_first) multiply(pass);  // computes all rows
  return pass.scratch.logits.data() + row * padded(layer_.outputs);
}

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
  const OneThread one_thread;  // products are compiled for a fixed number of threads
  try {
    return std::unique_ptr<OneDnnEvaluator>(new OneDnnEvaluator(plan, max_rows, exact));
  } catch (const dnnl::error& error) {
    return fail(fmt::format("oneDNN: {}", error.what()));
  }
}

OneDnnEvaluator::OneDnnEvaluator(const LayerPlan& plan, std::size_t max_rows, bool exact)
    : kernels_(best_kernels()),
      scratch_(plan, default_heap(), max_rows),
      context_(plan, batch_sizes(max_rows, exact), scratch_),
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

void OneDnnEvaluator::forward(Batch& batch, std::size_t first, std::size_t last) {
  const std::size_t rows = last - first;
  if (rows == 0) return;
  assert(rows <= context_.batch_sizes.back());
  const OneThread one_thread;
  const auto size = std::ranges::lower_bound(context_.batch_sizes, rows);
  const auto number = static_cast<std::size_t>(size - context_.batch_sizes.begin());
  steps_.run({kernels_, batch, batch.encode(first, last), first, rows, *size, number, scratch_});
}

}  // namespace senet
