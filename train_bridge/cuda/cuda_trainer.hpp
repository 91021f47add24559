// The CUDA backend of the trainer.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>

#include "games/names.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Number format of the inputs of matrix products. kAuto: the fastest that the device supports, in
/// the order bfloat16, half, TF32, float.
enum class Precision : std::uint8_t { kAuto, kBfloat16, kHalf, kTf32, kFloat };

constexpr std::array<Named<Precision>, 5> names_of(std::type_identity<Precision>) {
  return {{{"auto", Precision::kAuto},
           {"bf16", Precision::kBfloat16},
           {"fp16", Precision::kHalf},
           {"tf32", Precision::kTf32},
           {"fp32", Precision::kFloat}}};
}

/// The precision in which a device of this compute capability (80: 8.0) trains when `wanted` is
/// requested. Sets `why` to the reason why that is not `wanted`, or why it was chosen for kAuto.
Precision precision_for(Precision wanted, int capability, std::string& why);

/// Floating-point operations per clock of one multiprocessor's matrix products, counting an
/// addition and a multiplication as two; from NVIDIA's throughput tables. For compute capabilities
/// not in the table, the next lower one is used.
double flop_per_clock(Precision precision, int capability);

/// Whether this library was built with CUDA support.
bool built_with_cuda();

struct CudaTrainerReport {
  std::string device;  // "NVIDIA H100 80GB HBM3"
  Precision precision;
  std::string why;         // why this precision was chosen
  std::size_t memory = 0;  // bytes taken on the device
};

using MakeCudaTrainer = Result<std::unique_ptr<DeviceTrainer>>(const Network& start,
                                                               const TrainBatch::Shape& shape,
                                                               const TrainerSettings& settings,
                                                               Precision precision,
                                                               CudaTrainerReport* report);

/// A trainer on the first CUDA device for batches of `shape`. Fails when there is no device or
/// driver, when the device is older than compute capability 7.5, or when its memory is too small;
/// always if this library was built without CUDA. Loads senet_cuda.so from the program's run path
/// or LD_LIBRARY_PATH.
///
/// A step is recorded once, in warm_up(), and replayed: one upload, one launch, one report back.
/// step() does not wait for it: it returns the report of the previous step. Only the first step()
/// after a restore() waits for its own report, which the second one returns again.
///
/// With keep_replay(), a step on kept samples uploads twelve bytes per row: the address of its
/// sample, the number of actions before it, and its weight.
MakeCudaTrainer make_cuda_trainer;

/// The export of the CUDA trainer's module, under the name kCudaModule. The trainer is a separate
/// module, senet_cuda.so, because cuBLASLt costs a process 140 MiB and half a second and is missing
/// on machines without a device.
struct CudaModule {
  /// kCudaModuleVersion of the module, checked before `make` is called.
  std::uint64_t version;
  MakeCudaTrainer* make;
};

/// Differs between incompatible builds: combines the interface generation of DeviceTrainer and the
/// sizes of the structures passed.
inline constexpr std::uint64_t kCudaModuleVersion =
    3'000'000'000'000 + 1'000'000'000 * sizeof(TrainerSettings) + 1'000'000 * sizeof(NetworkSpec) +
    1'000 * sizeof(TrainBatch) + sizeof(TrainerState) + sizeof(StepCost);

inline constexpr const char* kCudaModuleFile = "senet_cuda.so";
inline constexpr const char* kCudaModule = "senet_cuda_module";

}  // namespace senet
