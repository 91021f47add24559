// Selects the trainer of a run.
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

/// kAuto: CUDA if there is a device, else the CPU.
enum class TrainerBackend : std::uint8_t { kAuto, kCpu, kCuda };

constexpr std::array<Named<TrainerBackend>, 3> names_of(std::type_identity<TrainerBackend>) {
  return {{{"auto", TrainerBackend::kAuto},
           {"cpu", TrainerBackend::kCpu},
           {"cuda", TrainerBackend::kCuda}}};
}

struct TrainerChoice {
  TrainerBackend backend = TrainerBackend::kAuto;
  Precision precision = Precision::kAuto;  // of matrix products on a CUDA device
  /// Steps that may be lost when the device fails; see make_failover_trainer.
  std::size_t steps_at_risk = 100;
  /// Keeps the replay's samples, `replay`, on the device; a step then sends only their addresses.
  bool replay_on_device = false;
  ReplayRoom replay = {};
};

constexpr auto settings_of(std::type_identity<TrainerChoice>) {
  using S = TrainerChoice;
  return std::tuple{
      setting("trainer", &S::backend,
              "where to train; auto: CUDA if there is a device, else the CPU"),
      setting("precision", &S::precision, "number format of matrix products on a CUDA device"),
      setting("replay-on-device", &S::replay_on_device,
              "keep the samples in the memory of the CUDA device"),
  };
}

struct ChosenTrainer {
  std::unique_ptr<Trainer> trainer;
  std::string description;            // "cuda, NVIDIA H100 80GB HBM3, bf16 (the fastest at ...)"
  std::vector<std::string> warnings;  // requests that could not be met
  std::vector<std::string> notes;     // why kAuto did not choose a device
};

/// Never fails: the CPU trainer is always available. When a device fails later, the CPU trainer
/// takes over and `lost` is called with the reason, on the trainer's thread.
ChosenTrainer choose_trainer(const TrainerChoice& choice, const Network& start,
                             const TrainBatch::Shape& shape, const TrainerSettings& settings,
                             std::function<void(const std::string& reason)> lost);

}  // namespace senet
