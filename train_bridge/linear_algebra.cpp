#include "train_bridge/linear_algebra.hpp"

#include <cblas.h>

#include <type_traits>

namespace senet {

void use_single_threaded_blas() { openblas_set_num_threads(1); }

template <class Real>
void multiply(const Product<Real, Real>& product) {
  const auto& [left, left_transposed, right, right_transposed, result, add] = product;
  const auto size = [](std::size_t value) { return static_cast<blasint>(value); };
  const auto order = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  const std::size_t inner = left_transposed ? left.rows : left.columns;
  const auto gemm = [] {
    if constexpr (std::is_same_v<Real, float>) {
      return &cblas_sgemm;
    } else {
      return &cblas_dgemm;
    }
  }();
  gemm(CblasRowMajor, order(left_transposed), order(right_transposed), size(result.rows),
       size(result.columns), size(inner), Real{1}, left.data, size(left.stride), right.data,
       size(right.stride), add ? Real{1} : Real{0}, result.data, size(result.stride));
}

template void multiply(const Product<float, float>&);
template void multiply(const Product<double, double>&);

}  // namespace senet
