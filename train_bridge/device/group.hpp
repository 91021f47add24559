// The threads that process one row of a kernel: a warp of the device (cuda/cuda_device.cuh), or one
// thread of the host. Kernel bodies are written once, for a group, and compiled for both.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// A macro, because the host's compiler lacks these specifiers and the device's requires them.
#if defined(__CUDACC__)
#define SENET_DEVICE __host__ __device__
#else
#define SENET_DEVICE
#endif

namespace senet {

/// A group of one thread: reductions return their argument.
struct HostGroup {
  SENET_DEVICE std::size_t lane() const { return 0; }
  SENET_DEVICE std::size_t lanes() const { return 1; }
  /// The sum or the maximum over all lanes; every lane gets it.
  template <class Real>
  SENET_DEVICE Real sum(Real mine) const {
    return mine;
  }
  template <class Real>
  SENET_DEVICE Real largest(Real mine) const {
    return mine;
  }
  /// The value of lane `from`.
  template <class Value>
  SENET_DEVICE Value broadcast(Value mine, std::size_t /*from*/) const {
    return mine;
  }
  /// A barrier: writes of any lane before it are visible to all lanes after it.
  SENET_DEVICE void meet() const {}
};

}  // namespace senet
