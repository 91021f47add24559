#include "train_bridge/device/kept_samples.hpp"

#include <algorithm>
#include <cassert>

namespace senet {

std::size_t KeptSamples::ring_bytes(const TrainBatch::Shape& shape, const ReplayRoom& room) {
  const std::size_t average = (shape.action_room + shape.rows - 1) / shape.rows;
  // The gap at the end of the ring is smaller than the largest sample.
  return room.images * (room.places * sample_bytes(shape, shape.max_active, average) +
                        sample_bytes(shape, shape.max_active, shape.max_legal));
}

KeptSamples::KeptSamples(const TrainBatch::Shape& shape, const ReplayRoom& room)
    : shape_(shape),
      largest_(room.images * sample_bytes(shape, shape.max_active, shape.max_legal)),
      bytes_(ring_bytes(shape, room)),
      places_(room.places),
      end_(bytes_) {}

std::size_t KeptSamples::add(std::uint32_t place, const TrainBatch& images) {
  const std::size_t wanted = image_bytes(images);
  assert(images.size() >= 1 && images.size() <= 2 && wanted <= largest_);
  // No sample wraps around the end of the ring.
  const std::size_t left = bytes_ - end_ % bytes_;
  if (wanted > left) end_ += left;
  places_[place] = {.begin = end_,
                    .mirror = static_cast<std::uint32_t>(sample_bytes(images, 0)),
                    .actions = static_cast<std::uint32_t>(images.first_action(1))};
  assert(images.actions() == images.size() * images.first_action(1));
  end_ += wanted;
  return places_[place].begin % bytes_;
}

std::optional<std::size_t> KeptSamples::pack(std::span<const DrawnSample> drawn,
                                             float learning_rate, std::span<std::byte> memory) {
  BatchWriter batch(shape_, memory);
  std::uint64_t oldest = kNoneRead;
  std::size_t rows = 0, actions = 0;
  for (const DrawnSample& sample : drawn) {
    const Place& place = places_[sample.place];
    if (!is_kept(place)) return std::nullopt;
    if (rows == shape_.rows || actions + place.actions > shape_.action_room) break;
    batch.add_kept(place.begin % bytes_ + (sample.mirrored ? place.mirror : 0), place.actions,
                   sample.weight);
    ++rows;
    actions += place.actions;
    oldest = std::min(oldest, place.begin);
  }
  oldest_read_ = oldest;
  return batch.finish(learning_rate);
}

void write_images(const TrainBatch& images, std::byte* memory) {
  for (std::size_t row = 0; row < images.size(); ++row) memory += write_sample(images, row, memory);
}

std::size_t image_bytes(const TrainBatch& images) {
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < images.size(); ++row) bytes += sample_bytes(images, row);
  return bytes;
}

}  // namespace senet
