// A CUDA device for DeviceStep: kernels per row or column, and products by cuBLASLt, on a main
// stream and a side stream.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <array>
#include <span>
#include <type_traits>

#include "train_bridge/cuda/cuda_products.cuh"
#include "train_bridge/cuda/cuda_resources.cuh"

namespace senet {

/// The group that processes one row of a kernel (device/group.hpp): the 32 threads of a warp, all
/// of them active.
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
  __device__ Value broadcast(Value mine, std::size_t from) const {
    return __shfl_sync(~0u, mine, static_cast<int>(from));
  }
  __device__ void meet() const { __syncwarp(); }
};

namespace cuda {

inline constexpr unsigned kThreads = 256;

template <class Body>
__global__ void row_kernel(std::size_t rows, Body body) {
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row < rows) body(WarpGroup{}, row);
}

template <class Body>
__global__ void column_kernel(std::size_t columns, Body body) {
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column < columns) body(std::size_t{blockIdx.y}, column);
}

/// The blocks of columns come first, because their threads have more work.
template <class RowBody, class ColumnBody>
__global__ void row_and_column_kernel(unsigned column_blocks, unsigned blocks_of_chunk,
                                      std::size_t columns, ColumnBody column_body, std::size_t rows,
                                      RowBody row_body) {
  if (blockIdx.x < column_blocks) {
    const std::size_t column = std::size_t{blockIdx.x % blocks_of_chunk} * blockDim.x + threadIdx.x;
    if (column < columns) column_body(std::size_t{blockIdx.x / blocks_of_chunk}, column);
  } else {
    const std::size_t row =
        (std::size_t{blockIdx.x - column_blocks} * blockDim.x + threadIdx.x) / 32;
    if (row < rows) row_body(WarpGroup{}, row);
  }
}

template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 blocks, cudaStream_t stream,
            std::type_identity_t<Parameters>... arguments) {
  std::array<void*, sizeof...(Parameters)> places{&arguments...};
  check(cudaLaunchKernel(kernel, blocks, dim3(kThreads), places.data(), 0, stream), "a kernel");
}

template <class Value>
constexpr cudaDataType_t data_type() {
  if constexpr (std::is_same_v<Value, __nv_bfloat16>) return CUDA_R_16BF;
  if constexpr (std::is_same_v<Value, __half>) return CUDA_R_16F;
  return CUDA_R_32F;
}

}  // namespace cuda

/// Used by one thread at a time. All calls are enqueued on the main stream, in order, except those
/// made by aside(), which go to the side stream. Every aside is awaited before a recording ends.
/// After a CudaError it can only be destroyed.
class CudaDevice {
 public:
  /// Number of the event recorded at the end of an aside.
  using Token = std::size_t;

  template <class Value>
  using Buffer = CudaBuffer<Value>;

  /// `tf32`: see CudaProducts.
  explicit CudaDevice(bool tf32) : products_(tf32) {}
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  cudaStream_t stream() const { return main_.stream.get(); }
  void wait() { check(cudaStreamSynchronize(main_.stream.get()), "a step"); }

  /// Both wait for earlier calls.
  template <class Value>
  void to_device(std::span<const Value> from, Buffer<Value>& to) {
    check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          main_.stream.get()),
          "an upload");
    wait();
  }
  template <class Value>
  void to_host(const Buffer<Value>& from, std::span<Value> to) {
    check(cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost,
                          main_.stream.get()),
          "a download");
    wait();
  }

  template <class Body>
  void each_row(std::size_t rows, const Body& body) {
    cuda::launch(&cuda::row_kernel<Body>, dim3(blocks(rows * 32)), lane_->stream.get(), rows, body);
  }
  template <class Body>
  void each_column(std::size_t chunks, std::size_t columns, const Body& body) {
    const dim3 grid(blocks(columns), static_cast<unsigned>(chunks));
    cuda::launch(&cuda::column_kernel<Body>, grid, lane_->stream.get(), columns, body);
  }
  template <class RowBody, class ColumnBody>
  void each_row_and_column(std::size_t rows, const RowBody& row_body, std::size_t chunks,
                           std::size_t columns, const ColumnBody& column_body) {
    const unsigned blocks_of_chunk = blocks(columns);
    const unsigned column_blocks = blocks_of_chunk * static_cast<unsigned>(chunks);
    cuda::launch(&cuda::row_and_column_kernel<RowBody, ColumnBody>,
                 dim3(column_blocks + blocks(rows * 32)), lane_->stream.get(), column_blocks,
                 blocks_of_chunk, columns, column_body, rows, row_body);
  }

  template <class Task>
  Token aside(const Task& task) {
    if (lane_ == &side_) {
      task();
      return 0;
    }
    next_event().record(main_.stream.get());
    events_[event_].hold(side_.stream.get());
    lane_ = &side_;
    task();
    lane_ = &main_;
    next_event().record(side_.stream.get());
    return event_;
  }
  void await(Token token) { events_[token].hold(main_.stream.get()); }

  template <class Real, class Operand>
  void multiply(const Product<Real, Operand>& product) {
    static_assert(std::is_same_v<Real, float>);
    const auto& [left, left_transposed, right, right_transposed, result, add] = product;
    const auto untyped = [](const auto& matrix) {
      return Matrix<const void>{matrix.data, matrix.rows, matrix.columns, matrix.stride};
    };
    products_.multiply(
        cuda::data_type<Operand>(),
        {untyped(left), left_transposed, untyped(right), right_transposed, result, add}, *lane_);
  }

 private:
  static unsigned blocks(std::size_t threads) {
    return static_cast<unsigned>((threads + cuda::kThreads - 1) / cuda::kThreads);
  }
  CudaEvent& next_event() {
    event_ = (event_ + 1) % events_.size();
    return events_[event_];
  }

  CudaProducts products_;
  StreamWithWorkspace main_, side_;
  StreamWithWorkspace* lane_ = &main_;  // where calls are enqueued
  // Used in turn: a token awaited late may have been reused, and then also waits for later asides.
  std::array<CudaEvent, 64> events_;
  std::size_t event_ = 0;
};

}  // namespace senet
