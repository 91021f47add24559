#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/labels.hpp"
#include "tools/line_reader.hpp"

namespace senet {
namespace {

using Json = nlohmann::json;

/// The member of that name when it is there and a string, else null.
const std::string* string_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

Result<backgammon::Dice> parse_dice(const Json& object) {
  const auto found = object.find("dice");
  if (found != object.end() && found->is_array() && found->size() == 2 &&
      (*found)[0].is_number_integer() && (*found)[1].is_number_integer()) {
    // Through 64 bits, so that no huge number can wrap to a die.
    const auto die = [&](std::size_t i) {
      const auto value = (*found)[i].get<std::int64_t>();
      return value >= 1 && value <= 6 ? static_cast<int>(value) : 0;
    };
    if (const auto dice = backgammon::make_dice(die(0), die(1))) return *dice;
  }
  return fail("\"dice\" are not two numbers from 1 to 6");
}

Result<BackgammonLabel::Play> parse_play(const Json& play) {
  if (!play.is_array() || play.size() < 3 || !play[1].is_string() || !play[2].is_number()) {
    return fail("is not [text, position id, equity, ...]");
  }
  BackgammonLabel::Play parsed{play[1].get<std::string>(), play[2].get<double>()};
  const auto after = backgammon::board_from_position_id(parsed.after);
  if (!after) return after.error();
  // Written so that a number that is none fails too.
  if (!(parsed.equity >= -3 && parsed.equity <= 3)) {
    return fail(fmt::format("equity {} is not from -3 to 3", parsed.equity));
  }
  return parsed;
}

Result<BackgammonLabel> parse_line(std::string_view line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return fail("is not a JSON object");
  const std::string* const position_class = string_member(object, "cls");
  if (position_class == nullptr) return fail("\"cls\" is missing or no text");
  const std::string* const position = string_member(object, "posid");
  if (position == nullptr) return fail("\"posid\" is missing or no text");
  const Result<backgammon::Dice> dice = parse_dice(object);
  if (!dice) return dice.error();
  const Result<Backgammon> state = Backgammon::from_position_id(*position, 0, *dice);
  if (!state) return fail(fmt::format("\"posid\": {}", state.error().reason()));
  if (state->turn() == Turn::kOver) return fail("the game is over");

  const std::string* const id = string_member(object, "id");
  BackgammonLabel label{id != nullptr ? *id : "", *position_class, *state, {}};
  const auto plays = object.find("moves");
  if (plays == object.end() || !plays->is_array() || plays->empty()) {
    return fail("\"moves\" is missing, empty or no list");
  }
  for (const Json& play : *plays) {
    Result<BackgammonLabel::Play> parsed = parse_play(play);
    if (!parsed) {
      return fail(fmt::format("move {}: {}", label.plays.size() + 1, parsed.error().reason()));
    }
    label.plays.push_back(std::move(*parsed));
  }
  return label;
}

}  // namespace

Result<std::vector<BackgammonLabel>> read_backgammon_labels(const std::filesystem::path& file) {
  std::vector<BackgammonLabel> labels;
  const Result<void> read =
      for_each_line(file, [&](std::string_view line, std::size_t) -> Result<void> {
        Result<BackgammonLabel> label = parse_line(line);
        if (!label) return label.error();
        labels.push_back(std::move(*label));
        return {};
      });
  if (!read) return read.error();
  if (labels.empty()) return fail(fmt::format("{}: no labelled positions", file.string()));
  return labels;
}

}  // namespace senet
