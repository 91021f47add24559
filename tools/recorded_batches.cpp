#include "tools/recorded_batches.hpp"

#include <numeric>

#include "games/random.hpp"

namespace senet {

std::unique_ptr<RecordedBatches> RecordedBatches::dense(const NetworkSpec& spec, std::size_t count,
                                                        std::size_t rows, std::uint64_t seed) {
  auto dense = std::make_unique<RecordedBatches>(count, spec.outcomes, rows, spec.features);
  Random random(seed, 0, 0, Purpose::kTest);
  std::vector<std::uint16_t> all(spec.policy_logits);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  for (std::size_t k = 0; k < count; ++k) {
    dense->add(all, [&](FeatureRow& row) {
      for (std::size_t i = 0; i < spec.features; ++i) row.add(i, random.uniform() + 0.01f);
    });
  }
  dense->drop_part_full();
  return dense;
}

double RecordedBatches::mean_active() const {
  std::size_t sum = 0;
  for (const Batch& batch : batches_) {
    for (std::size_t row = 0; row < batch.size(); ++row) sum += batch.index(row).size();
  }
  return static_cast<double>(sum) / rows();
}

double RecordedBatches::mean_wanted() const {
  std::size_t sum = 0;
  for (const Batch& batch : batches_) {
    for (std::size_t row = 0; row < batch.size(); ++row) sum += batch.answer(row).wanted.size();
  }
  return static_cast<double>(sum) / rows();
}

}  // namespace senet
