// A kernel's threads on one of the host's: the 32 of a warp are fibers, and each runs until it
// wants to know something of the others.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "tests/cuda_on_host/fiber.hpp"
#include "tests/cuda_on_host/order.hpp"

namespace senet::cuda_on_host {

/// What a lane brings to where all lanes meet.
struct Brought {
  std::array<std::byte, 8> value;
  int purpose;  // the same for all of them
};

/// Runs all kernels.
class Warp {
 public:
  static constexpr unsigned kLanes = 32;

  Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  /// Runs `thread` once in every thread of a grid, one warp after the other; ends the process when
  /// some lanes of a warp meet and others do not, which CUDA does not allow: with some it waits for
  /// ever, with some it goes on.
  void run(const std::function<void()>& thread, dim3 grid, dim3 block, Order& order);

  /// Called by a lane: waits until all have brought something; what lane `from` brought.
  Brought meet(const Brought& mine, unsigned from);

 private:
  enum class State : std::uint8_t { kDone, kRunning, kMeeting };

  void run_warp(Order& order);
  void story(unsigned lane);

  std::array<std::unique_ptr<Fiber>, kLanes> fibers_;
  std::array<State, kLanes> states_{};
  // In turn: who is quick may bring the next thing before the others have seen the last one.
  std::array<std::array<Brought, kLanes>, 2> brought_;
  std::array<unsigned, kLanes> meetings_{};
  const std::function<void()>* thread_ = nullptr;
  unsigned lane_ = 0;  // the one that runs
};

}  // namespace senet::cuda_on_host
