#include "tools/worker_trace.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

namespace senet {
namespace {

/// Microseconds, as the format wants them, without losing a nanosecond.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

}  // namespace

WorkerTrace::WorkerTrace(std::size_t passes, std::size_t lanes) : lanes_(lanes) {
  spans_.reserve(passes * (lanes + 2));
}

void WorkerTrace::forward(Clock::time_point begin, Clock::time_point end, std::size_t rows) {
  if (started_) {
    add(Kind::kGather, rows, last_end_, begin);
    add(Kind::kForward, rows, begin, end);
  } else {
    origin_ = end;
    started_ = true;
  }
  last_end_ = end;
  // A lane runs at most twice between two passes: once when its turn comes, once more when it found
  // no room.
  full_ = spans_.capacity() - spans_.size() < 2 * lanes_ + 2;
}

void WorkerTrace::lane(std::size_t number, Clock::time_point begin, Clock::time_point end) {
  add(Kind::kLane, number, begin, end);
}

void WorkerTrace::add(Kind kind, std::size_t number, Clock::time_point begin,
                      Clock::time_point end) {
  if (spans_.size() == spans_.capacity()) return;
  const auto since = [&](Clock::time_point time) -> std::int64_t {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time - origin_).count();
  };
  spans_.push_back({kind, static_cast<std::uint32_t>(number), since(begin), since(end)});
}

Result<void> WorkerTrace::write(const std::filesystem::path& file, double encode_ns) const {
  std::ofstream out(file, std::ios::trunc);
  out << R"({"displayTimeUnit":"ns","traceEvents":[)" << '\n'
      << R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"senet bench selfplay"}},)"
      << '\n'
      << R"({"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"worker 0"}})";
  for (const Span& span : spans_) {
    std::string name, arguments;
    switch (span.kind) {
      case Kind::kGather:
        name = "gather";
        arguments = fmt::format(R"("rows":{},"encode_us_about":{:.3f})", span.number,
                                1e-3 * span.number * encode_ns);
        break;
      case Kind::kForward:
        name = "forward";
        arguments = fmt::format(R"("rows":{})", span.number);
        break;
      case Kind::kLane:
        name = fmt::format("lane {}", span.number);
        break;
    }
    out << fmt::format(
        ",\n"
        R"({{"name":"{}","ph":"X","pid":1,"tid":1,"ts":{},"dur":{},"args":{{{}}}}})",
        name, microseconds(span.begin_ns), microseconds(span.end_ns - span.begin_ns), arguments);
  }
  out << "\n]}\n";
  out.flush();
  if (!out) return fail(fmt::format("{}: cannot be written", file.string()));
  return {};
}

}  // namespace senet
