// Owners of what CUDA makes: memory, events, streams, handles; and its errors.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

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

/// Owner of what `make` puts where the handle's address says.
template <class Owner>
Owner made(const char* what, const auto& make) {
  typename Owner::pointer handle = nullptr;
  check(make(&handle), what);
  return Owner(handle);
}

enum class CudaPlace : std::uint8_t {
  kDevice,  // zeroed, on the default stream
  kHost,    // pinned
};

/// Memory for so many values.
template <class Value, CudaPlace kPlace>
class CudaMemory {
 public:
  explicit CudaMemory(std::size_t count) : size_(count) {
    if (count == 0) return;
    if constexpr (kPlace == CudaPlace::kHost) {
      check(cudaMallocHost(&data_, count * sizeof(Value)), "pinned memory");
    } else {
      check(cudaMalloc(&data_, count * sizeof(Value)), "memory on the device");
      check(cudaMemset(data_, 0, count * sizeof(Value)), "memory on the device");
    }
  }
  CudaMemory(CudaMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  CudaMemory& operator=(CudaMemory&&) = delete;
  ~CudaMemory() { kPlace == CudaPlace::kHost ? cudaFreeHost(data_) : cudaFree(data_); }
  Value* data() { return data_; }
  const Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<Value> values() { return {data_, size_}; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};
template <class Value>
using CudaBuffer = CudaMemory<Value, CudaPlace::kDevice>;
template <class Value>
using PinnedBuffer = CudaMemory<Value, CudaPlace::kHost>;

/// Marks a place in a stream.
class CudaEvent {
 public:
  void record(cudaStream_t stream) { check(cudaEventRecord(event_.get(), stream), "an event"); }
  /// What the stream is told after this waits for what had been told before record().
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_.get()), "an event");
  }
  void wait() const { check(cudaEventSynchronize(event_.get()), "a wait"); }

 private:
  using Event = CudaHandle<cudaEvent_t, cudaEventDestroy>;
  Event event_ = made<Event>("an event", [](cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  });
};

/// A stream beside the default one. Stays where it is: without its handle it would be that one.
class CudaStream {
 public:
  CudaStream() = default;
  CudaStream(CudaStream&&) = delete;
  cudaStream_t get() const { return stream_.get(); }

 private:
  using Stream = CudaHandle<cudaStream_t, cudaStreamDestroy>;
  Stream stream_ = made<Stream>("a stream", [](cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  });
};

}  // namespace senet
