// senet inspect for game logs: what a log holds, and one game turn by turn.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/json.hpp"
#include "nn/network.hpp"
#include "selfplay/record_log.hpp"
#include "tools/inspect.hpp"
#include "tools/programs.hpp"

namespace senet {
namespace {

constexpr std::array<std::string_view, 4> kEndNames = {"unfinished", "played", "cut", "resigned"};
constexpr std::array<std::string_view, 5> kTurnNames = {"chance", "full", "fast", "forced",
                                                        "random"};

std::string_view name_of(EndKind end) { return kEndNames[static_cast<std::size_t>(end)]; }
std::string_view name_of(TurnKind kind) { return kTurnNames[static_cast<std::size_t>(kind)]; }

/// Sums over all records of a log.
struct LogSummary {
  std::uint64_t records = 0;
  std::uint64_t undecodable = 0;  // unharmed, but of a newer version
  std::uint64_t turns = 0;
  std::uint64_t decisions = 0;
  std::uint64_t first_game = UINT64_MAX, last_game = 0;
  std::array<std::uint64_t, kEndNames.size()> ends{};
  std::map<std::uint8_t, std::uint64_t> outcomes;  // by index, as player 0 sees it
  std::map<std::uint64_t, std::uint64_t> models;   // games each had a say in
  std::map<std::string, std::uint64_t> evaluators;

  void add(const GameRecord& record) {
    ++records;
    turns += record.turns().size();
    decisions += static_cast<std::uint64_t>(std::ranges::count_if(
        record.turns(), [](const RecordedTurn& t) { return t.kind != TurnKind::kChance; }));
    first_game = std::min(first_game, record.game_number);
    last_game = std::max(last_game, record.game_number);
    ++ends[static_cast<std::size_t>(record.end())];
    if (record.end() == EndKind::kPlayed || record.end() == EndKind::kResigned) {
      ++outcomes[record.final_outcome()];
    }
    for (const std::uint64_t model : record.models) ++models[model];
    ++evaluators[record.evaluator];
  }

  double mean(std::uint64_t sum) const {
    return records == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(records);
  }
};

/// The worth of an outcome for player 0, by the game's name; its index when the game is unknown.
std::string outcome_text(const std::string& name, std::uint8_t outcome) {
  const Result<const AnyGame*> game = find_game<AnyGame>(name);
  if (!game || outcome >= (*game)->outcome_values.size()) return fmt::format("outcome {}", outcome);
  return fmt::format("{:+g}", (*game)->outcome_values[outcome]);
}

Json summary_json(const LogSummary& sum, const RecordReader& log, std::uint64_t bytes_left) {
  Json ends, outcomes, models, evaluators;
  for (std::size_t i = 1; i < sum.ends.size(); ++i) ends[kEndNames[i]] = sum.ends[i];
  for (const auto& [outcome, count] : sum.outcomes) {
    outcomes[outcome_text(log.game(), outcome)] = count;
  }
  for (const auto& [model, count] : sum.models) models[id_text(model)] = count;
  for (const auto& [evaluator, count] : sum.evaluators) evaluators[evaluator] = count;
  const auto number = [&](std::uint64_t game) { return sum.records > 0 ? Json(game) : Json(); };
  return Json::object({{"kind", "games"},
                       {"game", log.game()},
                       {"records", sum.records},
                       {"undecodable_records", sum.undecodable},
                       {"header_damaged", log.header_damaged()},
                       {"damaged_bytes", log.skipped_bytes()},
                       {"damaged_places", log.skipped_places()},
                       {"unread_bytes_at_end", bytes_left},
                       {"first_game", number(sum.first_game)},
                       {"last_game", number(sum.last_game)},
                       {"turns_per_game", sum.mean(sum.turns)},
                       {"decisions_per_game", sum.mean(sum.decisions)},
                       {"ends", ends},
                       {"outcomes_for_player_0", outcomes},
                       {"games_of_model", models},
                       {"games_of_evaluator", evaluators}});
}

void print_summary(const LogSummary& sum, const RecordReader& log, std::uint64_t bytes_left) {
  fmt::print("game log       of {}{}\n", log.game().empty() ? "an unknown game" : log.game(),
             log.header_damaged() ? " (its header is damaged)" : "");
  fmt::print("records        {}\n", sum.records);
  if (sum.undecodable > 0) fmt::print("undecodable    {} records\n", sum.undecodable);
  fmt::print("damaged        {} bytes in {} places, {} unread at the end\n", log.skipped_bytes(),
             log.skipped_places(), bytes_left);
  if (sum.records == 0) return;
  fmt::print("game numbers   {} .. {}\n", sum.first_game, sum.last_game);
  fmt::print("turns a game   {:.1f}, {:.1f} of them decisions\n", sum.mean(sum.turns),
             sum.mean(sum.decisions));
  for (std::size_t i = 1; i < sum.ends.size(); ++i) {
    fmt::print("{:<14} {} games\n", kEndNames[i], sum.ends[i]);
  }
  for (const auto& [outcome, count] : sum.outcomes) {
    fmt::print("{:<14} {} games for player 0\n", outcome_text(log.game(), outcome), count);
  }
  for (const auto& [evaluator, count] : sum.evaluators) {
    fmt::print("evaluator      {}: {} games\n", evaluator, count);
  }
  constexpr std::size_t kShown = 10;
  fmt::print("models         {}\n", sum.models.size());
  std::size_t shown = 0;
  for (const auto& [model, count] : sum.models) {
    if (++shown > kShown) {
      fmt::print("  ... and {} more (all with --json)\n", sum.models.size() - kShown);
      break;
    }
    fmt::print("  {} {} games\n", id_text(model), count);
  }
}

Json end_json(const GameRecord& record) {
  Json end = Json::object({{"end", name_of(record.end())}});
  if (record.end() == EndKind::kCut) {
    std::vector<float> distribution(record.cut_outcomes().size());
    to_distribution(record.cut_outcomes(), distribution);
    end["outcomes_for_player_0"] = distribution;
  } else {
    end["value_for_player_0"] = outcome_text(record.game, record.final_outcome());
  }
  if (record.end() == EndKind::kResigned) end["resigned_by"] = record.resigned_by();
  return end;
}

void print_end(const Json& end) {
  for (const auto& [name, value] : end.items()) {
    fmt::print("{} {}\n", name, value.is_string() ? value.get<std::string>() : json_text(value));
  }
}

/// A turn as a line of text: number, player, move, value and the most visited moves.
std::string turn_text(const GameRecord& record, const RecordedTurn& turn, std::size_t number,
                      const AnyState& state) {
  const bool is_chance = turn.kind == TurnKind::kChance;
  std::string line = fmt::format("{:>4}  {}  {:<24} {:<7}", number,
                                 is_chance ? '-' : static_cast<char>('0' + turn.player),
                                 state.action_text(turn.action), name_of(turn.kind));
  if (turn.has_root) line += fmt::format(" value {:+.3f}", turn.root_value);
  std::vector<VisitCount> visits(record.visits(turn).begin(), record.visits(turn).end());
  if (visits.empty()) return line;
  std::ranges::stable_sort(visits, std::ranges::greater{}, &VisitCount::visits);
  line += "  visits";
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(visits.size(), kShown); ++i) {
    line += fmt::format(" {}: {}{}", state.action_text(visits[i].action), visits[i].visits,
                        i + 1 < std::min(visits.size(), kShown) ? "," : "");
  }
  return line;
}

Json turn_json(const GameRecord& record, const RecordedTurn& turn, const AnyState& state) {
  Json line =
      Json::object({{"move", state.action_text(turn.action)}, {"kind", name_of(turn.kind)}});
  if (turn.kind != TurnKind::kChance) line["player"] = turn.player;
  if (turn.model != kNoModel) line["model"] = id_text(record.models[turn.model]);
  if (turn.has_root) line["value"] = turn.root_value;
  for (const VisitCount& count : record.visits(turn)) {
    line["visits"][state.action_text(count.action)] = count.visits;
  }
  return line;
}

/// Prints the game as far as the rules allow it.
Result<void> print_game(const GameRecord& record, bool json) {
  const Result<const Programs*> programs = find_game<Programs>(record.game);
  if (!programs) return programs.error();
  std::vector<AnyState> states;
  const Result<void> replayed = (*programs)->replay(record, states);
  if (states.empty()) return replayed;
  Json whole = Json::object({{"kind", "game"},
                             {"game", record.game},
                             {"game_number", record.game_number},
                             {"seed", record.seed},
                             {"evaluator", record.evaluator},
                             {"start", states[0].text()},
                             {"turns", Json::array()}});
  if (!json) {
    fmt::print("{} game {}, seed {}, evaluator {}\nstart {}\n", record.game, record.game_number,
               record.seed, record.evaluator, states[0].text());
  }
  const std::size_t allowed = states.size() - 1;
  for (std::size_t i = 0; i < allowed; ++i) {
    const RecordedTurn& turn = record.turns()[i];
    if (json) {
      whole["turns"].push_back(turn_json(record, turn, states[i]));
    } else {
      fmt::print("{}\n", turn_text(record, turn, i + 1, states[i]));
    }
  }
  if (!replayed) return replayed;
  // Who resigns still has a move recorded, which was chosen and not played.
  const bool unplayed = record.end() == EndKind::kResigned && allowed > 0;
  const std::string last = states[allowed - (unplayed ? 1 : 0)].text();
  const Json end = end_json(record);
  if (json) {
    for (const auto& [name, value] : end.items()) whole[name] = value;
    whole["final"] = last;
    fmt::print("{}\n", json_text(whole));
    return {};
  }
  fmt::print("final {}\n", last);
  print_end(end);
  return {};
}

}  // namespace

Result<void> inspect_games(const std::filesystem::path& file, bool json) {
  Result<RecordReader> log = RecordReader::open(file);
  if (!log) return log.error();
  LogSummary sum;
  GameRecord record;
  for (;;) {
    const std::uint64_t before = log->position();
    const Result<bool> more = log->next(record);
    if (!more) {
      // Only a record that was passed over can be counted; anything else is the end of reading.
      if (log->position() == before) return more.error();
      ++sum.undecodable;
      continue;
    }
    if (!*more) break;
    sum.add(record);
  }
  const Result<std::uint64_t> left = log->bytes_left();
  if (!left) return left.error();
  if (json) {
    fmt::print("{}\n", json_text(summary_json(sum, *log, *left)));
  } else {
    print_summary(sum, *log, *left);
  }
  return {};
}

Result<void> inspect_game(const std::filesystem::path& file, std::uint64_t game_number, bool json) {
  Result<RecordReader> log = RecordReader::open(file);
  if (!log) return log.error();
  GameRecord record;
  for (;;) {
    const std::uint64_t before = log->position();
    const Result<bool> more = log->next(record);
    if (!more) {
      if (log->position() == before) return more.error();
      continue;
    }
    if (!*more) return fail(fmt::format("{}: no game {}", file.string(), game_number));
    if (record.game_number != game_number) continue;
    return print_game(record, json);
  }
}

}  // namespace senet
