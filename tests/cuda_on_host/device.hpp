// A CUDA device simulated by the host, for tests on machines without one: the CUDA functions that
// the trainer calls. Where CUDA leaves behaviour open, it does what is least convenient.
// docs/testing.md lists what it cannot show.
#pragma once

#include <array>
#include <mutex>

#include "tests/cuda_on_host/memory.hpp"
#include "tests/cuda_on_host/queue.hpp"
#include "tests/cuda_on_host/warp.hpp"

namespace senet::cuda_on_host {

struct Device {
  /// From now on every call fails, and pending work is dropped.
  void lose() {
    is_lost = true;
    queue.drop();
  }

  std::mutex mutex;
  Settings settings;
  Memory memory{settings.memory_bytes};
  Queue queue{memory, settings};
  Warp warp;
  std::uint64_t recordings_started = 0;
  std::array<std::uint64_t, 4> products{};  // done so far by each algorithm (cublaslt_api.cpp)
  bool is_lost = false;
  cudaError_t last_error = cudaSuccess;
};

/// The only device, created by the first call.
Device& the_device();

/// Wraps each CUDA function: one call at a time, and none after the device is lost.
template <class Use>
cudaError_t with_device(const Use& use) {
  Device& device = the_device();
  const std::lock_guard lock(device.mutex);
  const cudaError_t status = device.is_lost ? cudaErrorLaunchFailure : use(device);
  if (status != cudaSuccess) device.last_error = status;
  return status;
}

}  // namespace senet::cuda_on_host
