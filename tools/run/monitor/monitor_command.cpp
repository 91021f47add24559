// senet monitor: watches a run from outside, by its metrics.map alone.
#include <fmt/core.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "nn/file.hpp"
#include "tools/command.hpp"
#include "tools/run/monitor/run_view.hpp"
#include "tools/stop_signals.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

struct MonitorArguments {
  std::string run, latest, html, tensorboard;
  bool json = false, prometheus = false, once = false;
};

/// The terminal in use by the dashboard: another screen without a cursor, and keys that come at
/// once. Restored on destruction.
class Screen {
 public:
  Screen() {
    has_keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (has_keys_) {
      termios now = before_;
      now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      tcsetattr(STDIN_FILENO, TCSANOW, &now);
    }
    std::fputs("\x1b[?1049h\x1b[?25l", stdout);
  }
  ~Screen() {
    std::fputs("\x1b[?25h\x1b[?1049l", stdout);
    std::fflush(stdout);
    if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void show(const std::vector<std::string>& lines) const {
    std::string text = "\x1b[H";
    for (const std::string& line : lines) text.append(line).append("\x1b[K\n");
    text.pop_back();  // a line end in the last row would scroll
    text += "\x1b[J";
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  /// Waits; true when q was pressed.
  bool quits_within(int milliseconds) const {
    pollfd key{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (!has_keys_ || poll(&key, 1, milliseconds) <= 0) {
      if (!has_keys_) poll(nullptr, 0, milliseconds);
      return false;
    }
    char letter = 0;
    return read(STDIN_FILENO, &letter, 1) != 1 || letter == 'q';
  }

 private:
  termios before_{};
  bool has_keys_ = false;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  return text;
}

/// Shows the dashboard until q or a signal.
Result<void> watch(const std::filesystem::path& folder) {
  constexpr int kPeriod = 500;
  const StopSignals signals(StopSignals::Mode::kFirstOnly);
  const Screen screen;
  while (!signals.has_come()) {
    const Result<RunView> run = RunView::read(folder, kDashboardRows);
    if (!run) return run.error();
    screen.show(
        dashboard(*run, terminal_columns(STDOUT_FILENO), terminal_rows(STDOUT_FILENO), true));
    if (screen.quits_within(kPeriod)) break;
  }
  return {};
}

Result<void> monitor(const MonitorArguments& arguments, const std::filesystem::path& folder) {
  const bool is_export = arguments.json || arguments.prometheus || !arguments.html.empty() ||
                         !arguments.tensorboard.empty();
  if (!is_export && !arguments.once && isatty(STDOUT_FILENO) != 0) return watch(folder);
  const bool has_history = !arguments.html.empty() || !arguments.tensorboard.empty();
  const Result<RunView> run =
      RunView::read(folder, has_history ? MetricsMap::kHistoryRows : kDashboardRows);
  if (!run) return run.error();
  if (!is_export) {
    const std::size_t rows = terminal_rows(STDOUT_FILENO) - 1;  // the prompt follows
    fmt::print("{}",
               joined(dashboard(*run, text_columns(), std::max<std::size_t>(rows, 24), false)));
  }
  if (arguments.json) fmt::print("{}\n", monitor_json(*run));
  if (arguments.prometheus) fmt::print("{}", monitor_prometheus(*run));
  if (!arguments.html.empty()) {
    const std::string page = monitor_html(*run);
    const auto written = replace_file(arguments.html, {std::as_bytes(std::span(page))});
    if (!written) return written;
  }
  if (!arguments.tensorboard.empty()) {
    const auto written = write_tensorboard(*run, arguments.tensorboard);
    if (!written) return written.error();
  }
  return {};
}

}  // namespace

void add_monitor_command(const Command& program) {
  auto arguments = std::make_shared<MonitorArguments>();
  const Command command =
      program.add_command("monitor", "Watch a run: a dashboard, or its figures for other programs");
  command.option("run", arguments->run, "the run folder").shows_type("RUN");
  command
      .option("--latest", arguments->latest,
              "watch the newest run among the folders in this one, in place of RUN")
      .shows_type("FOLDER");
  command.flag("--once", arguments->once, "print the dashboard once and end");
  command.heading("For other programs");
  command.flag("--json", arguments->json, "print all figures and events as JSON");
  command.flag("--prometheus", arguments->prometheus,
               "print all figures in the format of Prometheus");
  command.option("--html", arguments->html, "write a page with plots of the last 24 hours")
      .shows_type("FILE");
  command
      .option("--tensorboard", arguments->tensorboard,
              "write the last 24 hours as events for TensorBoard into this folder")
      .shows_type("FOLDER");
  command.footer(
      "Reads only RUN/metrics.map, so that the daemon does not notice. The dashboard ends with q. "
      "It calls a daemon DEAD whose heartbeat is older than two seconds, and STUCK if a worker or "
      "the trainer has made no progress for a minute.");
  command.runs([arguments]() -> Result<Job> {
    if (arguments->run.empty() == arguments->latest.empty()) {
      return fail("name a run folder, or a folder of runs with --latest");
    }
    std::filesystem::path folder = arguments->run;
    if (!arguments->latest.empty()) {
      const auto runs = runs_below(arguments->latest);
      if (!runs) return fail("--latest: " + runs.error().reason());
      if (runs->empty()) return fail("--latest: " + arguments->latest + ": no folder of a run");
      folder = runs->front();
    }
    return Job([arguments, folder] { return monitor(*arguments, folder); });
  });
}

}  // namespace senet
