// Included before a .cu file that is compiled for the host: provides nvcc's built-ins as functions
// of the simulated device.
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include "tests/cuda_on_host/warp.hpp"

// Of the running thread. Only kernels read them.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace senet::cuda_on_host {

/// Queues a kernel.
cudaError_t launch(std::function<void()> thread, dim3 grid, dim3 block, cudaStream_t stream);

/// Called by a lane of the running warp; see Warp::meet().
Brought meet(const Brought& mine, unsigned from);

template <class Value>
Value exchange(Value mine, unsigned from, int purpose) {
  Brought brought{{}, purpose};
  static_assert(sizeof mine <= sizeof brought.value);
  std::memcpy(brought.value.data(), &mine, sizeof mine);
  brought = meet(brought, from);
  std::memcpy(&mine, brought.value.data(), sizeof mine);
  return mine;
}

}  // namespace senet::cuda_on_host

template <class Value>
Value __shfl_xor_sync(unsigned /*mask*/, Value mine, int distance) {
  const unsigned from = threadIdx.x % 32 ^ static_cast<unsigned>(distance);
  return senet::cuda_on_host::exchange(mine, from, distance);
}
template <class Value>
Value __shfl_sync(unsigned /*mask*/, Value mine, int from) {
  return senet::cuda_on_host::exchange(mine, static_cast<unsigned>(from), -1);
}
inline void __syncwarp() { senet::cuda_on_host::exchange(0, 0, -2); }

/// The launch overload that cuda_runtime.h provides for nvcc. Copies the arguments immediately.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t /*shared_bytes*/, cudaStream_t stream) {
  auto values = [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
    return std::tuple<Parameters...>(*static_cast<Parameters*>(arguments[kPlaces])...);
  }
  (std::index_sequence_for<Parameters...>());
  return senet::cuda_on_host::launch([kernel, values] { std::apply(kernel, values); }, grid, block,
                                     stream);
}
