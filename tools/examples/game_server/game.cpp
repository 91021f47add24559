#include "game.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "board.hpp"

namespace game_server {
namespace {

using nlohmann::json;

constexpr std::size_t kHistory = 200;    // turns in an answer
constexpr std::size_t kCandidates = 10;  // moves of a search in an answer
constexpr std::array<const char*, 5> kEndings = {"visits", "time", "stop", "proof", "full_tree"};
static_assert(SENET_BY_VISITS == 0 && SENET_BY_FULL_TREE == kEndings.size() - 1);

/// With the digits that mean something.
double rounded(float number) { return std::round(static_cast<double>(number) * 1e4) / 1e4; }

}  // namespace

void Game::throw_dice() {
  std::uniform_int_distribution<int> die(1, 6);
  while (session_.turn() == SENET_CHANCE) {
    // An opening roll is no double: then the dice are thrown again.
    const int first = die(dice_), second = die(dice_);
    auto roll = session_.try_read_action(std::to_string(first) + std::to_string(second));
    if (roll) session_.play(*roll);
  }
}

void Game::play(senet_action action) {
  Turn turn{static_cast<std::uint32_t>(session_.turn()), "", action_text(action)};
  for (const json& die : dice_json(name_, session_.text())) turn.dice += die.dump();
  session_.play(action);
  ++plies_;
  if (history_.size() == kHistory) history_.erase(history_.begin());
  history_.push_back(std::move(turn));
  throw_dice();
}

senet::api::Found Game::search(const senet::api::Limits& limits) {
  session_.begin_search(limits);
  // A call of end_search() before this search began could not stop it.
  if (ends_searches_) session_.stop();
  session_.wait();
  return session_.result();
}

void Game::end_search() {
  ends_searches_ = true;
  session_.stop();
}

json Game::found_json(const senet::api::Found& found) const {
  json candidates = json::array();
  for (const senet_choice& choice : found.choices) {
    if (candidates.size() == kCandidates) break;
    candidates.push_back({{"move", action_text(choice.action)},
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
          {"depth", found.depth},      {"ended_by", kEndings.at(found.ending)},
          {"outcomes", outcomes},      {"candidates", candidates}};
}

json Game::state() const {
  const std::string position = session_.text();
  json state = {
      {"game", name_},     {"ply", plies_},          {"turn", nullptr},
      {"dice", nullptr},   {"position", position},   {"board", board_json(name_, position)},
      {"result", nullptr}, {"legal", json::array()}, {"history", json::array()}};
  for (const Turn& turn : history_) {
    state["history"].push_back({{"player", turn.player}, {"dice", turn.dice}, {"move", turn.move}});
  }
  if (resigned_by_) {
    state["result"] = {{"winner", 1 - *resigned_by_}, {"points", 1}, {"how", "resignation"}};
  } else if (is_over()) {
    state["result"] = result_json(name_, session_.outcome());
  } else {
    state["turn"] = session_.turn();
    state["dice"] = dice_json(name_, position);
    for (const senet_action action : session_.legal()) {
      state["legal"].push_back(action_text(action));
    }
  }
  return state;
}

}  // namespace game_server
