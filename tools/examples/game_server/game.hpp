// One game: a libsenet session, its dice, and the history of moves.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <random>
#include <senet/senet.hpp>

#include "board.hpp"

namespace game_server {

/// One thread at a time may use a game, except that any thread may call end_search(). Throws
/// senet::api::Error.
class Game {
 public:
  /// Starts a new game and rolls the first dice in games with dice.
  Game(senet::api::Engine& engine, std::string name, std::uint64_t dice_seed)
      : name_(std::move(name)), session_(engine.open_session(name_)), dice_(dice_seed) {
    throw_dice();
  }

  /// The number of moves made by both sides.
  std::size_t ply() const { return plies_; }
  bool is_over() const { return resigned_by_.has_value() || session_.turn() == SENET_OVER; }

  /// Plays a move in libsenet's notation, then rolls the dice if the game needs them.
  void play(std::string_view move) { play(session_.read_action(move)); }
  void resign(std::uint32_t player) { resigned_by_ = player; }

  /// Searches and returns {"player","visits","value","outcomes","candidates",...}. With `plays`,
  /// also plays the best move and returns it as "played".
  json search(const senet::api::Limits& limits, bool plays) {
    session_.begin_search(limits);
    // An end_search() before begin_search() did not stop this search.
    if (ends_searches_) session_.stop();
    session_.wait();
    const senet::api::Found found = session_.result();
    json answer = found_json(found);
    if (plays) {
      answer["played"] = session_.action_text(found.action);
      play(found.action);
    }
    return answer;
  }

  /// Stops the running search and every later one; they return their results so far. May be called
  /// by any thread.
  void end_search() {
    ends_searches_ = true;
    session_.stop();
  }

  /// The complete state except the id and the last search.
  json state() const {
    const std::string position = session_.text();
    json state = {
        {"game", name_},     {"ply", plies_},          {"turn", nullptr},
        {"dice", nullptr},   {"position", position},   {"board", board_json(name_, position)},
        {"result", nullptr}, {"legal", json::array()}, {"history", json::array()}};
    for (const Turn& turn : history_) {
      state["history"].push_back(
          {{"player", turn.player}, {"dice", turn.dice}, {"move", turn.move}});
    }
    if (resigned_by_) {
      state["result"] = {{"winner", 1 - *resigned_by_}, {"points", 1}, {"how", "resignation"}};
    } else if (is_over()) {
      state["result"] = result_json(name_, session_.outcome());
    } else {
      state["turn"] = session_.turn();
      state["dice"] = dice_json(name_, position);
      for (const auto action : session_.legal()) {
        state["legal"].push_back(session_.action_text(action));
      }
    }
    return state;
  }

 private:
  struct Turn {
    std::uint32_t player;
    std::string dice, move;
  };
  static constexpr std::size_t kHistory = 200;    // maximum turns in an answer
  static constexpr std::size_t kCandidates = 10;  // maximum moves of a search in an answer

  void throw_dice() {
    std::uniform_int_distribution<int> die(1, 6);
    while (session_.turn() == SENET_CHANCE) {
      // libsenet rejects a double as the opening roll; then roll again.
      const int first = die(dice_), second = die(dice_);
      auto roll = session_.try_read_action(std::to_string(first) + std::to_string(second));
      if (roll) session_.play(*roll);
    }
  }

  void play(senet_action action) {
    Turn turn{static_cast<std::uint32_t>(session_.turn()), "", session_.action_text(action)};
    for (const json& die : dice_json(name_, session_.text())) turn.dice += die.dump();
    session_.play(action);
    ++plies_;
    if (history_.size() == kHistory) history_.erase(history_.begin());
    history_.push_back(std::move(turn));
    throw_dice();
  }

  json found_json(const senet::api::Found& found) const {
    constexpr std::array kEndings = {"visits", "time", "stop", "proof", "full_tree"};
    static_assert(SENET_BY_VISITS == 0 && SENET_BY_FULL_TREE == kEndings.size() - 1);
    // Rounds to the significant digits.
    const auto rounded = [](float number) { return std::round(double{number} * 1e4) / 1e4; };
    json candidates = json::array(), outcomes = json::object();
    for (std::size_t i = 0; i < std::min(kCandidates, found.choices.size()); ++i) {
      const senet_choice& choice = found.choices[i];
      candidates.push_back({{"move", session_.action_text(choice.action)},
                            {"visits", choice.visits},
                            {"value", rounded(choice.value)},
                            {"prior", rounded(choice.prior)}});
    }
    const auto names = outcome_names(name_);
    for (std::size_t i = 0; i < std::min(names.size(), found.outcomes.size()); ++i) {
      outcomes[std::string(names[i])] = rounded(found.outcomes[i]);
    }
    return {{"player", session_.turn()}, {"value", rounded(found.value)},
            {"visits", found.visits},    {"evaluations", found.evaluations},
            {"depth", found.depth},      {"ended_by", kEndings.at(found.ending)},
            {"outcomes", outcomes},      {"candidates", candidates}};
  }

  const std::string name_;
  senet::api::Session session_;
  std::atomic<bool> ends_searches_{false};
  std::mt19937_64 dice_;
  std::size_t plies_ = 0;
  std::vector<Turn> history_;  // the last kHistory turns
  std::optional<std::uint32_t> resigned_by_;
};

}  // namespace game_server
