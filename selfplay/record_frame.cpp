#include "selfplay/record_frame.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cassert>
#include <cstring>

namespace senet {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 16;
constexpr std::string_view kMagicBytes = "SGR\x1a";
static_assert(kMagicBytes.size() == 4 && kFrameMagic == 0x1a524753);

constexpr std::string_view kFileMagic = "SenetLog";
constexpr std::size_t kNameAt = 12;
constexpr std::uint32_t kCompressedBit = 0x80000000u;

template <class T>
void store(std::byte* to, T value) {
  value = boost::endian::native_to_little(value);
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return boost::endian::little_to_native(value);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The length and the compression bit seed the checksum, so damage to them is detected as well.
std::uint64_t checksum_of(std::uint32_t length_word, std::span<const std::byte> stored) {
  return XXH3_64bits_withSeed(stored.data(), stored.size(), length_word);
}

}  // namespace

std::vector<std::byte> file_header(std::string_view game) {
  assert(game.size() <= GameRecord::kMaxText);
  std::vector<std::byte> header(kNameAt + game.size() + 8);
  std::memcpy(header.data(), kFileMagic.data(), kFileMagic.size());
  store(&header[8], kLogVersion);
  store(&header[10], static_cast<std::uint16_t>(game.size()));
  std::memcpy(&header[kNameAt], game.data(), game.size());
  const std::size_t checked = header.size() - 8;
  store(&header[checked], static_cast<std::uint64_t>(XXH3_64bits(header.data(), checked)));
  return header;
}

Result<FileHeader> parse_file_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kFileMagic.size() ||
      std::memcmp(bytes.data(), kFileMagic.data(), kFileMagic.size()) != 0) {
    return fail("not a log of game records");
  }
  if (bytes.size() < kNameAt) return fail("the file header is cut off");
  const std::size_t name = load<std::uint16_t>(&bytes[10]);
  if (name > GameRecord::kMaxText) return fail("the file header is damaged");
  const std::size_t checked = kNameAt + name;
  if (bytes.size() < checked + 8) return fail("the file header is cut off");
  if (load<std::uint64_t>(&bytes[checked]) != XXH3_64bits(bytes.data(), checked)) {
    return fail("the file header is damaged");
  }
  return FileHeader{std::string(reinterpret_cast<const char*>(&bytes[kNameAt]), name),
                    load<std::uint16_t>(&bytes[8]), checked + 8};
}

std::optional<FrameHeader> parse_frame_header(std::span<const std::byte> bytes) {
  assert(bytes.size() >= kFrameHeaderBytes);
  if (load<std::uint32_t>(bytes.data()) != kFrameMagic) return std::nullopt;
  const auto word = load<std::uint32_t>(&bytes[4]);
  const FrameHeader header{word & ~kCompressedBit, (word & kCompressedBit) != 0,
                           load<std::uint64_t>(&bytes[8])};
  if (header.stored_bytes == 0 || header.stored_bytes > kMaxPayload) return std::nullopt;
  return header;
}

bool matches(const FrameHeader& header, std::span<const std::byte> stored) {
  const std::uint32_t word = header.stored_bytes | (header.compressed ? kCompressedBit : 0u);
  return stored.size() == header.stored_bytes && checksum_of(word, stored) == header.checksum;
}

FramePacker::FramePacker(int level)
    : context_(level == 0 ? nullptr : ZSTD_createCCtx()), level_(level) {}

void FramePacker::pack(std::span<const std::byte> payload, std::vector<std::byte>& frame) {
  assert(!payload.empty() && payload.size() <= kMaxPayload);
  std::uint32_t word = 0;
  if (context_ != nullptr) {
    frame.resize(kFrameHeaderBytes + ZSTD_compressBound(payload.size()));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), frame.data() + kFrameHeaderBytes,
                          frame.size() - kFrameHeaderBytes, payload.data(), payload.size(), level_);
    if (ZSTD_isError(size) == 0 && size < payload.size()) {
      word = static_cast<std::uint32_t>(size) | kCompressedBit;
      frame.resize(kFrameHeaderBytes + size);
    }
  }
  if (word == 0) {  // not compressed, not compressible, or no memory for it
    word = static_cast<std::uint32_t>(payload.size());
    frame.resize(kFrameHeaderBytes + payload.size());
    std::copy(payload.begin(), payload.end(), frame.begin() + kFrameHeaderBytes);
  }
  store(frame.data(), kFrameMagic);
  store(&frame[4], word);
  store(&frame[8], checksum_of(word, std::span(frame).subspan(kFrameHeaderBytes)));
}

FrameUnpacker::FrameUnpacker() : context_(ZSTD_createDCtx()) {}

Result<std::span<const std::byte>> FrameUnpacker::unpack(const FrameHeader& header,
                                                         std::span<const std::byte> stored) {
  if (!header.compressed) return stored;
  // The two error values are the largest numbers of their type.
  const unsigned long long announced = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (announced > kMaxPayload) return fail("the compressed record announces no valid length");
  payload_.resize(static_cast<std::size_t>(announced));
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), payload_.data(), payload_.size(),
                                               stored.data(), stored.size());
  if (ZSTD_isError(size) != 0) {
    return fail(fmt::format("the record cannot be decompressed: {}", ZSTD_getErrorName(size)));
  }
  return std::span<const std::byte>(payload_.data(), size);
}

Result<bool> FrameScanner::next(const FileHandle& file) {
  stored_ = {};
  const auto size = file.size();
  if (!size) return size.error();
  if (*size < position_) {
    return fail(fmt::format("{}: the file shrank to {} bytes, but {} were already read",
                            file.path().string(), *size, position_));
  }
  file_size_ = *size;
  const auto failed_before = failed_bytes_;
  auto good = try_frame(file, position_);
  if (!good) return good;
  if (*good) return finish(position_);

  const auto further = find_frame(file, position_ + 1);
  if (!further) return further.error();
  if (!*further) {
    window_size_ = 0;  // the next call reads the file again
    failed_bytes_ = failed_before;
    return false;
  }
  // A good frame after a bad one means damage, unless the writer finished the first one in the
  // meantime.
  good = try_again(file);
  if (!good) return good;
  return finish(*good ? position_ : **further);
}

bool FrameScanner::finish(std::uint64_t offset) {
  if (offset != position_) {
    skipped_bytes_ += offset - position_;
    ++skipped_places_;
  }
  position_ = offset + header_.frame_bytes();
  return true;
}

Result<std::optional<std::uint64_t>> FrameScanner::find_frame(const FileHandle& file,
                                                              std::uint64_t offset) {
  for (;;) {
    const auto bytes = bytes_at(file, offset, kMagicBytes.size());
    if (!bytes) return bytes.error();
    if (bytes->size() < kMagicBytes.size()) return std::nullopt;
    const std::size_t found = text_of(*bytes).find(kMagicBytes);
    if (found == std::string_view::npos) {
      offset += bytes->size() - (kMagicBytes.size() - 1);  // the magic may span two windows
      continue;
    }
    offset += found;
    const auto good = try_frame(file, offset);
    if (!good) return good.error();
    if (*good) return offset;
    ++offset;
  }
}

Result<bool> FrameScanner::try_frame(const FileHandle& file, std::uint64_t offset) {
  auto bytes = bytes_at(file, offset, kFrameHeaderBytes);
  if (!bytes) return bytes.error();
  if (bytes->size() < kFrameHeaderBytes) return false;
  const auto announced = parse_frame_header(*bytes);
  if (!announced || offset + announced->frame_bytes() > file_size_) return false;
  bytes = bytes_at(file, offset, announced->frame_bytes() + kMagicBytes.size());
  if (!bytes) return bytes.error();
  if (bytes->size() < announced->frame_bytes()) return false;
  const Follower follower = follower_of(bytes->subspan(announced->frame_bytes()));
  return can_afford(*announced, follower, offset) &&
         take_if_good(*announced, follower, bytes->first(announced->frame_bytes()));
}

/// Tries the frame at position() with bytes that are read now. On failure the window remains, and
/// what try_frame() found in it.
Result<bool> FrameScanner::try_again(const FileHandle& file) {
  std::array<std::byte, kFrameHeaderBytes> start;
  std::array<std::byte, kMagicBytes.size()> behind;
  auto got = file.read_at(position_, start);
  if (!got) return got.error();
  const auto announced = *got < start.size() ? std::nullopt : parse_frame_header(start);
  const auto size = file.size();
  if (!size) return size.error();
  if (!announced || position_ + announced->frame_bytes() > *size) return false;
  got = file.read_at(position_ + announced->frame_bytes(), behind);
  if (!got) return got.error();
  const Follower follower = follower_of(std::span(behind).first(*got));
  if (!can_afford(*announced, follower, position_)) return false;
  again_.resize(announced->frame_bytes());
  got = file.read_at(position_, again_);
  if (!got) return got.error();
  read_bytes_ += start.size() + behind.size() + *got;
  if (*got < again_.size() || !take_if_good(*announced, follower, again_)) return false;
  window_size_ = 0;  // it is older than this frame
  return true;
}

/// What the bytes after a frame are: the beginning of a magic, or nothing at the end of the file,
/// or something else.
FrameScanner::Follower FrameScanner::follower_of(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes).substr(0, kMagicBytes.size());
  return kMagicBytes.starts_with(text) ? kFrameOrEnd : kOther;
}

bool FrameScanner::can_afford(const FrameHeader& announced, Follower follower,
                              std::uint64_t offset) const {
  const std::uint64_t skipped = skipped_bytes_ + (offset - position_);
  return failed_bytes_[follower] + announced.frame_bytes() <=
         kFreeBytes + kBytesPerSkipped * skipped;
}

bool FrameScanner::take_if_good(const FrameHeader& announced, Follower follower,
                                std::span<const std::byte> frame) {
  hashed_bytes_ += frame.size();
  const auto stored = frame.subspan(kFrameHeaderBytes);
  if (!matches(announced, stored)) {
    failed_bytes_[follower] += frame.size();
    return false;
  }
  header_ = announced;
  stored_ = stored;
  return true;
}

/// The bytes from `offset` on: at least `least` of them, fewer only at the end of the file. A view
/// of the window.
Result<std::span<const std::byte>> FrameScanner::bytes_at(const FileHandle& file,
                                                          std::uint64_t offset, std::size_t least) {
  const std::uint64_t window_end = window_start_ + window_size_;
  const bool is_all = window_size_ > 0 && window_end >= file_size_;  // there is nothing after it
  if (offset < window_start_ || (offset + least > window_end && !is_all)) {
    // Twice as much as is needed, so that attempts at every few bytes read the file only a few
    // times over.
    const std::size_t wanted = std::max(2 * least, kWindow);
    if (window_.size() < wanted) window_.resize(wanted);
    window_size_ = 0;
    const auto got = file.read_at(offset, std::span(window_).first(wanted));
    if (!got) return got.error();
    read_bytes_ += *got;
    window_start_ = offset;
    window_size_ = *got;
  }
  const std::uint64_t skip = std::min<std::uint64_t>(offset - window_start_, window_size_);
  return std::span<const std::byte>(window_).first(window_size_).subspan(skip);
}

}  // namespace senet
