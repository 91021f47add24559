// The replay's samples in the memory of a CUDA device.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "train_bridge/cuda/cuda_resources.cuh"
#include "train_bridge/device/kept_samples.hpp"

namespace senet {

inline std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the device's memory");
  return free;
}

/// New samples are written to one of two pinned staging buffers. A buffer is sent in one piece when
/// it is full or before a step, while the other is filled. All uploads use the stream that also
/// sends the steps' batches, so that a step sees every sample added before it.
class CudaReplay {
 public:
  CudaReplay(const TrainBatch::Shape& shape, const ReplayRoom& room)
      : memory_(checked(KeptSamples::ring_bytes(shape, room))),
        kept_(shape, room),
        stagings_{Staging(staging_bytes()), Staging(staging_bytes())} {}

  const std::byte* data() const { return memory_.data(); }

  /// `last_step` is recorded after the step that was started last, the only one that may be
  /// running; likewise in send().
  void add(std::uint32_t place, const TrainBatch& images, cudaStream_t uploads,
           const CudaEvent& last_step) {
    const std::size_t at = kept_.add(place, images), bytes = image_bytes(images);
    // The ring may have a gap at its end.
    if (at != begin_ + filled_ || filled_ + bytes > staging_bytes()) send(uploads, last_step);
    Staging& staging = stagings_[next_];
    if (filled_ == 0) {
      begin_ = at;
      staging.sent.wait();
    }
    write_images(images, staging.host.data() + filled_);
    filled_ += bytes;
  }

  /// Sends the pending samples. If they overwrite a sample that the last step may still read, the
  /// upload waits on the device for that step.
  void send(cudaStream_t uploads, const CudaEvent& last_step) {
    if (filled_ == 0) return;
    Staging& staging = stagings_[next_];
    if (kept_.is_over_last_batch()) last_step.hold(uploads);
    check(cudaMemcpyAsync(memory_.data() + begin_, staging.host.data(), filled_,
                          cudaMemcpyHostToDevice, uploads),
          "an upload");
    staging.sent.record(uploads);
    next_ = (next_ + 1) % stagings_.size();
    filled_ = 0;
  }

  /// See KeptSamples::pack(). Call after send(), which checks the previous batch.
  std::optional<std::size_t> pack(std::span<const DrawnSample> drawn, float learning_rate,
                                  std::span<std::byte> memory) {
    return kept_.pack(drawn, learning_rate, memory);
  }

 private:
  struct Staging {
    explicit Staging(std::size_t bytes) : host(bytes) {}
    PinnedBuffer<std::byte> host;
    CudaEvent sent;
  };

  std::size_t staging_bytes() const { return std::max(kept_.largest(), std::size_t{1} << 20); }

  /// Returns `bytes` if the device has this much free memory plus a reserve for modules loaded
  /// later.
  static std::size_t checked(std::size_t bytes) {
    constexpr std::size_t kSpare = std::size_t{256} << 20;
    const auto mib = [](std::size_t count) { return std::to_string(count >> 20) + " MiB"; };
    const std::size_t free = free_memory();
    if (bytes > KeptSamples::kMaxBytes) {
      throw CudaError("the samples would take " + mib(bytes) + ": at most " +
                      mib(KeptSamples::kMaxBytes) + " can be addressed");
    }
    if (bytes > free || free - bytes < kSpare) {
      throw CudaError("the samples would take " + mib(bytes) + " of device memory: " + mib(free) +
                      " are free, and " + mib(kSpare) + " of them are reserved");
    }
    return bytes;
  }

  CudaBuffer<std::byte> memory_;
  KeptSamples kept_;
  std::array<Staging, 2> stagings_;
  std::size_t next_ = 0;                // the one being filled
  std::size_t begin_ = 0, filled_ = 0;  // its destination in memory_; bytes in it
};

}  // namespace senet
