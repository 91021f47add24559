#include "tools/worker_meter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "games/json.hpp"
#include "tools/bench_timing.hpp"

namespace senet {

void WorkerMeter::forward_begins(std::size_t rows) {
  allocations_ = thread_allocations().value_or(0);
  record(Kind::kForwardBegins, rows);
}

void WorkerMeter::forward_ended(WorkerReport& report) {
  record(Kind::kForwardEnded, 0);
  const std::uint64_t now = thread_allocations().value_or(0);
  report.add(WorkerReport::kForwardAllocations, now - allocations_);
  report.set(WorkerReport::kAllocations, now);
}

Result<void> WorkerMeter::write_trace(const std::filesystem::path& file, double encode_ns) const {
  Json events = Json::array();
  const auto event_of = [](const std::string& name, const char* phase, const Json& arguments) {
    return Json::object(
        {{"name", name}, {"ph", phase}, {"pid", 1}, {"tid", 1}, {"args", arguments}});
  };
  events.push_back(event_of("process_name", "M", Json::object({{"name", "senet bench selfplay"}})));
  events.push_back(event_of("thread_name", "M", Json::object({{"name", "worker 0"}})));
  // Whole rounds: from the end of a forward pass on, up to the end of one.
  const auto ended = [](const Event& event) { return event.kind == Kind::kForwardEnded; };
  const auto first = std::ranges::find_if(events_, ended);
  auto end = events_.end();
  while (end != first && !ended(*std::prev(end))) --end;
  auto pass_end = first;
  for (auto event = first; event != end; ++event) {
    const auto add_span = [&](const std::string& name, auto from, auto to, const Json& arguments) {
      using Microseconds = std::chrono::duration<double, std::micro>;  // as the format wants them
      Json span = event_of(name, "X", arguments);
      span["ts"] = Microseconds(from->time - first->time).count();
      span["dur"] = Microseconds(to->time - from->time).count();
      events.push_back(std::move(span));
    };
    const auto next = std::next(event);
    if (event->kind == Kind::kTurn) {
      add_span(fmt::format("lane {}", event->number), event, next, Json::object());
    } else if (event->kind == Kind::kForwardBegins) {
      add_span("gather", pass_end, event,
               Json::object({{"rows", event->number},
                             {"encode_us_about", 1e-3 * event->number * encode_ns}}));
      add_span("forward", event, next, Json::object({{"rows", event->number}}));
    } else {
      pass_end = event;
    }
  }
  std::ofstream out(file, std::ios::trunc);
  out << Json::object({{"displayTimeUnit", "ns"}, {"traceEvents", events}}).dump() << std::endl;
  if (!out) return fail(fmt::format("{}: cannot be written", file.string()));
  return {};
}

}  // namespace senet
