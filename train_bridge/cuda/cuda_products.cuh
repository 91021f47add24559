// Matrix products by cuBLASLt, which offers several algorithms for each shape.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <vector>

#include "train_bridge/cuda/cuda_resources.cuh"
#include "train_bridge/linear_algebra.hpp"

namespace senet {

/// A stream with the workspace of its products.
struct StreamWithWorkspace {
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
  CudaStream stream;
  CudaBuffer<std::byte> workspace{kWorkspaceBytes};
};

class CudaProduct;  // of one shape

/// Times cuBLASLt's best candidates once for each shape. Candidates add up in different orders, and
/// times vary from run to run: only those that return the same bits as the first one are timed, so
/// that the choice never changes a result.
class CudaProducts {
 public:
  /// `tf32`: products of floats may round their factors to 11 bits.
  explicit CudaProducts(bool tf32);
  ~CudaProducts();

  /// Enqueues the product of factors of `type` on the lane. The first product of a shape waits for
  /// the device, so its stream must not be recording, unless there is only one candidate.
  void multiply(cudaDataType_t type, const Product<float, void>& product,
                StreamWithWorkspace& lane);

 private:
  CudaProduct& of(cudaDataType_t type, const Product<float, void>& product);

  using Handle = CudaHandle<cublasLtHandle_t, cublasLtDestroy>;
  const bool tf32_;
  Handle handle_ = made<Handle>("cuBLASLt", &cublasLtCreate);
  std::vector<std::unique_ptr<CudaProduct>> known_;  // a few dozen
};

}  // namespace senet
