#include "tests/fuzz/fuzz_mutator.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace senet {

std::string FuzzMutator::next() {
  std::string bytes = any();
  for (std::uint32_t i = 1 + random_.below(6); i > 0; --i) mutate(bytes);
  bytes.resize(std::min(bytes.size(), kLongest));
  return bytes;
}

// The beginning and length of a random part of `bytes`, at most 32 bytes.
std::pair<std::size_t, std::size_t> FuzzMutator::stretch(const std::string& bytes) {
  const std::size_t begin = below(bytes.size() + 1);
  const std::size_t most = std::min<std::size_t>(bytes.size() - begin, 1 + below(32));
  return {begin, below(most + 1)};
}

void FuzzMutator::mutate(std::string& bytes) {
  const std::size_t at = below(bytes.size() + 1);
  const auto [begin, length] = stretch(bytes);
  switch (random_.below(10)) {
    case 0:  // one bit
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8)));
      return;
    case 1:  // one byte
      if (at < bytes.size()) bytes[at] = static_cast<char>(random_.below(256));
      return;
    case 2:
      bytes.insert(at, 1, static_cast<char>(random_.below(256)));
      return;
    case 3:
      bytes.erase(begin, length);
      return;
    case 4:  // a part is repeated
      bytes.insert(at, bytes.substr(begin, length));
      return;
    case 5: {  // a part of another input
      const std::string& other = any();
      const auto [from, count] = stretch(other);
      bytes.insert(at, other, from, count);
      return;
    }
    case 6: {  // a line of another input
      const std::string& other = any();
      const std::size_t from = other.rfind('\n', below(other.size() + 1)) + 1;
      bytes.insert(at, other.substr(from, other.find('\n', from) - from) + "\n");
      return;
    }
    case 7: {  // a number
      constexpr std::string_view kNumbers[] = {"0",     "-1",         "7",
                                               "25",    "65536",      "4294967296",
                                               "1e999", "2147483648", "18446744073709551616"};
      bytes.insert(at, kNumbers[below(std::size(kNumbers))]);
      return;
    }
    case 8:  // one printable character
      if (at < bytes.size()) bytes[at] = static_cast<char>(' ' + random_.below(95));
      return;
    default:  // the end is cut off
      bytes.resize(at);
      return;
  }
}

}  // namespace senet
