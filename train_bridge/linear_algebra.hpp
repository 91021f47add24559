// Matrix products of the CPU trainer, over OpenBLAS.
#pragma once

#include "train_bridge/device/product.hpp"

namespace senet {

/// Makes OpenBLAS run every matrix product on the calling thread. This is a setting of the whole
/// process, so the library never does it by itself: a program calls it once, before it trains.
/// Without it OpenBLAS wakes its own threads for large products and they compete with self-play for
/// the cores.
void use_single_threaded_blas();

/// The product, Real being float or double. The factors do not overlap with the result.
template <class Real>
void multiply(const Product<Real, Real>& product);

}  // namespace senet
