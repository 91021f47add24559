// Memory in huge pages, for blocks that are accessed at random.
#pragma once

#include <sys/mman.h>

#include <cassert>
#include <cstddef>
#include <memory_resource>

#include "nn/heap.hpp"

namespace senet {

/// A heap that advises the system to use huge pages for blocks of at least one such page: then the
/// processor finds the address of a random line in one step. Smaller blocks, and all blocks where
/// the system has no huge pages, are ordinary memory of the global heap. Any threads.
class HugePages final : public Heap {
 public:
  /// Bytes of a huge page, and the alignment of large blocks.
  static constexpr std::size_t kPage = std::size_t{1} << 21;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    assert(alignment <= kPage);
    if (bytes < kPage) return default_heap().allocate(bytes, alignment);
    const std::size_t room = whole_pages(bytes);
    void* const memory = default_heap().allocate(room, kPage);
#ifdef MADV_HUGEPAGE
    // Only advice: its failure changes nothing but speed.
    static_cast<void>(::madvise(memory, room, MADV_HUGEPAGE));
#endif
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return default_heap().deallocate(memory, bytes, alignment);
    default_heap().deallocate(memory, whole_pages(bytes), kPage);
  }
  bool do_is_equal(const Heap& other) const noexcept override {
    return dynamic_cast<const HugePages*>(&other) != nullptr;
  }
  static std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
};

}  // namespace senet
