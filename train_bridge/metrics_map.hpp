// The figures of a running program in a memory-mapped file, with those of the last 24 hours, for
// programs that watch it. Writing takes no lock, and a reader cannot disturb the writer.
//
// File, little-endian. All sections begin on a page:
//
//   header   names      values    events      history
//   +--------+----------+---------+-----------+-----------------------------+
//   | 4096 B | n x 64 B | n x 64 B| 64 x 256 B| 86,400 x (1 + columns) x 8 B|
//   +--------+----------+---------+-----------+-----------------------------+
//
// Header:                                    A name:
//    0  u8[8] "SenetMap"                       0  the figure's name, padded with zeros
//    8  u32   kMetricsMapVersion              48  its unit
//   12  u32   n, the number of figures        A value:
//   16  u32   columns of the history: the      0  f64, the bits of which are written at once
//             first figures                   An event:
//   20  u32   rows of the history              0  f64   time
//   24  f64   time of the writer's start       8  text, padded with zeros
//   32  u64   process id of the writer        A row of the history:
//   64  text  what the figures are about       0  f64   time, then the values
//  512  u64   sequence: odd while values are written
//  520  f64   heartbeat: time of the last write
//  528  u64   1 when the writer has ended in order
//  576  u64   rows written to the history, which is a ring
//  584  u64   events written, likewise
// Times are seconds since 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/file.hpp"
#include "senet/result.hpp"

namespace senet {

inline constexpr std::uint32_t kMetricsMapVersion = 1;

/// A figure's name (at most 47 bytes) and unit (at most 15).
struct MetricName {
  std::string name, unit;

  bool operator==(const MetricName&) const = default;
};

/// The time that such a file has: seconds since 1970.
double unix_seconds();

/// Writes such a file. Movable; used by one thread at a time.
class MetricsMap {
 public:
  static constexpr std::size_t kHistoryRows = 86'400, kEvents = 64;

  /// Opens the file of these figures, the first `columns` of which have a history. Continues the
  /// history of an earlier file with the same figures; a file of any other content is replaced.
  /// Reserves the disk space. Fails when the file cannot be made.
  static Result<MetricsMap> open(const std::filesystem::path& file, std::string_view subject,
                                 std::span<const MetricName> names, std::size_t columns);

  /// Whether readers find this file: it was neither moved nor removed.
  bool is_in_place() const { return file_.place() == FileHandle::Place::kAtPath; }

  /// Replaces all values, for readers at once, and sets the heartbeat. `values`: one per figure.
  /// Never fails: a file that was truncated meanwhile is no longer written.
  void write(std::span<const double> values);
  /// Adds the values last written to the history; for a call every second.
  void remember();
  /// Adds an event, of which the first 247 bytes are kept.
  void note(std::string_view event);
  /// Marks the end of the program. Without it, readers see the heartbeat stop.
  void end();

 private:
  struct Unmap {
    std::size_t size;
    void operator()(std::byte* data) const;
  };
  MetricsMap(FileHandle file, std::unique_ptr<std::byte, Unmap> data, std::size_t figures,
             std::size_t columns)
      : file_(std::move(file)), data_(std::move(data)), figures_(figures), columns_(columns) {}

  bool is_whole() const;

  FileHandle file_;
  std::unique_ptr<std::byte, Unmap> data_;
  std::size_t figures_, columns_;
};

/// Reads such a file, also while it is written.
class MetricsReader {
 public:
  /// Fails when the file cannot be read, is no such file or has another version.
  static Result<MetricsReader> open(const std::filesystem::path& file);

  struct Event {
    double time;
    std::string text;
  };
  struct Snapshot {
    std::vector<double> values;  // one per figure
    double began = 0;            // time of the writer's start
    std::uint64_t process = 0;   // of the writer
    double heartbeat = 0;
    bool has_ended = false;  // in order
  };

  const std::string& subject() const { return subject_; }
  const std::vector<MetricName>& names() const { return names_; }
  /// The figures with a history: the first ones.
  std::size_t columns() const { return columns_; }

  /// The values of one moment (of a writer that was killed within a write: the newest of each).
  /// Fails when the file became shorter, and when no moment without a write was found in many
  /// tries.
  Result<Snapshot> read() const;
  /// The newest `most` rows of the history, oldest first, each [1 + columns()] f64: the time, then
  /// the values. Rows that are overwritten meanwhile are left out.
  Result<std::vector<double>> history(std::size_t most = MetricsMap::kHistoryRows) const;
  /// The newest events, oldest first.
  Result<std::vector<Event>> events() const;

 private:
  explicit MetricsReader(FileHandle file) : file_(std::move(file)) {}

  FileHandle file_;
  std::string subject_;
  std::vector<MetricName> names_;
  std::size_t columns_ = 0;
};

}  // namespace senet
