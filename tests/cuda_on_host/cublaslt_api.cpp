// The functions of cublasLt.h: products of column-major matrices.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/cuda_on_host/device.hpp"

struct cublasLtContext {};

namespace senet::cuda_on_host {
namespace {

/// A column-major matrix: `stride` is in values, between columns.
struct Layout {
  cudaDataType_t type;
  std::uint64_t rows, columns;
  std::int64_t stride;

  std::size_t value_bytes() const { return type == CUDA_R_32F ? 4 : 2; }
  std::size_t bytes() const {
    return (static_cast<std::size_t>(stride) * (columns - 1) + rows) * value_bytes();
  }
  bool is_possible() const {
    return rows > 0 && columns > 0 && stride > 0 && static_cast<std::uint64_t>(stride) >= rows;
  }
};

struct Description {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t left = CUBLAS_OP_N, right = CUBLAS_OP_N;
};

struct Preference {
  std::uint64_t workspace = 0;
};

/// The state of a chosen algorithm; `workspace` is its size limit in bytes. Number 1 is twice as
/// fast as 0, number 2 adds up in another order and is faster still, and 3 does not work.
struct Algorithm {
  std::uint64_t magic, workspace, number;
  static constexpr std::uint64_t kMagic = 0x73656e6574, kOtherOrder = 2, kUnusable = 3;
  std::uint64_t nanoseconds() const {
    return std::array<std::uint64_t, 3>{2000, 1000, 500}[number];
  }
};

Layout& at(cublasLtMatrixLayout_t layout) { return *reinterpret_cast<Layout*>(layout); }
Description& at(cublasLtMatmulDesc_t description) {
  return *reinterpret_cast<Description*>(description);
}
Preference& at(cublasLtMatmulPreference_t preference) {
  return *reinterpret_cast<Preference*>(preference);
}

/// Rounds to 11 significant bits, ties to even: the precision of TF32.
float rounded_to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (!std::isfinite(value)) return value;
  const std::uint32_t rounded = bits + 0x0fff + (bits >> 13 & 1);
  return std::bit_cast<float>(rounded & ~0x1fffu);
}

/// op(matrix), row by row.
std::vector<float> read(const void* data, const Layout& layout, bool transposed, bool tf32) {
  const auto value = [&](std::size_t at) {
    if (layout.type == CUDA_R_16BF) {
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]);
    }
    if (layout.type == CUDA_R_16F) return __half2float(static_cast<const __half*>(data)[at]);
    const float single = static_cast<const float*>(data)[at];
    return tf32 ? rounded_to_tf32(single) : single;
  };
  const std::size_t rows = transposed ? layout.columns : layout.rows;
  const std::size_t columns = transposed ? layout.rows : layout.columns;
  const auto stride = static_cast<std::size_t>(layout.stride);
  std::vector<float> out(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      out[row * columns + column] =
          value(transposed ? row * stride + column : column * stride + row);
    }
  }
  return out;
}

struct Product {
  Description description;
  Layout a, b, d;

  std::size_t rows() const { return d.rows; }
  std::size_t inner() const { return description.left == CUBLAS_OP_N ? a.columns : a.rows; }

  /// Covers the part of the table of supported types that is needed here.
  bool is_supported() const {
    const bool fits = (description.left == CUBLAS_OP_N ? a.rows : a.columns) == d.rows &&
                      (description.right == CUBLAS_OP_N ? b.columns : b.rows) == d.columns &&
                      (description.right == CUBLAS_OP_N ? b.rows : b.columns) == inner();
    const bool half = a.type == CUDA_R_16BF || a.type == CUDA_R_16F;
    const bool computes =
        description.compute == CUBLAS_COMPUTE_32F ||
        (description.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a.type == CUDA_R_32F);
    return fits && a.is_possible() && b.is_possible() && d.is_possible() && a.type == b.type &&
           d.type == CUDA_R_32F && description.scale == CUDA_R_32F &&
           (half || a.type == CUDA_R_32F) && computes;
  }

  void run(float alpha, const void* left, const void* right, float beta, float* out,
           bool from_the_end) const {
    const bool tf32 = description.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    const std::vector<float> as = read(left, a, description.left != CUBLAS_OP_N, tf32);
    const std::vector<float> bs = read(right, b, description.right != CUBLAS_OP_N, tf32);
    std::vector<float> sums(d.columns);
    for (std::size_t row = 0; row < rows(); ++row) {
      sums.assign(d.columns, 0);
      for (std::size_t step = 0; step < inner(); ++step) {
        const std::size_t i = from_the_end ? inner() - 1 - step : step;
        const float factor = as[row * inner() + i];
        for (std::size_t column = 0; column < d.columns; ++column) {
          sums[column] += factor * bs[i * d.columns + column];
        }
      }
      for (std::size_t column = 0; column < d.columns; ++column) {
        float& to = out[column * static_cast<std::size_t>(d.stride) + row];
        // With beta = 0 the old value must not be read: it may be NaN.
        to = alpha * sums[column] + (beta == 0 ? 0 : beta * to);
      }
    }
  }
};

/// The default alignment that cuBLASLt assumes for all addresses.
bool is_aligned(const void* address) { return std::bit_cast<std::uintptr_t>(address) % 256 == 0; }

}  // namespace
}  // namespace senet::cuda_on_host

using namespace senet::cuda_on_host;

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t /*status*/) { return "refused"; }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t stride) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, stride});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete &at(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
  *description = reinterpret_cast<cublasLtMatmulDesc_t>(new Description{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete &at(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  if (bytes != sizeof(cublasOperation_t)) return CUBLAS_STATUS_INVALID_VALUE;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) {
    std::memcpy(&at(description).left, value, bytes);
  } else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) {
    std::memcpy(&at(description).right, value, bytes);
  } else {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete &at(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  if (attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (bytes != sizeof at(preference).workspace) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&at(preference).workspace, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t /*c*/, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t results[],
    int* found) {
  *found = 0;
  if (wanted < 1) return CUBLAS_STATUS_INVALID_VALUE;
  if (!Product{at(description), at(a), at(b), at(d)}.is_supported()) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  Device& device = the_device();
  const std::lock_guard lock(device.mutex);
  *found = std::min(wanted, static_cast<int>(device.settings.algorithms));
  for (int i = 0; i < *found; ++i) {
    const Algorithm algorithm{Algorithm::kMagic, at(preference).workspace,
                              static_cast<std::uint64_t>(i)};
    results[i] = {};
    std::memcpy(&results[i].algo, &algorithm, sizeof algorithm);
    results[i].workspaceSize = algorithm.workspace;
    results[i].state = algorithm.number == Algorithm::kUnusable ? CUBLAS_STATUS_NOT_SUPPORTED
                                                                : CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* left, cublasLtMatrixLayout_t a,
                              const void* right, cublasLtMatrixLayout_t b, const void* beta,
                              const void* old, cublasLtMatrixLayout_t /*c*/, void* out,
                              cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algo,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  const Product product{at(description), at(a), at(b), at(d)};
  if (algo == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;  // CUDA would choose one
  Algorithm algorithm{};
  std::memcpy(&algorithm, algo, sizeof algorithm);
  if (!product.is_supported() || algorithm.magic != Algorithm::kMagic ||
      algorithm.number >= Algorithm::kUnusable || old != out) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const cudaError_t status = with_device([&](Device& device) {
    const auto holds = [&](const void* address, std::size_t bytes) {
      return is_aligned(address) && device.memory.is_on_device(address, bytes);
    };
    // A product is not atomic: its inputs must not overlap its output.
    const auto overlaps = [&](const void* address, std::size_t bytes) {
      const auto* const begin = static_cast<const std::byte*>(address);
      const auto* const result = static_cast<const std::byte*>(out);
      return begin < result + product.d.bytes() && result < begin + bytes;
    };
    if (overlaps(left, product.a.bytes()) || overlaps(right, product.b.bytes()) ||
        overlaps(workspace, algorithm.workspace)) {
      return cudaErrorInvalidValue;
    }
    if (!holds(left, product.a.bytes()) || !holds(right, product.b.bytes()) ||
        !holds(out, product.d.bytes()) || workspace_bytes < algorithm.workspace ||
        !holds(workspace, algorithm.workspace)) {
      return cudaErrorInvalidValue;
    }
    return device.queue.tell(
        stream, cudaGraphNodeTypeKernel,
        [=, &device, alpha = *static_cast<const float*>(alpha),
         beta = *static_cast<const float*>(beta)] {
          product.run(alpha, left, right, beta, static_cast<float*>(out),
                      algorithm.number == Algorithm::kOtherOrder);
          ++device.products[algorithm.number];
          device.queue.advance(algorithm.nanoseconds());
        },
        workspace);
  });
  if (status == cudaErrorInvalidValue) return CUBLAS_STATUS_INVALID_VALUE;
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
