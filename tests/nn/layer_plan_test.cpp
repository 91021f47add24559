// The plan of a network's layers: the plan of a specification, the guarantees for interpreters, and
// that interpreters need nothing else.
#include "nn/layer_plan.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <string>

#include "nn/onednn_evaluator.hpp"
#include "nn/own_evaluators.hpp"
#include "tests/nn/odd_plan.hpp"
#include "tests/nn/random_rows.hpp"
#include "tests/repository.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

NetworkSpec spec_of(std::uint32_t blocks, std::uint32_t policy_layers, std::uint32_t value_layers) {
  NetworkSpec spec;
  spec.game = "test";
  spec.features = 5;
  spec.policy_logits = 7;
  spec.outcomes = 3;
  spec.width = 4;
  spec.blocks = blocks;
  spec.policy_layers = policy_layers;
  spec.value_layers = value_layers;
  return spec;
}

/// One line per layer: the value that it writes, its tensor's name without the suffix, the values
/// that it reads.
std::string listing_of(const LayerPlan& plan) {
  std::string text;
  for (const Layer& layer : plan.layers) {
    text += std::to_string(layer.out) + " = ";
    if (layer.kind == LayerKind::kRelu) {
      text += "relu";
    } else {
      const std::string& tensor = plan.tensors[layer.tensor].name;
      const bool is_norm = layer.kind == LayerKind::kNormRelu;
      text += (is_norm ? "norm " : "linear ") + tensor.substr(0, tensor.rfind('.'));
    }
    text += "(" + std::to_string(layer.in) + ")";
    if (layer.added != kNoValue) text += " + " + std::to_string(layer.added);
    text += ": " + std::to_string(layer.inputs) + " -> " + std::to_string(layer.outputs) + "\n";
  }
  return text + "fork " + std::to_string(plan.fork) + ", policy " + std::to_string(plan.policy) +
         ", outcomes " + std::to_string(plan.outcomes) + "\n";
}

TEST(LayerPlan, OfASpecification) {
  EXPECT_EQ(listing_of(spec_of(2, 1, 0)),
            "1 = linear input.linear(0): 5 -> 4\n"
            "2 = norm input.norm(1): 4 -> 4\n"
            "3 = norm block.0.norm1(2): 4 -> 4\n"
            "4 = linear block.0.linear1(3): 4 -> 4\n"
            "5 = norm block.0.norm2(4): 4 -> 4\n"
            "6 = linear block.0.linear2(5) + 2: 4 -> 4\n"
            "7 = norm block.1.norm1(6): 4 -> 4\n"
            "8 = linear block.1.linear1(7): 4 -> 4\n"
            "9 = norm block.1.norm2(8): 4 -> 4\n"
            "10 = linear block.1.linear2(9) + 6: 4 -> 4\n"
            "11 = norm trunk.norm(10): 4 -> 4\n"
            "12 = linear policy.0.linear(11): 4 -> 4\n"
            "13 = norm policy.0.norm(12): 4 -> 4\n"
            "14 = linear policy.out(13): 4 -> 7\n"
            "15 = linear value.out(11): 4 -> 3\n"
            "fork 11, policy 14, outcomes 15\n");
}

TEST(LayerPlan, WithoutNormsAndPolicy) {
  NetworkSpec spec = spec_of(0, 2, 1);
  spec.norm = false;
  spec.policy_head = false;
  spec.value_width = 6;
  EXPECT_EQ(listing_of(spec),
            "1 = linear input.linear(0): 5 -> 4\n"
            "2 = relu(1): 4 -> 4\n"
            "3 = linear value.0.linear(2): 4 -> 6\n"
            "4 = relu(3): 6 -> 6\n"
            "5 = linear value.out(4): 6 -> 3\n"
            "fork 2, policy 2, outcomes 5\n");
  const LayerPlan plan = spec;
  EXPECT_FALSE(plan.has_policy());
  EXPECT_EQ(plan.policy_logits(), 0u);
  EXPECT_FALSE(plan.is_output(2));
  EXPECT_EQ(plan.parameters, 5u * 4 + 4 + 4 * 6 + 6 + 6 * 3 + 3);
}

std::vector<LayerPlan> plans() {
  std::vector<LayerPlan> plans{odd_plan()};
  for (const std::uint32_t blocks : {0u, 1u, 3u}) {
    for (const std::uint32_t policy_layers : {0u, 1u, 2u}) {
      for (const std::uint32_t value_layers : {0u, 2u}) {
        for (const bool norm : {true, false}) {
          for (const bool policy_head : {true, false}) {
            NetworkSpec spec = spec_of(blocks, policy_layers, value_layers);
            spec.norm = norm;
            spec.policy_head = policy_head;
            plans.push_back(spec);
          }
        }
      }
    }
  }
  return plans;
}

TEST(LayerPlan, TensorsTileTheBlock) {
  for (const LayerPlan& plan : plans()) {
    std::size_t offset = 0;
    for (const TensorPlace& tensor : plan.tensors) {
      EXPECT_EQ(tensor.offset, offset) << tensor.name;
      offset += tensor.size();
    }
    EXPECT_EQ(plan.parameters, offset);
    std::vector<float> block(offset);
    for (const Layer& layer : plan.layers) {
      if (layer.kind == LayerKind::kRelu) continue;  // has no tensors
      const TensorPlace &weight = plan.tensors[layer.tensor], &bias = (&weight)[1];
      const LayerParameters parameters(layer, block);
      EXPECT_EQ(parameters.weight.data(), &block[weight.offset]) << weight.name;
      EXPECT_EQ(parameters.weight.size(), weight.size()) << weight.name;
      EXPECT_EQ(parameters.bias.data(), &block[bias.offset]) << bias.name;
      EXPECT_EQ(parameters.bias.size(), bias.size()) << bias.name;
    }
  }
}

TEST(LayerPlan, HasMoreLayersThanTheLeast) {
  for (const NetworkSpec& spec : {spec_of(0, 0, 0), spec_of(4, 0, 0), spec_of(0, 9, 9)}) {
    EXPECT_GT(LayerPlan(spec).layers.size(), LayerPlan::layers_at_least(spec));
  }
}

TEST(LayerPlan, IsSound) {
  for (const LayerPlan& plan : plans()) EXPECT_TRUE(plan.is_sound()) << listing_of(plan);
}

// Each of these breaks a guarantee that some interpreter relies on.
TEST(LayerPlan, SeesWhatIsNotSound) {
  const std::vector<std::pair<const char*, std::function<void(LayerPlan&)>>> faults = {
      {"no fork", [](LayerPlan& plan) { plan.fork = kNoValue; }},
      {"a layer that leads nowhere", [](LayerPlan& plan) { plan.linear("more", plan.fork, 4); }},
      {"a branch reads another's", [](LayerPlan& plan) { plan.layers[14].in = 13; }},
      {"a branch reads what is before the fork", [](LayerPlan& plan) { plan.layers[14].in = 5; }},
      {"features read twice", [](LayerPlan& plan) { plan.layers[14].in = kFeatures; }},
      {"a value read before it is written", [](LayerPlan& plan) { plan.layers[3].in = 9; }},
      {"a Linear after a Linear", [](LayerPlan& plan) { plan.layers[7].in = 6; }},
      {"a norm that does not follow", [](LayerPlan& plan) { plan.layers[4].in = 2; }},
      {"two sums on one value", [](LayerPlan& plan) { plan.layers[3].added = 2; }},
      {"a sum on what no norm reads", [](LayerPlan& plan) { plan.layers[9].added = 9; }},
      {"a sum of an output", [](LayerPlan& plan) { plan.layers[14].added = 11; }},
      {"a norm as an output", [](LayerPlan& plan) { plan.policy = 13; }},
      {"a sum that is read by another activation than what it adds to",
       [](LayerPlan& plan) { plan.layers[6].kind = LayerKind::kRelu; }}};
  ASSERT_TRUE(LayerPlan(spec_of(2, 1, 0)).is_sound());
  for (const auto& [name, add_to] : faults) {
    LayerPlan plan = spec_of(2, 1, 0);
    add_to(plan);
    EXPECT_FALSE(plan.is_sound()) << name;
  }
}

// Evaluators depend on nothing but the plan, so they run any sound one.
TEST(LayerPlan, EvaluatorsRunAnyPlan) {
  constexpr std::size_t kRows = 60;
  const LayerPlan plan = odd_plan();
  NetworkSpec ends;  // for the rows
  ends.features = plan.features;
  ends.policy_logits = plan.size_of(plan.policy);
  ends.outcomes = plan.size_of(plan.outcomes);
  Random random(1, 0, 0, Purpose::kTest);
  std::vector<float> parameters(plan.parameters);
  for (float& parameter : parameters) parameter = random.uniform() - 0.4f;
  std::vector<Question> questions;
  for (std::size_t row = 0; row < kRows; ++row) {
    questions.push_back(random_question(ends, row % 20, row % 3 == 0 ? 9 : 2, random));
  }
  const auto answers_of = [&](const auto& forward) {
    Asked asked(ends, questions);
    forward(asked.batch());
    return asked.answers();
  };
  ReferenceEvaluator reference(plan, parameters);
  const Answers expected = answers_of([&](Batch& batch) { reference.forward(batch); });
  const auto expect_close = [&](const Answers& answers) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < expected.outcomes[row].size(); ++i) {
        ASSERT_NEAR(answers.outcomes[row][i], expected.outcomes[row][i], 1e-4) << row;
      }
      for (std::size_t i = 0; i < expected.logits[row].size(); ++i) {
        ASSERT_NEAR(answers.logits[row][i], expected.logits[row][i], 1e-4) << row;
      }
    }
  };
  EvaluatorScratch scratch(plan);
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    SCOPED_TRACE(kernels->name);
    const PackedNetwork packed(plan, parameters, *kernels);
    expect_close(answers_of([&](Batch& batch) { packed.forward(batch, 0, kRows, scratch); }));
  }
  SCOPED_TRACE("onednn");
  const auto onednn = OneDnnEvaluator::make(plan, 100, false);
  ASSERT_TRUE(onednn.has_value());
  (*onednn)->load(parameters);
  expect_close(answers_of([&](Batch& batch) { (*onednn)->forward(batch); }));
}

// A block of rows uses as few buffers as its layers allow, because caches are small.
TEST(LayerPlan, RowsShareBuffers) {
  EXPECT_EQ(PlacedPlan(spec_of(0, 0, 0)).buffers.count(), 1u);
  EXPECT_EQ(PlacedPlan(spec_of(9, 2, 1)).buffers.count(), 3u);
  EXPECT_EQ(PlacedPlan(odd_plan()).buffers.count(), 3u);
}

// A Linear applies the ReLU behind it, unless something reads the sum before the ReLU too.
TEST(LayerPlan, LinearsApplyReLUs) {
  const auto relus = [](std::uint32_t blocks) {
    NetworkSpec spec = spec_of(blocks, 1, 1);
    spec.norm = false;
    std::pair<std::size_t, std::size_t> count;  // joined, left
    for (const PlacedLayer& layer : PlacedPlan(spec).layers) {
      count.first += layer.then == Then::kRelu;
      count.second += layer.kind == LayerKind::kRelu;
    }
    return count;
  };
  EXPECT_EQ(relus(0), std::pair(std::size_t{3}, std::size_t{0}));  // input, one in each head
  // Each block's first activation reads the stream, to which the block adds.
  EXPECT_EQ(relus(2), std::pair(std::size_t{6}, std::size_t{2}));
}

// Only the plan interprets the numbers of a specification.
TEST(LayerPlan, IsTheOnlyPlaceThatKnowsTheTopology) {
  namespace fs = std::filesystem;
  const fs::path root = repository_path("");
  const std::regex topology("(\\.|->)(blocks|policy_layers|value_layers)\\b");
  std::vector<std::string> found;
  std::size_t files = 0;
  for (const char* folder : {"nn", "train_bridge"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (!extension.ends_with("pp") && !extension.starts_with(".cu")) continue;
      ++files;
      if (std::regex_search(text_of(entry.path()), topology)) {
        found.push_back(entry.path().stem());
      }
    }
  }
  EXPECT_GT(files, 50u);
  for (const std::string& file : found) EXPECT_EQ(file, "layer_plan");
  EXPECT_EQ(found.size(), 2u);  // the header's bound, and the plan itself
}

}  // namespace
}  // namespace senet
