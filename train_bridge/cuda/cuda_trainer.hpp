// The CUDA backend of the trainer.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>

#include "games/names.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// What matrix products read. kAuto: the fastest that the device has, bfloat16 before half before
/// TF32 before float.
enum class Precision : std::uint8_t { kAuto, kBfloat16, kHalf, kTf32, kFloat };

constexpr std::array<Named<Precision>, 5> names_of(std::type_identity<Precision>) {
  return {{{"auto", Precision::kAuto},
           {"bf16", Precision::kBfloat16},
           {"fp16", Precision::kHalf},
           {"tf32", Precision::kTf32},
           {"fp32", Precision::kFloat}}};
}

/// The precision a device of this compute capability (80: 8.0) trains in when asked for `wanted`;
/// `why` becomes a sentence when that is another one, or says why it was chosen for kAuto.
Precision precision_for(Precision wanted, int capability, std::string& why);

/// Floating-point operations that one multiprocessor's matrix products do in a clock, an addition
/// and a multiplication being two; from NVIDIA's tables of throughput for devices of this
/// capability, and for newer ones those of the newest it knows.
double flop_per_clock(Precision precision, int capability);

/// Whether this library can use a CUDA device at all.
bool built_with_cuda();

struct CudaTrainerReport {
  std::string device;  // "NVIDIA H100 80GB HBM3"
  Precision precision;
  std::string why;         // of the precision
  std::size_t memory = 0;  // bytes taken on the device
};

using MakeCudaTrainer = Result<std::unique_ptr<DeviceTrainer>>(const Network& start,
                                                               const TrainBatch::Shape& shape,
                                                               const TrainerSettings& settings,
                                                               Precision precision,
                                                               CudaTrainerReport* report);

/// A trainer on the first CUDA device, for batches of `shape`. Fails with a reason when there is no
/// device or driver, when the device is older than compute capability 8.0, or when its memory does
/// not suffice; always, where this library was built without CUDA. Loads senet_cuda.so, which
/// stands where the program's run path or LD_LIBRARY_PATH says.
///
/// A step is recorded once, in warm_up(), and replayed: one upload, one launch, one report back. It
/// is not waited for: step() answers with the report of the step before, but for the first one
/// after a restore(), which it waits for, and whose losses the second tells again.
///
/// With keep_replay() the upload of a step on kept samples is eight bytes a row: where each lies.
MakeCudaTrainer make_cuda_trainer;

/// What the CUDA trainer's module exports, under the name in kCudaModule. It stands in a module of
/// its own, senet_cuda.so: what it is linked with, cuBLASLt, costs a process 140 MiB and half a
/// second, and is missing where there is no device.
struct CudaModule {
  /// kCudaModuleVersion of the module, compared before `make` is called.
  std::uint64_t version;
  MakeCudaTrainer* make;
};

/// Another where the two could not understand each other: the generation of DeviceTrainer's
/// functions, and sizes of what is handed over.
inline constexpr std::uint64_t kCudaModuleVersion =
    2'000'000'000'000 + 1'000'000'000 * sizeof(TrainerSettings) + 1'000'000 * sizeof(NetworkSpec) +
    1'000 * sizeof(TrainBatch) + sizeof(TrainerState) + sizeof(StepCost);

inline constexpr const char* kCudaModuleFile = "senet_cuda.so";
inline constexpr const char* kCudaModule = "senet_cuda_module";

}  // namespace senet
