// A host's two functions as a heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "nn/heap.hpp"
#include "senet/senet.h"

namespace senet {

class HostHeap final : public Heap {
 public:
  /// alloc and release of this configuration.
  explicit HostHeap(const senet_config& config) : config_(config) {}

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (void* const memory = config_.alloc(config_.user, size, usual(alignment))) return memory;
    throw std::bad_alloc();
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    try {
      config_.release(config_.user, memory, size, usual(alignment));
    } catch (...) {  // a host's business; the caller is in a destructor
    }
  }
  // posix_memalign, for one, refuses to align by less than a pointer.
  static std::size_t usual(std::size_t alignment) {
    return std::max(alignment, alignof(std::max_align_t));
  }
  bool do_is_equal(const Heap& other) const noexcept override { return this == &other; }

  const senet_config config_;
};

}  // namespace senet
