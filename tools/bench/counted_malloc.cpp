// The heap of the senet program: the C allocation functions with mimalloc and a counter per thread,
// so that loaded libraries use it too. Linked only into the program: libsenet must use the host's
// heap.
#include <mimalloc.h>

#include <cstddef>
#include <new>

#include "tools/bench/timing.hpp"

namespace {

// Static thread-local storage of the executable: access never allocates, even in a new thread.
constinit thread_local std::uint64_t allocations = 0;

template <class Allocated>
Allocated counted(Allocated allocated) {
  ++allocations;
  return allocated;
}

// mimalloc's own operators are compiled as C: where there is no memory, they end the program.
template <class Allocate>
void* or_bad_alloc(Allocate allocate) {
  for (;;) {
    if (void* const memory = counted(allocate())) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

namespace senet {

std::optional<std::uint64_t> thread_allocations() { return allocations; }

}  // namespace senet

extern "C" {

void* malloc(std::size_t size) noexcept { return counted(mi_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return counted(mi_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) noexcept { return counted(mi_realloc(memory, size)); }
void free(void* memory) noexcept { mi_free(memory); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  return counted(mi_posix_memalign(memory, alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(mi_aligned_alloc(alignment, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(mi_memalign(alignment, size));
}
void* valloc(std::size_t size) noexcept { return counted(mi_valloc(size)); }
void* pvalloc(std::size_t size) noexcept { return counted(mi_pvalloc(size)); }
std::size_t malloc_usable_size(void* memory) noexcept { return mi_usable_size(memory); }

}  // extern "C"

// mimalloc's shared library defines these operators too, but ours take precedence and count. By the
// standard, the other forms of new and delete call these.
void* operator new(std::size_t size) {
  return or_bad_alloc([size] { return mi_malloc(size); });
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_bad_alloc([=] { return mi_malloc_aligned(size, static_cast<std::size_t>(alignment)); });
}
void operator delete(void* memory) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
