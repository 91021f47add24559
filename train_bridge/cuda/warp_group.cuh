// A warp as the group that works on one row of a kernel (device/group.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace senet {

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

}  // namespace senet
