// NumPy arrays that own the elements of a vector, and the shapes of arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <string>
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

/// The shape of an array, for messages: "[2, 3]".
template <class Array>
std::string shape_text(const Array& array) {
  std::string text = "[";
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  }
  return text + "]";
}

}  // namespace senet::python
