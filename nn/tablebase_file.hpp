// A game's tablebase in a cache folder: built on first use, mapped afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "games/any_game.hpp"
#include "nn/file.hpp"
#include "nn/heap.hpp"

namespace senet {

/// The bytes of a tablebase, mapped from a file or, where no file could be written, in memory. They
/// do not move and do not change: any thread may read them. Empty if default-constructed.
///
/// The file GAME-VERSION.tablebase:
///
///   0        8         12      16       24         32        64
///   +--------+---------+-------+--------+----------+---------+-- ... --+
///   | magic  | version |   0   | size   | checksum | game    | table   |
///   | 8 char | u32     |  u32  | u64    | u64      | 32 char | size    |
///   +--------+---------+-------+--------+----------+---------+-- ... --+
///
/// Numbers have the machine's byte order. size: of the table. checksum: its XXH3. Several processes
/// and threads may build and replace the same file at once: each maps a whole one.
class TablebaseFile {
 public:
  TablebaseFile() = default;

  /// Maps the file in `folder` if it is there and undamaged. Requires a game with a tablebase.
  static std::optional<TablebaseFile> find(const AnyGame& game,
                                           const std::filesystem::path& folder);
  /// Builds the table, which needs game.tablebase.build_bytes besides, and replaces the file in
  /// `folder`, which is created if missing. If that fails, keeps the table in `heap`; see note().
  static TablebaseFile build(const AnyGame& game, const std::filesystem::path& folder,
                             Heap& heap = default_heap());
  /// find(), or else build().
  static TablebaseFile open(const AnyGame& game, const std::filesystem::path& folder);

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Why the table is in memory and not in a file, for people; empty if it is in a file.
  const std::string& note() const { return note_; }

 private:
  /// Aligned as build() requires.
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  MappedFile file_;
  Block<Line> memory_;
  std::span<const std::byte> bytes_;  // in one of the two
  std::string note_;
};

}  // namespace senet
