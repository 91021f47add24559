#include "tests/counting_heap.hpp"

#include <atomic>
#include <cstdlib>

#include "tests/replaced_heap.hpp"

namespace senet {
namespace {

std::atomic<long> allocations{0};

}  // namespace

void* heap_take(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return take_from_malloc(size, alignment);
}

void heap_give_back(void* memory) noexcept { std::free(memory); }

long heap_allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace senet
