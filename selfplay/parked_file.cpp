#include "selfplay/parked_file.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <map>
#include <system_error>
#include <utility>

#include "nn/file.hpp"
#include "selfplay/record_codec.hpp"
#include "selfplay/record_log.hpp"

namespace senet {

Result<void> save_parked(const std::filesystem::path& file, std::string_view game,
                         std::span<const GameRecord> games) {
  if (games.empty()) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) return fail(fmt::format("{}: {}", file.string(), error.message()));
    return {};
  }
  std::vector<std::byte> all = file_header(game), payload, frame;
  FramePacker packer(1);
  for (const GameRecord& record : games) {
    if (auto encoded = encode(record, payload); !encoded) return encoded;
    packer.pack(payload, frame);
    all.insert(all.end(), frame.begin(), frame.end());
  }
  return replace_file(file, {all});
}

Result<ParkedFile> load_parked(const std::filesystem::path& file, std::string_view game) {
  ParkedFile found;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return found;
  Result<RecordReader> reader = RecordReader::open(file);
  if (!reader) return reader.error();
  if (!reader->header_damaged() && reader->game() != game) {
    return fail(
        fmt::format("{}: contains games of {}, not of {}", file.string(), reader->game(), game));
  }
  std::map<std::uint64_t, GameRecord> games;
  GameRecord record;
  for (;;) {
    const Result<bool> more = reader->next(record);
    if (!more) return more.error();
    if (!*more) break;
    GameRecord& kept = games[record.game_number];
    if (kept.turns().size() <= record.turns().size()) kept = record;
  }
  for (auto& [number, kept] : games) found.games.push_back(std::move(kept));
  const Result<std::uint64_t> left = reader->bytes_left();
  found.damaged_bytes = reader->skipped_bytes() + left.value_or(0);
  return found;
}

}  // namespace senet
