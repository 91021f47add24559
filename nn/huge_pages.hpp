// Memory in huge pages, for blocks that are accessed at random.
#pragma once

#include <sys/mman.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "nn/heap.hpp"

namespace senet {

/// A heap that advises the system to use huge pages for blocks of at least one such page: then the
/// processor finds the address of a random line in one step. Each of these blocks is a mapping of
/// its own, so that the advice ends with it. Smaller blocks are memory of the global heap. Any
/// threads.
class HugePages final : public Heap {
 public:
  /// Bytes of a huge page, and the alignment of large blocks.
  static constexpr std::size_t kPage = std::size_t{1} << 21;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    assert(alignment <= kPage);
    if (bytes < kPage) return default_heap().allocate(bytes, alignment);
    // One page more than needed contains an aligned part; the rest is given back.
    const std::size_t room = whole_pages(bytes);
    void* const all =
        ::mmap(nullptr, room + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(all)) % kPage;
    std::byte* const memory = static_cast<std::byte*>(all) + before;
    if (before > 0) ::munmap(all, before);
    ::munmap(memory + room, kPage - before);
#ifdef MADV_HUGEPAGE
    // Only advice: its failure changes nothing but speed.
    static_cast<void>(::madvise(memory, room, MADV_HUGEPAGE));
#endif
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return default_heap().deallocate(memory, bytes, alignment);
    ::munmap(memory, whole_pages(bytes));
  }
  bool do_is_equal(const Heap& other) const noexcept override {
    return dynamic_cast<const HugePages*>(&other) != nullptr;
  }
  static std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
};

}  // namespace senet
