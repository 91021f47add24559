// Any bytes as a file of parked games and as the games in one.
#include <algorithm>
#include <span>
#include <vector>

#include "selfplay/parked_file.hpp"
#include "selfplay/record_codec.hpp"
#include "selfplay/record_frame.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

using namespace senet;

constexpr const char* kGame = "tic_tac_toe";

std::vector<std::byte> file_of(std::span<const std::vector<std::byte>> payloads) {
  std::vector<std::byte> all = file_header(kGame), frame;
  FramePacker packer(1);
  for (const std::vector<std::byte>& payload : payloads) {
    if (payload.empty()) continue;  // no frame is
    packer.pack(payload, frame);
    all.insert(all.end(), frame.begin(), frame.end());
  }
  return all;
}

void read(const FuzzFile& file, std::span<const std::byte> bytes) {
  file.set(bytes);
  const Result<ParkedFile> found = load_parked(file.path(), kGame);
  if (!found) return;
  promise(found->damaged_bytes <= bytes.size(), "only bytes that are there are damaged");
  const auto in_order = [](const GameRecord& a, const GameRecord& b) {
    return a.game_number >= b.game_number;
  };
  promise(std::ranges::adjacent_find(found->games, in_order) == found->games.end(),
          "each game is there once");
  std::vector<std::vector<std::byte>> payloads;
  for (const GameRecord& game : found->games) {
    promise(encode(game, payloads.emplace_back()).has_value(), "a game can be parked again");
  }
  file.set(file_of(payloads));
  const Result<ParkedFile> again = load_parked(file.path(), kGame);
  promise(again && again->damaged_bytes == 0 && again->games == found->games,
          "games that are parked again are the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFile file;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  read(file, bytes);
  // In good frames, whose checksums a fuzzer cannot match: the input as a game, and its halves.
  const std::vector<std::byte> all(bytes.begin(), bytes.end());
  const std::vector<std::byte> first(bytes.begin(), bytes.begin() + size / 2);
  const std::vector<std::byte> rest(bytes.begin() + size / 2, bytes.end());
  read(file, file_of(std::vector{all, first, rest}));
  return 0;
}
