// The compiled versions of the kernels; see kernels.cpp for which one runs.
#pragma once

#include "nn/kernels.hpp"

namespace senet {

extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;    // x86-64 only: AVX2 and FMA
extern const Kernels kAvx512Kernels;  // x86-64 only: AVX-512 F, VL, DQ, BW

}  // namespace senet
