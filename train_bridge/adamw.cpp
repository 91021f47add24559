#include "train_bridge/adamw.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "games/multiversion.hpp"
#include "train_bridge/device/optimizer_bodies.hpp"
#include "train_bridge/row_kernels.hpp"

namespace senet {
namespace {

struct Parameters {
  const float* gradient;
  float *weight, *average, *first, *second;
};

SENET_MULTIVERSION void update(const Parameters& all, std::size_t begin, std::size_t end,
                               const AdamStep<float>& factors, float keep) {
  const Parameters p = all;
  const AdamStep<float> step = factors;
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) {
    step.update(p.gradient[i], keep, p.weight[i], p.average[i], p.first[i], p.second[i]);
  }
}

}  // namespace

Result<void> check_state(const TrainerState& state, std::size_t parameters) {
  for (const auto& [name, tensor] : kStateTensors) {
    const std::vector<float>& values = state.*tensor;
    if (values.size() != parameters) {
      return fail(fmt::format("trainer state: {} has {} values, the network has {}", name,
                              values.size(), parameters));
    }
    if (!std::isfinite(sum_of_squares(values))) {
      return fail(fmt::format("trainer state: {} has a value that is not finite", name));
    }
  }
  return {};
}

AdamW::AdamW(const NetworkSpec& spec, std::span<const float> weights,
             const TrainerSettings& settings)
    : settings_(settings),
      weights_(weights.begin(), weights.end()),
      average_(weights.begin(), weights.end()),
      first_moment_(weights.size()),
      second_moment_(weights.size()) {
  for (const TensorPlace& place : parameter_layout(spec)) {
    const std::size_t end = place.offset + place.size();
    if (!ranges_.empty() && ranges_.back().decays == place.decays) {
      ranges_.back().end = end;
    } else {
      ranges_.push_back({place.offset, end, place.decays});
    }
  }
  assert(weights.size() == ranges_.back().end);
}

void AdamW::step(std::span<const float> gradient, double gradient_norm, float learning_rate,
                 ThreadTeam& team) {
  assert(gradient.size() == weights_.size());
  const AdamStep<float> step =
      AdamStep<float>::at(settings_, ++steps_, gradient_norm, 1, learning_rate);
  const Parameters parameters{gradient.data(), weights_.data(), average_.data(),
                              first_moment_.data(), second_moment_.data()};
  team.run([&](std::size_t member) {
    const Share mine = team.share(weights_.size(), kLineBytes / sizeof(float), member);
    for (const Range& range : ranges_) {
      const std::size_t begin = std::max(range.begin, mine.begin);
      const std::size_t end = std::min(range.end, mine.end);
      if (begin >= end) continue;
      update(parameters, begin, end, step, range.decays ? step.decayed : 1.0f);
    }
  });
}

TrainerState AdamW::state() const {
  TrainerState state;
  for (std::size_t i = 0; i < kTensors.size(); ++i) {
    const AlignedVector<float>& from = this->*kTensors[i];
    (state.*kStateTensors[i].values).assign(from.begin(), from.end());
  }
  state.steps = steps_;
  return state;
}

Result<void> AdamW::restore(const TrainerState& state) {
  if (auto checked = check_state(state, weights_.size()); !checked) return checked;
  for (std::size_t i = 0; i < kTensors.size(); ++i) {
    const std::vector<float>& from = state.*kStateTensors[i].values;
    std::copy(from.begin(), from.end(), (this->*kTensors[i]).begin());
  }
  steps_ = state.steps;
  return {};
}

}  // namespace senet
