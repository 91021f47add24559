// The CUDA driver functions that a test calls to lose the device: there is one kernel, and it
// traps. The library has the file name of the driver's.
#include "tests/cuda_on_host/device.hpp"

namespace {

constexpr int kSuccess = 0, kLaunchFailed = 719;

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) { return kSuccess; }
int cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
  *context = &senet::cuda_on_host::the_device();
  return kSuccess;
}
int cuCtxSetCurrent(void* /*context*/) { return kSuccess; }
int cuModuleLoadData(void** module, const void* text) {
  *module = const_cast<void*>(text);
  return kSuccess;
}
int cuModuleGetFunction(void** function, void* module, const char* /*name*/) {
  *function = module;
  return kSuccess;
}
int cuLaunchKernel(void* /*function*/, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void* /*stream*/, void** /*arguments*/, void** /*extra*/) {
  senet::cuda_on_host::Device& device = senet::cuda_on_host::the_device();
  const std::lock_guard lock(device.mutex);
  device.lose();
  return kSuccess;
}
int cuCtxSynchronize() {
  senet::cuda_on_host::Device& device = senet::cuda_on_host::the_device();
  const std::lock_guard lock(device.mutex);
  return device.is_lost ? kLaunchFailed : kSuccess;
}

}  // extern "C"
