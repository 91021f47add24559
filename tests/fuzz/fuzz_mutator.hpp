// Generates inputs by mutating known inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "games/random.hpp"

namespace senet {

/// Draws inputs from a corpus and mutates them. The corpus must not be empty and may grow between
/// calls.
class FuzzMutator {
 public:
  static constexpr std::size_t kLongest = 4096;  // bytes of an input

  FuzzMutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed, 0, 0, Purpose::kTest) {}

  std::string next();

 private:
  const std::string& any() { return corpus_[below(corpus_.size())]; }
  std::size_t below(std::size_t bound) { return random_.below(static_cast<std::uint32_t>(bound)); }
  std::pair<std::size_t, std::size_t> stretch(const std::string& bytes);
  void mutate(std::string& bytes);

  const std::vector<std::string>& corpus_;
  Random random_;
};

}  // namespace senet
