// Where the gradients of values lie while a backward pass goes through the layers of a plan.
#pragma once

#include <cstddef>
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

  GradientPlan(const LayerPlan& plan, const GradientRules& rules);

  std::vector<Place> layers;
  std::size_t d_fork = kNone, d_policy_fork = kNone;  // the second only if the policy is apart
  std::size_t buffers = 0;                            // each for plan.widest() values a row

 private:
  void place(const LayerPlan& plan, const GradientRules& rules, std::size_t begin, std::size_t end,
             std::vector<std::size_t>& gradients, SharedBuffers& shared);
};

}  // namespace senet
