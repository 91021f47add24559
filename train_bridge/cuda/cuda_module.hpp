// The CUDA trainer stands in a module of its own, senet_cuda.so: what it is linked with, cuBLASLt,
// costs a process 140 MiB and half a second, and is missing where there is no device.
#pragma once

#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {

/// What the module exports, under the name in kCudaModule.
struct CudaModule {
  /// A module is of use to the build that made it only: this is compared before `make` is called.
  const char* version;
  Result<std::unique_ptr<DeviceTrainer>> (*make)(const Network& start,
                                                 const TrainBatch::Shape& shape,
                                                 const TrainerSettings& settings,
                                                 Precision precision, CudaTrainerReport* report);
};

inline constexpr const char* kCudaModuleFile = "senet_cuda.so";
inline constexpr const char* kCudaModule = "senet_cuda_module";

}  // namespace senet
