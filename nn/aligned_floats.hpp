// Blocks of floats as the kernels like them: aligned, rows padded to whole panels.
#pragma once

#include <cstddef>

#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"

namespace senet {

/// Columns of a row of `width` activations, rounded up to whole panels.
constexpr std::size_t padded(std::size_t width) { return (width + kPanel - 1) / kPanel * kPanel; }

/// Activations or packed weights.
using AlignedFloats = AlignedVector<float>;

}  // namespace senet
