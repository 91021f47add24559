#include "tools/match/match_log.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <nlohmann/json.hpp>

namespace senet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "senet_match";
constexpr int kVersion = 1;

std::string text_of(const Json& json) {
  // Commands and file names may hold bytes that are no UTF-8, which must not throw here.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const MatchIdentity& identity) {
  Json json = {{kFormat, kVersion}};
  for (const auto& [name, value] : identity) json[name] = value;
  return json;
}

Result<void> check_identity(std::string_view line, const MatchIdentity& identity) {
  const Json told = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!told.is_object() || !told.contains(kFormat)) return fail("is no log of a match");
  // Through text and back, as what is in the file.
  const Json ours = Json::parse(text_of(to_json(identity)));
  for (const auto& [name, value] : ours.items()) {
    const auto found = told.find(name);
    if (found == told.end()) return fail(fmt::format("does not tell \"{}\"", name));
    if (*found == value) continue;
    return fail(fmt::format("was played with {} = {}, and now it is {}", name, text_of(*found),
                            text_of(value)));
  }
  return {};
}

Result<LoggedGame> parse_game(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return fail("is not a JSON object");
  LoggedGame game;
  const auto number = json.find("number");
  if (number == json.end() || !number->is_number_unsigned()) return fail("tells no game number");
  game.number = number->get<std::uint64_t>();
  const auto points = json.find("points");
  if (points == json.end() || !(points->is_number() || points->is_null())) {
    return fail("tells no points");
  }
  if (points->is_number()) game.points = points->get<float>();
  const auto plies = json.find("plies");
  if (plies == json.end() || !plies->is_array()) return fail("tells no plies");
  for (const Json& ply : *plies) {
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
  Json json = {{"number", game.number}, {"seed", seed}, {"points", nullptr}, {"plies", game.plies}};
  if (game.points) json["points"] = *game.points;
  return text_of(json);
}

Result<MatchLog> MatchLog::create(const std::filesystem::path& file,
                                  const MatchIdentity& identity) {
  Result<FileHandle> handle = FileHandle::open(file, FileHandle::Mode::kCreateNew);
  if (!handle) return handle.error();
  MatchLog log(std::move(*handle));
  if (const auto locked = log.file_.lock(); !locked) return locked.error();
  if (const auto written = log.append(text_of(to_json(identity))); !written) {
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
  if (number == 0 && !(text_of(to_json(identity)) + '\n').starts_with(*text)) {
    return fail(fmt::format("{} is no log of a match", file.string()));
  }
  if (const auto cut = log.file_.truncate(log.end_); !cut) return cut.error();
  if (number == 0) {
    if (const auto written = log.append(text_of(to_json(identity))); !written) {
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

}  // namespace senet
