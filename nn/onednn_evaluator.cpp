#include "nn/onednn_evaluator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace senet {

Result<std::unique_ptr<Evaluator>> OneDnnEvaluator::make(const Network& network,
                                                         std::size_t max_rows, bool exact) {
  const OneThread one_thread;  // products are compiled for the number of threads they will run on
  try {
    return std::unique_ptr<Evaluator>(new OneDnnEvaluator(network, max_rows, exact));
  } catch (const dnnl::error& error) {
    return fail(fmt::format("oneDNN: {}", error.what()));
  }
}

OneDnnEvaluator::OneDnnEvaluator(const Network& network, std::size_t max_rows, bool exact)
    : kernels_(best_kernels()),
      spec_(network.spec()),
      stride_(padded(spec_.width)),
      max_rows_(max_rows),
      first_policy_(std::size_t{spec_.blocks} * 2),
      policy_out_(first_policy_ + spec_.policy_layers),
      first_value_(policy_out_ + 1),
      ends_(spec_, kernels_),
      trunk_norm_(spec_.width),
      means_(std::max(spec_.features, spec_.width)),
      trunk_(max_rows * stride_),
      hidden_(max_rows * stride_),
      scratch_(max_rows * stride_),
      squares_(max_rows * kPanel),
      logits_(max_rows * padded(spec_.policy_logits)),
      ends_scratch_(spec_),
      staging_(stride_ * std::max(stride_, padded(spec_.policy_logits))),
      engine_(dnnl::engine::kind::cpu, 0),
      stream_(engine_) {
  const auto add_norms = [&](std::vector<PackedNorm>& norms, std::size_t count) {
    norms.reserve(count);
    for (std::size_t i = 0; i < count; ++i) norms.emplace_back(spec_.width);
  };
  add_norms(block_norms_, first_policy_);
  add_norms(policy_norms_, spec_.policy_layers);
  add_norms(value_norms_, spec_.value_layers);

  // The second Linear of a block adds to the residual stream.
  for (std::size_t i = 0; i < first_policy_; ++i) {
    add_layer(spec_.width, i % 2 == 0 ? Into::kReplace : Into::kAdd);
  }
  for (std::size_t i = 0; i < spec_.policy_layers; ++i) add_layer(spec_.width, Into::kReplace);
  add_layer(spec_.policy_logits, Into::kReplace);
  for (std::size_t i = 0; i < spec_.value_layers; ++i) add_layer(spec_.width, Into::kReplace);

  if (!exact) {
    for (std::size_t rows = 1; rows < max_rows; rows *= 2) add_rung(rows);
  }
  add_rung(max_rows);
  load(network);
}

void OneDnnEvaluator::add_layer(std::size_t outputs, Into into) {
  layers_.push_back({outputs, into, AlignedFloats(padded(outputs)), {}});
}

void OneDnnEvaluator::add_rung(std::size_t rows) {
  Rung rung{rows, {}};
  float *trunk = trunk_.data(), *hidden = hidden_.data(), *scratch = scratch_.data();
  for (std::size_t i = 0; i < first_policy_; ++i) {
    rung.steps.push_back(make_step(layers_[i], rows, hidden, i % 2 == 0 ? scratch : trunk));
  }
  // A head alternates between the two buffers, so that nobody writes to the trunk; as in run_head.
  const auto add_head = [&](std::size_t first, std::size_t count) {
    float *in = trunk, *out = hidden, *next = scratch;
    for (std::size_t i = 0; i < count; ++i) {
      rung.steps.push_back(make_step(layers_[first + i], rows, in, out));
      in = out;
      std::swap(out, next);
    }
    return in;
  };
  float* policy = add_head(first_policy_, spec_.policy_layers);
  rung.steps.push_back(make_step(layers_[policy_out_], rows, policy, logits_.data()));
  add_head(first_value_, spec_.value_layers);
  rungs_.push_back(std::move(rung));
}

OneDnnEvaluator::Step OneDnnEvaluator::make_step(Layer& layer, std::size_t rows, float* in,
                                                 float* out) {
  Step step{make_onednn_product(engine_, rows, stride_, padded(layer.outputs), layer.into), {}, {}};
  const OneDnnProduct& product = step.product;
  step.memories = {dnnl::memory(product.in, engine_, in), packed_for(layer, product),
                   dnnl::memory(product.bias, engine_, layer.bias.data()),
                   dnnl::memory(product.out, engine_, out)};
  step.arguments = {dnnl_exec_arg_t{DNNL_ARG_SRC, step.memories[0].get()},
                    dnnl_exec_arg_t{DNNL_ARG_WEIGHTS, step.memories[1].get()},
                    dnnl_exec_arg_t{DNNL_ARG_BIAS, step.memories[2].get()},
                    dnnl_exec_arg_t{DNNL_ARG_DST, step.memories[3].get()}};
  return step;
}

const dnnl::memory& OneDnnEvaluator::packed_for(Layer& layer, const OneDnnProduct& product) {
  for (const PackedWeights& version : layer.versions) {
    if (version.memory.get_desc() == product.weights) return version.memory;
  }
  const dnnl::memory staging(product.plain_weights, engine_, staging_.data());
  const dnnl::memory memory(product.weights, engine_);
  layer.versions.push_back({memory, dnnl::reorder(staging, memory), staging});
  return layer.versions.back().memory;
}

void OneDnnEvaluator::load_layer(Layer& layer, const LinearView& linear) {
  // Only the policy's output is not read by a norm.
  const bool is_output = &layer == &layers_[policy_out_];
  means_.measure(linear, is_output ? Centre::kNo : Centre::kYes);
  std::fill_n(staging_.data(), staging_.size(), 0.0f);
  for (std::size_t output = 0; output < linear.outputs; ++output) {
    for (std::size_t input = 0; input < linear.inputs; ++input) {
      staging_[output * stride_ + input] = means_.weight(linear, output, input);
    }
    layer.bias[output] = means_.bias(linear, output);
  }
  for (PackedWeights& version : layer.versions) {
    const std::array<dnnl_exec_arg_t, 2> arguments = {
        dnnl_exec_arg_t{DNNL_ARG_FROM, version.staging.get()},
        dnnl_exec_arg_t{DNNL_ARG_TO, version.memory.get()}};
    dnnl_primitive_execute(version.reorder.get(), stream_.get(), 2, arguments.data());
  }
}

void OneDnnEvaluator::load(const Network& network) {
  assert(network.spec() == spec_);
  const OneThread one_thread;
  const std::size_t width = spec_.width;
  ParameterCursor at(network.parameters());
  const auto load_head = [&](std::size_t first, std::vector<PackedNorm>& norms) {
    for (std::size_t i = 0; i < norms.size(); ++i) {
      load_layer(layers_[first + i], at.linear(width, width));
      norms[i].load(at.norm(width));
    }
  };

  const LinearView input = at.linear(spec_.features, width);
  ends_.load_input(input, at.norm(width), means_);
  for (std::size_t i = 0; i < first_policy_; ++i) {
    block_norms_[i].load(at.norm(width));
    load_layer(layers_[i], at.linear(width, width));
  }
  trunk_norm_.load(at.norm(width));
  load_head(first_policy_, policy_norms_);
  const LinearView logits = at.linear(width, spec_.policy_logits);
  ends_.load_policy_out(logits);
  load_layer(layers_[policy_out_], logits);
  load_head(first_value_, value_norms_);
  ends_.load_value_out(at.linear(width, spec_.outcomes));
  assert(at.done());
}

void OneDnnEvaluator::run(const Rung& rung, std::size_t layer) {
  const Step& step = rung.steps[layer];
  // Cannot fail: every argument was checked when the product was compiled and bound.
  dnnl_primitive_execute(step.product.primitive.get(), stream_.get(),
                         static_cast<int>(step.arguments.size()), step.arguments.data());
}

void OneDnnEvaluator::normalise(const PackedNorm& norm, const float* in, float* out,
                                std::size_t rows) {
  kernels_.sum_squares(in, stride_, squares_.data(), rows);
  kernels_.norm_relu({in, out, stride_, spec_.width, squares_.data(), norm.scale(), norm.shift()},
                     rows);
}

const float* OneDnnEvaluator::run_head(const Rung& rung, std::size_t layer,
                                       const std::vector<PackedNorm>& norms, std::size_t rows) {
  const float* in = trunk_.data();
  float *out = hidden_.data(), *next = scratch_.data();
  for (const PackedNorm& norm : norms) {
    run(rung, layer++);
    normalise(norm, out, out, rows);
    in = out;
    std::swap(out, next);
  }
  return in;
}

void OneDnnEvaluator::forward(const Batch& batch) {
  const std::size_t rows = batch.size();
  if (rows == 0) return;
  assert(rows <= max_rows_);
  const OneThread one_thread;
  const Rung& rung = *std::ranges::lower_bound(rungs_, rows, {}, &Rung::rows);
  float *trunk = trunk_.data(), *hidden = hidden_.data(), *scratch = scratch_.data();

  ends_.run_input(batch, 0, rows, trunk, squares_.data(), ends_scratch_);
  // The rung's rows beyond the batch are computed too: without this the residual stream there would
  // grow from one pass to the next.
  std::fill(trunk + rows * stride_, trunk + rung.rows * stride_, 0.0f);
  for (std::size_t i = 0; i < block_norms_.size(); i += 2) {
    normalise(block_norms_[i], trunk, hidden, rows);
    run(rung, i);
    normalise(block_norms_[i + 1], scratch, hidden, rows);
    run(rung, i + 1);
  }
  normalise(trunk_norm_, trunk, trunk, rows);

  const float* policy = run_head(rung, first_policy_, policy_norms_, rows);
  bool have_all = false;
  ends_.answer_policy(batch, 0, rows, policy, [&](std::size_t row, std::size_t) {
    if (!have_all) run(rung, policy_out_);
    have_all = true;
    return logits_.data() + row * padded(spec_.policy_logits);
  });
  ends_.answer_value(batch, 0, rows, run_head(rung, first_value_, value_norms_, rows),
                     ends_scratch_);
}

}  // namespace senet
