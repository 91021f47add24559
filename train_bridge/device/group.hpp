// Who works on one row of a kernel: a warp of the device (cuda/cuda_device.cuh), or one thread of
// the host. The bodies of all kernels are written once, for a group, and compiled for both.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// A macro, because the host's compiler has no word for it and the device's demands one.
#if defined(__CUDACC__)
#define SENET_DEVICE __host__ __device__
#else
#define SENET_DEVICE
#endif

namespace senet {

/// One thread that is a whole group: sums are what they are.
struct HostGroup {
  SENET_DEVICE std::size_t lane() const { return 0; }
  SENET_DEVICE std::size_t lanes() const { return 1; }
  /// The sum, or the largest, of what all lanes bring; every lane gets it.
  template <class Real>
  SENET_DEVICE Real sum(Real mine) const {
    return mine;
  }
  template <class Real>
  SENET_DEVICE Real largest(Real mine) const {
    return mine;
  }
  /// What lane `from` brings.
  template <class Value>
  SENET_DEVICE Value told(Value mine, std::size_t /*from*/) const {
    return mine;
  }
  /// Writes of one lane before this are seen by the others after it.
  SENET_DEVICE void meet() const {}
};

}  // namespace senet
