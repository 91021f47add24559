// These operators are alone in this file: if the compiler could inline only one half of a pair into
// a caller, it would warn about mismatched allocation functions.
#include "tests/replaced_heap.hpp"

#include <cstdlib>
#include <new>

using senet::heap_give_back;
using senet::heap_take;

void* operator new(std::size_t size) { return heap_take(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return heap_take(size, static_cast<std::size_t>(alignment));
}
// Without this, AddressSanitizer's nothrow operator new would be paired with our operator delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { heap_give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { heap_give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { heap_give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  heap_give_back(memory);
}

namespace senet {

void* take_from_malloc(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace senet
