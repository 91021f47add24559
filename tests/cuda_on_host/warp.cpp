#include "tests/cuda_on_host/warp.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "tests/cuda_on_host/device_code.hpp"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace senet::cuda_on_host {

Warp::Warp() {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    fibers_[lane] = std::make_unique<Fiber>([this, lane] { body(lane); });
  }
}

void Warp::body(unsigned lane) {
  for (;;) {
    (*thread_)();
    states_[lane] = State::kDone;
    fibers_[lane]->suspend();
  }
}

Brought Warp::meet(const Brought& mine, unsigned from) {
  const unsigned lane = lane_;
  auto& brought = brought_[meetings_[lane]++ % 2];
  brought[lane] = mine;
  states_[lane] = State::kMeeting;
  fibers_[lane]->suspend();
  return brought[from % kLanes];
}

void Warp::run_warp(Order& order) {
  states_.fill(State::kRunning);
  meetings_.fill(0);
  const uint3 first = threadIdx;
  for (unsigned meeting = 0;; ++meeting) {
    for (const std::uint32_t lane : order.permutation(kLanes)) {
      lane_ = lane;
      threadIdx.x = first.x + lane;
      fibers_[lane]->resume();
    }
    int here = 0;
    bool same = true;
    std::optional<int> purpose;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (states_[lane] != State::kMeeting) continue;
      ++here;
      const int brought = brought_[meeting % 2][lane].purpose;
      same = same && purpose.value_or(brought) == brought;
      purpose = brought;
    }
    if (here == 0) return;
    if (here != int{kLanes} || !same) {
      std::fprintf(stderr, "CUDA on the host: %d lanes of a warp meet, %s\n", here,
                   same ? "and the others never will" : "each for another reason");
      std::abort();
    }
  }
}

void Warp::run(const std::function<void()>& thread, dim3 grid, dim3 block, Order& order) {
  thread_ = &thread;
  blockDim = block;
  gridDim = grid;
  const std::size_t warps = block.x / kLanes, blocks = std::size_t{grid.x} * grid.y;
  const std::vector<std::uint32_t> places = order.permutation(blocks * warps);
  for (const std::uint32_t place : places) {
    const auto at = static_cast<unsigned>(place / warps);
    blockIdx = {at % grid.x, at / grid.x, 0};
    threadIdx = {static_cast<unsigned>(place % warps) * kLanes, 0, 0};
    run_warp(order);
  }
}

}  // namespace senet::cuda_on_host
