// The shape of a network, the order of its parameters, initial weights and their id.
#include "nn/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace senet {
namespace {

NetworkSpec backgammon_shape() {
  NetworkSpec spec;
  spec.game = "backgammon";
  spec.features = 344;
  spec.policy_logits = 676;
  spec.outcomes = 6;
  return spec;
}

const TensorPlace& place_of(const std::vector<TensorPlace>& layout, std::string_view name) {
  const auto found = std::ranges::find(layout, name, &TensorPlace::name);
  EXPECT_NE(found, layout.end()) << name;
  return *found;
}

TEST(NetworkSpec, ReferenceShapeHasItsSize) {
  const NetworkSpec spec = backgammon_shape();
  EXPECT_EQ(parameter_count(spec), 283562u);
  EXPECT_NEAR(dense_flop(spec), 0.557e6, 0.01e6);
  NetworkSpec narrow = spec;
  narrow.features = 330;
  EXPECT_EQ(parameter_count(narrow), 281770u);
  EXPECT_DOUBLE_EQ(dense_flop(spec), 557568.0);
}

TEST(NetworkSpec, LayoutIsPackedAndNamed) {
  for (const std::uint32_t blocks : {0u, 1u, 3u}) {
    for (const std::uint32_t policy_layers : {0u, 2u}) {
      NetworkSpec spec = backgammon_shape();
      spec.blocks = blocks;
      spec.policy_layers = policy_layers;
      const std::vector<TensorPlace> layout = parameter_layout(spec);
      std::size_t offset = 0;
      for (const TensorPlace& place : layout) {
        EXPECT_EQ(place.offset, offset) << place.name;
        offset += place.size();
      }
      EXPECT_EQ(offset, parameter_count(spec));
      EXPECT_EQ(layout.size(), 4 + 8 * blocks + 2 + 4 * policy_layers + 2 + 4 + 2);
    }
  }
  const std::vector<TensorPlace> layout = parameter_layout(backgammon_shape());
  EXPECT_EQ(layout.front().name, "input.linear.weight");
  EXPECT_EQ(layout.back().name, "value.out.bias");
  const TensorPlace& input = place_of(layout, "input.linear.weight");
  EXPECT_EQ(input.rows, 128u);
  EXPECT_EQ(input.columns, 344u);
  EXPECT_TRUE(input.decays);
  const TensorPlace& scale = place_of(layout, "block.2.norm2.weight");
  EXPECT_EQ(scale.rows, 1u);
  EXPECT_EQ(scale.columns, 128u);
  EXPECT_FALSE(scale.decays);
  EXPECT_EQ(place_of(layout, "policy.out.bias").columns, 676u);
  EXPECT_LT(place_of(layout, "policy.1.norm.bias").offset,
            place_of(layout, "value.0.linear.weight").offset);
}

TEST(NetworkSpec, ChecksItsRanges) {
  EXPECT_TRUE(check_spec(backgammon_shape()).has_value());
  const auto reason = [](auto change) {
    NetworkSpec spec = backgammon_shape();
    change(spec);
    const Result<void> checked = check_spec(spec);
    return checked ? std::string() : checked.error().reason();
  };
  EXPECT_NE(reason([](NetworkSpec& s) { s.features = 0; }).find("features"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.features = 70000; }).find("features"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.width = 0; }).find("width"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.outcomes = 256; }).find("outcomes"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.blocks = 1u << 31; }).find("blocks"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.game.clear(); }).find("game"), std::string::npos);
  EXPECT_NE(reason([](NetworkSpec& s) { s.game = "two words"; }).find("game"), std::string::npos);
}

TEST(NetworkSpec, ContractNamesTheDifference) {
  const NetworkSpec wanted = backgammon_shape();
  NetworkSpec spec = wanted;
  spec.width = 32;  // not part of the game
  EXPECT_TRUE(check_contract(spec, wanted).has_value());
  spec.features = 7;
  EXPECT_NE(check_contract(spec, wanted).error().reason().find("7 features"), std::string::npos);
  spec = wanted;
  spec.game = "othello";
  EXPECT_NE(check_contract(spec, wanted).error().reason().find("othello"), std::string::npos);
  spec = wanted;
  spec.outcomes = 3;
  EXPECT_NE(check_contract(spec, wanted).error().reason().find("outcomes"), std::string::npos);
}

TEST(InitialNetwork, HasTheStatedSpread) {
  const Network network = initial_network(backgammon_shape(), 42);
  for (const TensorPlace& place : parameter_layout(network.spec())) {
    SCOPED_TRACE(place.name);
    const std::span<const float> values = network.parameters().subspan(place.offset, place.size());
    if (!place.decays) {
      const bool scale = place.name.find("norm.weight") != std::string::npos ||
                         place.name.find("norm1.weight") != std::string::npos ||
                         place.name.find("norm2.weight") != std::string::npos;
      for (const float value : values) ASSERT_EQ(value, scale ? 1.0f : 0.0f);
      continue;
    }
    double mean = 0, square = 0;
    for (const float value : values) mean += value;
    mean /= static_cast<double>(values.size());
    for (const float value : values) square += (value - mean) * (value - mean);
    const double deviation = std::sqrt(square / static_cast<double>(values.size()));
    const bool small = place.name.ends_with("linear2.weight") || place.name.ends_with("out.weight");
    const double wanted = (small ? 0.1 : 1.0) * std::sqrt(2.0 / place.columns);
    // Five standard errors of each estimate.
    const double error = 5.0 / std::sqrt(static_cast<double>(values.size()));
    EXPECT_NEAR(mean / wanted, 0.0, error);
    EXPECT_NEAR(deviation / wanted, 1.0, error);
  }
}

TEST(NetworkId, DependsOnEveryParameterAndTheSpec) {
  NetworkSpec spec = backgammon_shape();
  const Network network = initial_network(spec, 1);
  EXPECT_EQ(network.id(), initial_network(spec, 1).id());
  EXPECT_NE(network.id(), initial_network(spec, 2).id());
  std::vector<float> parameters(network.parameters().begin(), network.parameters().end());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1000}, parameters.size() - 1}) {
    std::vector<float> changed = parameters;
    changed[i] = std::nextafter(changed[i], 10.0f);
    EXPECT_NE(Network(spec, std::move(changed)).id(), network.id());
  }
  spec.game = "hypergammon";
  EXPECT_NE(Network(spec, std::move(parameters)).id(), network.id());
}

TEST(NetworkId, IsTheSameOnEveryMachine) {
  // Run folders and records identify weights by this id: a change here invalidates them all.
  EXPECT_EQ(id_text(initial_network(backgammon_shape(), 1).id()), "99695939a6756031");
  EXPECT_EQ(id_text(0x1fu), "000000000000001f");
}

TEST(Network, MovesWithItsContent) {
  Network first = initial_network(backgammon_shape(), 1);
  const std::uint64_t id = first.id();
  const float* where = first.parameters().data();
  Network second = std::move(first);
  EXPECT_EQ(second.id(), id);
  EXPECT_EQ(second.parameters().data(), where);
}

}  // namespace
}  // namespace senet
