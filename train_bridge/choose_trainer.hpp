// Which trainer a run gets.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "games/settings.hpp"
#include "train_bridge/cuda/cuda_trainer.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// kAuto: CUDA where there is a device, else the CPU.
enum class TrainerBackend : std::uint8_t { kAuto, kCpu, kCuda };

constexpr std::array<Named<TrainerBackend>, 3> names_of(std::type_identity<TrainerBackend>) {
  return {{{"auto", TrainerBackend::kAuto},
           {"cpu", TrainerBackend::kCpu},
           {"cuda", TrainerBackend::kCuda}}};
}

struct TrainerChoice {
  TrainerBackend backend = TrainerBackend::kAuto;
  Precision precision = Precision::kAuto;  // of a CUDA device's products
  /// Steps that may be lost with a device; see make_lasting_trainer.
  std::size_t steps_at_risk = 100;
  /// A device keeps the samples of the replay, `replay`, and a step sends only where they lie.
  bool replay_on_device = false;
  ReplayRoom replay = {};
};

constexpr auto settings_of(std::type_identity<TrainerChoice>) {
  using S = TrainerChoice;
  return std::tuple{
      setting("trainer", &S::backend, "what learns; auto: CUDA where there is a device"),
      setting("precision", &S::precision, "of a CUDA device's products"),
      setting("replay-on-device", &S::replay_on_device,
              "a CUDA device keeps the samples: a step sends only where they lie"),
  };
}

struct ChosenTrainer {
  std::unique_ptr<Trainer> trainer;
  std::string description;            // "cuda, NVIDIA H100 80GB HBM3, bf16 (the fastest at ...)"
  std::vector<std::string> warnings;  // what was asked for and could not be had
};

/// The CPU trainer always can be had. `lost` is told the reason when a device fails later on and
/// the CPU goes on in its place; on the trainer's thread.
ChosenTrainer choose_trainer(const TrainerChoice& choice, const Network& start,
                             const TrainBatch::Shape& shape, const TrainerSettings& settings,
                             std::function<void(const std::string& reason)> lost);

}  // namespace senet
