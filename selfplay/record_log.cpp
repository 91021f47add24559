#include "selfplay/record_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "nn/file.hpp"
#include "selfplay/record_codec.hpp"

namespace senet {
namespace {

Error fail_at(const FileHandle& file, std::string_view reason) {
  return fail(fmt::format("{}: {}", file.path().string(), reason));
}

/// The beginning of the file, long enough for any file header.
Result<std::vector<std::byte>> read_start(const FileHandle& file) {
  std::vector<std::byte> start(kMaxFileHeader);
  const auto got = file.read_at(0, start);
  if (!got) return got.error();
  start.resize(*got);
  return start;
}

Result<void> check_version(const FileHandle& file, const FileHeader& header) {
  if (header.version == kLogVersion) return {};
  return fail_at(file, fmt::format("the log has version {}: only version {} is supported",
                                   header.version, kLogVersion));
}

/// Whether a file consists of an incompletely written header: after a crash some of its bytes may
/// be missing or still zero.
bool is_torn_header(std::span<const std::byte> file, std::span<const std::byte> header) {
  if (file.size() > header.size() || std::ranges::equal(file, header)) return false;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (file[i] != header[i] && file[i] != std::byte{0}) return false;
  }
  return true;
}

/// Creates a new file `<log>.<ending>` next to the log; never overwrites an existing file.
Result<FileHandle> open_side_file(const std::filesystem::path& log, const std::string& ending) {
  const std::string name = fmt::format("{}.{}", log.string(), ending);
  constexpr int kMaxNames = 1000;
  for (int i = 1;; ++i) {
    const std::string numbered = i == 1 ? name : fmt::format("{}.{}", name, i);
    std::error_code unknown;
    if (std::filesystem::exists(numbered, unknown) && i < kMaxNames) continue;
    return FileHandle::open(numbered, FileHandle::Mode::kCreateNew);
  }
}

Result<void> copy_tail(const FileHandle& from, std::uint64_t begin, std::uint64_t end,
                       FileHandle& to) {
  std::vector<std::byte> part(std::size_t{1} << 16);
  for (std::uint64_t at = begin; at < end;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), end - at));
    const auto got = from.read_at(at, std::span(part).first(wanted));
    if (!got) return got.error();
    if (*got != wanted) return fail_at(from, "the file shrank while it was being read");
    if (auto written = to.write_at(at - begin, std::span(part).first(wanted)); !written) {
      return written;
    }
    at += wanted;
  }
  return to.sync();
}

}  // namespace

Result<RecordLog> RecordLog::open(const std::filesystem::path& path, std::string_view game,
                                  const RecordLogSettings& settings) {
  if (game.size() > GameRecord::kMaxText) return fail("the game's name is too long for a log");
  auto file = FileHandle::open(path, FileHandle::Mode::kReadWrite);
  if (!file) return file.error();
  if (auto locked = file->lock(); !locked) return locked.error();
  RecordLog log(std::move(*file), game, settings);
  if (auto recovered = log.recover(); !recovered) return recovered.error();
  return log;
}

Result<void> RecordLog::recover() {
  const auto start = read_start(file_);
  if (!start) return start.error();
  if (is_torn_header(*start, file_header(game_))) {
    if (auto moved = move_tail(start->size()); !moved) return moved;
    return create_header();
  }
  const auto header = parse_file_header(*start);
  if (!header) return fail_at(file_, header.error().reason());
  if (auto known = check_version(file_, *header); !known) return known;
  if (header->game != game_) {
    return fail_at(file_,
                   fmt::format("the log contains games of {}, not of {}", header->game, game_));
  }
  FrameScanner scanner(header->bytes);
  for (;;) {
    const auto found = scanner.next(file_);
    if (!found) return found.error();
    if (!*found) break;
    ++records_;
  }
  end_ = scanner.position();
  recovery_.damaged_bytes = scanner.skipped_bytes();
  recovery_.damaged_places = scanner.skipped_places();
  const auto size = file_.size();
  if (!size) return size.error();
  if (auto moved = move_tail(*size); !moved) return moved;
  return file_.sync();  // the bytes of a killed writer may not be on the disk yet
}

Result<void> RecordLog::create_header() {
  const std::vector<std::byte> header = file_header(game_);
  if (auto written = file_.write_at(0, header); !written) return written;
  if (auto synced = file_.sync(); !synced) return synced;
  if (auto synced = flush_folder_of(file_.path()); !synced) return synced;
  end_ = header.size();
  recovery_.created = true;
  return {};
}

Result<void> RecordLog::move_tail(std::uint64_t file_size) {
  if (file_size == end_) return {};
  auto side = open_side_file(file_.path(), fmt::format("damaged-{}", end_));
  if (!side) return side.error();
  auto copied = copy_tail(file_, end_, file_size, *side);
  if (copied) copied = flush_folder_of(side->path());
  if (!copied) {
    std::error_code unknown;
    std::filesystem::remove(side->path(), unknown);
    return copied;
  }
  recovery_.moved_bytes = file_size - end_;
  recovery_.moved_to = side->path();
  return file_.truncate(end_);
}

Result<void> RecordLog::check_place() {
  if (lost_place_.empty()) {
    const FileHandle::Place place = file_.place();
    if (place == FileHandle::Place::kAtPath) return {};
    lost_place_ = "the log was moved or replaced by another file while it was being written";
    if (place == FileHandle::Place::kRemoved) {
      auto side = open_side_file(file_.path(), "removed");
      const auto copied = side ? copy_tail(file_, 0, end_, *side) : side.error();
      lost_place_ =
          "the log was removed while it was being written; its games " +
          (copied ? "are now in " + side->path().string() : "are lost: " + copied.error().reason());
    }
  }
  return fail_at(file_, lost_place_);
}

Result<void> RecordLog::append(const GameRecord& record) {
  if (auto there = check_place(); !there) return there;
  if (lost_sync_) return flush();
  if (record.game != game_) {
    return fail_at(
        file_, fmt::format("a game of {} cannot be appended to a log of {}", record.game, game_));
  }
  if (record.end() == EndKind::kNone) return fail_at(file_, "a game in play is not for the log");
  if (auto encoded = encode(record, payload_); !encoded) return encoded;
  packer_.pack(payload_, frame_);
  if (has_torn_end_) {
    if (auto cut = truncate_to_end(); !cut) return cut;
  }
  if (auto written = file_.write_at(end_, frame_); !written) {
    has_torn_end_ = true;
    // If this fails too, the next append tries again; readers and open() handle a torn end anyway.
    static_cast<void>(truncate_to_end());
    return written;
  }
  end_ += frame_.size();
  ++records_;
  ++unsynced_;
  if (settings_.sync_every > 0 && unsynced_ >= settings_.sync_every) return flush();
  return {};
}

Result<void> RecordLog::truncate_to_end() {
  auto cut = file_.truncate(end_);
  if (cut) has_torn_end_ = false;
  return cut;
}

Result<void> RecordLog::flush() {
  if (auto there = check_place(); !there) return there;
  if (lost_sync_) {
    return fail_at(file_, "an earlier flush to the disk failed; reopen the log to continue");
  }
  if (unsynced_ == 0) return {};
  auto synced = file_.sync();
  lost_sync_ = !synced;
  if (synced) unsynced_ = 0;
  return synced;
}

Result<RecordReader> RecordReader::open(const std::filesystem::path& path, std::uint64_t position) {
  auto file = FileHandle::open(path, FileHandle::Mode::kRead);
  if (!file) return file.error();
  const auto start = read_start(*file);
  if (!start) return start.error();
  const auto header = parse_file_header(*start);
  if (header) {
    if (auto known = check_version(*file, *header); !known) return known.error();
    RecordReader reader(std::move(*file), std::max<std::uint64_t>(position, header->bytes));
    reader.game_ = header->game;
    return reader;
  }
  FrameScanner probe(0);
  const auto found = probe.next(*file);
  if (!found) return found.error();
  if (!*found) return fail_at(*file, header.error().reason());
  RecordReader reader(std::move(*file), position);
  reader.header_damaged_ = true;
  return reader;
}

Result<bool> RecordReader::next(GameRecord& record) {
  for (;;) {
    const auto found = scanner_.next(file_);
    if (!found || !*found) return found;
    const auto payload = unpacker_.unpack(scanner_.header(), scanner_.stored());
    const auto decoded = payload ? decode(*payload, record) : payload.error();
    if (decoded) return true;
    undecodable_.add({1, file_.path(), scanner_.position() - scanner_.header().frame_bytes(),
                      decoded.error().reason()});
  }
}

Result<std::uint64_t> RecordReader::bytes_left() const {
  const auto size = file_.size();
  if (!size) return size.error();
  return *size - std::min(*size, position());
}

}  // namespace senet
