#include "train_bridge/choose_trainer.hpp"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace senet {
namespace {

constexpr std::array<std::pair<std::string_view, TrainerBackend>, 3> kNames = {
    {{"auto", TrainerBackend::kAuto},
     {"cpu", TrainerBackend::kCpu},
     {"cuda", TrainerBackend::kCuda}}};

/// Whether anybody would have expected a device: with kAuto, a program built for one.
bool is_wished_for(TrainerBackend backend) {
  return backend == TrainerBackend::kCuda ||
         (backend == TrainerBackend::kAuto && built_with_cuda());
}

}  // namespace

Result<TrainerBackend> trainer_backend_from_name(std::string_view name) {
  for (const auto& [known, backend] : kNames) {
    if (known == name) return backend;
  }
  return fail(fmt::format("\"{}\" is not a trainer: auto, cpu or cuda", name));
}

std::string_view name_of(TrainerBackend backend) {
  return kNames[static_cast<std::size_t>(backend)].first;
}

ChosenTrainer choose_trainer(const TrainerChoice& choice, const Network& start,
                             const TrainBatch::Shape& shape, const TrainerSettings& settings,
                             std::function<void(const std::string& reason)> lost) {
  // A copy that outlives the caller's: the spare may be needed much later.
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
        chosen.warnings.push_back(fmt::format("--precision: {}", report.why));
      }
      if (choice.replay_on_device) {
        const auto kept = (*device)->keep_replay(choice.replay);
        if (kept) {
          chosen.description += ", with the replay";
        } else {
          chosen.warnings.push_back(
              fmt::format("the device keeps no replay: {}", kept.error().reason()));
        }
      }
      chosen.trainer = make_lasting_trainer(std::move(*device), start, choice.steps_at_risk,
                                            make_spare, std::move(lost));
      return chosen;
    }
    if (is_wished_for(choice.backend) || choice.replay_on_device) {
      chosen.warnings.push_back(fmt::format("the CPU trains: {}", device.error().reason()));
    }
  } else if (choice.replay_on_device) {
    chosen.warnings.push_back("no device keeps the replay: the CPU trains");
  }
  chosen.trainer = make_spare();
  chosen.description =
      fmt::format("cpu, {} thread{}", settings.threads, settings.threads == 1 ? "" : "s");
  return chosen;
}

}  // namespace senet
