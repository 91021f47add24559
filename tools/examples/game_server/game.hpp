// One game: a libsenet session, its dice, and the history of moves.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <random>
#include <senet/senet.hpp>
#include <utility>

#include "board.hpp"
#include "limits.hpp"

namespace game_server {

/// One thread at a time may use a game, except that any thread may call end_search(). Throws
/// senet::api::Error.
class Game {
 public:
  using Limits = senet::api::Limits;
  using Found = senet::api::Found;

  /// Starts at `position` (empty: a new game) and rolls the dice if the game needs them.
  Game(senet::api::Engine& engine, std::string name, std::string_view position, std::uint64_t seed)
      : name_(std::move(name)), session_(engine.open_session(name_)), dice_seed_(seed) {
    session_.set(position);
    throw_dice();
  }

  const std::string& name() const { return name_; }
  /// The number of moves made by both sides.
  std::size_t ply() const { return plies_; }
  /// The first ply whose position is kept.
  std::size_t first_ply() const { return plies_ - history_.size(); }
  bool is_over() const { return resigned_by_.has_value() || session_.turn() == SENET_OVER; }

  /// Plays a move in libsenet's notation, then rolls the dice if the game needs them.
  void play(std::string_view move) { play(session_.read_action(move)); }
  void resign(std::uint32_t player) { resigned_by_ = player; }
  /// Takes back the moves from `ply` on, which is at least first_ply(), and a resignation.
  void undo(std::size_t ply) {
    if (ply < plies_) session_.set(turn_at(ply).position);
    history_.resize(ply - first_ply());
    plies_ = ply;
    resigned_by_.reset();
  }

  /// Searches, plays the best move, and returns the new state with the result of the search.
  json reply(const Limits& limits) {
    Found found = search(limits);
    found.choices.resize(std::min(kCandidates, found.choices.size()));
    json result = found_json(found);
    for (const senet_choice& choice : found.choices) {
      result["candidates"].push_back(choice_json(choice));
    }
    result["played"] = session_.action_text(found.action);
    play(found.action);
    json answer = state();
    answer["search"] = std::move(result);
    return answer;
  }

  /// The state after `ply` moves, at least first_ply(), with the result of a search. Its candidates
  /// have a "line" and include the move that was played there, "played".
  json analyse(std::size_t ply, const Limits& limits) {
    const auto deadline = Clock::now() + limits.time;
    const Return to_here{session_, session_.text()};
    if (ply < plies_) session_.set(turn_at(ply).position);
    json answer = state(ply);
    Found found = search(limits);
    json result = found_json(found);
    std::size_t count = std::min(kCandidates, found.choices.size());
    if (ply < plies_) {
      result["played"] = turn_at(ply).move;
      const auto played = std::ranges::find(found.choices, session_.read_action(turn_at(ply).move),
                                            &senet_choice::action);
      if (std::cmp_greater_equal(played - found.choices.begin(), count))
        std::swap(*played, found.choices[count++]);
    }
    const std::string position = session_.text();
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) session_.set(position);  // the best move keeps its tree
      result["candidates"].push_back(follow(found.choices[i], limits, deadline));
    }
    answer["search"] = std::move(result);
    return answer;
  }

  /// Stops the running search and every later one; they return their results so far. May be called
  /// by any thread.
  void end_search() {
    ends_searches_ = true;
    session_.stop();
  }

  /// The complete state except the id. "search" is null.
  json state() const { return state(plies_); }

 private:
  struct Turn {
    std::uint32_t player;
    std::string dice, move, position;  // the position before the move
  };
  /// Returns the session to a position at the end of a scope.
  struct Return {
    senet::api::Session& session;
    std::string position;
    ~Return() { static_cast<void>(session.try_set(position)); }
  };
  static constexpr std::size_t kHistory = 200;    // maximum turns that are kept
  static constexpr std::size_t kCandidates = 10;  // maximum moves of a search in an answer
  static constexpr std::size_t kLine = 6;         // maximum moves of a line
  static constexpr std::uint32_t kLineShare = 8;  // a move of a line gets 1/8 of the visits

  const Turn& turn_at(std::size_t ply) const { return history_.at(ply - first_ply()); }

  /// The dice depend only on the seed and the ply: taking back a move does not change the roll that
  /// follows it.
  void throw_dice() {
    std::seed_seq seed{dice_seed_ & UINT32_MAX, dice_seed_ >> 32, std::uint64_t{plies_}};
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> die(1, 6);
    while (session_.turn() == SENET_CHANCE) {
      // libsenet rejects a double as the opening roll; then roll again.
      const int first = die(random), second = die(random);
      auto roll = session_.try_read_action(std::to_string(first) + std::to_string(second));
      if (roll) session_.play(*roll);
    }
  }

  void play(senet_action action) {
    const std::string position = session_.text();
    Turn turn{static_cast<std::uint32_t>(session_.turn()), "", session_.action_text(action),
              position};
    for (const json& die : dice_json(name_, position)) turn.dice += die.dump();
    session_.play(action);
    ++plies_;
    if (history_.size() == kHistory) history_.erase(history_.begin());
    history_.push_back(std::move(turn));
    throw_dice();
  }

  Found search(const Limits& limits) {
    session_.begin_search(limits);
    // An end_search() before begin_search() did not stop this search.
    if (ends_searches_) session_.stop();
    session_.wait();
    return session_.result();
  }

  /// The state after `ply` moves, where the session is.
  json state(std::size_t ply) const {
    const std::string position = session_.text();
    json state = {{"game", name_},
                  {"ply", ply},
                  {"turn", nullptr},
                  {"dice", nullptr},
                  {"position", position},
                  {"board", board_json(name_, position)},
                  {"result", nullptr},
                  {"legal", json::array()},
                  {"history", json::array()},
                  {"search", nullptr}};
    for (std::size_t i = first_ply(); i < ply; ++i) {
      const Turn& turn = turn_at(i);
      state["history"].push_back(
          {{"player", turn.player}, {"dice", turn.dice}, {"move", turn.move}});
    }
    if (ply == plies_ && resigned_by_) {
      state["result"] = {{"winner", 1 - *resigned_by_}, {"points", 1}, {"how", "resignation"}};
    } else if (session_.turn() == SENET_OVER) {
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

  /// Rounds to the significant digits.
  static double rounded(float number) { return std::round(double{number} * 1e4) / 1e4; }

  /// Plays a move, then the best ones. Returns the move with the "line" that follows until chance
  /// decides, and with the value at the beginning of the line.
  json follow(const senet_choice& choice, Limits limits, Clock::time_point deadline) {
    json shown = choice_json(choice), line = json::array();
    const senet_turn mover = session_.turn();
    session_.play(choice.action);
    if (session_.turn() == SENET_OVER) {
      const json end = result_json(name_, session_.outcome());
      shown["value"] = (end["winner"] == mover ? 1 : -1) * end["points"].get<int>();
    }
    limits.visits = std::max(1U, limits.visits / kLineShare);
    while (line.size() < kLine && session_.turn() <= SENET_PLAYER_1) {
      limits.time = std::chrono::ceil<std::chrono::microseconds>(deadline - Clock::now());
      const Found found = search(limits);
      if (line.empty())
        shown["value"] = rounded(session_.turn() == mover ? found.value : -found.value);
      line.push_back(session_.action_text(found.action));
      session_.play(found.action);
    }
    shown["line"] = std::move(line);
    return shown;
  }

  json choice_json(const senet_choice& choice) const {
    return {{"move", session_.action_text(choice.action)},
            {"visits", choice.visits},
            {"value", rounded(choice.value)},
            {"prior", rounded(choice.prior)}};
  }

  /// Without candidates.
  json found_json(const Found& found) const {
    constexpr std::array kEndings = {"visits", "time", "stop", "proof", "full_tree"};
    static_assert(SENET_BY_VISITS == 0 && SENET_BY_FULL_TREE == kEndings.size() - 1);
    json outcomes = json::object();
    const auto names = outcome_names(name_);
    for (std::size_t i = 0; i < std::min(names.size(), found.outcomes.size()); ++i) {
      outcomes[std::string(names[i])] = rounded(found.outcomes[i]);
    }
    return {{"player", session_.turn()}, {"value", rounded(found.value)},
            {"visits", found.visits},    {"evaluations", found.evaluations},
            {"depth", found.depth},      {"ended_by", kEndings.at(found.ending)},
            {"outcomes", outcomes},      {"candidates", json::array()}};
  }

  const std::string name_;
  senet::api::Session session_;
  std::atomic<bool> ends_searches_{false};
  const std::uint64_t dice_seed_;
  std::size_t plies_ = 0;
  std::vector<Turn> history_;  // the last kHistory turns
  std::optional<std::uint32_t> resigned_by_;
};

}  // namespace game_server
