#include <fmt/core.h>

#include <array>
#include <utility>

#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {
namespace {

constexpr std::array<std::pair<std::string_view, Precision>, 5> kNames = {
    {{"auto", Precision::kAuto},
     {"bf16", Precision::kBfloat16},
     {"fp16", Precision::kHalf},
     {"tf32", Precision::kTf32},
     {"fp32", Precision::kFloat}}};

constexpr int least_capability(Precision precision) {
  switch (precision) {
    case Precision::kBfloat16:
    case Precision::kTf32:
      return 80;
    case Precision::kHalf:
      return 70;
    case Precision::kAuto:
    case Precision::kFloat:
      break;
  }
  return 0;
}

}  // namespace

Result<Precision> precision_from_name(std::string_view name) {
  for (const auto& [known, precision] : kNames) {
    if (known == name) return precision;
  }
  return fail(fmt::format("\"{}\" is not a precision: auto, bf16, fp16, tf32 or fp32", name));
}

std::string_view name_of(Precision precision) {
  for (const auto& [name, known] : kNames) {
    if (known == precision) return name;
  }
  return "?";
}

Precision precision_for(Precision wanted, int capability, std::string& why) {
  const auto has = [capability](Precision precision) {
    return capability >= least_capability(precision);
  };
  if (wanted != Precision::kAuto && has(wanted)) {
    why = "as asked for";
    return wanted;
  }
  Precision best = Precision::kFloat;
  for (const Precision precision : {Precision::kBfloat16, Precision::kHalf, Precision::kTf32}) {
    if (!has(precision)) continue;
    best = precision;
    break;
  }
  why =
      wanted == Precision::kAuto
          ? fmt::format("the fastest at compute capability {}.{}", capability / 10, capability % 10)
          : fmt::format("{} needs compute capability {}.{}, the device has {}.{}", name_of(wanted),
                        least_capability(wanted) / 10, least_capability(wanted) % 10,
                        capability / 10, capability % 10);
  return best;
}

double flop_per_clock(Precision precision, int capability) {
  // Dense products with sums in float: matrix units in half and bfloat16, in TF32, and no such
  // units.
  struct Rates {
    int capability;
    double half, tf32, single;
  };
  constexpr std::array<Rates, 4> kRates = {
      {{80, 2048, 1024, 128}, {86, 1024, 256, 256}, {89, 1024, 512, 256}, {90, 4096, 2048, 256}}};
  Rates rates = kRates.front();
  for (const Rates& known : kRates) {
    if (known.capability <= capability) rates = known;
  }
  switch (precision) {
    case Precision::kAuto:
    case Precision::kBfloat16:
    case Precision::kHalf:
      return rates.half;
    case Precision::kTf32:
      return rates.tf32;
    case Precision::kFloat:
      break;
  }
  return rates.single;
}

}  // namespace senet
