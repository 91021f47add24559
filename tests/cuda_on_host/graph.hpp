// A recorded graph: pieces of work and their dependencies.
#pragma once

#include <cuda_runtime.h>

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/cuda_on_host/order.hpp"

// The types behind CUDA's handles have CUDA's names.

struct CUgraphNode_st {
  std::function<void()> work;
  cudaGraphNodeType type;
  const void* workspace;           // used exclusively; null: none
  std::vector<std::size_t> after;  // indices of dependencies, all lower than its own
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;

  /// Does all work, in one of the allowed orders.
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

  /// Which nodes are in `ends` or are dependencies of them.
  std::vector<bool> before(const std::vector<std::size_t>& ends) const {
    std::vector<bool> before(nodes.size());
    for (const std::size_t end : ends) before[end] = true;
    for (std::size_t place = nodes.size(); place-- > 0;) {
      if (!before[place]) continue;
      for (const std::size_t earlier : nodes[place].after) before[earlier] = true;
    }
    return before;
  }

  /// Whether two nodes with the same workspace may run at the same time.
  bool shares_a_workspace() const {
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      if (nodes[place].workspace == nullptr) continue;
      const std::vector<bool> earlier = before({place});
      for (std::size_t other = 0; other < place; ++other) {
        if (!earlier[other] && nodes[other].workspace == nodes[place].workspace) return true;
      }
    }
    return false;
  }
};

struct CUgraphExec_st {
  // Shared with pending launches: the graph may be destroyed before they are done.
  std::shared_ptr<const CUgraph_st> graph;
};

namespace senet::cuda_on_host {

/// A recording in progress.
struct Capture {
  CUgraph_st graph;
  cudaStream_t origin;
  std::thread::id thread;
  cudaError_t ruin = cudaSuccess;  // the error that invalidates it
};

}  // namespace senet::cuda_on_host
