// Which samples of the replay lie in a device's memory, and where.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "train_bridge/device/batch_view.hpp"

namespace senet {

/// The host's book of a ring of memory on the device: samples of any size one behind the other, the
/// newest over the oldest. It touches no memory itself. Belongs to one thread.
///
/// Positions count all bytes that ever were given out, so that what has been written over needs no
/// list of its own: it is what lies more than a ring behind the end.
class KeptSamples {
 public:
  /// The largest ring that a row can point into.
  static constexpr std::size_t kMostBytes = std::size_t{kInBlock} * kSampleAlignment;

  /// Of a ring for batches of this shape, a multiple of kSampleAlignment: all places with the most
  /// features and as many legal actions as a batch has room for on average.
  static std::size_t ring_bytes(const TrainBatch::Shape& shape, const ReplayRoom& room);

  /// With a ring of ring_bytes(). Where samples have more actions than on average, the oldest may
  /// be kept no longer.
  KeptSamples(const TrainBatch::Shape& shape, const ReplayRoom& room);

  std::size_t bytes() const { return bytes_; }
  /// The most that the images of one sample take.
  std::size_t largest() const { return largest_; }

  /// Room for the images of the sample in `place`, which are the rows of `images` and have as many
  /// actions each; where it begins, in bytes. Forgets what was kept of that place before, and what
  /// this is written over.
  std::size_t add(std::uint32_t place, const TrainBatch& images);

  /// A batch of the drawn samples, up to the first whose actions do not fit (as
  /// ReplayBuffer::encode() ends it), into memory of at least block_bytes(shape). Returns its
  /// bytes; nothing when one of the samples is not kept.
  std::optional<std::size_t> pack(std::span<const DrawnSample> drawn, float learning_rate,
                                  std::span<std::byte> memory);

  /// Whether what was added since is written over a sample of the batch that was packed last.
  bool is_over_last_batch() const { return end_ > oldest_read_ + bytes_; }

 private:
  struct Place {
    std::uint64_t begin = 0;    // position of the sample; 0: none was ever kept
    std::uint32_t mirror = 0;   // bytes from there to its mirror image
    std::uint32_t actions = 0;  // of each image
  };

  bool is_kept(const Place& place) const { return place.begin > 0 && place.begin + bytes_ >= end_; }

  TrainBatch::Shape shape_;
  std::size_t largest_, bytes_;
  std::vector<Place> places_;
  std::uint64_t end_;                      // position behind the newest sample
  std::uint64_t oldest_read_ = kNoneRead;  // by the batch packed last

  // A ring's length away from any overflow.
  static constexpr std::uint64_t kNoneRead = std::numeric_limits<std::uint64_t>::max() / 2;
};

/// Writes the images of a sample, one behind the other, where add() gave them room.
void write_images(const TrainBatch& images, std::byte* memory);

/// Bytes that write_images() writes.
std::size_t image_bytes(const TrainBatch& images);

}  // namespace senet
