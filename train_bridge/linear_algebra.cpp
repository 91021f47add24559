#include "train_bridge/linear_algebra.hpp"

#include <cblas.h>

namespace senet {
namespace {

struct Operand {
  CBLAS_TRANSPOSE transpose;
  std::size_t stride;  // values from one row in memory to the next
};

// c[m, n] = op(a)[m, k] x op(b)[k, n] + beta c
template <class Real>
void multiply(std::size_t m, std::size_t n, std::size_t k, const Real* a, Operand a_is,
              const Real* b, Operand b_is, Real beta, Real* c) {
  const auto size = [](std::size_t value) { return static_cast<blasint>(value); };
  if constexpr (sizeof(Real) == sizeof(float)) {
    cblas_sgemm(CblasRowMajor, a_is.transpose, b_is.transpose, size(m), size(n), size(k), 1.0f, a,
                size(a_is.stride), b, size(b_is.stride), beta, c, size(n));
  } else {
    cblas_dgemm(CblasRowMajor, a_is.transpose, b_is.transpose, size(m), size(n), size(k), 1.0, a,
                size(a_is.stride), b, size(b_is.stride), beta, c, size(n));
  }
}

}  // namespace

void use_single_threaded_blas() { openblas_set_num_threads(1); }

template <class Real>
void add_linear(const Real* input, const Real* weight, std::size_t rows, std::size_t inputs,
                std::size_t outputs, Real* output) {
  multiply<Real>(rows, outputs, inputs, input, {CblasNoTrans, inputs}, weight, {CblasTrans, inputs},
                 Real{1}, output);
}

template <class Real>
void linear_input_gradient(const Real* d_output, const Real* weight, std::size_t rows,
                           std::size_t inputs, std::size_t outputs, bool add, Real* d_input) {
  multiply<Real>(rows, inputs, outputs, d_output, {CblasNoTrans, outputs}, weight,
                 {CblasNoTrans, inputs}, add ? Real{1} : Real{0}, d_input);
}

template <class Real>
void add_linear_weight_gradient(const Real* d_output, const Real* input, std::size_t rows,
                                std::size_t inputs, std::size_t outputs, Real* d_weight) {
  multiply<Real>(outputs, inputs, rows, d_output, {CblasTrans, outputs}, input,
                 {CblasNoTrans, inputs}, Real{1}, d_weight);
}

template void add_linear(const float*, const float*, std::size_t, std::size_t, std::size_t, float*);
template void add_linear(const double*, const double*, std::size_t, std::size_t, std::size_t,
                         double*);
template void linear_input_gradient(const float*, const float*, std::size_t, std::size_t,
                                    std::size_t, bool, float*);
template void linear_input_gradient(const double*, const double*, std::size_t, std::size_t,
                                    std::size_t, bool, double*);
template void add_linear_weight_gradient(const float*, const float*, std::size_t, std::size_t,
                                         std::size_t, float*);
template void add_linear_weight_gradient(const double*, const double*, std::size_t, std::size_t,
                                         std::size_t, double*);

}  // namespace senet
