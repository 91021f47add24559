#include "tests/nn/counted_malloc.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

// A program's own malloc also replaces the C library's in every shared library; the C library's
// remains available under these names.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> count{0};
void* counted(void* memory) {
  count.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept { return counted(__libc_malloc(size)); }
void* calloc(std::size_t number, std::size_t size) noexcept {
  return counted(__libc_calloc(number, size));
}
void* realloc(void* memory, std::size_t size) noexcept {
  return counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
}

long senet::allocations() { return count.load(std::memory_order_relaxed); }

#else

long senet::allocations() { return -1; }

#endif
