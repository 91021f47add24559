#include "tests/cuda_on_host/queue.hpp"

#include <algorithm>
#include <set>

namespace senet::cuda_on_host {

cudaStream_t Queue::make_stream() {
  const std::uint64_t number = next_number_++;
  return streams_.emplace(number, std::make_unique<CUstream_st>(number)).first->second.get();
}

void Queue::end_stream(cudaStream_t stream) {
  if (capture_of(stream->front) != nullptr) capture_.reset();
  reach({stream->number, stream->enqueued});
  streams_.erase(stream->number);
}

// ---- Enqueueing ---------------------------------------------------------------------------------

void Queue::push(CUstream_st& stream, CUstream_st::Task task) {
  stream.tasks.push_back(std::move(task));
  ++stream.enqueued;
  if (order_.is_eager()) reach({stream.number, stream.enqueued});
}

cudaError_t Queue::tell(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> work,
                        const void* workspace) {
  CUstream_st& to = at(stream);
  if (Capture* const capture = capture_of(to.front)) {
    if (capture->ruin != cudaSuccess) return cudaErrorStreamCaptureInvalidated;
    auto& nodes = capture->graph.nodes;
    nodes.push_back({std::move(work), type, workspace, to.front.nodes});
    to.front.nodes = {nodes.size() - 1};
    return cudaSuccess;
  }
  push(to, {std::move(work), {}});
  return cudaSuccess;
}

cudaError_t Queue::record(cudaEvent_t event, cudaStream_t stream) {
  CUstream_st& from = at(stream);
  if (Capture* const capture = capture_of(from.front)) {
    if (capture->ruin != cudaSuccess) return cudaErrorStreamCaptureInvalidated;
    if (event->time) return cudaErrorNotSupported;  // CUDA allows it
    event->front = from.front;
    return cudaSuccess;
  }
  if (event->time) push(from, {[this, time = event->time] { *time = clock_; }, {}});
  event->front = {};
  event->place = {from.number, from.enqueued};
  return cudaSuccess;
}

cudaError_t Queue::hold(cudaStream_t stream, cudaEvent_t event) {
  CUstream_st& to = at(stream);
  Capture* const capture = capture_of(to.front);
  if (capture != nullptr && capture->ruin != cudaSuccess) return cudaErrorStreamCaptureInvalidated;
  if (event->front.capture != 0) {
    if (capture_of(event->front) == nullptr) return cudaErrorCapturedEvent;
    if (stream == nullptr) return capture_->ruin = cudaErrorStreamCaptureImplicit;
    // The stream joins the recording, or is already part of it.
    std::set<std::size_t> nodes(event->front.nodes.begin(), event->front.nodes.end());
    if (capture != nullptr) nodes.insert(to.front.nodes.begin(), to.front.nodes.end());
    to.front = {event->front.capture, {nodes.begin(), nodes.end()}};
    return cudaSuccess;
  }
  if (capture != nullptr) return capture->ruin = cudaErrorStreamCaptureIsolation;
  if (event->place.stream != 0) push(to, {{}, event->place});
  return cudaSuccess;
}

// ---- Executing ----------------------------------------------------------------------------------

CUstream_st* Queue::find(std::uint64_t number) {
  if (number == default_.number) return &default_;
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Queue::do_next(CUstream_st& stream) {
  const CUstream_st::Task& task = stream.tasks.front();
  stream.is_busy = true;
  if (task.work) {
    task.work();
  } else {
    reach(task.wait);
  }
  stream.is_busy = false;
  stream.tasks.pop_front();
}

void Queue::stray() {
  std::vector<CUstream_st*> ready;
  const auto look_at = [&](CUstream_st& stream) {
    if (stream.is_busy || stream.tasks.empty()) return;
    const CUstream_st::Task& next = stream.tasks.front();
    if (next.work || is_done(next.wait)) ready.push_back(&stream);
  };
  look_at(default_);
  for (const auto& [number, stream] : streams_) look_at(*stream);
  if (!ready.empty()) do_next(*ready[order_.pick(ready.size())]);
}

void Queue::reach(const Place& place) {
  if (is_done(place)) return;
  const Memory::Open open(memory_);
  while (!is_done(place)) {
    if (order_.strays()) {
      stray();
    } else {
      do_next(*find(place.stream));
    }
  }
}

void Queue::wait_for_all() {
  reach({default_.number, default_.enqueued});
  for (const auto& [number, stream] : streams_) reach({number, stream->enqueued});
}

cudaError_t Queue::wait(cudaStream_t stream) {
  const CUstream_st& on = at(stream);
  // Called by another thread than the recording one.
  if (Capture* const capture = capture_of(on.front)) {
    return capture->ruin = cudaErrorStreamCaptureUnsupported;
  }
  reach({on.number, on.enqueued});
  return cudaSuccess;
}

cudaError_t Queue::wait(cudaEvent_t event) {
  if (event->front.capture != 0) return cudaErrorCapturedEvent;
  reach(event->place);
  return cudaSuccess;
}

void Queue::drop() {
  default_.tasks.clear();
  for (const auto& [number, stream] : streams_) stream->tasks.clear();
}

// ---- Recording ----------------------------------------------------------------------------------

cudaError_t Queue::begin_capture(cudaStream_t stream) {
  // The default stream cannot be recorded. CUDA allows two recordings at the same time, we do not.
  if (stream == nullptr || capture_) return cudaErrorStreamCaptureUnsupported;
  capture_.emplace(Capture{{}, stream, std::this_thread::get_id()});
  stream->front = {++captures_, {}};
  return cudaSuccess;
}

cudaError_t Queue::refuse_capture() {
  if (!capture_ || capture_->thread != std::this_thread::get_id()) return cudaSuccess;
  return capture_->ruin = cudaErrorStreamCaptureUnsupported;
}

cudaError_t Queue::end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  Capture* const capture = stream == nullptr ? nullptr : capture_of(stream->front);
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->thread != std::this_thread::get_id()) return cudaErrorStreamCaptureWrongThread;
  if (capture->origin != stream) return capture->ruin = cudaErrorStreamCaptureUnmatched;
  cudaError_t status =
      capture->ruin == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  // Everything recorded in other streams must precede the end of this stream.
  const std::vector<bool> before = capture->graph.before(stream->front.nodes);
  for (const auto& [number, other] : streams_) {
    if (capture_of(other->front) == nullptr) continue;
    const bool joined =
        std::ranges::all_of(other->front.nodes, [&](std::size_t node) { return before[node]; });
    if (!joined && status == cudaSuccess) status = cudaErrorStreamCaptureUnjoined;
    other->front = {};
  }
  // CUDA would not report this.
  if (capture->graph.shares_a_workspace()) status = cudaErrorStreamCaptureIsolation;
  if (status == cudaSuccess) *graph = new CUgraph_st(std::move(capture_->graph));
  capture_.reset();
  return status;
}

}  // namespace senet::cuda_on_host
