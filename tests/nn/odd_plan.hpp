// A network that no specification describes: interpreters of plans must not rely on blocks and
// towers.
#pragma once

#include "nn/layer_plan.hpp"

namespace senet {

/// Changing widths, consecutive norms, and sums: of a single Linear, on a norm's result and on a
/// Linear's, before the fork and in both branches.
inline LayerPlan odd_plan() {
  LayerPlan plan(20);
  std::size_t x = plan.norm("norm1", plan.linear("linear1", kFeatures, 24));
  x = plan.linear("linear2", plan.norm("norm2", x), 24, x);
  x = plan.norm("norm5", plan.norm("norm4", plan.norm("norm3", x)));
  plan.fork = plan.norm("norm6", plan.linear("linear3", x, 40));

  std::size_t y = plan.linear("policy.linear1", plan.fork, 10);
  y = plan.linear("policy.linear2", plan.norm("policy.norm1", y), 10, y);
  plan.policy = plan.linear("policy.linear3", plan.norm("policy.norm2", y), 9);

  std::size_t z = plan.linear("value.linear1", plan.fork, 33);
  z = plan.linear("value.linear2", plan.norm("value.norm1", z), 33, z);
  z = plan.linear("value.linear3", plan.norm("value.norm2", z), 5);
  z = plan.linear("value.linear4", plan.norm("value.norm3", z), 17);
  plan.outcomes = plan.linear("value.linear5", plan.norm("value.norm4", z), 3);
  return plan;
}

}  // namespace senet
