// Sixteen registers of eight floats: tiles of 6 rows by 16 columns leave four for weights and one
// row value.
#include "nn/kernels_body.hpp"

namespace senet {

constinit const Kernels kAvx2Kernels = make_kernels<8, 6, 16>("avx2");

}  // namespace senet
