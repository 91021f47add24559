#include "selfplay/frame_scanner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace senet {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 16;
constexpr std::string_view kMagicBytes = "SGR\x1a";
static_assert(kMagicBytes.size() == 4 && kFrameMagic == 0x1a524753);

}  // namespace

Result<bool> FrameScanner::next(const FileHandle& file) {
  stored_ = {};
  const auto size = file.size();
  if (!size) return size.error();
  if (*size < position_) {
    return fail(fmt::format("{}: has {} bytes, but {} were there before", file.path().string(),
                            *size, position_));
  }
  auto good = try_frame(file, position_);
  if (!good || *good) return finish(good, position_);

  const auto further = find_frame(file, position_ + 1);
  if (!further) return further.error();
  window_size_ = 0;  // from here on only fresh bytes count
  if (!*further) return false;
  // A good frame beyond a bad one: damage, unless the writer finished the first while we looked
  // further.
  good = try_frame(file, position_);
  if (!good || *good) return finish(good, position_);
  return finish(try_frame(file, **further), **further);
}

Result<bool> FrameScanner::finish(Result<bool> good, std::uint64_t offset) {
  if (!good || !*good) return good;
  if (offset != position_) {
    skipped_bytes_ += offset - position_;
    ++skipped_places_;
  }
  position_ = offset + header_.frame_bytes();
  return true;
}

Result<std::optional<std::uint64_t>> FrameScanner::find_frame(const FileHandle& file,
                                                              std::uint64_t offset) {
  for (;; ++offset) {
    const auto magic = find_magic(file, offset);
    if (!magic || !*magic) return magic;
    offset = **magic;
    const auto good = try_frame(file, offset);
    if (!good) return good.error();
    if (*good) return offset;
  }
}

Result<bool> FrameScanner::try_frame(const FileHandle& file, std::uint64_t offset) {
  auto bytes = bytes_at(file, offset, kFrameHeaderBytes);
  if (!bytes) return bytes.error();
  if (bytes->size() < kFrameHeaderBytes) return false;
  const auto announced = parse_frame_header(*bytes);
  if (!announced) return false;
  bytes = bytes_at(file, offset, announced->frame_bytes());
  if (!bytes) return bytes.error();
  if (bytes->size() < announced->frame_bytes()) return false;
  if (!matches(*announced, bytes->subspan(kFrameHeaderBytes))) return false;
  header_ = *announced;
  stored_ = bytes->subspan(kFrameHeaderBytes);
  return true;
}

Result<std::optional<std::uint64_t>> FrameScanner::find_magic(const FileHandle& file,
                                                              std::uint64_t offset) {
  for (;;) {
    // Whatever the window still holds, or a fresh window.
    const std::uint64_t window_end = window_start_ + window_size_;
    const bool inside = offset >= window_start_ && offset + kMagicBytes.size() <= window_end;
    const auto bytes =
        bytes_at(file, offset, inside ? static_cast<std::size_t>(window_end - offset) : kWindow);
    if (!bytes) return bytes.error();
    if (bytes->size() < kMagicBytes.size()) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const std::size_t found = text.find(kMagicBytes);
    if (found != std::string_view::npos) return offset + found;
    offset += bytes->size() - (kMagicBytes.size() - 1);  // the magic may lie across the border
  }
}

/// Up to `count` bytes from `offset`; fewer only at the end of the file. A view of the window.
Result<std::span<const std::byte>> FrameScanner::bytes_at(const FileHandle& file,
                                                          std::uint64_t offset, std::size_t count) {
  const bool inside = offset >= window_start_ && offset + count <= window_start_ + window_size_;
  if (!inside) {
    window_.resize(std::max(window_.size(), std::max(count, kWindow)));
    window_size_ = 0;
    const auto got = file.read_at(offset, window_);
    if (!got) return got.error();
    window_start_ = offset;
    window_size_ = *got;
  }
  const auto from = static_cast<std::size_t>(offset - window_start_);
  return std::span<const std::byte>(window_).subspan(from, std::min(count, window_size_ - from));
}

}  // namespace senet
