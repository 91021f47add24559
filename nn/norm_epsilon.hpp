// What LayerNorm adds to the variance, the same wherever a network is evaluated or trained. Holds
// no code, so that the kernels may include it.
#pragma once

namespace senet {

inline constexpr double kNormEpsilon = 1e-5;

}  // namespace senet
