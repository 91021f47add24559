#include "tests/weighed_heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "tests/replaced_heap.hpp"

namespace senet {
namespace {

std::atomic<std::size_t> out{0}, most{0};

}  // namespace

void* heap_take(std::size_t size, std::size_t alignment) {
  void* const memory = take_from_malloc(size, alignment);
  const std::size_t now = out.fetch_add(malloc_usable_size(memory)) + malloc_usable_size(memory);
  std::size_t before = most.load();
  while (before < now && !most.compare_exchange_weak(before, now)) continue;
  return memory;
}

void heap_give_back(void* memory) noexcept {
  if (memory != nullptr) out.fetch_sub(malloc_usable_size(memory));
  std::free(memory);
}

std::size_t heap_bytes() { return out.load(); }
std::size_t heap_peak() { return most.exchange(out.load()); }

}  // namespace senet
