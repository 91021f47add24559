// Sixteen registers of eight floats: a tile of 6 rows by 16 columns leaves four for weights and one
// input. Products of bytes need two more: a tile has 5 rows.
#include "nn/kernels_body.hpp"

namespace senet {

constinit const Kernels kAvx2Kernels = make_kernels<8, 6, 16, 5>("avx2");

}  // namespace senet
