// One matrix product of oneDNN: rows of activations times the weights of a Linear.
#pragma once

#include <cstddef>
#include <dnnl.hpp>

namespace senet {

/// What a product does with its result.
enum class Into { kReplace, kAdd };

/// A compiled product out (+)= in * weights + bias for a fixed number of rows, with the memory
/// layouts that it wants: `in` [rows, inputs] and `out` [rows, outputs] are row-major, `weights` is
/// oneDNN's choice.
struct OneDnnProduct {
  dnnl::primitive primitive;
  dnnl::memory::desc in, weights, bias, out;
  dnnl::memory::desc plain_weights;  // row-major [outputs, inputs], to reorder from
};

/// Compiles a product. Two formulations are the same mathematics: an inner product is faster where
/// oneDNN has its small-matrix kernels for it (AVX-512 and better), a 1x1 convolution over the rows
/// as pixels elsewhere. Throws dnnl::error.
OneDnnProduct make_onednn_product(const dnnl::engine& engine, std::size_t rows, std::size_t inputs,
                                  std::size_t outputs, Into into);

/// While it lives, oneDNN uses no thread but the calling one: its OpenMP team is told to be of one,
/// and what was set before is put back. Affects only the calling thread.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace senet
