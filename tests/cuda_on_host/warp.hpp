// Runs a kernel's threads on one host thread: the 32 threads of a warp are fibers, and each runs
// until it needs data from the others.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "tests/cuda_on_host/fiber.hpp"
#include "tests/cuda_on_host/order.hpp"

namespace senet::cuda_on_host {

/// The data that a lane contributes to a meeting of all lanes.
struct Brought {
  std::array<std::byte, 8> value;
  int purpose;  // must be equal in all lanes
};

/// Runs all kernels.
class Warp {
 public:
  static constexpr unsigned kLanes = 32;

  Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  /// Runs `thread` once in every thread of a grid, one warp after the other. Ends the process when
  /// only some lanes of a warp meet: CUDA does not allow that, and depending on the device hangs or
  /// continues.
  void run(const std::function<void()>& thread, dim3 grid, dim3 block, Order& order);

  /// Called by a lane: waits until all lanes have contributed; returns the contribution of lane
  /// `from`.
  Brought meet(const Brought& mine, unsigned from);

 private:
  enum class State : std::uint8_t { kDone, kRunning, kMeeting };

  void run_warp(Order& order);
  void body(unsigned lane);

  std::array<std::unique_ptr<Fiber>, kLanes> fibers_;
  std::array<State, kLanes> states_{};
  // Used alternately: a fast lane may contribute to the next meeting before the others have read
  // the last one.
  std::array<std::array<Brought, kLanes>, 2> brought_;
  std::array<unsigned, kLanes> meetings_{};
  const std::function<void()>* thread_ = nullptr;
  unsigned lane_ = 0;  // the running lane
};

}  // namespace senet::cuda_on_host
