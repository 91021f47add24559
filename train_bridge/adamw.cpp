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
    const AlignedVector<float>& values = state.*tensor;
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
    : settings_(settings), state_(initial_state(weights)) {
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
  assert(gradient.size() == state_.weights.size());
  const AdamStep<float> step =
      AdamStep<float>::at(settings_, ++state_.steps, gradient_norm, 1, learning_rate);
  const Parameters parameters{gradient.data(), state_.weights.data(), state_.ema.data(),
                              state_.first_moment.data(), state_.second_moment.data()};
  team.run([&](std::size_t member) {
    const Share mine = team.share(gradient.size(), kLineBytes / sizeof(float), member);
    for (const Range& range : ranges_) {
      const std::size_t begin = std::max(range.begin, mine.begin);
      const std::size_t end = std::min(range.end, mine.end);
      if (begin >= end) continue;
      update(parameters, begin, end, step, range.decays ? step.decayed : 1.0f);
    }
  });
}

Result<void> AdamW::restore(const TrainerState& state) {
  auto fits = check_state(state, state_.weights.size());
  if (fits) state_ = state;
  return fits;
}

}  // namespace senet
