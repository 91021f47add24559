// A CUDA device as DeviceStep wants it: memory, kernels for a row or a column each, and products by
// cuBLASLt, all on one stream.
#pragma once

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "train_bridge/cuda/warp_group.cuh"
#include "train_bridge/device/product.hpp"

namespace senet {

/// A call of CUDA's that failed. Stays inside the backend: its border turns it into a reason.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw CudaError(std::string(what) + ": " + cudaGetErrorString(status));
}
inline void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CudaError(std::string(what) + ": " + cublasLtGetStatusString(status));
}

/// How a CudaHandle gives back what it owns.
template <class Handle, auto kDestroy>
struct CudaDestroyer {
  using pointer = Handle;
  void operator()(Handle handle) const { kDestroy(handle); }
};
/// Owns what CUDA or one of its libraries made and names by a handle.
template <class Handle, auto kDestroy>
using CudaHandle = std::unique_ptr<void, CudaDestroyer<Handle, kDestroy>>;

/// Memory of the device, zeroed on the default stream.
template <class Value>
class CudaBuffer {
 public:
  explicit CudaBuffer(std::size_t count) : size_(count) {
    if (count == 0) return;
    check(cudaMalloc(&data_, count * sizeof(Value)), "memory on the device");
    check(cudaMemset(data_, 0, count * sizeof(Value)), "memory on the device");
  }
  CudaBuffer(CudaBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  CudaBuffer& operator=(CudaBuffer&&) = delete;
  ~CudaBuffer() { cudaFree(data_); }
  Value* data() { return data_; }
  const Value* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

template <class Value>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t count) : size_(count) {
    check(cudaMallocHost(&data_, count * sizeof(Value)), "pinned memory");
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  PinnedBuffer& operator=(PinnedBuffer&&) = delete;
  ~PinnedBuffer() { cudaFreeHost(data_); }
  Value* data() { return data_; }
  std::span<Value> values() { return {data_, size_}; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
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

/// The columns' blocks first: a thread of theirs has more to do.
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

/// Marks a place in a stream.
class CudaEvent {
 public:
  CudaEvent() {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "an event");
    event_.reset(made);
  }

  void record(cudaStream_t stream) { check(cudaEventRecord(event_.get(), stream), "an event"); }
  /// What the stream is told after this waits for what had been told before record().
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_.get()), "an event");
  }
  void wait() const { check(cudaEventSynchronize(event_.get()), "a wait"); }

 private:
  CudaHandle<cudaEvent_t, cudaEventDestroy> event_;
};

/// A stream beside the default one. Stays where it is: without its handle it would be that one.
class CudaStream {
 public:
  CudaStream() {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream");
    stream_.reset(made);
  }
  CudaStream(CudaStream&&) = delete;
  cudaStream_t get() const { return stream_.get(); }

 private:
  CudaHandle<cudaStream_t, cudaStreamDestroy> stream_;
};

/// A stream with the memory that its products work in.
struct CudaLane {
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
  CudaStream stream;
  CudaBuffer<std::byte> workspace{kWorkspaceBytes};
};

/// Belongs to one thread at a time. Everything it is told goes to its stream, in order, but for
/// what is told aside, which has a stream of its own. Every aside is awaited before a recording
/// ends. After a CudaError it is good for nothing but its end.
class CudaDevice {
 public:
  /// Number of the event that ends what was told aside.
  using Token = std::size_t;

  template <class Value>
  using Buffer = CudaBuffer<Value>;

  /// `tf32`: products of floats may round their factors to 11 bits.
  explicit CudaDevice(bool tf32);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  cudaStream_t stream() const { return main_.stream.get(); }
  void wait() { check(cudaStreamSynchronize(main_.stream.get()), "a step"); }

  /// Both wait for what was told before.
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
    const auto shape = [](const auto& matrix) {
      return Shape{matrix.rows, matrix.columns, matrix.stride};
    };
    multiply(cuda::data_type<Operand>(), product.left.data, shape(product.left),
             product.left_transposed, product.right.data, shape(product.right),
             product.right_transposed, product.result.data, shape(product.result), product.add);
  }

 private:
  struct Shape {
    std::size_t rows, columns, stride;
  };
  void multiply(cudaDataType_t type, const void* left, Shape left_shape, bool left_transposed,
                const void* right, Shape right_shape, bool right_transposed, float* result,
                Shape result_shape, bool add);

  static unsigned blocks(std::size_t threads) {
    return static_cast<unsigned>((threads + cuda::kThreads - 1) / cuda::kThreads);
  }
  CudaEvent& next_event() {
    event_ = (event_ + 1) % events_.size();
    return events_[event_];
  }

  const bool tf32_;
  CudaLane main_, side_;
  CudaLane* lane_ = &main_;  // where what is told goes
  // Taken in turn: a token that is awaited late may stand for what was told aside later, too.
  std::array<CudaEvent, 64> events_;
  std::size_t event_ = 0;
  CudaHandle<cublasLtHandle_t, cublasLtDestroy> handle_;
};

}  // namespace senet
