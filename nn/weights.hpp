// The weights that evaluators share: a network and the packed form that our kernels run.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "nn/layer_steps.hpp"
#include "nn/network.hpp"

namespace senet {

/// A network with shared ownership.
using SharedNetwork = std::shared_ptr<const Network>;

/// An immutable network and its packed form, which is created for the first evaluator that runs it
/// and shared by all. Any thread may call any function.
class Weights {
 public:
  /// `kernels`, and `heap`, which holds the packed form, outlive this.
  explicit Weights(SharedNetwork network, const Kernels& kernels = best_kernels(),
                   Heap& heap = default_heap())
      : network_(std::move(network)), kernels_(kernels), heap_(heap) {}
  /// Takes ownership of the network.
  explicit Weights(Network network, const Kernels& kernels = best_kernels(),
                   Heap& heap = default_heap())
      : Weights(std::make_shared<const Network>(std::move(network)), kernels, heap) {}

  const Network& network() const { return *network_; }
  const NetworkSpec& spec() const { return network_->spec(); }
  std::uint64_t id() const { return network_->id(); }

  /// The packed form. The first call allocates and packs; concurrent calls wait for it.
  const PackedNetwork& packed() const {
    if (const PackedNetwork* const packed = ready_.load(std::memory_order_acquire)) return *packed;
    const std::lock_guard lock(mutex_);
    if (!packed_) packed_.emplace(*network_, kernels_, heap_);
    ready_.store(&*packed_, std::memory_order_release);
    return *packed_;
  }
  /// Whether packed() has been called.
  bool is_packed() const { return ready_.load(std::memory_order_acquire) != nullptr; }

 private:
  const SharedNetwork network_;
  const Kernels& kernels_;
  Heap& heap_;
  mutable std::mutex mutex_;  // guards the creation of packed_
  mutable std::optional<PackedNetwork> packed_;
  mutable std::atomic<const PackedNetwork*> ready_{nullptr};  // packed_, once it is complete
};

/// Weights that players, pools and a store share.
using SharedWeights = std::shared_ptr<const Weights>;

}  // namespace senet
