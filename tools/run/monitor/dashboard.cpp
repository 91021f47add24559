// The dashboard of `senet monitor`: boxes of figures, sparklines, and the newest events.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

#include "tools/metric.hpp"
#include "tools/run/monitor/run_view.hpp"

namespace senet {
namespace {

constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kGreen = "\x1b[32m",
                           kRed = "\x1b[1;31m", kCyan = "\x1b[36m", kReset = "\x1b[0m";

/// A piece of a line, and what it takes on the screen: colours take nothing, other characters one
/// column each, whatever their number of bytes.
class Text {
 public:
  explicit Text(bool has_colours) : has_colours_(has_colours) {}

  Text& add(std::string_view text, std::string_view colour = "") {
    if (has_colours_ && !colour.empty()) bytes_.append(colour);
    bytes_.append(text);
    if (has_colours_ && !colour.empty()) bytes_.append(kReset);
    columns_ += width_of(text);
    return *this;
  }
  Text& repeat(std::string_view text, std::size_t times, std::string_view colour = "") {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all.append(text);
    return add(all, colour);
  }
  Text& pad_to(std::size_t columns) { return repeat(" ", columns - std::min(columns, columns_)); }
  /// Adds as much of a text as fits in front of `columns`.
  Text& add_cut(std::string_view text, std::size_t columns, std::string_view colour = "") {
    std::size_t end = 0;
    for (std::size_t left = columns - std::min(columns, columns_); end < text.size(); ++end) {
      if ((text[end] & 0xc0) == 0x80) continue;  // inside a character
      if (left-- == 0) break;
    }
    return add(text.substr(0, end), colour);
  }

  const std::string& bytes() const { return bytes_; }

  static std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
  }

 private:
  std::string bytes_;
  std::size_t columns_ = 0;
  bool has_colours_;
};

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-";
}

/// The newest values, in `columns` steps of equal time, from the lowest to the highest.
std::string sparkline(const std::vector<double>& values, std::size_t columns) {
  constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::vector<double> means = part_means(values, columns);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double mean : means) {  // NaN is in no comparison the smaller or larger one
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  std::string line(columns - means.size(), ' ');
  for (const double mean : means) {
    if (!std::isfinite(mean)) {
      line += ' ';
      continue;
    }
    const double height = high > low ? (mean - low) / (high - low) : 0.5;
    line.append(kBars[static_cast<std::size_t>(std::lround(height * (kBars.size() - 1)))]);
  }
  return line;
}

/// A line of a box: a name, a value, and the value's history where there is room.
struct Line {
  std::string name, value;
  std::vector<double> history = {};
};

struct Box {
  std::string title;
  std::vector<Line> lines;
};

class Drawing {
 public:
  Drawing(std::size_t columns, bool colours) : columns_(columns), colours_(colours) {}

  Text text() const { return Text(colours_); }

  /// Two boxes side by side.
  void add_boxes(const Box& left, const Box& right) {
    const std::size_t half = columns_ / 2;
    const std::size_t height = std::max(left.lines.size(), right.lines.size());
    const auto edge = [&](std::string_view a, std::string_view b, bool has_title) {
      Text line = text();
      add_edge(line, a, has_title ? left.title : "", half, b);
      add_edge(line, a, has_title ? right.title : "", columns_ - half, b);
      lines_.push_back(line.bytes());
    };
    edge("╭", "╮", true);
    for (std::size_t i = 0; i < height; ++i) {
      Text line = text();
      add_row(line, i < left.lines.size() ? left.lines[i] : Line{}, 0, half);
      add_row(line, i < right.lines.size() ? right.lines[i] : Line{}, half, columns_);
      lines_.push_back(line.bytes());
    }
    edge("╰", "╯", false);
  }

  /// A box of the whole width around these texts.
  void add_box(std::string_view title, const std::vector<Text>& texts) {
    Text top = text();
    add_edge(top, "╭", title, columns_, "╮");
    lines_.push_back(top.bytes());
    for (const Text& inside : texts) lines_.push_back(inside.bytes());
    Text bottom = text();
    add_edge(bottom, "╰", "", columns_, "╯");
    lines_.push_back(bottom.bytes());
  }

  void add(const Text& line) { lines_.push_back(line.bytes()); }
  std::size_t height() const { return lines_.size(); }
  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  void add_edge(Text& line, std::string_view begin, std::string_view title, std::size_t width,
                std::string_view end) const {
    line.add(begin, kDim);
    std::size_t used = 2;
    if (!title.empty()) {
      line.add("─ ", kDim).add(title, kBold).add(" ", kDim);
      used += 3 + title.size();
    }
    line.repeat("─", width - std::min(width, used), kDim).add(end, kDim);
  }

  void add_row(Text& line, const Line& row, std::size_t begin, std::size_t end) const {
    constexpr std::size_t kNameColumns = 16, kValueColumns = 9;
    line.add("│ ", kDim).add(row.name);
    const std::size_t value_end = begin + 2 + kNameColumns + kValueColumns;
    line.pad_to(value_end - std::min(value_end, Text::width_of(row.value)));
    line.add(row.value, kBold);
    line.pad_to(value_end);
    const std::size_t room = end - value_end;
    constexpr std::size_t kEdges = 3;  // a space on either side, and the edge
    if (!row.history.empty() && room > kEdges + 4) {
      line.add(" ").add(sparkline(row.history, room - kEdges), kCyan);
    }
    line.pad_to(end - 1).add("│", kDim);
  }

  std::size_t columns_;
  bool colours_;
  std::vector<std::string> lines_;
};

/// The shares of the workers' time as one bar.
std::vector<Text> stage_bar(const RunView& run, std::size_t columns, const Text& empty) {
  struct Stage {
    std::string_view name, figure, letter, colour;
  };
  constexpr std::array kStages = {
      Stage{"forward", "forward_share", "█", kGreen}, Stage{"encode", "encode_share", "▓", kCyan},
      Stage{"tree", "tree_share", "▒", ""}, Stage{"waiting", "waiting_share", "░", kDim}};
  Text bar = empty, legend = empty;
  bar.add("│ ", kDim);
  legend.add("│ ", kDim);
  const std::size_t width = columns - 4;
  std::size_t drawn = 0;
  double sum = 0;
  for (const Stage& stage : kStages) {
    const double share = run[stage.figure];
    sum += std::isfinite(share) ? share : 0;
    const auto end = static_cast<std::size_t>(
        std::lround(std::clamp(sum, 0.0, 1.0) * static_cast<double>(width)));
    bar.repeat(stage.letter, end - std::min(drawn, end), stage.colour);
    drawn = std::max(drawn, end);
    legend.add(stage.letter, stage.colour)
        .add(fmt::format(" {} {}   ", stage.name, percent(share)));
  }
  bar.pad_to(columns - 1).add("│", kDim);
  legend.pad_to(columns - 1).add("│", kDim);
  return {bar, legend};
}

}  // namespace

std::vector<std::string> dashboard(const RunView& run, std::size_t columns, std::size_t rows,
                                   bool colours) {
  columns = std::max<std::size_t>(columns, 80);
  rows = std::max<std::size_t>(rows, 24);
  Drawing drawing(columns, colours);

  Text top = drawing.text();
  top.add(" senet ", kBold).add(run.game()).add("  ");
  std::string state(name_of(run.state()));
  if (run.state() == RunState::kDead) state += fmt::format(" for {}", clock_text(run.age()));
  if (run.state() == RunState::kStuck) {
    state += fmt::format(" for {}", clock_text(run["stalled_seconds"]));
  }
  if (run.state() == RunState::kRunning) state = std::string(phase_name(run["phase"]));
  const std::string end = fmt::format("  {} ", clock_text(run["seconds"]));
  const std::size_t room = columns - end.size() - state.size() - 2;
  top.add_cut(run.folder(), room).pad_to(room + 2);
  const bool is_well = run.state() == RunState::kRunning || run.state() == RunState::kEnded;
  top.add(state, is_well ? kGreen : kRed).add(end);
  drawing.add(top);

  const auto line = [&](std::string name, std::string_view figure) {
    return Line{std::move(name), short_number(run[figure]), run.history(figure)};
  };
  const auto share = [&](std::string name, std::string_view figure) {
    return Line{std::move(name), percent(run[figure]), run.history(figure)};
  };
  drawing.add_boxes(
      {"Self-play",
       {line("games/min", "games_per_minute"), line("games", "games"),
        line("visits/s", "visits_per_second"), line("evaluations/s", "evaluations_per_second"),
        line("rows of a batch", "batch_fill"), share("cache hit rate", "cache_hit_rate"),
        line("turns of a game", "turns_per_game"),
        std::isnan(run["solved_share"]) ? share("draws", "draw_share")
                                        : share("solved", "solved_share")}},
      {"Trainer",
       {line("steps/s", "steps_per_second"), line("steps", "steps"), line("networks", "networks"),
        line("policy loss", "policy_loss"), line("value loss", "value_loss"),
        line("learning rate", "learning_rate"), line("gradient norm", "gradient_norm"),
        share("busy", "trainer_share")}});
  // "+58 ±37": half of the interval.
  const auto difference = [&](std::string name, std::string_view figure, std::string_view low,
                              std::string_view high) {
    const double half = (run[high] - run[low]) / 2;
    std::string value = short_number(run[figure]);
    if (std::isfinite(half)) value.append(" ±").append(short_number(half));
    return Line{std::move(name), std::move(value), run.history(figure)};
  };
  drawing.add_boxes({"Strength",
                     {difference("rating", "rating", "rating_low", "rating_high"),
                      difference("last match", "match_difference", "match_low", "match_high"),
                      line("best network", "best_network"), line("grade", "grade")}},
                    {"Machine",
                     {line("cores in use", "cores"), line("memory, MiB", "resident_mib"),
                      line("replay", "replay_positions"), line("waits", "hand_over_waits")}});
  constexpr std::size_t kRowsForAll = 30;
  if (rows >= kRowsForAll) {
    drawing.add_boxes(
        {"Replay", {line("games", "replay_games"), line("draws/position", "draws_per_position")}},
        {"Steps", {line("dropped", "dropped_steps"), line("skipped", "skipped_steps")}});
  }
  if (rows >= kRowsForAll && run["resigned_games"] + run["resignation_tests"] > 0) {
    drawing.add_boxes({"Resignation", {line("games", "resigned_games")}},
                      {"Resignation, tested",
                       {line("games", "resignation_tests"), line("wrong", "wrong_resignations")}});
  }
  drawing.add_box("Time of the workers", stage_bar(run, columns, drawing.text()));

  std::vector<Text> events;
  const std::size_t most = rows - std::min(rows, drawing.height() + 2);
  const auto& all = run.events();
  for (std::size_t i = all.size() - std::min(all.size(), most); i < all.size(); ++i) {
    Text event = drawing.text();
    event.add("│ ", kDim);
    const auto time = static_cast<std::time_t>(all[i].time);
    event.add(fmt::format("{:%H:%M:%S}  ", fmt::localtime(time)), kDim);
    event.add_cut(all[i].text, columns - 2).pad_to(columns - 1).add("│", kDim);
    events.push_back(event);
  }
  if (!events.empty()) drawing.add_box("Events", events);
  return std::move(drawing).lines();
}

}  // namespace senet
