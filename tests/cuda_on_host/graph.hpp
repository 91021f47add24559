// A recorded piece of work: what has to be done, and what has to be done before it.
#pragma once

#include <cuda_runtime.h>

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "tests/cuda_on_host/order.hpp"

// The types behind CUDA's handles have CUDA's names.

struct CUgraphNode_st {
  std::function<void()> work;
  cudaGraphNodeType type;
  std::vector<std::size_t> after;  // places in the graph, all before its own
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;

  /// Does all of it, in one of the orders it allows.
  void run(senet::cuda_on_host::Order& order) const {
    std::vector<std::size_t> left(nodes.size()), ready;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      left[place] = nodes[place].after.size();
      if (left[place] == 0) ready.push_back(place);
    }
    while (!ready.empty()) {
      const auto picked = ready.begin() + static_cast<std::ptrdiff_t>(order.pick(ready.size()));
      const std::size_t place = *picked;
      ready.erase(picked);
      nodes[place].work();
      for (std::size_t next = place + 1; next < nodes.size(); ++next) {
        for (const std::size_t before : nodes[next].after) {
          if (before == place && --left[next] == 0) ready.push_back(next);
        }
      }
    }
  }
};

struct CUgraphExec_st {
  CUgraph_st graph;
};

namespace senet::cuda_on_host {

/// A recording that is under way.
struct Capture {
  CUgraph_st graph;
  cudaStream_t origin;
  std::thread::id thread;
  cudaError_t ruin = cudaSuccess;  // what ends it
};

}  // namespace senet::cuda_on_host
