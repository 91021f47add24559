// Who works on one row of a kernel: a warp of the device, or one thread of the host. The bodies of
// all kernels are written once, for a group, and compiled for both.
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

#if defined(__CUDACC__)
/// The 32 threads of a warp, all of them present.
struct WarpGroup {
  __device__ std::size_t lane() const { return threadIdx.x % 32; }
  __device__ std::size_t lanes() const { return 32; }
  template <class Real>
  __device__ Real sum(Real mine) const {
    for (int distance = 16; distance > 0; distance /= 2) {
      mine += __shfl_xor_sync(~0u, mine, distance);
    }
    return mine;
  }
  template <class Real>
  __device__ Real largest(Real mine) const {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Real other = __shfl_xor_sync(~0u, mine, distance);
      mine = other > mine ? other : mine;
    }
    return mine;
  }
  template <class Value>
  __device__ Value told(Value mine, std::size_t from) const {
    return __shfl_sync(~0u, mine, static_cast<int>(from));
  }
  __device__ void meet() const { __syncwarp(); }
};
#endif

}  // namespace senet
