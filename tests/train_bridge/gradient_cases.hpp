// Small networks and batches for comparing gradients: with finite differences, and between
// trainers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/network_spec.hpp"
#include "tests/train_bridge/sample_batch.hpp"

namespace senet {

struct GradientCase {
  std::string name;
  NetworkSpec spec;
  SampleShape samples;
};

inline NetworkSpec small_spec(std::uint32_t width, std::uint32_t blocks,
                              std::uint32_t policy_layers, std::uint32_t value_layers) {
  return {.game = "test",
          .features = 11,
          .policy_logits = 9,
          .outcomes = 3,
          .width = width,
          .blocks = blocks,
          .policy_layers = policy_layers,
          .value_layers = value_layers};
}

inline std::vector<GradientCase> gradient_cases() {
  NetworkSpec six_outcomes = small_spec(16, 1, 1, 2);
  six_outcomes.outcomes = 6;
  NetworkSpec beyond_a_warp = small_spec(45, 0, 1, 0);
  beyond_a_warp.policy_logits = 70;
  beyond_a_warp.outcomes = 35;
  NetworkSpec plain = small_spec(12, 0, 1, 2);
  plain.norm = false;
  plain.value_width = 5;
  NetworkSpec plain_blocks = small_spec(9, 2, 0, 0);
  plain_blocks.norm = false;
  NetworkSpec value_only = small_spec(11, 1, 2, 1);
  value_only.policy_head = false;
  NetworkSpec plain_value_only = plain;
  plain_value_only.policy_head = false;
  NetworkSpec dueling = small_spec(8, 1, 1, 1);
  dueling.dueling = true;
  NetworkSpec plain_dueling = plain;
  plain_dueling.policy_layers = 0;
  plain_dueling.dueling = true;
  NetworkSpec wide_dueling = beyond_a_warp;
  wide_dueling.policy_logits = 3;
  wide_dueling.dueling = true;
  return {
      {"two_blocks", small_spec(8, 2, 2, 1), {}},
      {"no_blocks_no_towers", small_spec(7, 0, 0, 0), {.logits_per_action = 2}},
      {"odd_width_shared_logits", small_spec(13, 1, 1, 0), {.legal = 9, .logits_per_action = 4}},
      {"rows_without_policy",
       small_spec(8, 1, 2, 1),
       {.logits_per_action = 2, .without_policy = 3}},
      {"six_outcomes", six_outcomes, {.rows = 9, .active = 11, .without_policy = 2}},
      {"no_policy_at_all", small_spec(8, 1, 1, 1), {.rows = 5, .without_policy = 1}},
      {"plain", plain, {.logits_per_action = 2, .without_policy = 3}},
      {"plain_blocks", plain_blocks, {}},
      {"value_only", value_only, {.rows = 6, .without_policy = 1}},
      {"plain_value_only", plain_value_only, {.rows = 7, .without_policy = 1}},
      {"dueling", dueling, {}},
      {"dueling_shared_logits",
       dueling,
       {.rows = 9, .legal = 6, .logits_per_action = 3, .without_policy = 3}},
      {"plain_dueling", plain_dueling, {.logits_per_action = 2, .without_policy = 2}},
      {"dueling_beyond_a_warp", wide_dueling, {.rows = 5, .legal = 36, .logits_per_action = 2}},
      // More of everything than the lanes of a warp.
      {"beyond_a_warp", beyond_a_warp, {.rows = 40, .legal = 36, .logits_per_action = 2}},
  };
}

}  // namespace senet
