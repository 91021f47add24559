// Four floats at a time: SSE2 on any x86-64, NEON on any 64-bit Arm, plain code elsewhere.
#include "nn/kernels_body.hpp"

namespace senet {

constinit const Kernels kPortableKernels = make_kernels<4, 2, 16, 2>("portable");

}  // namespace senet
