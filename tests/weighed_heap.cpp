// Alone in this file, as tests/counting_heap.cpp is.
#include "tests/weighed_heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> out{0}, most{0};

void* weighed(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = out.fetch_add(malloc_usable_size(memory)) + malloc_usable_size(memory);
  std::size_t before = most.load();
  while (before < now && !most.compare_exchange_weak(before, now)) continue;
  return memory;
}

void give_back(void* memory) {
  if (memory != nullptr) out.fetch_sub(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return weighed(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return weighed(size, static_cast<std::size_t>(alignment));
}
// Without this one AddressSanitizer's own would be paired with our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace senet {

std::size_t heap_bytes() { return out.load(); }
std::size_t heap_peak() { return most.exchange(out.load()); }

}  // namespace senet
