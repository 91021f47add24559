// The weights that evaluators share: a network and the packed form that our kernels run.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "nn/layer_steps.hpp"
#include "nn/network.hpp"

namespace senet {

/// A network with shared ownership.
using SharedNetwork = std::shared_ptr<const Network>;

/// A packed form of a network, which the first caller of get() creates and all share. Any thread
/// may call any function.
template <class Product>
class SharedPacked {
 public:
  /// The first call allocates and packs; concurrent calls wait for it.
  const Packed<Product>& get(const Network& network, const Kernels& kernels, Heap& heap) const {
    if (const auto* const packed = ready_.load(std::memory_order_acquire)) return *packed;
    const std::lock_guard lock(mutex_);
    if (!packed_) packed_.emplace(network, kernels, heap);
    ready_.store(&*packed_, std::memory_order_release);
    return *packed_;
  }
  bool is_made() const { return ready_.load(std::memory_order_acquire) != nullptr; }

 private:
  mutable std::mutex mutex_;  // guards the creation of packed_
  mutable std::optional<Packed<Product>> packed_;
  mutable std::atomic<const Packed<Product>*> ready_{nullptr};  // packed_, once it is complete
};

/// An immutable network and its packed forms, each created for the first evaluator that runs it.
/// Any thread may call any function.
class Weights {
 public:
  /// `kernels`, and `heap`, which holds the packed forms, outlive this.
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

  /// The packed form for this kind of product.
  template <class Product = PanelProduct>
  const Packed<Product>& packed() const {
    return std::get<SharedPacked<Product>>(packed_).get(*network_, kernels_, heap_);
  }
  /// Whether packed<Product>() has been called.
  template <class Product = PanelProduct>
  bool is_packed() const {
    return std::get<SharedPacked<Product>>(packed_).is_made();
  }

 private:
  const SharedNetwork network_;
  const Kernels& kernels_;
  Heap& heap_;
  std::tuple<SharedPacked<PanelProduct>, SharedPacked<ByteProduct>> packed_;
};

/// Weights that players, pools and a store share.
using SharedWeights = std::shared_ptr<const Weights>;

}  // namespace senet
