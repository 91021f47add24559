#include "tools/play/protocol/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>

#include "games/names.hpp"
#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet {

constexpr std::array<Named<Priority>, 3> names_of(std::type_identity<Priority>) {
  return {{{"low", Priority::kLow}, {"normal", Priority::kNormal}, {"high", Priority::kHigh}}};
}
constexpr std::array<Named<Ending>, 5> names_of(std::type_identity<Ending>) {
  return {{{"limit", Ending::kVisits},
           {"time", Ending::kTime},
           {"stopped", Ending::kStopped},
           {"proven", Ending::kProven},
           {"tree full", Ending::kTreeFull}}};
}

}  // namespace senet

namespace senet::protocol {
namespace {

// The functions that read a request throw an Error.

Error wrong(std::string_view key, std::string_view what) {
  return fail(fmt::format("\"{}\" must be {}", key, what));
}

std::uint64_t number_in(const Json& request, std::string_view key, std::uint64_t least,
                        std::uint64_t most, std::uint64_t otherwise) {
  const auto found = request.find(key);
  if (found == request.end()) return otherwise;
  if (found->is_number_unsigned() || (found->is_number_integer() && *found >= 0)) {
    const auto number = found->get<std::uint64_t>();
    if (number >= least && number <= most) return number;
  }
  throw wrong(key, fmt::format("an integer {} .. {}", least, most));
}

// Words: a string, or the strings of a list.
std::string words_in(const Json& request, std::string_view key) {
  const auto found = request.find(key);
  if (found == request.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  const std::string_view wanted = "a string or a list of strings";
  if (!found->is_array()) throw wrong(key, wanted);
  std::string words;
  for (const Json& word : *found) {
    if (!word.is_string()) throw wrong(key, wanted);
    words.append(words.empty() ? "" : " ").append(word.get<std::string>());
  }
  return words;
}

Priority priority_in(const Json& request) {
  const auto found = request.find("priority");
  if (found == request.end()) return Priority::kNormal;
  if (found->is_string()) {
    if (const auto priority = value_of<Priority>(found->get<std::string>())) return *priority;
  }
  throw wrong("priority", fmt::format("one of {}", all_names<Priority>()));
}

// The indices of the positions to analyse: the last, those listed, or all in which a player moves.
std::vector<std::size_t> turns_in(const Json& request, const std::vector<AnyState>& positions) {
  const auto found = request.find("turns");
  if (found == request.end()) return {positions.size() - 1};
  std::vector<std::size_t> turns;
  if (*found == "all") {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (is_decision(positions[i].turn())) turns.push_back(i);
    }
    if (turns.empty()) throw fail("no player is to move in any position");
    return turns;
  }
  const std::string wanted = fmt::format(
      "\"all\" or a list of integers 0 .. {}, the number of moves", positions.size() - 1);
  if (!found->is_array()) throw wrong("turns", wanted);
  for (const Json& turn : *found) {
    if (!turn.is_number_unsigned() || turn.get<std::uint64_t>() >= positions.size()) {
      throw wrong("turns", wanted);
    }
    turns.push_back(turn.get<std::size_t>());
    if (turns.size() > 1 && turns.back() <= turns[turns.size() - 2]) {
      throw wrong("turns", "in rising order");
    }
  }
  if (turns.empty()) throw wrong("turns", "the number of a position, at least one");
  return turns;
}

std::vector<Analysis> analyses_of(const Json& request, const Json& id, std::size_t line_number,
                                  const AnyGame& game, std::uint32_t most_visits) {
  constexpr std::array<std::string_view, 11> kKeys = {
      "id",    "position", "moves",       "turns",    "visits",   "time_ms",
      "depth", "lines",    "searchmoves", "priority", "report_ms"};
  for (const auto& [key, value] : request.items()) {
    if (std::ranges::find(kKeys, key) == kKeys.end()) {
      throw fail(fmt::format("unknown key \"{}\"; known are {}", key, fmt::join(kKeys, ", ")));
    }
  }
  std::string line = words_in(request, "position");
  if (line.empty()) line = "startpos";
  if (const std::string moves = words_in(request, "moves"); !moves.empty()) {
    line.append(" moves ").append(moves);
  }
  const std::vector<AnyState> positions = read_positions(game, Words(line), 0);
  SessionLimits limits;
  const auto number = [&](std::string_view key, std::uint64_t least, std::uint64_t most,
                          std::uint64_t otherwise) {
    return static_cast<std::uint32_t>(number_in(request, key, least, most, otherwise));
  };
  limits.visits = number("visits", 1, most_visits, most_visits);
  limits.depth = number("depth", 1, UINT32_MAX, 0);
  limits.time = std::chrono::milliseconds(number("time_ms", 1, UINT32_MAX, 0));
  limits.lines = number("lines", 1, kMaxLines, 1);
  limits.priority = priority_in(request);
  limits.progress_every = std::chrono::milliseconds(number("report_ms", 1, UINT32_MAX, 0));
  const std::string only = words_in(request, "searchmoves");
  const std::vector<std::size_t> turns = turns_in(request, positions);
  if (!only.empty() && turns.size() != 1) throw wrong("searchmoves", "for a single position");
  std::vector<Analysis> analyses;
  for (const std::size_t turn : turns) {
    const AnyState& position = positions[turn];
    if (!is_decision(position.turn())) {
      throw fail(fmt::format(
          "turn {}: {}", turn,
          position.turn() == Turn::kOver ? "the game is over" : "the dice are not known"));
    }
    limits.actions = read_actions(position, Words(only));
    analyses.push_back({id, line_number, turn, position, limits});
  }
  return analyses;
}

// Six digits: more would only show the steps of a float.
double rounded(float value) { return std::round(value * 1e6) / 1e6; }

Json outcomes_of(std::span<const float> outcomes, const AnyGame& game) {
  Json all;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    all[fmt::format("{}", game.outcome_values[i])] = rounded(outcomes[i]);
  }
  return all;
}

// A copy of the id under `key`; null if there is none. Checked first, because nlohmann::json copies
// nested values recursively, and a line could nest half a million of them.
Json id_in(const Json& request, std::string_view key) {
  const auto found = request.find(key);
  if (found == request.end()) return {};
  if (!found->is_string() && !found->is_number()) throw wrong(key, "a string or a number");
  return *found;
}

void read(std::string_view line, std::size_t line_number, const AnyGame& game, std::uint32_t visits,
          AnalysisRequest& request) {
  if (line.size() > kLongestLine) throw fail("the line is too long");
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw fail("not a JSON object");
  request.id = id_in(json, "id");
  request.cancelled = id_in(json, "cancel");
  if (!request.cancelled.is_null()) {
    if (json.size() > 1) throw fail("a request to cancel has no other key");
    return;
  }
  request.analyses = analyses_of(json, request.id, line_number, game, visits);
}

}  // namespace

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

Result<void> read_analysis_request(std::string_view line, std::size_t line_number,
                                   const AnyGame& game, std::uint32_t visits,
                                   AnalysisRequest& request) {
  try {
    read(line, line_number, game, visits, request);
    return {};
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

std::string analysis_text(const Analysis& analysis, const SessionResult& result, bool is_partial) {
  const AnyState& position = analysis.position;
  const AnyGame& game = position.game();
  Json answer = {{"id", analysis.id},
                 {"turn", analysis.turn},
                 {"position", position.text()},
                 {"move", position.action_text(result.action)},
                 {"value", rounded(result.value)},
                 {"outcomes", outcomes_of(result.outcomes, game)},
                 {"visits", result.visits},
                 {"evaluations", result.evaluations},
                 {"depth", result.depth}};
  if (is_partial) {
    answer["partial"] = true;
  } else {
    answer["ending"] = name_of(result.ending);
  }
  Json& moves = answer["moves"] = Json::array();
  for (std::size_t i = 0; i < result.choices.size(); ++i) {
    const Choice& choice = result.choices[i];
    moves.push_back({{"move", position.action_text(choice.action)},
                     {"visits", choice.visits},
                     {"prior", rounded(choice.prior)},
                     {"value", rounded(choice.value)}});
    if (i >= result.lines()) continue;
    const SessionResult::Line line = result.line(i);
    moves.back()["outcomes"] = outcomes_of(line.outcomes, game);
    moves.back()["pv"] = texts_of(position, line.actions);
  }
  return line_of(answer);
}

std::string cancelled_text(const Analysis& analysis) {
  return line_of({{"id", analysis.id}, {"turn", analysis.turn}, {"ending", "cancelled"}});
}

std::string refusal_text(const Json& id, std::size_t line_number, std::string_view reason) {
  Json refusal = {{"error", reason}, {"line", line_number}};
  if (!id.is_null()) refusal["id"] = id;
  return line_of(refusal);
}

std::string failure_text(const Analysis& analysis, std::string_view reason) {
  Json failure = {{"error", reason}, {"line", analysis.line}, {"turn", analysis.turn}};
  if (!analysis.id.is_null()) failure["id"] = analysis.id;
  return line_of(failure);
}

}  // namespace senet::protocol
