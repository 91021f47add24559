// Tracks which samples of the replay are in device memory, and where.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "train_bridge/device/batch_view.hpp"

namespace senet {

/// The host's index of a ring of device memory: samples of any size in sequence, the newest
/// overwriting the oldest. Accesses no memory itself. Used by one thread.
///
/// Positions count all bytes ever allocated. So overwritten samples need no list: they are more
/// than a ring's length behind the end.
class KeptSamples {
 public:
  /// The largest ring that a BatchRow can address.
  static constexpr std::size_t kMaxBytes = std::size_t{kInBlock} * kSampleAlignment;

  /// Size of a ring for batches of this shape, a multiple of kSampleAlignment: all places with the
  /// maximum number of features and a batch's average room for actions.
  static std::size_t ring_bytes(const TrainBatch::Shape& shape, const ReplayRoom& room);

  /// For a ring of ring_bytes(). When samples have more actions than average, the oldest ones are
  /// dropped earlier.
  KeptSamples(const TrainBatch::Shape& shape, const ReplayRoom& room);

  std::size_t bytes() const { return bytes_; }
  /// Maximum bytes of the images of one sample.
  std::size_t largest() const { return largest_; }

  /// Allocates room for the images of the sample in `place`, the rows of `images`, which have equal
  /// numbers of actions; returns its offset in bytes. Forgets the previous sample of that place and
  /// all samples that this one overwrites.
  std::size_t add(std::uint32_t place, const TrainBatch& images);

  /// Packs a batch of the drawn samples, up to the first whose actions do not fit (as
  /// ReplayBuffer::encode() does), into memory of at least block_bytes(shape). Returns its bytes,
  /// or nothing when one of the samples is not kept.
  std::optional<std::size_t> pack(std::span<const DrawnSample> drawn, float learning_rate,
                                  std::span<std::byte> memory);

  /// Whether a sample added since then overwrites one of the last packed batch.
  bool is_over_last_batch() const { return end_ > oldest_read_ + bytes_; }

 private:
  struct Place {
    std::uint64_t begin = 0;    // position of the sample; 0: never kept
    std::uint32_t mirror = 0;   // offset of its mirror image in bytes
    std::uint32_t actions = 0;  // of each image
  };

  bool is_kept(const Place& place) const { return place.begin > 0 && place.begin + bytes_ >= end_; }

  TrainBatch::Shape shape_;
  std::size_t largest_, bytes_;
  std::vector<Place> places_;
  std::uint64_t end_;                      // position after the newest sample
  std::uint64_t oldest_read_ = kNoneRead;  // lowest position in the last packed batch

  // Half the range, so that adding bytes_ cannot overflow.
  static constexpr std::uint64_t kNoneRead = std::numeric_limits<std::uint64_t>::max() / 2;
};

/// Writes the images of a sample one after the other, to room allocated by add().
void write_images(const TrainBatch& images, std::byte* memory);

/// Bytes that write_images() writes.
std::size_t image_bytes(const TrainBatch& images);

}  // namespace senet
