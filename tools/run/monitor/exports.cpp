// The figures of a run for other programs: JSON, Prometheus and TensorBoard.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "games/json.hpp"
#include "nn/file.hpp"
#include "tools/run/monitor/run_view.hpp"

namespace senet {
namespace {

/// The quoted value of a label: backslashes, quotes and line ends are escaped.
std::string label(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

std::string prometheus_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// -- TensorBoard's events: records of TFRecord files, which hold protocol buffers.

/// CRC-32C (Castagnoli), as RFC 3720 defines it.
std::uint32_t crc32c(std::string_view bytes) {
  constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0);
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

template <class T>
std::string little_endian(T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A length, its masked checksum, the content, its masked checksum.
void add_record(std::string& file, std::string_view content) {
  const auto masked = [](std::string_view bytes) {
    return little_endian(std::rotr(crc32c(bytes), 15) + 0xa282ead8u);
  };
  const std::string length = little_endian(std::uint64_t{content.size()});
  file.append(length).append(masked(length)).append(content).append(masked(content));
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

// Fields of a protocol buffer: the number and the kind (1: 64 bits, 2: bytes, 5: 32 bits), then the
// content.
std::string field(unsigned number, unsigned kind) { return varint(number << 3 | kind); }
std::string bytes_field(unsigned number, std::string_view bytes) {
  return field(number, 2).append(varint(bytes.size())).append(bytes);
}

/// Event{wall_time = 1, step = 2, summary = 5 {value = 1 {tag = 1, simple_value = 2}}}.
std::string event_of(double time, std::uint64_t step, std::string_view values) {
  std::string event = field(1, 1) + little_endian(time);
  event.append(field(2, 0)).append(varint(step));
  return event.append(bytes_field(5, values));
}

}  // namespace

std::string monitor_json(const RunView& run) {
  Json figures;
  for (std::size_t i = 0; i < run.names().size(); ++i) {
    const double value = run.snapshot().values[i];
    figures[run.names()[i].name] = std::isfinite(value) ? Json(value) : Json();
  }
  Json events = Json::array();
  for (const MetricsReader::Event& event : run.events()) {
    events.push_back({{"time", event.time}, {"event", event.text}});
  }
  return json_text({{"run", run.folder()},
                    {"game", run.game()},
                    {"state", name_of(run.state())},
                    {"phase", phase_name(run["phase"])},
                    {"heartbeat_age", run.age()},
                    {"began", run.snapshot().began},
                    {"figures", figures},
                    {"events", events}});
}

std::string monitor_prometheus(const RunView& run) {
  const std::string labels =
      fmt::format("{{game={},run={}}}", label(run.game()), label(run.folder()));
  std::string text = fmt::format(
      "# HELP senet_up 1 while the daemon is running.\n# TYPE senet_up gauge\nsenet_up{} {}\n",
      labels, run.state() == RunState::kRunning || run.state() == RunState::kStuck ? 1 : 0);
  for (std::size_t i = 0; i < run.names().size(); ++i) {
    const auto& [name, unit] = run.names()[i];
    if (!unit.empty()) text += fmt::format("# HELP senet_{} In {}.\n", name, unit);
    text += fmt::format("# TYPE senet_{} gauge\nsenet_{}{} {}\n", name, name, labels,
                        prometheus_number(run.snapshot().values[i]));
  }
  return text;
}

Result<std::filesystem::path> write_tensorboard(const RunView& run,
                                                const std::filesystem::path& folder) {
  const std::vector<double> times = run.times(), games = run.history("games");
  std::string file;
  const double began = times.empty() ? run.snapshot().began : times.front();
  add_record(file, (field(1, 1) + little_endian(began)).append(bytes_field(3, "brain.Event:2")));
  std::vector<std::pair<std::string, std::vector<double>>> figures;
  for (const std::string& name : run.historic()) figures.emplace_back(name, run.history(name));
  for (std::size_t row = 0; row < times.size(); ++row) {
    std::string values;
    for (const auto& [name, history] : figures) {
      if (!std::isfinite(history[row])) continue;
      std::string value = bytes_field(1, name);
      value.append(field(2, 5)).append(little_endian(static_cast<float>(history[row])));
      values.append(bytes_field(1, value));
    }
    const double step = row < games.size() && games[row] > 0 ? games[row] : 0;
    add_record(file, event_of(times[row], static_cast<std::uint64_t>(step), values));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(fmt::format("{}: {}", folder.string(), error.message()));
  auto path = folder / fmt::format("events.out.tfevents.{:.0f}.senet", began);
  const auto written = replace_file(path, {std::as_bytes(std::span(file))});
  if (!written) return written.error();
  return path;
}

}  // namespace senet
