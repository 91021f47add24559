// Any bytes as the figures of a run that `senet monitor` reads.
#include <algorithm>
#include <cstring>
#include <span>

#include "tests/fuzz/fuzz_file.hpp"
#include "train_bridge/metrics_map.hpp"

namespace {

using namespace senet;

constexpr std::size_t kPage = 4096, kMostRows = 100;

void read(const FuzzFile& file) {
  const Result<MetricsReader> reader = MetricsReader::open(file.path());
  if (!reader) return;
  promise(!reader->names().empty() && reader->columns() <= reader->names().size(),
          "the first figures have a history");
  promise(reader->columns() <= 256, "a history fits into memory");
  for (const MetricName& name : reader->names()) {
    promise(!name.name.empty() && name.name.size() <= 48 && name.unit.size() <= 16,
            "names and units are short");
  }
  const auto snapshot = reader->read();
  promise(!snapshot || snapshot->values.size() == reader->names().size(),
          "there is a value for each figure");
  const auto rows = reader->history(kMostRows);
  promise(!rows || rows->size() <= kMostRows * (1 + reader->columns()), "no row is added");
  const auto events = reader->events();
  promise(!events || events->size() <= MetricsMap::kEvents, "events are bounded");
}

std::size_t to_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace

// The header is a page long, with few bytes that are not 0. So an input has its first 48 bytes and
// the 80 from the sequence on, and then the names.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFile file;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  file.set(bytes);
  read(file);
  constexpr std::size_t kHead = 48, kWords = 80, kWordsAt = 512;
  if (size < kHead + kWords) return 0;
  std::vector<std::byte> map(kPage + size - kHead - kWords);
  std::ranges::copy(bytes.first(kHead), map.begin());
  std::ranges::copy(bytes.subspan(kHead, kWords), map.begin() + kWordsAt);
  std::ranges::copy(bytes.subspan(kHead + kWords), map.begin() + kPage);
  // The file is as long as it must be; most of it is a hole.
  const std::size_t figures = number_at(bytes, 12), columns = number_at(bytes, 16);
  if (figures > 1000 || columns > 1000) return 0;
  const std::size_t history = MetricsMap::kHistoryRows * (1 + columns) * sizeof(double);
  file.set(map, kPage + 2 * to_pages(figures * 64) + to_pages(MetricsMap::kEvents * 256) +
                    to_pages(history));
  read(file);
  return 0;
}
