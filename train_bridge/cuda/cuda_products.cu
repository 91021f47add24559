#include "train_bridge/cuda/cuda_products.cuh"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <span>

namespace senet {
namespace {

using Layout = CudaHandle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Description = CudaHandle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = CudaHandle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;
/// With a name: nvcc 13.0 crashes on a vector of the library's unnamed struct.
struct Algorithm {
  cublasLtMatmulAlgo_t state;
};

/// A row-major matrix; the column-major library sees it as its transpose.
Layout layout(cudaDataType_t type, const auto& matrix) {
  return made<Layout>("a matrix layout", [&](cublasLtMatrixLayout_t* to) {
    return cublasLtMatrixLayoutCreate(to, type, matrix.columns, matrix.rows,
                                      static_cast<std::int64_t>(matrix.stride));
  });
}

bool has_same_layout(const auto& one, const auto& other) {
  return one.rows == other.rows && one.columns == other.columns && one.stride == other.stride;
}

std::size_t bytes_of(cudaDataType_t type, const auto& matrix) {
  return matrix.rows * matrix.stride * (type == CUDA_R_32F ? 4 : 2);
}

/// Values of both signs and many magnitudes, whose sum depends on the order of additions. As pairs
/// of bytes they are such values in each precision: 0.5 to 2 in half, 2^-15 to 2 in the others.
void fill(CudaBuffer<std::byte>& memory) {
  std::mt19937 random(1);
  std::vector<std::uint16_t> values(memory.size() / sizeof(std::uint16_t));
  for (std::uint16_t& value : values) {
    value = static_cast<std::uint16_t>((random() & 0x87ff) | 0x3800);
  }
  check(
      cudaMemcpyAsync(memory.data(), values.data(), memory.size(), cudaMemcpyHostToDevice, nullptr),
      "an upload");
  check(cudaStreamSynchronize(nullptr), "an upload");
}

}  // namespace

// result = left right in row-major order is result^T = right^T left^T in column-major order: the
// factors are swapped.
class CudaProduct {
 public:
  CudaProduct(cublasLtHandle_t handle, bool tf32, cudaDataType_t type,
              const Product<float, void>& product)
      : handle_(handle),
        type_(type),
        product_(product),
        description_(made<Description>(
            "a product",
            [&](cublasLtMatmulDesc_t* to) {
              return cublasLtMatmulDescCreate(
                  to,
                  type == CUDA_R_32F && tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                  CUDA_R_32F);
            })),
        a_(layout(type, product.right)),
        b_(layout(type, product.left)),
        d_(layout(CUDA_R_32F, product.result)) {
    const auto transpose = [&](cublasLtMatmulDescAttributes_t which, bool transposed) {
      const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
      check(cublasLtMatmulDescSetAttribute(description_.get(), which, &operation, sizeof operation),
            "a product");
    };
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, product.right_transposed);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, product.left_transposed);
    const std::vector<Algorithm> all = candidates();
    algorithm_ = all.size() == 1 ? all.front() : fastest(all);
  }

  bool is_of(cudaDataType_t type, const Product<float, void>& product) const {
    return type == type_ && has_same_layout(product.left, product_.left) &&
           product.left_transposed == product_.left_transposed &&
           has_same_layout(product.right, product_.right) &&
           product.right_transposed == product_.right_transposed &&
           has_same_layout(product.result, product_.result);
  }

  void run(const Product<float, void>& product, StreamWithWorkspace& lane) const {
    run(product, lane, algorithm_);
  }

 private:
  void run(const Product<float, void>& product, StreamWithWorkspace& lane,
           const Algorithm& algorithm) const {
    const float one = 1, old = product.add ? 1 : 0;
    check(cublasLtMatmul(handle_, description_.get(), &one, product.right.data, a_.get(),
                         product.left.data, b_.get(), &old, product.result.data, d_.get(),
                         product.result.data, d_.get(), &algorithm.state, lane.workspace.data(),
                         StreamWithWorkspace::kWorkspaceBytes, lane.stream.get()),
          "a product");
  }

  /// At least one, the one that cuBLASLt expects to be the fastest first.
  std::vector<Algorithm> candidates() const {
    constexpr int kMost = 8;
    const auto preference = made<Preference>("a product", &cublasLtMatmulPreferenceCreate);
    check(cublasLtMatmulPreferenceSetAttribute(
              preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
              &StreamWithWorkspace::kWorkspaceBytes, sizeof StreamWithWorkspace::kWorkspaceBytes),
          "a product");
    std::array<cublasLtMatmulHeuristicResult_t, kMost> found{};
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle_, description_.get(), a_.get(), b_.get(), d_.get(),
                                         d_.get(), preference.get(), kMost, found.data(), &count),
          "an algorithm for a product");
    std::vector<Algorithm> usable;
    for (const auto& candidate : std::span(found).first(static_cast<std::size_t>(count))) {
      if (candidate.state == CUBLAS_STATUS_SUCCESS) usable.push_back({candidate.algo});
    }
    if (usable.empty()) throw CudaError("cuBLASLt has no algorithm for a product");
    return usable;
  }

  Algorithm fastest(const std::vector<Algorithm>& all) const {
    CudaBuffer<std::byte> left(bytes_of(type_, product_.left)),
        right(bytes_of(type_, product_.right));
    CudaBuffer<float> result(product_.result.rows * product_.result.stride);
    StreamWithWorkspace lane;
    fill(left);
    fill(right);
    Product<float, void> sample = product_;
    sample.left.data = left.data();
    sample.right.data = right.data();
    sample.result.data = result.data();
    sample.add = false;
    const auto bits = [&](const Algorithm& algorithm) {
      run(sample, lane, algorithm);
      std::vector<std::uint32_t> found(result.size());
      check(cudaMemcpyAsync(found.data(), result.data(), result.size() * sizeof(float),
                            cudaMemcpyDeviceToHost, lane.stream.get()),
            "a download");
      check(cudaStreamSynchronize(lane.stream.get()), "a product");
      return found;
    };
    check(cudaDeviceSynchronize(), "a wait");  // other work would disturb the times
    const auto expected = bits(all.front());
    Algorithm best = all.front();
    float least = milliseconds(sample, lane, best);
    for (const Algorithm& other : std::span(all).subspan(1)) {
      if (bits(other) != expected) continue;
      const float time = milliseconds(sample, lane, other);
      if (time >= least) continue;
      best = other;
      least = time;
    }
    return best;
  }

  /// Replays a recording, as a step does: single launches would take longer than small products.
  float milliseconds(const Product<float, void>& sample, StreamWithWorkspace& lane,
                     const Algorithm& algorithm) const {
    constexpr int kProducts = 8, kReplays = 3;
    const CudaRecording recording(lane.stream.get(), [&] {
      for (int i = 0; i < kProducts; ++i) run(sample, lane, algorithm);
    });
    float least = std::numeric_limits<float>::infinity();
    CudaEvent begin(CudaEvent::Timing::kOn), end(CudaEvent::Timing::kOn);
    for (int i = 0; i < kReplays; ++i) {
      begin.record(lane.stream.get());
      recording.run(lane.stream.get());
      end.record(lane.stream.get());
      end.wait();
      least = std::min(least, end.milliseconds_since(begin));
    }
    return least;
  }

  cublasLtHandle_t handle_;
  cudaDataType_t type_;
  Product<float, void> product_;  // its shape: the data is that of the first product
  Description description_;
  Layout a_, b_, d_;
  Algorithm algorithm_{};
};

CudaProducts::CudaProducts(bool tf32) : tf32_(tf32) {}
CudaProducts::~CudaProducts() = default;

CudaProduct& CudaProducts::of(cudaDataType_t type, const Product<float, void>& product) {
  const auto found =
      std::ranges::find_if(known_, [&](const auto& known) { return known->is_of(type, product); });
  if (found != known_.end()) return **found;
  known_.push_back(std::make_unique<CudaProduct>(handle_.get(), tf32_, type, product));
  return *known_.back();
}

void CudaProducts::multiply(cudaDataType_t type, const Product<float, void>& product,
                            StreamWithWorkspace& lane) {
  of(type, product).run(product, lane);
}

}  // namespace senet
