// The program's operator new and delete, in tests that count, weigh or fail what they do.
#pragma once

#include <cstddef>

namespace senet {

/// What malloc has for this size and alignment; throws std::bad_alloc.
void* take_from_malloc(std::size_t size, std::size_t alignment);

/// Every operator new and delete of a program that is linked with replaced_heap.cpp comes down to
/// these two, which the test's heap defines. The first may throw std::bad_alloc.
void* heap_take(std::size_t size, std::size_t alignment);
void heap_give_back(void* memory) noexcept;

}  // namespace senet
