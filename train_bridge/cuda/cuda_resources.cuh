// RAII owners of CUDA resources (memory, events, streams, recordings, handles), and CUDA errors.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace senet {

/// A failed CUDA call. Never leaves the backend, whose public functions return it as a reason.
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

template <class Handle, auto kDestroy>
struct CudaDestroyer {
  using pointer = Handle;
  void operator()(Handle handle) const { kDestroy(handle); }
};
/// Owns a handle of CUDA or one of its libraries.
template <class Handle, auto kDestroy>
using CudaHandle = std::unique_ptr<void, CudaDestroyer<Handle, kDestroy>>;

/// Calls make(&handle) and returns the owner of the handle.
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

/// A marker in a stream.
class CudaEvent {
 public:
  enum class Timing : std::uint8_t { kOff, kOn };
  explicit CudaEvent(Timing timing = Timing::kOff)
      : event_(made<Event>("an event", [timing](cudaEvent_t* event) {
          return cudaEventCreateWithFlags(
              event, timing == Timing::kOn ? cudaEventDefault : cudaEventDisableTiming);
        })) {}

  void record(cudaStream_t stream) { check(cudaEventRecord(event_.get(), stream), "an event"); }
  /// Makes later work on `stream` wait for the work enqueued before record().
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_.get()), "an event");
  }
  void wait() const { check(cudaEventSynchronize(event_.get()), "a wait"); }
  /// Both events have timing and are done.
  float milliseconds_since(const CudaEvent& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get()), "a time");
    return milliseconds;
  }

 private:
  using Event = CudaHandle<cudaEvent_t, cudaEventDestroy>;
  Event event_;
};

/// A stream other than the default stream. Not movable: without its handle it would denote the
/// default stream.
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

/// Recorded calls (a CUDA graph); run() replays them.
class CudaRecording {
 public:
  CudaRecording(cudaStream_t stream, const auto& calls)
      : graph_(record(stream, calls)),
        runnable_(made<Runnable>("a recording", [&](cudaGraphExec_t* runnable) {
          return cudaGraphInstantiate(runnable, graph_.get(), 0);
        })) {
    check(cudaGraphUpload(runnable_.get(), stream), "a recording");
  }
  std::size_t kernels() const {
    std::size_t count = 0;
    check(cudaGraphGetNodes(graph_.get(), nullptr, &count), "a recording");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph_.get(), nodes.data(), &count), "a recording");
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
      cudaGraphNodeType type{};
      check(cudaGraphNodeGetType(node, &type), "a recording");
      return type == cudaGraphNodeTypeKernel;
    }));
  }
  void run(cudaStream_t stream) const { check(cudaGraphLaunch(runnable_.get(), stream), "a step"); }

 private:
  using Graph = CudaHandle<cudaGraph_t, cudaGraphDestroy>;
  using Runnable = CudaHandle<cudaGraphExec_t, cudaGraphExecDestroy>;

  static Graph record(cudaStream_t stream, const auto& calls) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a recording");
    cudaGraph_t graph = nullptr;
    try {
      calls();
    } catch (...) {
      // Otherwise the stream would keep recording, and no memory could be freed.
      cudaStreamEndCapture(stream, &graph);
      const Graph unfinished(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "a recording");
    return Graph(graph);
  }

  Graph graph_;
  Runnable runnable_;
};

}  // namespace senet
