// Sizes that are multiples of something.
#pragma once

#include <cstddef>

namespace senet {

/// The smallest multiple of `step` that is at least `size`.
constexpr std::size_t round_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

}  // namespace senet
