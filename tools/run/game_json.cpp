#include "tools/run/game_json.hpp"

#include <fmt/format.h>

#include <vector>

#include "games/any_game.hpp"
#include "nn/network.hpp"
#include "tools/play/players.hpp"

namespace senet {
namespace {

constexpr std::array kTurnNames = {"chance", "full", "fast", "forced", "random"};

Json turn_json(const GameRecord& record, const RecordedTurn& turn, const AnyState& state) {
  Json json = Json::object({{"move", state.action_text(turn.action)},
                            {"kind", kTurnNames[static_cast<std::size_t>(turn.kind)]}});
  if (turn.kind != TurnKind::kChance) json["player"] = turn.player;
  if (turn.model != kNoModel) json["model"] = id_text(record.models[turn.model]);
  if (turn.has_root) json["value"] = json_number(turn.root_value);
  for (const VisitCount& count : record.visits(turn)) {
    json["visits"][state.action_text(count.action)] = count.visits;
  }
  return json;
}

}  // namespace

std::string outcome_text(const Games& games, const std::string& name, std::uint8_t outcome) {
  const Result<const AnyGame*> game = games.find(name);
  if (!game || outcome >= (*game)->outcome_values.size()) return fmt::format("outcome {}", outcome);
  return fmt::format("{:+g}", (*game)->outcome_values[outcome]);
}

Json game_json(const Games& games, const GameRecord& record, Result<void>& replayed) {
  const AnyGame& game = *games.find(record.game).value();
  std::vector<AnyState> states;
  replayed = programs_of(game).replay(game, record, states);
  if (states.empty()) replayed.value();
  Json json = Json::object({{"kind", "game"},
                            {"game", record.game},
                            {"game_number", record.game_number},
                            {"seed", record.seed},
                            {"evaluator", record.evaluator},
                            {"start", states[0].text()},
                            {"turns", Json::array()}});
  const std::size_t allowed = states.size() - 1;
  for (std::size_t i = 0; i < allowed; ++i) {
    json["turns"].push_back(turn_json(record, record.turns()[i], states[i]));
  }
  if (!replayed) return json;
  json["end"] = kEndNames[static_cast<std::size_t>(record.end())];
  if (record.end() == EndKind::kCut) {
    std::vector<float> distribution(record.cut_outcomes().size());
    to_distribution(record.cut_outcomes(), distribution);
    for (const float share : distribution) {
      json["outcomes_for_player_0"].push_back(json_number(share));
    }
  } else {
    json["value_for_player_0"] = outcome_text(games, record.game, record.final_outcome());
  }
  const bool is_resigned = record.end() == EndKind::kResigned;
  if (is_resigned) json["resigned_by"] = record.resigned_by();
  // The last move of a player who resigned is recorded, but was not played.
  json["final"] = states[allowed - (is_resigned && allowed > 0 ? 1 : 0)].text();
  return json;
}

}  // namespace senet
