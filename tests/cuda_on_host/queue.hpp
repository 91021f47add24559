// The pending work of streams.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tests/cuda_on_host/graph.hpp"
#include "tests/cuda_on_host/memory.hpp"
#include "tests/cuda_on_host/order.hpp"

namespace senet::cuda_on_host {

/// A position in a stream: after the first `enqueued` tasks enqueued.
struct Place {
  std::uint64_t stream = 0, enqueued = 0;
};

/// The position of a stream in a recording: after these nodes.
struct Front {
  std::uint64_t capture = 0;  // 0: none
  std::vector<std::size_t> nodes;
};

}  // namespace senet::cuda_on_host

struct CUstream_st {
  struct Task {
    std::function<void()> work;
    senet::cuda_on_host::Place wait;  // if there is no work
  };
  explicit CUstream_st(std::uint64_t own) : number(own) {}

  std::uint64_t number;
  std::deque<Task> tasks;
  std::uint64_t enqueued = 0;
  bool is_busy = false;              // with its first task
  senet::cuda_on_host::Front front;  // while being recorded
};

struct CUevent_st {
  senet::cuda_on_host::Place place;     // stream 0: never recorded
  senet::cuda_on_host::Front front;     // position, if recorded during a capture
  std::shared_ptr<std::uint64_t> time;  // when it was reached; null: without timing
};

namespace senet::cuda_on_host {

/// Streams, events and recordings, as specified by the CUDA programming guide. A null stream is the
/// default stream; other streams are non-blocking and do not wait for it.
class Queue {
 public:
  /// Device memory is accessible only while work is done.
  Queue(Memory& memory, const Settings& settings) : memory_(memory), order_(settings) {}

  Order& order() { return order_; }

  cudaStream_t make_stream();
  /// Completes the stream's pending work first.
  void end_stream(cudaStream_t stream);

  /// `workspace`: as in CUgraphNode_st.
  cudaError_t tell(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> work,
                   const void* workspace = nullptr);
  cudaError_t record(cudaEvent_t event, cudaStream_t stream);
  cudaError_t hold(cudaStream_t stream, cudaEvent_t event);
  cudaError_t wait(cudaStream_t stream);
  cudaError_t wait(cudaEvent_t event);
  bool is_past(cudaEvent_t event) { return event->place.stream != 0 && is_done(event->place); }
  void wait_for_all();

  bool is_captured(cudaStream_t stream) { return capture_of(at(stream).front) != nullptr; }
  cudaError_t begin_capture(cudaStream_t stream);
  cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph);
  /// For calls that a recording thread must not make: invalidates its recording.
  cudaError_t refuse_capture();

  /// The device's clock in nanoseconds, which only products advance.
  std::uint64_t clock() const { return clock_; }
  void advance(std::uint64_t nanoseconds) { clock_ += nanoseconds; }

  /// Drops all pending work.
  void drop();

 private:
  CUstream_st& at(cudaStream_t stream) { return stream == nullptr ? default_ : *stream; }
  Capture* capture_of(const Front& front) {
    return capture_ && front.capture == captures_ ? &*capture_ : nullptr;
  }
  void push(CUstream_st& stream, CUstream_st::Task task);
  CUstream_st* find(std::uint64_t number);
  bool is_done(const Place& place) {
    const CUstream_st* const stream = find(place.stream);
    return stream == nullptr || stream->enqueued - stream->tasks.size() >= place.enqueued;
  }
  void reach(const Place& place);
  void do_next(CUstream_st& stream);
  /// Does one pending task of a stream whose next task need not wait, if there is any.
  void stray();

  Memory& memory_;
  Order order_;
  CUstream_st default_{1};
  std::map<std::uint64_t, std::unique_ptr<CUstream_st>> streams_;
  std::uint64_t next_number_ = 2;
  std::optional<Capture> capture_;
  std::uint64_t captures_ = 0;  // started so far; the number of the last one
  std::uint64_t clock_ = 0;
};

}  // namespace senet::cuda_on_host
