#include "tools/play/match_log.hpp"

#include <fmt/core.h>

#include <cstddef>

#include "games/json.hpp"

namespace senet {
namespace {

constexpr const char* kFormat = "senet_match";
constexpr int kVersion = 1;

Result<void> check_first_line(std::string_view line, const MatchIdentity& identity) {
  const Json there = parse_json(line);
  if (!there.contains(kFormat)) return fail("is not a match log");
  // Parsed from text, so that values compare as they would after a round trip through the file.
  const Json ours = parse_json(identity_line(identity));
  for (const auto& [name, value] : ours.items()) {
    if (!there.contains(name)) return fail(fmt::format("does not contain \"{}\"", name));
    if (there[name] == value) continue;
    return fail(fmt::format("was played with {} = {}, but this match has {}", name,
                            json_text(there[name]), json_text(value)));
  }
  return {};
}

MatchOutcome read_outcome(const AnyGame& game, const Json& line) {
  const Json points = line["points"], outcome = line.value("outcome", Json());
  if (points.is_null()) return MatchOutcome();
  const auto is_it = [&](std::size_t i) {
    return game.outcome_values[i] == points.get<float>() && (outcome.is_null() || outcome == i);
  };
  for (std::size_t i = 0; i < game.outcome_values.size(); ++i) {
    if (is_it(i)) return MatchOutcome(static_cast<std::uint8_t>(i));
  }
  throw fail(outcome.is_null() ? "\"points\" is not a result of this game"
                               : "\"outcome\" and \"points\" do not match");
}

std::vector<Action> read_plies(const AnyGame& game, const Json& plies) {
  std::vector<Action> actions;
  AnyState state(game);
  for (const Json& ply : plies) {
    if (!ply.is_string()) throw fail("\"plies\" contains a value that is not a string");
    if (state.turn() == Turn::kOver) throw fail("\"plies\" continues after the end of the game");
    const Result<Action> action = state.action_from_text(ply.get_ref<const std::string&>());
    if (!action) throw fail(fmt::format("ply {}: {}", actions.size(), action.error().reason()));
    actions.push_back(*action);
    state.play(*action);
  }
  return actions;
}

}  // namespace

std::string identity_line(const MatchIdentity& identity) {
  Json json = Json::object({{kFormat, kVersion}});
  for (const auto& [name, value] : identity) json[name] = value;
  return json_text(json);
}

std::string game_line(const AnyGame& game, const PlayedGame& played, std::uint64_t seed) {
  Json line{{"number", played.number}, {"seed", seed}, {"points", nullptr}, {"outcome", nullptr}};
  if (played.outcome) {
    line["points"] = game.outcome_values[*played.outcome];
    line["outcome"] = *played.outcome;
  }
  Json& plies = line["plies"] = Json::array();
  AnyState state(game);
  for (const Action action : played.actions) {
    plies.push_back(state.action_text(action));
    state.play(action);
  }
  return json_text(line);
}

Result<PlayedGame> read_game_line(const AnyGame& game, std::string_view line,
                                  const MatchSettings& settings) {
  const Json json = parse_json(line);
  if (!json.is_object()) return fail("is not a JSON object");
  const Json number = json.value("number", Json()), points = json.value("points", Json(false)),
             plies = json.value("plies", Json());
  if (!number.is_number_unsigned()) return fail("has no \"number\"");
  if (!points.is_number() && !points.is_null()) return fail("has no \"points\"");
  if (!plies.is_array()) return fail("has no \"plies\"");
  PlayedGame played{.number = number.get<std::uint64_t>(), .actions = {}, .outcome = {}};
  try {
    played.outcome = read_outcome(game, json);
    played.actions = read_plies(game, plies);
    check_played_game(game, played, settings).value();
    return played;
  } catch (const Error& error) {
    return fail(fmt::format("game {}: {}", played.number, error.reason()));
  }
}

Result<MatchLog> MatchLog::open(const std::filesystem::path& file, FileHandle::Mode mode,
                                const MatchIdentity& identity,
                                const std::function<Result<void>(std::string_view)>& use) {
  Result<FileHandle> handle = FileHandle::open(file, mode);
  if (!handle) return handle.error();
  MatchLog log(std::move(*handle));
  if (const auto locked = log.file_.lock(); !locked) return locked.error();
  const Result<FileBytes> bytes = log.file_.read_all();
  if (!bytes) return bytes.error();
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::size_t number = 0;
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // the end, or a line cut off when we were killed
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    log.end_ += end + 1;
    ++number;
    const Result<void> used = number == 1 ? check_first_line(line, identity) : use(line);
    if (used) continue;
    const std::string place = number == 1 ? "" : fmt::format(": line {}:", number);
    return fail(fmt::format("{}{} {}", file.string(), place, used.error().reason()));
  }
  // A file that holds only the start of our own first line is rewritten; any other is refused.
  if (number == 0 && !(identity_line(identity) + '\n').starts_with(text)) {
    return fail(fmt::format("{} is not a match log", file.string()));
  }
  if (const auto cut = log.file_.truncate(log.end_); !cut) return cut.error();
  if (number == 0) {
    if (const auto put = log.append(identity_line(identity)); !put) return put.error();
  }
  return log;
}

Result<void> MatchLog::append(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  if (const auto put = file_.write_at(end_, std::as_bytes(std::span(text))); !put) return put;
  end_ += text.size();
  return {};
}

}  // namespace senet
