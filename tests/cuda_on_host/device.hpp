// A CUDA device that the host plays, for tests where there is none: CUDA's functions, as far as the
// trainer calls them, and of what they leave open the inconvenient. docs/testing.md says what it
// cannot show.
#pragma once

#include <mutex>

#include "tests/cuda_on_host/memory.hpp"
#include "tests/cuda_on_host/queue.hpp"
#include "tests/cuda_on_host/warp.hpp"

namespace senet::cuda_on_host {

struct Device {
  /// Every call from now on fails, and what was not done never will be.
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
  bool is_lost = false;
  cudaError_t last_error = cudaSuccess;
};

/// There is one, from the first call on.
Device& the_device();

/// Around each of CUDA's functions: one at a time, and none when the device is lost.
template <class Use>
cudaError_t with_device(const Use& use) {
  Device& device = the_device();
  const std::lock_guard lock(device.mutex);
  const cudaError_t status = device.is_lost ? cudaErrorLaunchFailure : use(device);
  if (status != cudaSuccess) device.last_error = status;
  return status;
}

}  // namespace senet::cuda_on_host
