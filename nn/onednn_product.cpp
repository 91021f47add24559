#include "nn/onednn_product.hpp"

#include <omp.h>

#include <string_view>

namespace senet {
namespace {

using Desc = dnnl::memory::desc;
using Dim = dnnl::memory::dim;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

dnnl::primitive_attr attributes(Into into) {
  dnnl::primitive_attr attributes;
  if (into == Into::kAdd) {
    dnnl::post_ops operations;
    operations.append_sum(1.0f);
    attributes.set_post_ops(operations);
  }
  return attributes;
}

dnnl::inner_product_forward::primitive_desc inner_product(const dnnl::engine& engine, Dim rows,
                                                          Dim inputs, Dim outputs, Into into) {
  const dnnl::inner_product_forward::desc description(
      dnnl::prop_kind::forward_inference, Desc({rows, inputs}, kFloat, Tag::ab),
      Desc({outputs, inputs}, kFloat, Tag::any), Desc({outputs}, kFloat, Tag::a),
      Desc({rows, outputs}, kFloat, Tag::ab));
  return {description, attributes(into), engine};
}

/// One image, one pixel high and `rows` wide, whose channels are the columns.
dnnl::convolution_forward::primitive_desc convolution(const dnnl::engine& engine, Dim rows,
                                                      Dim inputs, Dim outputs, Into into) {
  const dnnl::convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      Desc({1, inputs, 1, rows}, kFloat, Tag::nhwc),
      Desc({outputs, inputs, 1, 1}, kFloat, Tag::any), Desc({outputs}, kFloat, Tag::a),
      Desc({1, outputs, 1, rows}, kFloat, Tag::nhwc), {1, 1}, {0, 0}, {0, 0});
  return {description, attributes(into), engine};
}

}  // namespace

OneDnnProduct make_onednn_product(const dnnl::engine& engine, std::size_t rows, std::size_t inputs,
                                  std::size_t outputs, Into into) {
  const auto n = static_cast<Dim>(rows), i = static_cast<Dim>(inputs),
             o = static_cast<Dim>(outputs);
  const auto inner = inner_product(engine, n, i, o, into);
  if (std::string_view(inner.impl_info_str()).starts_with("brgemm")) {
    return {dnnl::inner_product_forward(inner),
            inner.src_desc(),
            inner.weights_desc(),
            inner.bias_desc(),
            inner.dst_desc(),
            Desc({o, i}, kFloat, Tag::ab)};
  }
  const auto pixels = convolution(engine, n, i, o, into);
  return {dnnl::convolution_forward(pixels),
          pixels.src_desc(),
          pixels.weights_desc(),
          pixels.bias_desc(),
          pixels.dst_desc(),
          Desc({o, i, 1, 1}, kFloat, Tag::abcd)};
}

OneThread::OneThread() : before_(omp_get_max_threads()) {
  if (before_ != 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

}  // namespace senet
