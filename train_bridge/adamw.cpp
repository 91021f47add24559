#include "train_bridge/adamw.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>

#include "games/multiversion.hpp"
#include "train_bridge/row_kernels.hpp"

namespace senet {
namespace {

constexpr float kSmallestMoment = 1e-30f;

// The numbers of one step that are the same for many parameters.
struct StepFactors {
  float gradient_scale;  // clipping
  float beta1, beta2;
  float first_correction;   // 1 / (1 - beta1^t)
  float second_correction;  // 1 / (1 - beta2^t)
  float epsilon;
  float rate;
  float keep;          // 1 - rate * weight decay
  float average_rate;  // 1 - decay of the moving average
};

struct Parameters {
  const float* gradient;
  float* weight;
  float* average;
  float* first;
  float* second;
};

SENET_MULTIVERSION void update(const Parameters& all, std::size_t begin, std::size_t end,
                               const StepFactors& factors) {
  const Parameters p = all;
  const StepFactors f = factors;
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) {
    const float gradient = p.gradient[i] * f.gradient_scale;
    const float first = f.beta1 * p.first[i] + (1.0f - f.beta1) * gradient;
    const float second = f.beta2 * p.second[i] + (1.0f - f.beta2) * gradient * gradient;
    p.first[i] = std::fabs(first) < kSmallestMoment ? 0.0f : first;
    p.second[i] = second < kSmallestMoment ? 0.0f : second;
    const float deviation = std::sqrt(p.second[i] * f.second_correction) + f.epsilon;
    const float weight =
        f.keep * p.weight[i] - f.rate * (p.first[i] * f.first_correction) / deviation;
    p.weight[i] = weight;
    p.average[i] += f.average_rate * (weight - p.average[i]);
  }
}

}  // namespace

double ema_decay_at(float decay, std::uint64_t step) {
  const double steps = static_cast<double>(step);
  return std::min(static_cast<double>(decay), (1.0 + steps) / (10.0 + steps));
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
  ++steps_;
  const double steps = static_cast<double>(steps_);
  const double clip = static_cast<double>(settings_.gradient_clip);
  const StepFactors factors{
      .gradient_scale = gradient_norm > clip ? static_cast<float>(clip / gradient_norm) : 1.0f,
      .beta1 = settings_.beta1,
      .beta2 = settings_.beta2,
      .first_correction =
          static_cast<float>(1.0 / (1.0 - std::pow(static_cast<double>(settings_.beta1), steps))),
      .second_correction =
          static_cast<float>(1.0 / (1.0 - std::pow(static_cast<double>(settings_.beta2), steps))),
      .epsilon = settings_.epsilon,
      .rate = learning_rate,
      .keep = 1.0f,
      .average_rate = static_cast<float>(1.0 - ema_decay_at(settings_.ema_decay, steps_)),
  };
  const Parameters parameters{gradient.data(), weights_.data(), average_.data(),
                              first_moment_.data(), second_moment_.data()};
  team.run([&](std::size_t member) {
    const Share mine = team.share(weights_.size(), kLineBytes / sizeof(float), member);
    StepFactors f = factors;
    for (const Range& range : ranges_) {
      const std::size_t begin = std::max(range.begin, mine.begin);
      const std::size_t end = std::min(range.end, mine.end);
      if (begin >= end) continue;
      f.keep = range.decays ? 1.0f - learning_rate * settings_.weight_decay : 1.0f;
      update(parameters, begin, end, f);
    }
  });
}

TrainerState AdamW::state() const {
  const auto copy = [](const AlignedVector<float>& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  return {copy(weights_), copy(average_), copy(first_moment_), copy(second_moment_), steps_};
}

Result<void> AdamW::restore(const TrainerState& state) {
  struct Part {
    const char* name;
    const std::vector<float>* from;
    AlignedVector<float>* to;
  };
  const std::array<Part, 4> parts{{{"weights", &state.weights, &weights_},
                                   {"ema", &state.ema, &average_},
                                   {"first_moment", &state.first_moment, &first_moment_},
                                   {"second_moment", &state.second_moment, &second_moment_}}};
  for (const Part& part : parts) {
    if (part.from->size() != part.to->size()) {
      return fail(std::string("trainer state: ") + part.name + " has " +
                  std::to_string(part.from->size()) + " values, the network has " +
                  std::to_string(part.to->size()));
    }
    if (!std::isfinite(sum_of_squares(*part.from))) {
      return fail(std::string("trainer state: ") + part.name + " has a value that is not finite");
    }
  }
  for (const Part& part : parts) std::copy(part.from->begin(), part.from->end(), part.to->begin());
  steps_ = state.steps;
  return {};
}

}  // namespace senet
