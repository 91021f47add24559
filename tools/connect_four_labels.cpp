#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "tools/labels.hpp"
#include "tools/line_reader.hpp"

namespace senet {
namespace {

constexpr std::string_view kHeader = "moves,ply,s1,s2,s3,s4,s5,s6,s7";
constexpr std::size_t kFirstScore = 2;
constexpr std::size_t kValue = kFirstScore + ConnectFour::kColumns;
constexpr int kBestScore = 21;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

Result<int> number(std::string_view text, std::string_view what, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return fail(
        fmt::format("{} \"{}\" is not a whole number from {} to {}", what, text, low, high));
  }
  return value;
}

Result<ConnectFourLabel> parse_line(std::string_view line) {
  const std::vector<std::string_view> fields = split(line);
  if (fields.size() < kValue) {
    return fail(fmt::format("{} fields where at least {} are needed", fields.size(), kValue));
  }
  const std::string_view moves = fields[0];
  if (moves.find_first_not_of("1234567") != std::string_view::npos) {
    return fail(fmt::format("moves \"{}\" are not columns 1 to 7", moves));
  }
  const Result<ConnectFour> state = ConnectFour::from_text(moves);
  if (!state) return tl::unexpected(state.error());
  if (state->turn() == Turn::kOver) return fail("the game is over");
  const Result<int> ply = number(fields[1], "ply", 0, static_cast<int>(ConnectFour::kCells));
  if (!ply) return tl::unexpected(ply.error());
  if (static_cast<std::size_t>(*ply) != moves.size()) {
    return fail(fmt::format("ply {} after {} moves", *ply, moves.size()));
  }

  ConnectFourLabel label;
  label.moves = moves;
  label.state = *state;
  ActionList<ConnectFour::kMaxLegal> legal;
  state->legal(legal);
  int best = -kBestScore;
  for (std::size_t column = 0; column < ConnectFour::kColumns; ++column) {
    const std::string_view field = fields[kFirstScore + column];
    const bool is_legal = std::ranges::find(legal, column) != legal.end();
    if (is_legal == field.empty()) {
      return fail(fmt::format("column {} {}", column + 1,
                              is_legal ? "has no score" : "is full and has a score"));
    }
    if (!is_legal) continue;
    const Result<int> score = number(field, "score", -kBestScore, kBestScore);
    if (!score) return tl::unexpected(score.error());
    label.scores[column] = *score;
    best = std::max(best, *score);
  }
  if (fields.size() > kValue) {
    const Result<int> value = number(fields[kValue], "value", -kBestScore, kBestScore);
    if (!value) return tl::unexpected(value.error());
    if (*value != best) {
      return fail(fmt::format("value {} where the best score is {}", *value, best));
    }
  }
  return label;
}

}  // namespace

Result<std::vector<ConnectFourLabel>> read_connect_four_labels(const std::filesystem::path& file) {
  std::vector<ConnectFourLabel> labels;
  bool has_header = false;
  const Result<void> read =
      for_each_line(file, [&](std::string_view line, std::size_t) -> Result<void> {
        if (!has_header) {
          has_header = true;
          if (line.starts_with(kHeader)) return {};
          return fail(fmt::format("does not begin with \"{}\"", kHeader));
        }
        const Result<ConnectFourLabel> label = parse_line(line);
        if (!label) return tl::unexpected(label.error());
        labels.push_back(*label);
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  if (labels.empty()) return fail(fmt::format("{}: no labelled positions", file.string()));
  return labels;
}

}  // namespace senet
