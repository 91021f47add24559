// Replaces operator new and delete in tests that count, measure or fail allocations.
#pragma once

#include <cstddef>

namespace senet {

/// Allocates with std::aligned_alloc; throws std::bad_alloc. Free with std::free.
void* take_from_malloc(std::size_t size, std::size_t alignment);

/// All operators new and delete of a program linked with replaced_heap.cpp call these functions,
/// which the test defines. heap_take() may throw std::bad_alloc.
void* heap_take(std::size_t size, std::size_t alignment);
void heap_give_back(void* memory) noexcept;

}  // namespace senet
