#include "game.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "board.hpp"

namespace game_server {
namespace {

using nlohmann::json;
using senet::api::Found;

constexpr std::size_t kHistory = 200;    // turns that are told
constexpr std::size_t kCandidates = 10;  // moves of a search that are told

/// With the digits that mean something.
double rounded(float number) { return std::round(static_cast<double>(number) * 1e4) / 1e4; }

const char* ending_name(senet_ending ending) {
  switch (ending) {
    case SENET_BY_VISITS:
      return "visits";
    case SENET_BY_TIME:
      return "time";
    case SENET_BY_STOP:
      return "stop";
    case SENET_BY_PROOF:
      return "proof";
    default:
      return "full_tree";
  }
}

}  // namespace

Game::Game(senet::api::Engine& engine, std::string name, std::uint64_t dice_seed)
    : name_(std::move(name)), session_(engine.open_session(name_)), dice_(dice_seed) {
  throw_dice();
}

void Game::throw_dice() {
  std::uniform_int_distribution<int> die(1, 6);
  while (session_.turn() == SENET_CHANCE) {
    // An opening roll is no double: then the dice are thrown again.
    const int first = die(dice_), second = die(dice_);
    auto roll = session_.try_read_action(std::to_string(first) + std::to_string(second));
    if (roll) session_.play(roll.value());
  }
}

void Game::play(senet_action action, std::string text) {
  Turn turn{static_cast<std::uint32_t>(session_.turn()), "", std::move(text)};
  const json dice = dice_json(name_, session_.text());
  if (!dice.is_null()) turn.dice = std::to_string(dice[0].get<int>() * 10 + dice[1].get<int>());
  session_.play(action);
  ++plies_;
  if (history_.size() == kHistory) history_.erase(history_.begin());
  history_.push_back(std::move(turn));
  throw_dice();
}

void Game::play(std::string_view move) {
  const senet_action action = session_.read_action(move);
  play(action, session_.action_text(action));
}

Found Game::search(const Effort& effort) {
  session_.begin_search({.visits = effort.visits,
                         .time = effort.time,
                         .temperature = effort.temperature,
                         .priority = effort.priority});
  // Whoever ended searches before this one began could not stop it yet.
  if (ends_searches_) session_.stop();
  session_.wait();
  return session_.result();
}

void Game::end_search() {
  ends_searches_ = true;
  session_.stop();
}

json Game::analyse(const Effort& effort) { return found_json(search(effort)); }

json Game::reply(const Effort& effort) {
  const Found found = search(effort);
  json told = found_json(found);
  std::string text = session_.action_text(found.action);
  told["played"] = text;
  play(found.action, std::move(text));
  return told;
}

json Game::found_json(const Found& found) const {
  json candidates = json::array();
  for (std::size_t i = 0; i < std::min(kCandidates, found.choices.size()); ++i) {
    const senet_choice& choice = found.choices[i];
    candidates.push_back({{"move", session_.action_text(choice.action)},
                          {"visits", choice.visits},
                          {"value", rounded(choice.value)},
                          {"prior", rounded(choice.prior)}});
  }
  json outcomes = json::object();
  const auto names = outcome_names(name_);
  for (std::size_t i = 0; i < std::min(names.size(), found.outcomes.size()); ++i) {
    outcomes[std::string(names[i])] = rounded(found.outcomes[i]);
  }
  return {{"player", session_.turn()}, {"value", rounded(found.value)},
          {"visits", found.visits},    {"evaluations", found.evaluations},
          {"depth", found.depth},      {"ended_by", ending_name(found.ending)},
          {"outcomes", outcomes},      {"candidates", candidates}};
}

json Game::state() const {
  const std::string position = session_.text();
  const senet_turn turn = session_.turn();
  json result = nullptr;
  if (resigned_by_) {
    result = {{"winner", 1 - *resigned_by_}, {"points", 1}, {"how", "resignation"}};
  } else if (turn == SENET_OVER) {
    result = result_json(name_, session_.outcome());
  }
  json legal = json::array(), history = json::array();
  if (result.is_null()) {
    for (const senet_action action : session_.legal())
      legal.push_back(session_.action_text(action));
  }
  for (const Turn& past : history_) {
    history.push_back({{"player", past.player}, {"dice", past.dice}, {"move", past.move}});
  }
  return {{"game", name_},
          {"ply", plies_},
          {"turn", result.is_null() ? json(turn) : json(nullptr)},
          {"dice", result.is_null() ? dice_json(name_, position) : json(nullptr)},
          {"position", position},
          {"board", board_json(name_, position)},
          {"legal", legal},
          {"history", history},
          {"result", result}};
}

}  // namespace game_server
