#include "tools/match/match_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "games/json.hpp"

namespace senet {
namespace {

constexpr std::string_view kFormat = "senet_match";
constexpr int kVersion = 1;

Json to_json(const MatchIdentity& identity) {
  Json json = {{kFormat, kVersion}};
  for (const auto& [name, value] : identity) json[name] = value;
  return json;
}

Result<void> check_identity(std::string_view line, const MatchIdentity& identity) {
  const Json told = parse_json(line);
  if (!told.contains(kFormat)) return fail("is no log of a match");
  // Through text and back, as what is in the file.
  const Json ours = parse_json(json_text(to_json(identity)));
  for (const auto& [name, value] : ours.items()) {
    const auto found = told.find(name);
    if (found == told.end()) return fail(fmt::format("does not tell \"{}\"", name));
    if (*found == value) continue;
    return fail(fmt::format("was played with {} = {}, and now it is {}", name, json_text(*found),
                            json_text(value)));
  }
  return {};
}

Result<LoggedGame> parse_game(std::string_view line) {
  const Json json = parse_json(line);
  if (!json.is_object()) return fail("is not a JSON object");
  LoggedGame game;
  const Json number = json.value("number", Json());
  if (!number.is_number_unsigned()) return fail("tells no game number");
  game.number = number.get<std::uint64_t>();
  const Json points = json.value("points", Json("none"));
  if (!points.is_number() && !points.is_null()) return fail("tells no points");
  if (points.is_number()) game.points = points.get<float>();
  const Json plies = json.value("plies", Json());
  if (!plies.is_array()) return fail("tells no plies");
  for (const Json& ply : plies) {
    if (!ply.is_string()) return fail("has a ply that is no text");
    game.plies.push_back(ply.get<std::string>());
  }
  return game;
}

Result<std::string> whole_text(const FileHandle& file) {
  const Result<std::uint64_t> size = file.size();
  if (!size) return size.error();
  std::string text(*size, '\0');
  const Result<std::size_t> got = file.read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return got.error();
  text.resize(*got);
  return text;
}

}  // namespace

std::string game_line(const LoggedGame& game, std::uint64_t seed) {
  return json_text({{"number", game.number},
                    {"seed", seed},
                    {"points", game.points ? Json(*game.points) : Json()},
                    {"plies", game.plies}});
}

Result<MatchLog> MatchLog::create(const std::filesystem::path& file,
                                  const MatchIdentity& identity) {
  Result<FileHandle> handle = FileHandle::open(file, FileHandle::Mode::kCreateNew);
  if (!handle) return handle.error();
  MatchLog log(std::move(*handle));
  if (const auto locked = log.file_.lock(); !locked) return locked.error();
  if (const auto written = log.append(json_text(to_json(identity))); !written) {
    return written.error();
  }
  return log;
}

Result<MatchLog> MatchLog::resume(const std::filesystem::path& file, const MatchIdentity& identity,
                                  const std::function<Result<void>(const LoggedGame&)>& use) {
  Result<FileHandle> handle = FileHandle::open(file, FileHandle::Mode::kReadWrite);
  if (!handle) return handle.error();
  MatchLog log(std::move(*handle));
  if (const auto locked = log.file_.lock(); !locked) return locked.error();
  const Result<std::string> text = whole_text(log.file_);
  if (!text) return text.error();

  std::size_t number = 0;
  for (std::string_view rest = *text;;) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // nothing more, or a line that a kill cut off
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    log.end_ += end + 1;
    if (++number == 1) {
      if (const auto same = check_identity(line, identity); !same) {
        return fail(fmt::format("{} {}", file.string(), same.error().reason()));
      }
      continue;
    }
    const Result<LoggedGame> game = parse_game(line);
    const Result<void> used = game ? use(*game) : game.error();
    if (!used) {
      return fail(fmt::format("{}: line {}: {}", file.string(), number, used.error().reason()));
    }
  }
  // The torn beginning of a log is made anew; anything else is not ours.
  if (number == 0 && !(json_text(to_json(identity)) + '\n').starts_with(*text)) {
    return fail(fmt::format("{} is no log of a match", file.string()));
  }
  if (const auto cut = log.file_.truncate(log.end_); !cut) return cut.error();
  if (number == 0) {
    if (const auto written = log.append(json_text(to_json(identity))); !written) {
      return written.error();
    }
  }
  return log;
}

Result<void> MatchLog::append(std::string_view line) {
  std::string text(line);
  text += '\n';
  if (const auto put = file_.write_at(end_, std::as_bytes(std::span(text))); !put) return put;
  end_ += text.size();
  return {};
}

LoggedGame to_log(const AnyGame& game, const PlayedGame& played) {
  LoggedGame logged{.number = played.number, .points = {}, .plies = {}};
  if (played.outcome) logged.points = game.outcome_values[*played.outcome];
  AnyState state(game);
  for (const Action action : played.actions) {
    logged.plies.push_back(state.action_text(action));
    state.play(action);
  }
  return logged;
}

Result<PlayedGame> from_log(const AnyGame& game, const LoggedGame& logged,
                            const MatchSettings& settings) {
  PlayedGame played{.number = logged.number, .actions = {}, .outcome = {}};
  if (logged.points) {
    const auto found = std::ranges::find(game.outcome_values, *logged.points);
    if (found == game.outcome_values.end()) return fail("no game is worth that many points");
    played.outcome = static_cast<std::uint8_t>(found - game.outcome_values.begin());
  }
  AnyState state(game);
  for (const std::string& ply : logged.plies) {
    if (state.turn() == Turn::kOver) return fail("it goes on after its end");
    const Result<Action> action = state.action_from_text(ply);
    if (!action) {
      return fail(fmt::format("ply {}: {}", played.actions.size(), action.error().reason()));
    }
    played.actions.push_back(*action);
    state.play(*action);
  }
  if (const auto checked = check_played_game(game, played, settings); !checked) {
    return checked.error();
  }
  return played;
}

}  // namespace senet
