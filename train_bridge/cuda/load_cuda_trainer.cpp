#include <dlfcn.h>
#include <fmt/core.h>

#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {
namespace {

// Never unloaded: trainers and their exceptions use its code.
Result<const CudaModule*> load() {
  // NVIDIA's driver installs this library. Without it the module is not needed.
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    return fail(fmt::format("no CUDA driver: {}", dlerror()));
  }
  void* const file = dlopen(kCudaModuleFile, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return fail(fmt::format("the CUDA trainer cannot be loaded: {}", dlerror()));
  const auto* const module = static_cast<const CudaModule*>(dlsym(file, kCudaModule));
  if (module == nullptr || module->version != kCudaModuleVersion) {
    return fail(fmt::format("{} (the CUDA trainer) was built for another version of the program",
                            kCudaModuleFile));
  }
  return module;
}

}  // namespace

bool built_with_cuda() { return true; }

Result<std::unique_ptr<DeviceTrainer>> make_cuda_trainer(const Network& start,
                                                         const TrainBatch::Shape& shape,
                                                         const TrainerSettings& settings,
                                                         Precision precision,
                                                         CudaTrainerReport* report) {
  const auto module = load();
  if (!module) return module.error();
  return (*module)->make(start, shape, settings, precision, report);
}

}  // namespace senet
