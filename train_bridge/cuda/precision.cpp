#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {
namespace {

constexpr int least_capability(Precision precision) {
  const bool is_new = precision == Precision::kBfloat16 || precision == Precision::kTf32;
  return is_new ? 80 : 0;
}

}  // namespace

Precision precision_for(Precision wanted, int capability, std::string& why) {
  const auto has = [capability](Precision precision) {
    return capability >= least_capability(precision);
  };
  if (wanted != Precision::kAuto && has(wanted)) {
    why = "as requested";
    return wanted;
  }
  constexpr std::array kFastestFirst = {Precision::kBfloat16, Precision::kHalf, Precision::kTf32,
                                        Precision::kFloat};
  const Precision best = *std::ranges::find_if(kFastestFirst, has);  // all devices support the last
  why =
      wanted == Precision::kAuto
          ? fmt::format("the fastest at compute capability {}.{}", capability / 10, capability % 10)
          : fmt::format("{} needs compute capability {}.{}, the device has {}.{}", name_of(wanted),
                        least_capability(wanted) / 10, least_capability(wanted) % 10,
                        capability / 10, capability % 10);
  return best;
}

double flop_per_clock(Precision precision, int capability) {
  // Dense products with float sums: half and bfloat16 on matrix units, TF32 on matrix units, and
  // float without matrix units.
  struct Rates {
    int capability;
    double half, tf32, single;
  };
  constexpr std::array<Rates, 5> kRates = {{{75, 1024, 128, 128},
                                            {80, 2048, 1024, 128},
                                            {86, 1024, 256, 256},
                                            {89, 1024, 512, 256},
                                            {90, 4096, 2048, 256}}};
  Rates rates = kRates.front();
  for (const Rates& known : kRates) {
    if (known.capability <= capability) rates = known;
  }
  if (precision == Precision::kFloat) return rates.single;
  return precision == Precision::kTf32 ? rates.tf32 : rates.half;
}

}  // namespace senet
