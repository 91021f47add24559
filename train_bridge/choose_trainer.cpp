#include "train_bridge/choose_trainer.hpp"

#include <fmt/core.h>

#include <utility>

namespace senet {

ChosenTrainer choose_trainer(const TrainerChoice& choice, const Network& start,
                             const TrainBatch::Shape& shape, const TrainerSettings& settings,
                             std::function<void(const std::string& reason)> lost) {
  // Copies `start`: the spare trainer may be needed after the caller's network is destroyed.
  const auto make_spare =
      [spec = start.spec(),
       weights = std::vector<float>(start.parameters().begin(), start.parameters().end()), shape,
       settings] { return make_cpu_trainer(Network(spec, weights), shape, settings); };
  ChosenTrainer chosen;
  if (choice.backend != TrainerBackend::kCpu) {
    CudaTrainerReport report;
    auto device = make_cuda_trainer(start, shape, settings, choice.precision, &report);
    if (device) {
      chosen.description =
          fmt::format("cuda, {}, {} ({})", report.device, name_of(report.precision), report.why);
      if (choice.precision != Precision::kAuto && report.precision != choice.precision) {
        chosen.warnings.push_back(fmt::format("precision: {}", report.why));
      }
      if (choice.replay_on_device) {
        const auto kept = (*device)->keep_replay(choice.replay);
        if (kept) {
          chosen.description += ", with the replay";
        } else {
          chosen.warnings.push_back(
              fmt::format("the device cannot keep the replay: {}", kept.error().reason()));
        }
      }
      chosen.trainer = make_failover_trainer(std::move(*device), start, choice.steps_at_risk,
                                             make_spare, std::move(lost));
      return chosen;
    }
    const bool is_requested = choice.backend == TrainerBackend::kCuda || choice.replay_on_device;
    (is_requested ? chosen.warnings : chosen.notes)
        .push_back(fmt::format("the CPU trains: {}", device.error().reason()));
  } else if (choice.replay_on_device) {
    chosen.warnings.push_back("no device keeps the replay: the CPU trains");
  }
  chosen.trainer = make_spare();
  chosen.description =
      fmt::format("cpu, {} thread{}", settings.threads, settings.threads == 1 ? "" : "s");
  return chosen;
}

}  // namespace senet
