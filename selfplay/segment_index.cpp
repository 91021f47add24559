#include "selfplay/segment_index.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <boost/endian/arithmetic.hpp>
#include <cstring>

#include "nn/file.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_log.hpp"

namespace senet {
namespace {

using boost::endian::little_uint16_t;
using boost::endian::little_uint32_t;
using boost::endian::little_uint64_t;

// The file: IndexHead | the game's name | IndexRange x ranges | u64 XXH3-64 of all before.
struct IndexHead {
  std::array<char, 8> magic;
  little_uint16_t version;
  little_uint16_t name_bytes;
  little_uint32_t ranges;
  little_uint64_t bytes;
  little_uint64_t records;
};
static_assert(sizeof(IndexHead) == 32);
static_assert(offsetof(IndexHead, version) == 8);
static_assert(offsetof(IndexHead, name_bytes) == 10);
static_assert(offsetof(IndexHead, ranges) == 12);
static_assert(offsetof(IndexHead, bytes) == 16);
static_assert(offsetof(IndexHead, records) == 24);

struct IndexRange {
  little_uint64_t first;
  little_uint64_t end;
};
static_assert(sizeof(IndexRange) == 16);

constexpr std::array<char, 8> kIndexMagic = {'S', 'e', 'n', 'e', 't', 'I', 'd', 'x'};
constexpr std::size_t kMostBytes = sizeof(IndexHead) + GameRecord::kMaxText +
                                   SeenGames::kMostRanges * sizeof(IndexRange) +
                                   sizeof(little_uint64_t);

template <class T>
void put(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
T get(std::span<const std::byte>& from) {
  T value;
  std::memcpy(&value, from.data(), sizeof(T));
  from = from.subspan(sizeof(T));
  return value;
}

}  // namespace

std::vector<std::byte> to_bytes(const SegmentIndex& index) {
  std::vector<std::byte> bytes;
  IndexHead head{};
  head.magic = kIndexMagic;
  head.version = kIndexVersion;
  head.name_bytes = static_cast<std::uint16_t>(index.game.size());
  head.ranges = static_cast<std::uint32_t>(index.games.ranges().size());
  head.bytes = index.bytes;
  head.records = index.records;
  put(bytes, head);
  const auto name = std::as_bytes(std::span(index.game));
  bytes.insert(bytes.end(), name.begin(), name.end());
  for (const auto& [first, end] : index.games.ranges()) {
    IndexRange range{};
    range.first = first;
    range.end = end;
    put(bytes, range);
  }
  put(bytes, little_uint64_t(XXH3_64bits(bytes.data(), bytes.size())));
  return bytes;
}

Result<SegmentIndex> parse_index(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(IndexHead) + sizeof(little_uint64_t)) {
    return fail("the index is cut off");
  }
  auto rest = bytes;
  const auto head = get<IndexHead>(rest);
  if (head.magic != kIndexMagic) return fail("it is not an index of games");
  auto sum = bytes.last(sizeof(little_uint64_t));
  const std::size_t checked = bytes.size() - sum.size();
  if (get<little_uint64_t>(sum) != XXH3_64bits(bytes.data(), checked)) {
    return fail("the index is damaged");
  }
  if (head.version != kIndexVersion) {
    return fail(fmt::format("the index has version {}: only version {} is supported",
                            static_cast<std::uint16_t>(head.version), kIndexVersion));
  }
  const std::size_t name = head.name_bytes;
  const std::size_t ranges = head.ranges;
  if (name > GameRecord::kMaxText || ranges > SeenGames::kMostRanges ||
      bytes.size() != sizeof(IndexHead) + name + ranges * sizeof(IndexRange) + 8) {
    return fail("the index has the wrong length");
  }
  SegmentIndex index;
  index.game.assign(reinterpret_cast<const char*>(rest.data()), name);
  rest = rest.subspan(name);
  index.bytes = head.bytes;
  index.records = head.records;
  for (std::size_t i = 0; i < ranges; ++i) {
    const auto range = get<IndexRange>(rest);
    const std::uint64_t first = range.first, end = range.end;
    const bool is_first = i == 0;
    if (first >= end || end > GameRecord::kMaxGameNumber + 1 ||
        (!is_first && first <= index.games.end())) {
      return fail("the index has ranges that do not ascend");
    }
    index.games.add(first, end);
  }
  return index;
}

Result<SegmentIndex> load_index(const std::filesystem::path& file) {
  const auto handle = FileHandle::open(file, FileHandle::Mode::kRead);
  if (!handle) return handle.error();
  std::vector<std::byte> bytes(kMostBytes + 1);  // one more: a longer file is none
  const auto got = handle->read_at(0, bytes);
  if (!got) return got.error();
  auto index = parse_index(std::span(bytes).first(*got));
  if (!index) return fail(fmt::format("{}: {}", file.string(), index.error().reason()));
  return index;
}

Result<void> save_index(const SegmentIndex& index, const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = to_bytes(index);
  return replace_file(file, {bytes});
}

Result<SegmentIndex> index_of(const std::filesystem::path& log, std::string_view game) {
  auto reader = RecordReader::open(log);
  if (!reader) return reader.error();
  if (!reader->header_damaged() && reader->game() != game) {
    return fail(fmt::format("{}: the log contains games of {}, not of {}", log.string(),
                            reader->game(), game));
  }
  SegmentIndex index;
  index.game = game;
  for (GameRecord record;; ++index.records) {
    const auto more = reader->next(record);
    if (!more) return more.error();
    if (!*more) break;
    index.games.add(record.game_number);
  }
  const auto left = reader->bytes_left();
  if (!left) return left.error();
  index.bytes = reader->position() + *left;
  return index;
}

}  // namespace senet
