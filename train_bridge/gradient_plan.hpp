// Where the gradients of values lie while a backward pass goes through the layers of a plan.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "nn/layer_plan.hpp"

namespace senet {

/// How a trainer goes back.
struct GradientRules {
  /// A norm turns the gradient of what it wrote into that of what it read where it lies. Otherwise
  /// these are apart, and what a Linear wrote has no gradient here unless it is a sum: its only
  /// reader, a norm, leaves that elsewhere.
  bool norms_in_place;
  /// The policy's layers read some of the fork's rows, which have a gradient of their own.
  bool policy_apart;
  /// The outcomes' layers run beside the policy's: they share no buffer but the fork's.
  bool outcomes_beside;
};

/// The backward pass goes through the outcomes' layers, then the policy's, then those in front,
/// from the last layer to the first.
struct GradientPlan {
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Numbers of buffers. An output's gradient is no part of the plan. That of what a layer adds to
  /// is that of what it writes.
  struct Place {
    std::size_t d_in = kNone, d_out = kNone;
    bool add = false;  // layers before it, on the way back, left a part in d_in
  };

  GradientPlan(const LayerPlan& plan, const GradientRules& rules) : layers(plan.layers.size()) {
    assert(plan.is_sound());
    std::vector<std::size_t> gradients(plan.layers.size() + 1, kNone);  // of values
    SharedBuffers shared;
    place(plan, rules, plan.policy, plan.outcomes, gradients, shared);
    d_fork = gradients[plan.fork];
    // All but the fork's are free again; none of them is taken while the outcomes' layers may run.
    for (std::size_t left = shared.count(); rules.outcomes_beside && left > 1; --left)
      shared.take();
    if (rules.policy_apart) gradients[plan.fork] = kNone;
    place(plan, rules, plan.fork, plan.policy, gradients, shared);
    if (rules.policy_apart) {
      d_policy_fork = std::exchange(gradients[plan.fork], d_fork);
      shared.give_back(d_policy_fork);
    }
    place(plan, rules, 0, plan.fork, gradients, shared);
    buffers = shared.count();
  }

  std::vector<Place> layers;
  std::size_t d_fork = kNone, d_policy_fork = kNone;  // the second only if the policy is apart
  std::size_t buffers = 0;                            // each for plan.widest() values a row

 private:
  void place(const LayerPlan& plan, const GradientRules& rules, std::size_t begin, std::size_t end,
             std::vector<std::size_t>& gradients, SharedBuffers& shared) {
    for (std::size_t i = end; i-- > begin;) {
      const Layer& layer = plan.layers[i];
      const std::size_t d_out = gradients[layer.out];
      const bool is_norm = layer.kind == LayerKind::kNormRelu;
      bool is_over = d_out != kNone;  // nothing else needs d_out
      layers[i].d_out = d_out;
      if (layer.in != kFeatures) {
        std::size_t& d_in = gradients[layer.in];
        const Layer& before = plan.layers[layer.in - 1];
        const bool is_plain = before.kind == LayerKind::kLinear && before.added == kNoValue;
        layers[i].add = d_in != kNone;
        if (d_in == kNone && is_norm && rules.norms_in_place) {
          d_in = d_out;
          is_over = false;
        } else if (d_in == kNone && !(is_norm && is_plain)) {
          d_in = shared.take();
        }
        layers[i].d_in = d_in;
      }
      if (layer.added != kNoValue) {
        gradients[layer.added] = d_out;
        is_over = false;
      }
      if (is_over) shared.give_back(d_out);
    }
  }
};

}  // namespace senet
