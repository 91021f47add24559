// Assigns buffers to the gradients of values, for the backward pass through the layers of a plan.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "nn/layer_plan.hpp"

namespace senet {

struct GradientRules {
  /// An activation overwrites the gradient of its output with that of its input. Otherwise these
  /// have separate buffers, and a Linear's output has one only if the Linear adds a residual: the
  /// activation that reads a plain Linear stores that gradient elsewhere.
  bool activations_in_place;
  /// The policy's layers read a copy of some of the fork's rows, which has its own gradient.
  bool policy_apart;
  /// The outcomes' layers run in parallel with the policy's: they share no buffer except the
  /// fork's.
  bool outcomes_in_parallel;
};

/// The backward pass runs through the outcomes' layers, then the policy's, then those before the
/// fork, each from the last layer to the first.
struct GradientPlan {
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Buffer numbers. Gradients of outputs are not part of the plan. The gradient of a layer's
  /// `added` value is that of its output.
  struct Place {
    std::size_t d_in = kNone, d_out = kNone;
    bool add = false;  // layers processed earlier left a part in d_in
  };

  GradientPlan(const LayerPlan& plan, const GradientRules& rules) : layers(plan.layers.size()) {
    assert(plan.is_sound());
    std::vector<std::size_t> gradients(plan.layers.size() + 1, kNone);  // of values
    SharedBuffers shared;
    place(plan, rules, plan.policy, plan.outcomes, gradients, shared);
    d_fork = gradients[plan.fork];
    // Take all free buffers, so that none is reused while the outcomes' layers may be running.
    for (std::size_t left = shared.count(); rules.outcomes_in_parallel && left > 1; --left)
      shared.take();
    const bool policy_apart = rules.policy_apart && plan.has_policy();
    if (policy_apart) gradients[plan.fork] = kNone;
    place(plan, rules, plan.fork, plan.policy, gradients, shared);
    if (policy_apart) {
      d_policy_fork = std::exchange(gradients[plan.fork], d_fork);
      shared.give_back(d_policy_fork);
    }
    place(plan, rules, 0, plan.fork, gradients, shared);
    buffers = shared.count();
  }

  std::vector<Place> layers;
  std::size_t d_fork = kNone;
  std::size_t d_policy_fork = kNone;  // only if policy_apart, and there is a policy
  std::size_t buffers = 0;            // each for plan.widest() values per row

 private:
  void place(const LayerPlan& plan, const GradientRules& rules, std::size_t begin, std::size_t end,
             std::vector<std::size_t>& gradients, SharedBuffers& shared) {
    for (std::size_t i = end; i-- > begin;) {
      const Layer& layer = plan.layers[i];
      const std::size_t d_out = gradients[layer.out];
      const bool activates = is_activation(layer.kind);
      bool is_over = d_out != kNone;  // nothing else needs d_out
      layers[i].d_out = d_out;
      if (layer.in != kFeatures) {
        std::size_t& d_in = gradients[layer.in];
        const Layer& before = plan.layers[layer.in - 1];
        const bool is_plain = before.kind == LayerKind::kLinear && before.added == kNoValue;
        layers[i].add = d_in != kNone;
        if (d_in == kNone && activates && rules.activations_in_place) {
          d_in = d_out;
          is_over = false;
        } else if (d_in == kNone && !(activates && is_plain)) {
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
