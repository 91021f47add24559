#include "tests/failing_heap.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "tests/replaced_heap.hpp"

namespace senet {
namespace {

constexpr long kForEver = std::numeric_limits<long>::max() / 2;
std::atomic<long> allowed{kForEver}, stretch{0};
std::atomic<bool> has_failed{false};

}  // namespace

void* heap_take(std::size_t size, std::size_t alignment) {
  const long left = allowed.fetch_sub(1);
  if (left <= 0 && left > -stretch.load()) {
    has_failed = true;
    throw std::bad_alloc();
  }
  return take_from_malloc(size, alignment);
}

void heap_give_back(void* memory) noexcept { std::free(memory); }

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
