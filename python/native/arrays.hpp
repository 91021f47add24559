// NumPy arrays that own the elements of a vector.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace senet::python {

/// An array [size...] of these elements, as many as the sizes' product.
template <class T, class... Size>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<sizeof...(Size)>> array_of(
    std::vector<T> elements, Size... size) {
  auto kept = std::make_unique<std::vector<T>>(std::move(elements));
  T* const data = kept->data();
  nanobind::capsule owner(
      kept.get(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  kept.release();
  return {data, {static_cast<std::size_t>(size)...}, owner};
}

}  // namespace senet::python
