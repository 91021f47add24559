#include "selfplay/sprt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace senet {
namespace {

constexpr double kUnseen = 1e-3;

/// Solves for the t of sprt.hpp for this mean by bisection: sum_i f_i (x_i - mean) / (1 + t (x_i -
/// mean)) falls from +infinity to -infinity between the poles of the smallest and the largest
/// result.
double tilt(std::span<const double> results, std::span<const double> counts, double mean) {
  double low = -1 / (results.back() - mean), high = -1 / (results.front() - mean);
  for (int halving = 0; halving < 200; ++halving) {
    const double t = (low + high) / 2;
    double sum = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      sum += counts[i] * (results[i] - mean) / (1 + t * (results[i] - mean));
    }
    (sum > 0 ? low : high) = t;
  }
  return (low + high) / 2;
}

}  // namespace

double log_likelihood_ratio(std::span<const double> results, std::span<const double> counts,
                            double mean0, double mean1) {
  const double t0 = tilt(results, counts, mean0), t1 = tilt(results, counts, mean1);
  double ratio = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ratio +=
        counts[i] * std::log((1 + t0 * (results[i] - mean0)) / (1 + t1 * (results[i] - mean1)));
  }
  return ratio;
}

std::vector<double> pair_means(std::span<const double> values) {
  std::vector<double> means;
  for (const double one : values) {
    for (const double other : values) means.push_back((one + other) / 2);
  }
  std::ranges::sort(means);
  means.erase(std::ranges::unique(means).begin(), means.end());
  return means;
}

Sprt::Sprt(std::vector<double> results, const SprtSettings& settings)
    : results_(std::move(results)),
      counts_(results_.size(), kUnseen),
      settings_(settings),
      lower_(std::log(settings.beta / (1 - settings.alpha))),
      upper_(std::log((1 - settings.beta) / settings.alpha)) {
  assert(results_.front() < settings.mean0 && settings.mean0 < settings.mean1 &&
         settings.mean1 < results_.back());
}

void Sprt::add(double pair_mean) {
  const auto found = std::ranges::find(results_, pair_mean);
  assert(found != results_.end());
  double& count = counts_[static_cast<std::size_t>(found - results_.begin())];
  count = count == kUnseen ? 1 : count + 1;
  ratio_ = senet::log_likelihood_ratio(results_, counts_, settings_.mean0, settings_.mean1);
}

Sprt::Decision Sprt::decision() const {
  if (ratio_ <= lower_) return Decision::kH0;
  return ratio_ >= upper_ ? Decision::kH1 : Decision::kNone;
}

}  // namespace senet
