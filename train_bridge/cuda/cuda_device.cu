#include "train_bridge/cuda/cuda_device.cuh"

namespace senet {
namespace {

using Layout = CudaHandle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Description = CudaHandle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = CudaHandle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

/// A row-major matrix, which the library, thinking in columns, takes for its transpose.
Layout layout(cudaDataType_t type, std::size_t rows, std::size_t columns, std::size_t stride) {
  return made<Layout>("a matrix layout", [&](cublasLtMatrixLayout_t* to) {
    return cublasLtMatrixLayoutCreate(to, type, columns, rows, static_cast<std::int64_t>(stride));
  });
}

}  // namespace

CudaDevice::CudaDevice(bool tf32)
    : tf32_(tf32), handle_(made<Handle>("cuBLASLt", &cublasLtCreate)) {}

// result = left right in rows is result^T = right^T left^T in columns: the factors change places.
void CudaDevice::multiply(cudaDataType_t type, const void* left, Shape left_shape,
                          bool left_transposed, const void* right, Shape right_shape,
                          bool right_transposed, float* result, Shape result_shape, bool add) {
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
  const Layout a = layout(type, right_shape.rows, right_shape.columns, right_shape.stride);
  const Layout b = layout(type, left_shape.rows, left_shape.columns, left_shape.stride);
  const Layout d = layout(CUDA_R_32F, result_shape.rows, result_shape.columns, result_shape.stride);

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
  check(cublasLtMatmul(handle_.get(), description.get(), &one, right, a.get(), left, b.get(), &old,
                       result, d.get(), result, d.get(), &best.algo, lane_->workspace.data(),
                       CudaLane::kWorkspaceBytes, lane_->stream.get()),
        "a product");
}

}  // namespace senet
