#include <fmt/core.h>

#include <string_view>

#include "games/backgammon/kit/exam.hpp"
#include "games/json.hpp"
#include "games/line_reader.hpp"

namespace senet::backgammon {
namespace {

Result<Dice> parse_dice(const Json& object) {
  const Json dice = object.value("dice", Json());
  if (dice.is_array() && dice.size() == 2) {
    // 0, which is no die, for whatever else stands there.
    const auto die = [&](std::size_t i) {
      const auto* const number = dice[i].get_ptr<const Json::number_unsigned_t*>();
      return number != nullptr && *number <= 6 ? static_cast<int>(*number) : 0;
    };
    if (const auto made = make_dice(die(0), die(1))) return *made;
  }
  return fail("\"dice\" are not two numbers from 1 to 6");
}

Result<Label::Play> parse_play(const Json& play) {
  if (!play.is_array() || play.size() < 3 || !play[1].is_string() || !play[2].is_number()) {
    return fail("is not [text, position id, equity, ...]");
  }
  Label::Play parsed{play[1].get<std::string>(), play[2].get<double>()};
  const auto after = board_from_position_id(parsed.after);
  if (!after) return after.error();
  // Written so that a number that is none fails too.
  if (!(parsed.equity >= -3 && parsed.equity <= 3)) {
    return fail(fmt::format("equity {} is not from -3 to 3", parsed.equity));
  }
  return parsed;
}

Result<Label> parse_line(std::string_view line) {
  const Json object = parse_json(line);
  if (!object.is_object()) return fail("is not a JSON object");
  const std::string* const position_class = find_string(object, "cls");
  if (position_class == nullptr) return fail("\"cls\" is missing or no text");
  const std::string* const position = find_string(object, "posid");
  if (position == nullptr) return fail("\"posid\" is missing or no text");
  const Result<Dice> dice = parse_dice(object);
  if (!dice) return dice.error();
  const Result<Backgammon> state = Backgammon::from_position_id(*position, 0, *dice);
  if (!state) return fail(fmt::format("\"posid\": {}", state.error().reason()));
  if (state->turn() == Turn::kOver) return fail("the game is over");

  const std::string* const id = find_string(object, "id");
  Label label{id != nullptr ? *id : "", *position_class, *state, {}};
  const Json plays = object.value("moves", Json());
  if (!plays.is_array() || plays.empty()) {
    return fail("\"moves\" is missing, empty or no list");
  }
  for (const Json& play : plays) {
    Result<Label::Play> parsed = parse_play(play);
    if (!parsed) {
      return fail(fmt::format("move {}: {}", label.plays.size() + 1, parsed.error().reason()));
    }
    label.plays.push_back(std::move(*parsed));
  }
  return label;
}

}  // namespace

Result<std::vector<Label>> read_labels(const std::string& file) {
  std::vector<Label> labels;
  const Result<void> read =
      for_each_line(file, [&](std::string_view line, std::size_t) -> Result<void> {
        Result<Label> label = parse_line(line);
        if (!label) return label.error();
        labels.push_back(std::move(*label));
        return {};
      });
  if (!read) return read.error();
  if (labels.empty()) return fail(fmt::format("{}: no labelled positions", file));
  return labels;
}

}  // namespace senet::backgammon
