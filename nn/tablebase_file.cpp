#include "nn/tablebase_file.hpp"

#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace senet {
namespace {

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t size;
  std::uint64_t checksum;
  std::array<char, 32> game;  // padded with NUL
};
static_assert(sizeof(Header) == 64);

/// The header of a file with this table.
Header header_of(const AnyGame& game, std::span<const std::byte> table) {
  Header header{.magic = {'S', 'e', 'n', 'e', 't', 'T', 'B', '\n'},
                .version = game.tablebase.version,
                .reserved = 0,
                .size = table.size(),
                .checksum = XXH3_64bits(table.data(), table.size()),
                .game = {}};
  game.name.copy(header.game.data(), header.game.size());
  return header;
}

std::filesystem::path path_of(const AnyGame& game, const std::filesystem::path& folder) {
  return folder /
         (std::string(game.name) + "-" + std::to_string(game.tablebase.version) + ".tablebase");
}

Result<void> write(const AnyGame& game, const std::filesystem::path& folder,
                   std::span<const std::byte> table) {
  if (folder.empty()) return fail("there is no cache folder");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(folder.string() + ": cannot create the folder: " + error.message());
  const Header header = header_of(game, table);
  return replace_file(path_of(game, folder), {std::as_bytes(std::span(&header, 1)), table});
}

}  // namespace

std::optional<TablebaseFile> TablebaseFile::find(const AnyGame& game,
                                                 const std::filesystem::path& folder) {
  if (folder.empty()) return std::nullopt;
  Result<MappedFile> mapped = MappedFile::open(path_of(game, folder));
  if (!mapped) return std::nullopt;
  const std::span<const std::byte> whole = mapped->bytes();
  if (whole.size() != sizeof(Header) + game.tablebase.bytes) return std::nullopt;
  const std::span<const std::byte> table = whole.subspan(sizeof(Header));
  const Header expected = header_of(game, table);
  if (std::memcmp(whole.data(), &expected, sizeof expected) != 0) return std::nullopt;
  TablebaseFile found;
  found.file_ = std::move(*mapped);
  found.bytes_ = table;
  return found;
}

TablebaseFile TablebaseFile::build(const AnyGame& game, const std::filesystem::path& folder,
                                   Heap& heap) {
  TablebaseFile built;
  const std::size_t size = game.tablebase.bytes;
  built.memory_ = Block<Line>((size + sizeof(Line) - 1) / sizeof(Line), heap);
  const auto table =
      std::as_writable_bytes(std::span(built.memory_.get(), built.memory_.size())).first(size);
  game.tablebase.build(table);
  built.bytes_ = table;
  const Result<void> written = write(game, folder, table);
  if (written) {
    if (auto found = find(game, folder)) return std::move(*found);
  }
  built.note_ = "the tablebase of " + std::string(game.name) + " is kept in memory: " +
                (written ? "its file cannot be read" : written.error().reason());
  return built;
}

TablebaseFile TablebaseFile::open(const AnyGame& game, const std::filesystem::path& folder) {
  auto found = find(game, folder);
  return found ? std::move(*found) : build(game, folder);
}

}  // namespace senet
