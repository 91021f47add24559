#include "train_bridge/cuda/cuda_device.cuh"

namespace senet {
namespace {

using Layout = CudaHandle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Description = CudaHandle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = CudaHandle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

/// A row-major matrix; the column-major library sees it as its transpose.
Layout layout(cudaDataType_t type, const auto& matrix) {
  return made<Layout>("a matrix layout", [&](cublasLtMatrixLayout_t* to) {
    return cublasLtMatrixLayoutCreate(to, type, matrix.columns, matrix.rows,
                                      static_cast<std::int64_t>(matrix.stride));
  });
}

}  // namespace

CudaDevice::CudaDevice(bool tf32)
    : tf32_(tf32), handle_(made<Handle>("cuBLASLt", &cublasLtCreate)) {}

// result = left right in row-major order is result^T = right^T left^T in column-major order: the
// factors are swapped.
void CudaDevice::multiply(cudaDataType_t type, const Product<float, void>& product) {
  const auto& [left, left_transposed, right, right_transposed, result, add] = product;
  const cublasComputeType_t compute =
      type == CUDA_R_32F && tf32_ ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const auto description = made<Description>("a product", [&](cublasLtMatmulDesc_t* to) {
    return cublasLtMatmulDescCreate(to, compute, CUDA_R_32F);
  });
  const auto transpose = [&](cublasLtMatmulDescAttributes_t which, bool transposed) {
    const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    check(cublasLtMatmulDescSetAttribute(description.get(), which, &operation, sizeof operation),
          "a product");
  };
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, right_transposed);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, left_transposed);
  const Layout a = layout(type, right), b = layout(type, left), d = layout(CUDA_R_32F, result);

  const auto preference = made<Preference>("a product", &cublasLtMatmulPreferenceCreate);
  check(cublasLtMatmulPreferenceSetAttribute(
            preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &CudaLane::kWorkspaceBytes,
            sizeof CudaLane::kWorkspaceBytes),
        "a product");
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  check(cublasLtMatmulAlgoGetHeuristic(handle_.get(), description.get(), a.get(), b.get(), d.get(),
                                       d.get(), preference.get(), 1, &best, &found),
        "an algorithm for a product");
  if (found == 0 || best.state != CUBLAS_STATUS_SUCCESS) {
    throw CudaError("cuBLASLt has no algorithm for a product");
  }
  const float one = 1, old = add ? 1 : 0;
  check(cublasLtMatmul(handle_.get(), description.get(), &one, right.data, a.get(), left.data,
                       b.get(), &old, result.data, d.get(), result.data, d.get(), &best.algo,
                       lane_->workspace.data(), CudaLane::kWorkspaceBytes, lane_->stream.get()),
        "a product");
}

}  // namespace senet
