// Alone in this file, as tests/counting_heap.cpp is.
#include "tests/failing_heap.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr long kForEver = std::numeric_limits<long>::max() / 2;
std::atomic<long> allowed{kForEver}, stretch{0};
std::atomic<bool> has_failed{false};

void* failing(std::size_t size, std::size_t alignment) {
  const long left = allowed.fetch_sub(1);
  if (left <= 0 && left > -stretch.load()) {
    has_failed = true;
    throw std::bad_alloc();
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return failing(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return failing(size, static_cast<std::size_t>(alignment));
}
// Without this one AddressSanitizer's own would be paired with our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace senet {

void fail_allocations(long good, long bad) {
  has_failed = false;
  stretch = bad;
  allowed = good;
}

bool allow_allocations() {
  allowed = kForEver;
  return has_failed;
}

}  // namespace senet
