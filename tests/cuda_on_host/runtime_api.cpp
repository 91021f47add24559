// The functions of cuda_runtime_api.h.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/cuda_on_host/device.hpp"
#include "tests/cuda_on_host/device_code.hpp"

namespace senet::cuda_on_host {

Device& the_device() {
  // Never destroyed: its users may outlive static objects.
  static Device& device = *new Device;
  return device;
}

// The thread that runs the device holds its mutex.
Brought meet(const Brought& mine, unsigned from) { return the_device().warp.meet(mine, from); }

cudaError_t launch(std::function<void()> thread, dim3 grid, dim3 block, cudaStream_t stream) {
  return with_device([&](Device& device) {
    // CUDA also accepts block sizes that are not a multiple of a warp.
    if (grid.x == 0 || grid.y == 0 || grid.y > 65535 || grid.z != 1 || block.x == 0 ||
        block.x > 1024 || block.x % Warp::kLanes != 0 || block.y != 1 || block.z != 1) {
      return cudaErrorInvalidConfiguration;
    }
    return device.queue.tell(stream, cudaGraphNodeTypeKernel,
                             [&device, thread = std::move(thread), grid, block] {
                               device.warp.run(thread, grid, block, device.queue.order());
                             });
  });
}

namespace {

/// A call that may wait for the device, which a recording thread must not make.
template <class Use>
cudaError_t outside_capture(const Use& use) {
  return with_device([&](Device& device) {
    const cudaError_t refused = device.queue.refuse_capture();
    return refused == cudaSuccess ? use(device) : refused;
  });
}

}  // namespace
}  // namespace senet::cuda_on_host

using senet::cuda_on_host::Device;
using senet::cuda_on_host::outside_capture;
using senet::cuda_on_host::with_device;

extern "C" {

// ---- The device ---------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return with_device([](Device&) { return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  return with_device([&](Device& the) {
    *properties = {};
    std::strcpy(properties->name, "the host");
    properties->major = 9;
    properties->multiProcessorCount = 1;
    properties->totalGlobalMem = the.memory.device_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (attribute != cudaDevAttrClockRate) return cudaErrorNotSupported;
  *value = 1'000'000;  // kHz
  return with_device([](Device&) { return cudaSuccess; });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_device([&](Device& device) {
    *free = device.memory.free_bytes();
    *total = device.memory.device_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaGetLastError() {
  Device& device = senet::cuda_on_host::the_device();
  const std::lock_guard lock(device.mutex);
  const cudaError_t last = device.last_error;
  device.last_error = device.is_lost ? cudaErrorLaunchFailure : cudaSuccess;
  return last;
}

const char* cudaGetErrorString(cudaError_t error) {
  // Only these texts are tested; other errors are reported as numbers.
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  if (error == cudaErrorLaunchFailure) return "the device was lost";
  thread_local std::string text;
  text = "error " + std::to_string(error);
  return text.c_str();
}

// ---- Memory -------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return outside_capture([&](Device& device) {
    *address = device.memory.allocate_on_device(bytes);
    return *address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

// CUDA "may perform implicit synchronization": this waits only for the default stream, which zeroed
// the memory to be freed.
cudaError_t cudaFree(void* address) {
  if (address == nullptr) return cudaSuccess;
  return outside_capture([&](Device& device) {
    device.queue.wait(cudaStream_t{});
    return device.memory.free_on_device(address) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  return outside_capture([&](Device& device) {
    *address = device.memory.allocate_pinned(bytes);
    return *address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* address) {
  if (address == nullptr) return cudaSuccess;
  return outside_capture([&](Device& device) {
    return device.memory.free_pinned(address) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemset(void* address, int value, std::size_t bytes) {
  return outside_capture([&](Device& device) {
    if (!device.memory.is_on_device(address, bytes)) return cudaErrorInvalidValue;
    return device.queue.tell(nullptr, cudaGraphNodeTypeMemset,
                             [=] { std::memset(address, value, bytes); });
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return with_device([&](Device& device) {
    const bool up = kind == cudaMemcpyHostToDevice;
    const void* const there = up ? to : from;
    const void* const here = up ? from : to;
    if ((!up && kind != cudaMemcpyDeviceToHost) || !device.memory.is_on_device(there, bytes) ||
        device.memory.is_on_device(here, 1)) {
      return cudaErrorInvalidValue;
    }
    // A replay accesses the host's memory later.
    if (device.queue.is_captured(stream) && !device.memory.is_pinned(here, bytes)) {
      return cudaErrorInvalidValue;
    }
    return device.queue.tell(stream, cudaGraphNodeTypeMemcpy,
                             [=] { std::memcpy(to, from, bytes); });
  });
}

// ---- Streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (flags != cudaStreamNonBlocking) return cudaErrorNotSupported;
  return with_device([&](Device& device) {
    *stream = device.queue.make_stream();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_device([&](Device& device) {
    device.queue.end_stream(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return outside_capture([&](Device& device) { return device.queue.wait(stream); });
}

cudaError_t cudaDeviceSynchronize() {
  return outside_capture([](Device& device) {
    device.queue.wait_for_all();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return with_device([&](Device& device) { return device.queue.hold(stream, event); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return with_device([&](Device&) {
    *event = new CUevent_st;
    if ((flags & cudaEventDisableTiming) == 0) (*event)->time = std::make_shared<std::uint64_t>();
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return with_device([&](Device& device) {
    if (!begin->time || !end->time) return cudaErrorInvalidResourceHandle;
    if (!device.queue.is_past(begin) || !device.queue.is_past(end)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(*end->time - *begin->time) * 1e-6f;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_device([&](Device& device) { return device.queue.record(event, stream); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return outside_capture([&](Device& device) { return device.queue.wait(event); });
}

// ---- Recordings ---------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (mode != cudaStreamCaptureModeThreadLocal) return cudaErrorNotSupported;
  return with_device([&](Device& device) { return device.queue.begin_capture(stream); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_device([&](Device& device) { return device.queue.end_capture(stream, graph); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (nodes == nullptr) {
    *count = graph->nodes.size();
    return cudaSuccess;
  }
  *count = std::min(*count, graph->nodes.size());
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = &graph->nodes[i];
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runnable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return outside_capture([&](Device&) {
    *runnable = new CUgraphExec_st{std::make_shared<const CUgraph_st>(*graph)};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t runnable) {
  delete runnable;
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t /*runnable*/, cudaStream_t /*stream*/) {
  return outside_capture([](Device&) { return cudaSuccess; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t runnable, cudaStream_t stream) {
  return outside_capture([&](Device& device) {
    if (++device.recordings_started == device.settings.lost_at) device.lose();
    if (device.is_lost) return cudaErrorLaunchFailure;
    // Unlike in CUDA, not ordered after the previous launch if that was in another stream.
    return device.queue.tell(stream, cudaGraphNodeTypeGraph, [&device, graph = runnable->graph] {
      graph->run(device.queue.order());
    });
  });
}

}  // extern "C"
