// Blocks of floats as the kernels like them: aligned, rows padded to whole panels.
#pragma once

#include <cstddef>

#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"
#include "nn/round_up.hpp"

namespace senet {

/// Columns of a row of `width` activations, rounded up to whole panels.
constexpr std::size_t padded(std::size_t width) { return round_up(width, kPanel); }

/// Activations or packed weights.
using AlignedFloats = AlignedVector<float>;

}  // namespace senet
