// Any bytes as the index of a closed file of a game log.
#include <xxhash.h>

#include <algorithm>
#include <boost/endian/arithmetic.hpp>
#include <cstring>
#include <span>
#include <vector>

#include "selfplay/game_record.hpp"
#include "selfplay/segment_index.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

void read(std::span<const std::byte> bytes) {
  using namespace senet;
  const Result<SegmentIndex> index = parse_index(bytes);
  if (!index) return;
  promise(std::ranges::equal(to_bytes(*index), bytes), "each index has exactly one encoding");
  promise(index->games.end() <= GameRecord::kMaxGameNumber + 1, "its numbers are game numbers");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  read(bytes);
  // With the right checksum, which a fuzzer cannot match, to reach the code behind it.
  std::vector<std::byte> checked(bytes.begin(), bytes.end());
  const boost::endian::little_uint64_t sum(XXH3_64bits(checked.data(), checked.size()));
  checked.resize(size + sizeof(sum));
  std::memcpy(checked.data() + size, &sum, sizeof(sum));
  read(checked);
  return 0;
}
