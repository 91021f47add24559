// senet status and senet stop: look at the daemons of runs, and end them.
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>

#include "games/json.hpp"
#include "tools/command.hpp"
#include "tools/metric.hpp"
#include "tools/run/monitor/run_view.hpp"
#include "tools/terminal.hpp"
#include "train_bridge/run_lock.hpp"

namespace senet {
namespace {

constexpr int kNotAllPlay = 3;  // as systemctl status

struct StatusArguments {
  std::vector<std::string> runs;
  bool json = false;
};

/// What is known of the daemon of a run: from its lock, which ends with it, and its figures.
struct RunStatus {
  std::string folder;
  std::string state;
  RunPlayer player;
  std::optional<RunView> view;
};

RunStatus status_of(const std::filesystem::path& folder) {
  RunStatus run{.folder = folder.string(), .state = {}, .player = player_of(folder), .view = {}};
  if (Result<RunView> view = RunView::read(folder, 0)) run.view = *std::move(view);
  const auto state = [&] {
    if (!run.player.is_there) {
      if (!run.view) return "no run";
      return run.view->state() == RunState::kEnded ? "ended" : "DEAD";
    }
    // The figures of an earlier process are no news of this one.
    const auto process = static_cast<std::uint64_t>(run.player.process);
    const bool is_own = run.view && (process == 0 || run.view->snapshot().process == process);
    if (!is_own || run.view->state() == RunState::kEnded) return "starting";
    if (run.view->state() != RunState::kRunning) return "STUCK";
    return (*run.view)["phase"] == 0 ? "playing" : "finishing";
  };
  run.state = state();
  return run;
}

/// A whole figure; 0 if there is none.
std::uint64_t whole(const RunStatus& run, std::string_view figure) {
  const double value = run.view ? (*run.view)[figure] : 0;
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

/// Since when the run is in its state: its beginning, or its last sign of life.
double since(const RunStatus& run) {
  const bool is_alive = run.state == "playing" || run.state == "finishing";
  return is_alive ? run.view->snapshot().began : run.view->snapshot().heartbeat;
}

std::string status_line(const RunStatus& run, std::size_t folder_columns) {
  std::string line = fmt::format("{:<{}}  {:<9}", run.folder, folder_columns, run.state);
  if (run.player.process > 0) line += fmt::format("  pid {}", run.player.process);
  if (run.view && run.state != "starting") {
    line.append("  ").append(count_text(whole(run, "games"), "game"));
    if (run.state == "playing") {
      line += fmt::format("  {} games/min", grouped(whole(run, "games_per_minute")));
    }
    line += fmt::format("  since {:%Y-%m-%d %H:%M}",
                        fmt::localtime(static_cast<std::time_t>(since(run))));
    if (!run.view->events().empty()) line += "  " + run.view->events().back().text;
  }
  return line;
}

std::string status_json(const RunStatus& run) {
  Json json = {{"run", run.folder}, {"state", run.state}};
  json["pid"] = run.player.process > 0 ? Json(run.player.process) : Json();
  if (run.view) {
    const double rate = (*run.view)["games_per_minute"];
    json["game"] = run.view->game();
    json["games"] = whole(run, "games");
    json["games_per_minute"] = run.state == "playing" && std::isfinite(rate) ? rate : 0;
    json["since"] = since(run);
    json["heartbeat_age"] = run.view->age();
    const auto& events = run.view->events();
    json["event"] = events.empty() ? Json() : Json(events.back().text);
    json["event_time"] = events.empty() ? Json() : Json(events.back().time);
  }
  return json_text(json);
}

Result<void> show_status(const StatusArguments& arguments) {
  std::vector<std::filesystem::path> folders(arguments.runs.begin(), arguments.runs.end());
  if (folders.empty()) {
    for (const char* const place : {".", "runs"}) {
      const auto found = runs_below(place);
      if (!found) continue;
      for (const auto& folder : *found) folders.push_back(folder.lexically_normal());
    }
    if (folders.empty()) return fail("no run in this folder or in runs: name the run folders");
  }
  std::vector<RunStatus> runs;
  std::size_t columns = 0;
  for (const auto& folder : folders) {
    runs.push_back(status_of(folder));
    columns = std::max(columns, runs.back().folder.size());
  }
  for (const RunStatus& run : runs) {
    fmt::print("{}\n", arguments.json ? status_json(run) : status_line(run, columns));
  }
  const bool all_play = std::ranges::all_of(runs, [](auto& run) { return run.state == "playing"; });
  if (!arguments.runs.empty() && !all_play) throw ExitCode{kNotAllPlay};
  return {};
}

struct StopArguments {
  std::vector<std::string> runs;
  double timeout = 60;
};

/// A process that keeps its identity: signals never reach another one that got the same id.
class PlayerProcess {
 public:
  /// The process that plays the run; none if it is not played.
  static Result<std::optional<PlayerProcess>> find(const std::filesystem::path& folder) {
    const RunPlayer player = player_of(folder);
    if (!player.is_there) {
      std::error_code unknown;
      if (!std::filesystem::exists(folder / "config.json", unknown)) {
        return fail(folder.string() + ": no folder of a run");
      }
      return std::optional<PlayerProcess>();
    }
    if (player.process == 0) {
      return fail(folder.string() +
                  ": is played by a process of another user or container, which cannot be "
                  "signalled from here");
    }
    const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, player.process, 0));
    if (handle < 0)
      return fail(fmt::format("process {}: {}", player.process, std::strerror(errno)));
    std::optional<PlayerProcess> found(PlayerProcess(folder, player.process, handle));
    // Once more, now that the handle is open: the id may have been that of another process.
    if (player_of(folder) != player) found.reset();
    return found;
  }
  PlayerProcess(PlayerProcess&& other) noexcept
      : folder_(std::move(other.folder_)),
        process_(other.process_),
        handle_(std::exchange(other.handle_, -1)) {}
  ~PlayerProcess() {
    if (handle_ >= 0) ::close(handle_);
  }

  pid_t id() const { return process_; }
  /// Fails when this user may not do so. A process that has ended meanwhile is no failure.
  Result<void> send(int signal) const {
    if (::syscall(SYS_pidfd_send_signal, handle_, signal, nullptr, 0) == 0 || errno == ESRCH) {
      return {};
    }
    return fail(fmt::format("{}: process {} cannot be signalled: {}", folder_.string(), process_,
                            std::strerror(errno)));
  }
  bool has_ended_within(std::chrono::duration<double> time) const {
    const auto begin = std::chrono::steady_clock::now();
    while (player_of(folder_).process == process_) {
      if (std::chrono::steady_clock::now() - begin >= time) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
  }

 private:
  PlayerProcess(std::filesystem::path folder, pid_t process, int handle)
      : folder_(std::move(folder)), process_(process), handle_(handle) {}

  std::filesystem::path folder_;
  pid_t process_;
  int handle_;
};

/// Stops the daemon of a run and waits for its end. Returns what happened.
Result<std::string> stop(const std::filesystem::path& folder, const StopArguments& arguments) {
  const auto found = PlayerProcess::find(folder);
  if (!found) return found.error();
  if (!*found) return folder.string() + ": no process plays it";
  const PlayerProcess& process = **found;
  const auto begin = std::chrono::steady_clock::now();
  if (const auto sent = process.send(SIGTERM); !sent) return sent.error();
  if (!process.has_ended_within(std::chrono::duration<double>(arguments.timeout))) {
    return fail(fmt::format("{}: process {} has not ended after {:.3g} s", folder.string(),
                            process.id(), arguments.timeout));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const RunStatus run = status_of(folder);
  const auto* const last =
      run.view && !run.view->events().empty() ? &run.view->events().back() : nullptr;
  if (run.state != "ended" || (last != nullptr && last->text != "ended")) {
    return fail(fmt::format("{}: process {} has ended with an error{}", folder.string(),
                            process.id(), last == nullptr ? "" : ": " + last->text));
  }
  return fmt::format("{}: process {} ended after {:.1f} s; {} in the run", folder.string(),
                     process.id(), took.count(), count_text(whole(run, "games"), "game"));
}

Result<void> stop_all(const StopArguments& arguments) {
  std::optional<Error> failure;
  for (const std::string& folder : arguments.runs) {
    const Result<std::string> stopped = stop(folder, arguments);
    if (stopped) {
      fmt::print("{}\n", *stopped);
      continue;
    }
    // The last failure is that of the command.
    if (failure) print_stderr("senet stop: {}\n", failure->reason());
    failure = stopped.error();
  }
  if (failure) return *failure;
  return {};
}

}  // namespace

void add_status_command(const Command& program) {
  auto arguments = std::make_shared<StatusArguments>();
  const Command command =
      program.add_command("status", "Show the daemons of runs, a line for each run");
  command
      .option("runs", arguments->runs,
              "run folders; without any, the runs in this folder and in runs, the newest first")
      .shows_type("RUN ...");
  command.flag("--json", arguments->json, "print a JSON object for each run");
  command.footer(
      "States: starting, playing, finishing, ended; DEAD if the process has ended without saving, "
      "STUCK if it is there but has written no figures for two seconds, or if a worker or the "
      "trainer has made no progress for a minute. Exit codes: 0 if all named runs play, 3 if one "
      "does not.");
  command.runs([arguments] { return Job([arguments] { return show_status(*arguments); }); });
}

void add_stop_command(const Command& program) {
  auto arguments = std::make_shared<StopArguments>();
  const Command command =
      program.add_command("stop", "End the daemons of runs, which save everything");
  command.option("runs", arguments->runs, "run folders").shows_type("RUN ...").required();
  command
      .option("--timeout", arguments->timeout,
              "wait so long for the end of each run; then exit with 1, and the run ends later")
      .not_negative("--timeout 60", "s")
      .shows_default();
  command.footer(
      "Sends SIGTERM to the process that has the folder's lock. Games in play are parked: the run "
      "continues them when it is resumed.");
  command.runs([arguments] { return Job([arguments] { return stop_all(*arguments); }); });
}

}  // namespace senet
