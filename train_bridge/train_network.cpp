#include "train_bridge/train_network.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace senet {
namespace {

// Rows of one pass. Enough for matrix products at full speed; few enough for a 128 wide network's
// activations (about 11 KB a row) to stay in a cache of one or two megabytes.
constexpr std::size_t kGroupRows = 128;

std::size_t rows_with_policy(const TrainBatch& batch) {
  std::size_t rows = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    rows += batch.first_action(row + 1) > batch.first_action(row) ? 1 : 0;
  }
  return rows;
}

}  // namespace

template <class Real>
TrainNetwork<Real>::TrainNetwork(const NetworkSpec& spec, const TrainBatch::Shape& shape)
    : plan_{parameter_layout(spec), &scratch_, std::min(shape.rows, kGroupRows)},
      input_(plan_, "input.linear", shape.max_active),
      input_norm_(plan_, "input.norm"),
      trunk_norm_(plan_, "trunk.norm",
                  spec.blocks == 0 ? std::optional(input_norm_.output_piece()) : std::nullopt),
      policy_(plan_, spec, shape),
      value_(plan_, spec),
      d_trunk_(scratch_.reserve(plan_.rows * spec.width)),
      work_(scratch_.reserve(plan_.rows * spec.width)),
      spare_(scratch_.reserve(plan_.rows * spec.width)) {
  for (std::size_t i = 0; i < spec.blocks; ++i) {
    const std::string name = "block." + std::to_string(i);
    const std::optional<ScratchPiece> stream =
        i == 0 ? std::optional(input_norm_.output_piece()) : std::nullopt;
    blocks_.push_back({NormLayer<Real>(plan_, name + ".norm1", stream),
                       LinearLayer<Real>(plan_, name + ".linear1"),
                       NormLayer<Real>(plan_, name + ".norm2"),
                       LinearLayer<Real>(plan_, name + ".linear2")});
  }
  scratch_.allocate();
}

template <class Real>
const Real* TrainNetwork<Real>::trunk_forward(const Pass<Real>& pass, const TrainBatch& batch,
                                              std::size_t first) {
  input_.forward(pass, batch, first, input_norm_.input(pass));
  input_norm_.forward(pass);  // writes the residual stream: the next norm's input
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    block.norm1.forward(pass);
    block.linear1.forward(pass, block.norm1.output(pass), nullptr, block.norm2.input(pass));
    block.norm2.forward(pass);
    block.linear2.forward(pass, block.norm2.output(pass), block.norm1.input(pass),
                          norm_after(i).input(pass));
  }
  trunk_norm_.forward(pass);
  return trunk_norm_.output(pass);
}

template <class Real>
void TrainNetwork<Real>::trunk_backward(const Pass<Real>& pass, const TrainBatch& batch,
                                        std::size_t first, Real* d_trunk) {
  Real* d_stream = d_trunk;
  trunk_norm_.backward(pass, d_trunk, false, d_stream);
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    const Block& block = blocks_[i];
    block.linear2.backward(pass, block.norm2.output(pass), d_stream, false, pass.work);
    block.norm2.backward(pass, pass.work, false, pass.work);
    block.linear1.backward(pass, block.norm1.output(pass), pass.work, false, pass.spare);
    block.norm1.backward(pass, pass.spare, true, d_stream);
  }
  input_norm_.backward(pass, d_stream, false, d_stream);
  input_.backward(pass, batch, first, d_stream);
}

template <class Real>
Losses TrainNetwork<Real>::gradient(std::span<const Real> parameters, const TrainBatch& batch,
                                    Share rows, LossWeights weights, std::span<Real> gradient) {
  assert(batch.size() >= 1 && rows.end <= batch.size());
  const std::size_t policy_rows = rows_with_policy(batch);
  const Real policy_share =
      policy_rows == 0 ? Real{0}
                       : static_cast<Real>(weights.policy) / static_cast<Real>(policy_rows);
  const Real value_share = static_cast<Real>(weights.value) / static_cast<Real>(batch.size());

  std::fill(gradient.begin(), gradient.end(), Real{0});
  Pass<Real> pass{parameters.data(),  gradient.data(),    &scratch_, 0,
                  scratch_.at(work_), scratch_.at(spare_)};
  input_.begin_step(pass);
  Losses losses;
  for (std::size_t first = rows.begin; first < rows.end; first += pass.rows) {
    pass.rows = std::min(plan_.rows, rows.end - first);
    const Real* trunk = trunk_forward(pass, batch, first);
    Real* d_trunk = scratch_.at(d_trunk_);
    losses.value += value_.learn(pass, batch, first, trunk, value_share, d_trunk);
    losses.policy += policy_.learn(pass, batch, first, trunk, policy_share, d_trunk);
    trunk_backward(pass, batch, first, d_trunk);
  }
  input_.end_step(pass);

  losses.value /= static_cast<double>(batch.size());
  if (policy_rows > 0) losses.policy /= static_cast<double>(policy_rows);
  return losses;
}

template class TrainNetwork<float>;
template class TrainNetwork<double>;

}  // namespace senet
