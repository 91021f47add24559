// The CUDA trainer stands in a module of its own, senet_cuda.so: what it is linked with, cuBLASLt,
// costs a process 140 MiB and half a second, and is missing where there is no device.
#pragma once

#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {

/// What the module exports, under the name in kCudaModule.
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
