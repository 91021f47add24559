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

void WorkerTrace::turn(std::size_t lane) {
  if (full_ || !started_) return;
  const auto now = Clock::now();
  end_turn(now);
  lane_ = lane;
  turn_began_ = now;
}

void WorkerTrace::forward_begins(std::size_t rows) {
  if (full_ || !wanted_.load(std::memory_order_relaxed)) return;
  forward_began_ = Clock::now();
  end_turn(forward_began_);
  rows_ = rows;
}

void WorkerTrace::forward_ended() {
  if (full_ || rows_ == 0) return;
  const auto now = Clock::now();
  if (started_) {
    add(Kind::kGather, rows_, last_end_, forward_began_);
    add(Kind::kForward, rows_, forward_began_, now);
  } else {
    origin_ = now;
    started_ = true;
  }
  last_end_ = now;
  // Between two passes a lane has one turn for its search, perhaps a second one to begin the next,
  // and a third one when it found no room.
  full_ = spans_.capacity() - spans_.size() < 3 * lanes_ + 2;
}

void WorkerTrace::end_turn(Clock::time_point end) {
  if (!lane_) return;
  add(Kind::kLane, *lane_, turn_began_, end);
  lane_.reset();
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
