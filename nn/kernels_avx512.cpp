// Thirty-two registers of sixteen floats: tiles of 12 rows by 32 columns.
#include "nn/kernels_body.hpp"
#include "nn/kernels_variants.hpp"

namespace senet {

constinit const Kernels kAvx512Kernels = KernelSet<16, 12, 32>::kernels("avx512");

}  // namespace senet
