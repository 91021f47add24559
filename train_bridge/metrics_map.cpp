#include "train_bridge/metrics_map.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace senet {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "SenetMap";
constexpr std::size_t kPage = 4096, kNameBytes = 64, kUnitAt = 48, kValueBytes = 64,
                      kEventBytes = 256;
// Fields of the header.
constexpr std::size_t kVersionAt = 8, kFiguresAt = 12, kColumnsAt = 16, kRowsAt = 20, kBeganAt = 24,
                      kProcessAt = 32, kSubjectAt = 64, kSequenceAt = 512, kHeartbeatAt = 520,
                      kEndedAt = 528, kHistoryCountAt = 576, kEventCountAt = 584;
// A forged file is mostly holes: a reader must not take the memory that its history asks for.
constexpr std::size_t kMostFigures = 1 << 16, kMostColumns = 256;

constexpr std::size_t to_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Where the sections of a file begin.
struct Sections {
  std::size_t names, values, events, history, row_bytes, end;

  Sections(std::size_t figures, std::size_t columns) {
    names = kPage;
    values = names + to_pages(figures * kNameBytes);
    events = values + to_pages(figures * kValueBytes);
    history = events + to_pages(MetricsMap::kEvents * kEventBytes);
    row_bytes = (1 + columns) * sizeof(double);
    end = history + to_pages(MetricsMap::kHistoryRows * row_bytes);
  }
};

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void store(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// A text of less than `room` bytes and zeros.
void store_text(std::span<std::byte> bytes, std::size_t at, std::size_t room,
                std::string_view text) {
  std::memset(bytes.data() + at, 0, room);
  std::memcpy(bytes.data() + at, text.data(), std::min(text.size(), room - 1));
}

std::string load_text(std::span<const std::byte> bytes, std::size_t at, std::size_t room) {
  const auto* const text = reinterpret_cast<const char*>(bytes.data() + at);
  return std::string(text, strnlen(text, room));
}

/// A word of a file that another process reads or writes at the same time.
std::atomic_ref<std::uint64_t> shared_word(std::byte* data, std::size_t at) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(data + at));
}

void set_shared(std::byte* data, std::size_t at, double value) {
  shared_word(data, at).store(std::bit_cast<std::uint64_t>(value), std::memory_order_relaxed);
}

/// The header and the names of a new file.
std::vector<std::byte> beginning(std::string_view subject, std::span<const MetricName> names,
                                 std::size_t columns) {
  std::vector<std::byte> bytes(Sections(names.size(), columns).values);
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  store(bytes, kVersionAt, kMetricsMapVersion);
  store(bytes, kFiguresAt, static_cast<std::uint32_t>(names.size()));
  store(bytes, kColumnsAt, static_cast<std::uint32_t>(columns));
  store(bytes, kRowsAt, static_cast<std::uint32_t>(MetricsMap::kHistoryRows));
  store_text(bytes, kSubjectAt, kSequenceAt - kSubjectAt, subject);
  for (std::size_t i = 0; i < names.size(); ++i) {
    store_text(bytes, kPage + i * kNameBytes, kUnitAt, names[i].name);
    store_text(bytes, kPage + i * kNameBytes + kUnitAt, kNameBytes - kUnitAt, names[i].unit);
  }
  return bytes;
}

/// Whether the file has these figures, so that its history can be continued.
bool continues(const FileHandle& file, std::span<const std::byte> begins, std::size_t size) {
  const auto now = file.size();
  std::vector<std::byte> there(begins.size());
  const auto got = file.read_at(0, there);
  if (!now || *now != size || !got || *got != begins.size()) return false;
  const auto same = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(there.data() + begin, begins.data() + begin, end - begin) == 0;
  };
  return same(0, kBeganAt) && same(kSubjectAt, kSequenceAt) && same(kPage, begins.size());
}

/// Makes the file under another name first, so that no reader finds half of one. A store to a page
/// for which the disk has no room would kill the process, so all of it is reserved.
Result<void> make_file(const std::filesystem::path& file, std::span<const std::byte> begins,
                       std::size_t size) {
  if (auto made = replace_file(file, {begins}); !made) return made;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const int error =
      descriptor < 0 ? errno : posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  if (descriptor >= 0) close(descriptor);
  if (error == 0) return {};
  std::error_code unknown;
  std::filesystem::remove(file, unknown);
  return fail(fmt::format("{}: {}", file.string(), std::strerror(error)));
}

}  // namespace

double unix_seconds() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

void MetricsMap::Unmap::operator()(std::byte* data) const { munmap(data, size); }

Result<MetricsMap> MetricsMap::open(const std::filesystem::path& file, std::string_view subject,
                                    std::span<const MetricName> names, std::size_t columns) {
  const std::vector<std::byte> begins = beginning(subject, names, columns);
  const std::size_t size = Sections(names.size(), columns).end;
  auto opened = FileHandle::open(file, FileHandle::Mode::kReadWrite);
  if (!opened) return opened.error();
  if (!continues(*opened, begins, size)) {
    if (auto made = make_file(file, begins, size); !made) return made.error();
    opened = FileHandle::open(file, FileHandle::Mode::kReadWrite);
    if (!opened) return opened.error();
  }
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  void* const mapped = descriptor < 0
                           ? MAP_FAILED
                           : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (mapped == MAP_FAILED) return fail(fmt::format("{}: {}", file.string(), std::strerror(error)));
  auto* const data = static_cast<std::byte*>(mapped);
  MetricsMap map(*std::move(opened), std::unique_ptr<std::byte, Unmap>(data, Unmap{size}),
                 names.size(), columns);
  set_shared(data, kBeganAt, unix_seconds());
  shared_word(data, kProcessAt).store(static_cast<std::uint64_t>(getpid()));
  shared_word(data, kEndedAt).store(0);
  return map;
}

bool MetricsMap::is_whole() const {
  const auto size = file_.size();
  return size && *size == data_.get_deleter().size;
}

void MetricsMap::write(std::span<const double> values) {
  if (!is_whole()) return;
  std::byte* const data = data_.get();
  const std::size_t at = Sections(figures_, columns_).values;
  auto sequence = shared_word(data, kSequenceAt);
  const std::uint64_t before = sequence.load(std::memory_order_relaxed) / 2 * 2;
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < std::min(values.size(), figures_); ++i) {
    set_shared(data, at + i * kValueBytes, values[i]);
  }
  set_shared(data, kHeartbeatAt, unix_seconds());
  sequence.store(before + 2, std::memory_order_release);
}

void MetricsMap::remember() {
  if (!is_whole()) return;
  std::byte* const data = data_.get();
  const Sections sections(figures_, columns_);
  auto count = shared_word(data, kHistoryCountAt);
  const std::uint64_t row = count.load(std::memory_order_relaxed);
  const std::size_t at = sections.history + row % kHistoryRows * sections.row_bytes;
  set_shared(data, at, unix_seconds());
  for (std::size_t i = 0; i < columns_; ++i) {
    const std::uint64_t value = shared_word(data, sections.values + i * kValueBytes).load();
    shared_word(data, at + (1 + i) * sizeof value).store(value, std::memory_order_relaxed);
  }
  count.store(row + 1, std::memory_order_release);
}

void MetricsMap::note(std::string_view event) {
  if (!is_whole()) return;
  const std::span<std::byte> data(data_.get(), data_.get_deleter().size);
  auto count = shared_word(data.data(), kEventCountAt);
  const std::uint64_t number = count.load(std::memory_order_relaxed);
  const std::size_t at = Sections(figures_, columns_).events + number % kEvents * kEventBytes;
  store(data, at, unix_seconds());
  store_text(data, at + sizeof(double), kEventBytes - sizeof(double), event);
  count.store(number + 1, std::memory_order_release);
}

void MetricsMap::end() {
  if (is_whole()) shared_word(data_.get(), kEndedAt).store(1, std::memory_order_release);
}

Result<MetricsReader> MetricsReader::open(const std::filesystem::path& file) {
  auto opened = FileHandle::open(file, FileHandle::Mode::kRead);
  if (!opened) return opened.error();
  const auto wrong = [&](std::string_view reason) {
    return fail(fmt::format("{}: {}", file.string(), reason));
  };
  std::vector<std::byte> bytes(kPage);
  auto got = opened->read_at(0, bytes);
  if (!got) return got.error();
  if (*got < kPage || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return wrong("not a map of figures");
  }
  if (const auto version = load<std::uint32_t>(bytes, kVersionAt); version != kMetricsMapVersion) {
    return wrong(fmt::format("the map has version {}: only version {} is supported", version,
                             kMetricsMapVersion));
  }
  const auto figures = load<std::uint32_t>(bytes, kFiguresAt);
  const auto columns = load<std::uint32_t>(bytes, kColumnsAt);
  const auto rows = load<std::uint32_t>(bytes, kRowsAt);
  const auto size = opened->size();
  if (!size) return size.error();
  if (figures == 0 || figures > kMostFigures ||
      columns > std::min<std::size_t>(figures, kMostColumns) || rows != MetricsMap::kHistoryRows ||
      *size != Sections(figures, columns).end) {
    return wrong("the map is damaged");
  }
  MetricsReader reader(*std::move(opened));
  reader.subject_ = load_text(bytes, kSubjectAt, kSequenceAt - kSubjectAt);
  reader.columns_ = columns;
  bytes.resize(figures * kNameBytes);
  got = reader.file_.read_at(kPage, bytes);
  if (!got) return got.error();
  if (*got < bytes.size()) return wrong("the map is damaged");
  for (std::size_t i = 0; i < figures; ++i) {
    reader.names_.push_back({load_text(bytes, i * kNameBytes, kUnitAt),
                             load_text(bytes, i * kNameBytes + kUnitAt, kNameBytes - kUnitAt)});
    if (reader.names_.back().name.empty()) return wrong("the map is damaged");
  }
  return reader;
}

namespace {

/// Reads all of `to`; fails at the end of the file.
Result<void> read_whole(const FileHandle& file, std::uint64_t at, std::span<std::byte> to) {
  const auto got = file.read_at(at, to);
  if (!got) return got.error();
  if (*got == to.size()) return {};
  return fail(fmt::format("{}: the map became shorter", file.path().string()));
}

template <class T>
Result<T> read_word(const FileHandle& file, std::uint64_t at) {
  std::array<std::byte, sizeof(T)> bytes;
  if (const auto read = read_whole(file, at, bytes); !read) return read.error();
  std::atomic_thread_fence(std::memory_order_acq_rel);
  return load<T>(bytes, 0);
}

}  // namespace

Result<MetricsReader::Snapshot> MetricsReader::read() const {
  constexpr int kMostTries = 10'000;
  std::vector<std::byte> header(kPage), values(names_.size() * kValueBytes);
  for (int i = 0; i < kMostTries; ++i) {
    const auto before = read_word<std::uint64_t>(file_, kSequenceAt);
    if (!before) return before.error();
    for (auto [at, to] : {std::pair(std::size_t{0}, &header),
                          std::pair(Sections(names_.size(), columns_).values, &values)}) {
      if (const auto read = read_whole(file_, at, *to); !read) return read.error();
    }
    const auto after = read_word<std::uint64_t>(file_, kSequenceAt);
    if (!after) return after.error();
    // A writer that was killed within a write leaves an odd number for good.
    const bool is_last_try = i + 1 == kMostTries;
    if (*before != *after || (*before % 2 != 0 && !is_last_try)) continue;
    Snapshot now{.values = {},
                 .began = load<double>(header, kBeganAt),
                 .process = load<std::uint64_t>(header, kProcessAt),
                 .heartbeat = load<double>(header, kHeartbeatAt),
                 .has_ended = load<std::uint64_t>(header, kEndedAt) != 0};
    for (std::size_t k = 0; k < names_.size(); ++k) {
      now.values.push_back(load<double>(values, k * kValueBytes));
    }
    return now;
  }
  return fail(fmt::format("{}: no moment without a write was found", file_.path().string()));
}

Result<std::vector<double>> MetricsReader::history(std::size_t most) const {
  const Sections sections(names_.size(), columns_);
  const auto end = read_word<std::uint64_t>(file_, kHistoryCountAt);
  if (!end) return end.error();
  const std::uint64_t rows = std::min<std::uint64_t>({*end, most, MetricsMap::kHistoryRows});
  const std::size_t width = 1 + columns_;
  std::vector<double> all(rows * width);
  const std::uint64_t first = *end - rows;
  // In two pieces where the ring begins again.
  for (std::uint64_t row = first; row < *end;) {
    const std::uint64_t place = row % MetricsMap::kHistoryRows;
    const std::uint64_t count = std::min(*end - row, MetricsMap::kHistoryRows - place);
    const auto part =
        std::as_writable_bytes(std::span(all).subspan((row - first) * width, count * width));
    const auto read = read_whole(file_, sections.history + place * sections.row_bytes, part);
    if (!read) return read.error();
    row += count;
  }
  const auto now = read_word<std::uint64_t>(file_, kHistoryCountAt);
  if (!now) return now.error();
  // A row that is being written is the one after the last, in the place of the oldest.
  const std::uint64_t oldest =
      *now + 1 > MetricsMap::kHistoryRows ? *now + 1 - MetricsMap::kHistoryRows : 0;
  if (oldest > first) {
    const std::uint64_t lost = std::min(oldest - first, rows);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(lost * width));
  }
  return all;
}

Result<std::vector<MetricsReader::Event>> MetricsReader::events() const {
  const auto end = read_word<std::uint64_t>(file_, kEventCountAt);
  if (!end) return end.error();
  std::vector<std::byte> bytes(MetricsMap::kEvents * kEventBytes);
  const std::size_t at = Sections(names_.size(), columns_).events;
  if (const auto read = read_whole(file_, at, bytes); !read) return read.error();
  const auto now = read_word<std::uint64_t>(file_, kEventCountAt);
  if (!now) return now.error();
  std::vector<Event> events;
  const std::uint64_t oldest = *now + 1 > MetricsMap::kEvents ? *now + 1 - MetricsMap::kEvents : 0;
  for (std::uint64_t i = oldest; i < *end; ++i) {
    const std::size_t place = i % MetricsMap::kEvents * kEventBytes;
    events.push_back({load<double>(bytes, place),
                      load_text(bytes, place + sizeof(double), kEventBytes - sizeof(double))});
  }
  return events;
}

}  // namespace senet
