// Which trainer a run gets.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "train_bridge/cuda/cuda_trainer.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// kAuto: CUDA where there is a device, else the CPU.
enum class TrainerBackend : std::uint8_t { kAuto, kCpu, kCuda };

/// "auto", "cpu" or "cuda".
Result<TrainerBackend> trainer_backend_from_name(std::string_view name);
std::string_view name_of(TrainerBackend backend);

struct TrainerChoice {
  TrainerBackend backend = TrainerBackend::kAuto;
  Precision precision = Precision::kAuto;  // of a CUDA device's products
  /// Steps that may be lost with a device; see make_lasting_trainer.
  std::size_t steps_at_risk = 100;
  /// A device keeps the samples of the replay, `replay`, and a step sends only where they lie.
  bool replay_on_device = false;
  ReplayRoom replay = {};
};

struct ChosenTrainer {
  std::unique_ptr<Trainer> trainer;
  std::string description;            // "cuda, NVIDIA H100 80GB HBM3, bf16 (the fastest at ...)"
  std::vector<std::string> warnings;  // why it is not, or not all, that was wished for; none: it is
};

/// The CPU trainer always can be had. `lost` is told the reason when a device fails later on and
/// the CPU goes on in its place; on the trainer's thread.
ChosenTrainer choose_trainer(const TrainerChoice& choice, const Network& start,
                             const TrainBatch::Shape& shape, const TrainerSettings& settings,
                             std::function<void(const std::string& reason)> lost);

}  // namespace senet
