#include "selfplay/game_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace senet {
namespace {

constexpr std::string_view kPrefix = "games.", kLogEnd = ".senet", kIndexEnd = ".index";
constexpr std::size_t kLeastDigits = 6;

/// The number in the name of a closed file or of its index.
std::optional<std::uint32_t> number_in(std::string_view name, std::string_view end) {
  if (name.size() < kPrefix.size() + kLeastDigits + end.size() || !name.starts_with(kPrefix) ||
      !name.ends_with(end)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(end.size());
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_whole = error == std::errc{} && stop == name.data() + name.size();
  if (!is_whole || number == 0 || number >= kMaxSegment) return std::nullopt;
  // "games.0000001.senet" is no file of ours.
  if (name.size() > kLeastDigits && name.front() == '0') return std::nullopt;
  return number;
}

std::filesystem::path numbered(const std::filesystem::path& folder, std::uint32_t number,
                               std::string_view end) {
  return folder / fmt::format("{}{:06}{}", kPrefix, number, end);
}

bool is_there(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(file, unknown));
}

Result<void> move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (!error) return {};
  return fail(
      fmt::format("{}: cannot be renamed to {}: {}", from.string(), to.string(), error.message()));
}

}  // namespace

std::filesystem::path segment_file(const std::filesystem::path& folder, std::uint32_t number) {
  return numbered(folder, number, kLogEnd);
}

std::filesystem::path index_file(const std::filesystem::path& folder, std::uint32_t number) {
  return numbered(folder, number, kIndexEnd);
}

bool is_index_name(std::string_view name) { return number_in(name, kIndexEnd).has_value(); }

std::map<std::uint32_t, SegmentFiles> segments_in(const std::filesystem::path& folder) {
  std::map<std::uint32_t, SegmentFiles> found;
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unknown)) {
    const std::string name = entry.path().filename().string();
    if (const auto log = number_in(name, kLogEnd)) found[*log].log = true;
    if (const auto index = number_in(name, kIndexEnd)) found[*index].index = true;
  }
  return found;
}

bool has_game_log(const std::filesystem::path& folder) {
  return is_there(folder / kGrowingFile) ||
         std::ranges::any_of(segments_in(folder), [](const auto& file) { return file.second.log; });
}

Result<GameLog> GameLog::open(const std::filesystem::path& folder, std::string_view game,
                              const GameLogSettings& settings) {
  const auto found = segments_in(folder);
  const std::uint32_t newest = found.empty() ? 0 : found.rbegin()->first;
  auto log = RecordLog::open(folder / kGrowingFile, game, settings.records);
  if (!log) return log.error();
  GameLog all(folder, settings, std::move(*log));
  all.number_ = newest + 1;
  // The index of a closed file is written when the next file has begun.
  if (newest > 0 && !found.at(newest).index) all.recovery_.created = false;
  for (const auto& [number, files] : found) {
    all.segments_.push_back(open_segment(folder, number, files, game, all.warnings_));
  }
  all.growing_.game = game;
  if (settings.segment_bytes > 0) {
    auto growing = index_of(all.growing_file(), game);
    if (!growing) return growing.error();
    all.growing_ = std::move(*growing);
  }
  return all;
}

LogSegment GameLog::open_segment(const std::filesystem::path& folder, std::uint32_t number,
                                 const SegmentFiles& found, std::string_view game,
                                 std::vector<std::string>& warnings) {
  LogSegment segment{number, segment_file(folder, number), found.log, {}};
  const std::filesystem::path file = index_file(folder, number);
  std::string problem;
  if (found.index) {
    auto index = load_index(file);
    if (!index) {
      problem = index.error().reason();
    } else if (index->game != game) {
      problem = fmt::format("{}: the index is of {}, not of {}", file.string(), index->game, game);
    } else {
      std::error_code unknown;
      if (!found.log || index->bytes == std::filesystem::file_size(segment.file, unknown)) {
        segment.index = std::move(*index);
        return segment;
      }
      problem = fmt::format("{}: the index is not of the file as it is now", file.string());
    }
  }
  if (!found.log) {
    warnings.push_back(problem + ": its games are not known, as the log's file is not there");
    return segment;
  }
  auto index = index_of(segment.file, game);
  if (!index) {
    segment.is_there = false;
    warnings.push_back(index.error().reason() + ": its games are not known");
    return segment;
  }
  segment.index = std::move(*index);
  if (!problem.empty()) warnings.push_back(problem + ": it was made again from the log");
  if (const auto saved = save_index(segment.index, file); !saved) {
    warnings.push_back(saved.error().reason());
  }
  return segment;
}

std::uint64_t GameLog::records() const {
  std::uint64_t records = log_.records();
  for (const LogSegment& segment : segments_) records += segment.index.records;
  return records;
}

bool GameLog::is_in_place() const {
  const std::unique_lock lock(*replacing_, std::try_to_lock);
  return !lock || log_.is_in_place();
}

Result<void> GameLog::append(const GameRecord& record) {
  if (auto appended = log_.append(record); !appended) return appended;
  if (settings_.segment_bytes == 0) return {};
  growing_.games.add(record.game_number);
  ++growing_.records;
  if (log_.size() <= close_at_ || number_ == kMaxSegment) return {};
  const std::lock_guard lock(*replacing_);
  close_at_ = settings_.segment_bytes;
  if (const auto closed = close_file(); !closed) {
    problem_ = closed.error().reason() + ": the file grows on, and is closed later";
    close_at_ = log_.size() + settings_.segment_bytes / 16;
  }
  return {};
}

/// Closes the growing file and begins another. On failure all is as it was.
Result<void> GameLog::close_file() {
  if (auto flushed = log_.flush(); !flushed) return flushed;
  const std::filesystem::path growing = growing_file(), closed = segment_file(folder_, number_);
  if (is_there(closed)) return fail(fmt::format("{}: is there already", closed.string()));
  if (auto renamed = move_file(growing, closed); !renamed) return renamed;
  auto next = RecordLog::open(growing, growing_.game, settings_.records);
  if (!next) {
    // Replaces what there is of the new file.
    static_cast<void>(move_file(closed, growing));
    return next.error();
  }
  growing_.bytes = log_.size();
  log_ = std::move(*next);
  segments_.push_back({number_, closed, true, std::exchange(growing_, {.game = growing_.game})});
  const auto saved = save_index(segments_.back().index, index_file(folder_, number_++));
  if (!saved) problem_ = saved.error().reason() + ": the next resume makes the index";
  return {};
}

Result<GameLogReader> GameLogReader::open(const std::filesystem::path& log,
                                          std::uint64_t position) {
  std::error_code unknown;
  if (std::filesystem::is_directory(log, unknown)) {
    auto opened = open_file(log, LogPosition(position));
    if (!opened) return opened.error();
    return GameLogReader(log, std::move(*opened));
  }
  auto reader = RecordReader::open(log, position);
  if (!reader) return reader.error();
  return GameLogReader({}, {1, std::move(*reader)});
}

/// Opens the first file that contains something at or after `position`. Fails when there is none,
/// and between the moments in which a writer closes one and begins the next.
Result<GameLogReader::Opened> GameLogReader::open_file(const std::filesystem::path& folder,
                                                       LogPosition position) {
  for (;;) {
    auto growing = RecordReader::open(folder / kGrowingFile);
    const auto found = segments_in(folder);
    for (const auto& [number, files] : found) {
      if (number < position.number() || !files.log) continue;
      const std::uint64_t offset = number == position.number() ? position.offset() : 0;
      auto reader = RecordReader::open(segment_file(folder, number), offset);
      if (!reader) return reader.error();
      return Opened{number, std::move(*reader)};
    }
    if (!growing) return growing.error();
    // Only a file that is still there has the number after those found.
    if (!growing->is_in_place()) continue;
    const std::uint32_t number = found.empty() ? 1 : found.rbegin()->first + 1;
    if (number < position.number()) {
      return fail(fmt::format("{}: the log has no file {}", folder.string(), position.number()));
    }
    if (number == position.number() && position.offset() > 0) {
      growing = RecordReader::open(folder / kGrowingFile, position.offset());
      if (!growing) return growing.error();
      if (!growing->is_in_place() || segments_in(folder).size() != found.size()) continue;
    }
    return Opened{number, std::move(*growing)};
  }
}

Result<bool> GameLogReader::next(GameRecord& record) {
  for (;;) {
    auto more = reader_.next(record);
    if (!more || *more || folder_.empty()) return more;
    // The file grows; or else it was closed, and perhaps moved away since.
    if (!is_there(segment_file(folder_, number_)) && reader_.is_in_place()) return false;
    // It is closed; what was written before that may have come after the look above.
    more = reader_.next(record);
    if (!more || *more) return more;
    const auto left = leave_file();
    if (!left || !*left) return left;
  }
}

/// Opens the file after this one; false when there is none yet.
Result<bool> GameLogReader::leave_file() {
  if (number_ == kMaxSegment) return false;
  auto opened = open_file(folder_, LogPosition(number_ + 1, 0));
  if (!opened) {
    // Between two files there is nothing to open for a moment, and a file that is there is a fault.
    const auto found = segments_in(folder_);
    const bool has_later = !found.empty() && found.rbegin()->first > number_;
    if (has_later) return opened.error();
    return false;
  }
  const auto damage = reader_.bytes_left();
  if (!damage) return damage.error();
  header_damaged_ = header_damaged();
  skipped_bytes_ += reader_.skipped_bytes() + *damage;
  skipped_places_ += reader_.skipped_places() + (*damage > 0 ? 1 : 0);
  undecodable_ = undecodable();
  number_ = opened->number;
  reader_ = std::move(opened->reader);
  if (game_.empty()) game_ = reader_.game();
  return true;
}

SkippedRecords GameLogReader::undecodable() const {
  SkippedRecords all = undecodable_;
  all.add(reader_.undecodable());
  return all;
}

}  // namespace senet
