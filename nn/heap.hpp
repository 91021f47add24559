// Memory resources for large blocks: the global heap, or one that the host provides.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

namespace senet {

/// A memory resource; throws std::bad_alloc when it has no memory. Must outlive its allocations.
using Heap = std::pmr::memory_resource;

/// The heap of the global operators new and delete.
inline Heap& default_heap() { return *std::pmr::new_delete_resource(); }

/// Memory for a fixed number of values, uninitialized.
template <class Value>
class Block {
  static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

 public:
  Block() = default;
  explicit Block(std::size_t size, Heap& heap = default_heap())
      : data_(static_cast<Value*>(heap.allocate(size * sizeof(Value), alignof(Value))),
              Return{&heap, size}) {}

  std::size_t size() const { return data_ ? data_.get_deleter().size : 0; }
  Value* get() const { return data_.get(); }
  Value& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Return {
    Heap* heap = nullptr;
    std::size_t size = 0;
    void operator()(Value* data) const {
      heap->deallocate(data, size * sizeof(Value), alignof(Value));
    }
  };
  std::unique_ptr<Value, Return> data_;
};

/// Destroys an object, through any of its base types, and returns its memory to the heap.
struct HeapDelete {
  Heap* heap = nullptr;
  void* memory = nullptr;
  std::size_t size = 0, alignment = 0;

  template <class Object>
  void operator()(Object* object) const {
    std::destroy_at(object);
    heap->deallocate(memory, size, alignment);
  }
};

/// An owned object in a heap.
template <class Object>
using OnHeap = std::unique_ptr<Object, HeapDelete>;

template <class Object, class... Arguments>
OnHeap<Object> make_on_heap(Heap& heap, Arguments&&... arguments) {
  std::pmr::polymorphic_allocator<> from(&heap);
  Object* const object = from.new_object<Object>(std::forward<Arguments>(arguments)...);
  return {object, HeapDelete{&heap, object, sizeof(Object), alignof(Object)}};
}

}  // namespace senet
