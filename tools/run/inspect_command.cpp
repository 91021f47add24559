// senet inspect: prints the contents of any file of a run, as text or as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "games/any_game.hpp"
#include "games/json.hpp"
#include "nn/file.hpp"
#include "nn/network.hpp"
#include "nn/safetensors.hpp"
#include "selfplay/game_log.hpp"
#include "selfplay/seen_games.hpp"
#include "tools/command.hpp"
#include "tools/run/game_json.hpp"
#include "tools/terminal.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

struct InspectArguments {
  std::string file;
  std::optional<std::uint64_t> game_number;
  bool json = false;
};

// -- As JSON: networks and checkpoints.

/// Euclidean norm.
double norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

Json spec_json(const NetworkSpec& spec) {
  Json json = Json::object({{"game", spec.game}});
  for (const SpecField& field : kSpecFields) json[field.name] = field.get(spec);
  if (spec.evaluates) json["evaluates"] = name_of(*spec.evaluates);
  return json;
}

Json network_json(const std::string& file) {
  const Network network = load_network(file).value();
  Json tensors = Json::array();
  for (const TensorPlace& place : parameter_layout(network.spec())) {
    Json shape = Json::array({place.columns});
    if (place.decays) shape.insert(shape.begin(), place.rows);
    tensors.push_back(
        Json::object({{"name", place.name},
                      {"shape", shape},
                      {"norm", norm(network.parameters().subspan(place.offset, place.size()))}}));
  }
  return Json::object({{"kind", "network"},
                       {"id", id_text(network.id())},
                       {"parameters", network.parameters().size()},
                       {"spec", spec_json(network.spec())},
                       {"tensors", tensors}});
}

Json checkpoint_json(const std::string& file) {
  const NetworkSpec spec = checkpoint_spec(file).value();
  const Checkpoint checkpoint = load_checkpoint(file, spec).value();
  const TrainerState& trainer = checkpoint.trainer;
  const Network served(spec, {trainer.ema.begin(), trainer.ema.end()});
  Json counters, norms;
  visit_counters(checkpoint, [&](const char* name, const auto& value) { counters[name] = value; });
  for (const StateTensor& tensor : kStateTensors) norms[tensor.name] = norm(trainer.*tensor.values);
  Json json = Json::object({{"kind", "checkpoint"},
                            {"spec", spec_json(spec)},
                            {"network", id_text(served.id())},
                            {"parameters", trainer.weights.size()},
                            {"counters", counters},
                            {"norms", norms}});
  if (checkpoint.run_id != 0) json["run"] = id_text(checkpoint.run_id);
  return json;
}

// -- As JSON: logs of games.

GameLogReader open_log(const std::string& file) {
  Result<GameLogReader> log = GameLogReader::open(file);
  if (log) return std::move(*log);
  throw fail(log.error().reason() +
             " (senet inspect reads weights, checkpoints and logs of games)");
}

Json games_json(const Games& games, const std::string& file) {
  GameLogReader log = open_log(file);
  std::uint64_t records = 0, turns = 0, decisions = 0;
  std::uint64_t first = UINT64_MAX, last = 0;
  SeenGames seen;
  Json ends;
  for (std::size_t i = 1; i < kEndNames.size(); ++i) ends[kEndNames[i]] = 0;
  // Numbers of games by outcome index (from player 0's perspective), model id and evaluator name.
  std::map<std::uint8_t, std::uint64_t> outcomes;
  std::map<std::string, std::uint64_t> models;
  std::map<std::string, std::uint64_t> evaluators;
  for (GameRecord record; log.next(record).value(); ++records) {
    seen.add(record.game_number);
    turns += record.turns().size();
    decisions += static_cast<std::uint64_t>(std::ranges::count_if(
        record.turns(), [](const RecordedTurn& t) { return t.kind != TurnKind::kChance; }));
    first = std::min(first, record.game_number);
    last = std::max(last, record.game_number);
    Json& end = ends[kEndNames[static_cast<std::size_t>(record.end())]];
    end = end.get<std::uint64_t>() + 1;
    if (record.end() != EndKind::kCut) ++outcomes[record.final_outcome()];
    for (const std::uint64_t model : record.models) ++models[id_text(model)];
    ++evaluators[record.evaluator];
  }
  const auto mean = [&](std::uint64_t sum) {
    return records == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(records);
  };
  Json of_outcome;
  const auto counts = [](const auto& of) { return of.empty() ? Json() : Json(of); };
  for (const auto& [i, count] : outcomes) of_outcome[outcome_text(games, log.game(), i)] = count;
  Json first_undecodable;
  if (const SkippedRecords bad = log.undecodable(); bad.count > 0) {
    const bool is_same = bad.first_in == file;
    first_undecodable =
        fmt::format("at byte {}{}: {}", bad.first_at,
                    is_same ? "" : " of " + bad.first_in.filename().string(), bad.first_reason);
  }
  return Json::object({{"kind", "games"},
                       {"game", log.game()},
                       {"records", records},
                       {"undecodable_records", log.undecodable().count},
                       {"first_undecodable", first_undecodable},
                       {"header_damaged", log.header_damaged()},
                       {"damaged_bytes", log.skipped_bytes()},
                       {"damaged_places", log.skipped_places()},
                       {"unread_bytes_at_end", log.bytes_left().value()},
                       {"first_game", records > 0 ? Json(first) : Json()},
                       {"last_game", records > 0 ? Json(last) : Json()},
                       {"doubled_games", records - seen.count()},
                       {"missing_games", seen.missing()},
                       {"turns_per_game", mean(turns)},
                       {"decisions_per_game", mean(decisions)},
                       {"ends", ends},
                       {"outcomes_for_player_0", of_outcome},
                       {"games_of_model", counts(models)},
                       {"games_of_evaluator", counts(evaluators)}});
}

// -- As text.

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_structured()) return json_text(value);
  constexpr std::size_t kShown = 10;
  std::vector<std::string> parts;
  for (const auto& [name, part] : value.items()) {
    if (value.is_object() && parts.size() == kShown) {
      parts.push_back(fmt::format("... and {} more (--json shows all)", value.size() - kShown));
      break;
    }
    parts.push_back(value.is_object() ? name + ": " + text_of(part) : text_of(part));
  }
  const std::string all = fmt::format("{}", fmt::join(parts, ", "));
  return value.is_array() ? '[' + all + ']' : all;
}

constexpr const char* kTurnHeading =
    "turn  player  move                     kind     player's value  most visits";

/// A turn as a line below kTurnHeading.
std::string turn_text(std::size_t number, const Json& turn) {
  std::string line =
      fmt::format("{:>4}  {:>6}  {:<24} {:<7}", number, text_of(turn.value("player", Json("-"))),
                  text_of(turn["move"]), text_of(turn["kind"]));
  // Rounded here, so that a value near zero has no sign.
  line +=
      turn.contains("value")
          ? fmt::format("  {:>14.3f}", std::round(1e3 * turn["value"].get<double>()) / 1e3 + 0.0)
          : std::string(16, ' ');
  const Json counts = turn.value("visits", Json());
  std::vector<std::pair<std::string, std::uint32_t>> visits;
  for (const auto& [move, count] : counts.items()) visits.emplace_back(move, count);
  std::ranges::stable_sort(visits, std::ranges::greater{}, [](const auto& v) { return v.second; });
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(visits.size(), kShown); ++i) {
    line += fmt::format("{}{}: {}", i == 0 ? "  " : ", ", visits[i].first, visits[i].second);
  }
  if (visits.size() > kShown) line += ", ...";
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

void print_text(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) continue;
    if (name == "tensors") {
      for (const Json& tensor : value) {
        fmt::print("{:<28} {:>14} norm {:.4f}\n", text_of(tensor["name"]), text_of(tensor["shape"]),
                   tensor["norm"].get<double>());
      }
    } else if (name == "turns") {
      fmt::print("{}\n", kTurnHeading);
      for (std::size_t i = 0; i < value.size(); ++i) fmt::print("{}\n", turn_text(i + 1, value[i]));
    } else {
      constexpr std::size_t kColumn = 22;
      fmt::print("{:<{}}{}\n", name, kColumn,
                 wrapped(text_of(value), text_columns() - kColumn, kColumn));
    }
  }
}

Job prepare(const InspectArguments& arguments, const Games& games) {
  const std::string& file = arguments.file;
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(file, unknown);
  if (is_folder && !has_game_log(file)) {
    throw fail(
        fmt::format("{} is a folder without games: name a file or the folder of a run", file));
  }
  Json json;
  // A safetensors file begins with an 8-byte length and JSON. A log may be too long for memory.
  std::array<std::byte, 9> start{};
  std::optional<FileHandle> handle;
  if (!is_folder) handle = FileHandle::open(file, FileHandle::Mode::kRead).value();
  if (handle && handle->read_at(0, start).value() == start.size() &&
      start.back() == std::byte{'{'}) {
    if (arguments.game_number) throw fail("--game-number requires a game log");
    const SafetensorsHeader header = value_for(file, parse_safetensors(handle->read_all().value()));
    const auto format = header.metadata.find("format");
    const bool is_checkpoint =
        format != header.metadata.end() && format->second.starts_with("senet-checkpoint");
    json = is_checkpoint ? checkpoint_json(file) : network_json(file);
  } else if (!arguments.game_number) {
    json = games_json(games, file);
  } else {
    GameLogReader log = open_log(file);
    GameRecord record;
    do {
      if (!log.next(record).value()) {
        throw fail(fmt::format("{} contains no game {}", file, *arguments.game_number));
      }
    } while (record.game_number != *arguments.game_number);
    Result<void> replayed;
    json = game_json(games, record, replayed);
    if (!replayed && !arguments.json) print_text(json);
    replayed.value();
  }
  return [json, is_json = arguments.json]() -> Result<void> {
    if (is_json) {
      fmt::print("{}\n", json_text(json));
    } else {
      print_text(json);
    }
    return {};
  };
}

}  // namespace

void add_inspect_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<InspectArguments>();
  const Command command = program.add_command(
      "inspect", "Print the contents of a file: weights, a checkpoint or a log of games");
  command
      .option("file", arguments->file, "the file; or the folder of a run, for all games of its log")
      .required();
  command.option(
      "--game-number", arguments->game_number,
      "print this game of a game log turn by turn: the move, how it was chosen (full or fast "
      "search, forced, random, chance), the search's value for the player to move, and the "
      "most visited moves");
  command.flag("--json", arguments->json, "print one JSON object");
  command.runs([arguments, &games] { return prepare(*arguments, games); });
}

}  // namespace senet
