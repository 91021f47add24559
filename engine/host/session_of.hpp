// A session of one game: its position and its search.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/ledger.hpp"
#include "engine/host/session.hpp"
#include "engine/host/session_search_of.hpp"
#include "games/sound_moves.hpp"

namespace senet {

/// See Session.
template <Game G>
class SessionOf final : public Session {
 public:
  /// At `start`. `seed` and `number` draw noise and temperature. `memory` is what bytes() says.
  SessionOf(Service& service, GameRoom& game, const G& start, const SearchSettings& settings,
            const SessionRoom& room, std::uint64_t seed, std::uint64_t number, Charge memory,
            Heap& heap)
      : Session(service, game, search_),
        memory_(std::move(memory)),
        start_(start),
        state_(start),
        search_(*this, settings, room, seed, number, heap) {
    move_to(start);
  }

  /// Memory of one, its tree included.
  static std::size_t bytes(const SessionRoom& room) {
    return sizeof(SessionOf) + SessionSearchOf<G>::bytes(room) + 1024;
  }

  std::span<const float> outcome_values() const override { return senet::outcome_values(state_); }

 private:
  Result<void> set_position(std::string_view text, std::span<const Action> actions) override {
    Result<G> read = text.empty() ? Result<G>(start_) : read_state(start_, text);
    if (!read) return fail(SENET_BAD_ARGUMENT, read.error().reason());
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!is_legal(*read, actions[i])) {
        return fail(SENET_BAD_ACTION, "action " + std::to_string(i + 1) + " of " +
                                          std::to_string(actions.size()) + " is not legal in " +
                                          read->text());
      }
      read->play(actions[i]);
    }
    move_to(*read);
    return {};
  }
  Result<void> play_action(Action action) override {
    if (!is_legal_now(action)) return not_legal(state_, action);
    G next = state_;
    next.play(action);  // a host's may throw
    move_to(next);
    return {};
  }
  Turn turn_now() const override { return state_.turn(); }
  Player viewer_now() const override { return state_.viewer(); }
  std::span<const Action> legal_now() const override { return {legal_.data(), legal_.size()}; }
  std::size_t moves_to_consider_now() const override {
    if constexpr (SoundMovesGame<G>) {
      ActionList<G::kMaxLegal> moves;
      if (is_decision(state_.turn())) senet::moves_to_consider(state_, moves);
      return moves.size();
    }
    return legal_.size();
  }
  std::vector<float> chance_now() const override {
    std::vector<float> probabilities(kMaxChance<G>);
    if constexpr (StochasticGame<G>) {
      const bool here = state_.turn() == Turn::kChance;
      probabilities.resize(here ? state_.chance(probabilities) : 0);
    }
    return probabilities;
  }
  std::uint8_t outcome_now() const override { return state_.outcome(); }
  void prepare_search() override { search_.set_root(state_); }

  Result<std::string> position_text() const override {
    return or_logged(write_position(position()));
  }
  Result<std::string> text_of(Action action) const override {
    std::unique_lock locked = lock();
    const bool legal = is_legal_now(action);
    const G state = state_;
    locked.unlock();
    return legal ? or_logged(write_action(state, action)) : not_legal(state, action);
  }
  Result<std::vector<std::string>> text_of(std::span<const Action> line) const override {
    G state = position();
    std::vector<std::string> texts;
    for (const Action action : line) {
      if (!is_legal(state, action)) return not_legal(state, action);
      Result<std::string> text = or_logged(write_action(state, action));
      if (!text) return text.error();
      texts.push_back(std::move(*text));
      state.play(action);
    }
    return texts;
  }
  Result<Action> action_of(std::string_view text) const override {
    Result<Action> action = position().action_from_text(text);
    if (!action) return fail(SENET_BAD_ACTION, action.error().reason());
    return *action;
  }
  G position() const {
    const std::unique_lock locked = lock();
    return state_;
  }

  void move_to(const G& state) {
    ActionList<G::kMaxLegal> legal;
    if (is_decision(state.turn())) state.legal(legal);  // a host's may throw
    legal_ = legal;
    state_ = state;
  }
  /// Texts, which only a host's game can fail to write.
  static Result<std::string> write_position(const G& state) {
    if constexpr (requires { state.try_text(); }) return state.try_text();
    return state.text();
  }
  static Result<std::string> write_action(const G& state, Action action) {
    if constexpr (requires { state.try_action_text(action); }) return state.try_action_text(action);
    return state.action_text(action);
  }
  static Error not_legal(const G& state, Action action) {
    return fail(SENET_BAD_ACTION,
                "action " + std::to_string(action) + " is not legal in " + state.text());
  }
  bool is_legal_now(Action action) const {
    return is_chance_outcome(state_, action) || std::ranges::binary_search(legal_now(), action);
  }
  static bool is_legal(const G& state, Action action) {
    if (!is_decision(state.turn())) return is_chance_outcome(state, action);
    ActionList<G::kMaxLegal> list;
    state.legal(list);
    return std::ranges::binary_search(list, action);
  }
  static bool is_chance_outcome(const G& state, Action action) {
    if constexpr (StochasticGame<G>) {
      std::array<float, kMaxChance<G>> probability;
      return state.turn() == Turn::kChance && action < state.chance(probability);
    }
    return false;
  }

  const Charge memory_;
  const G start_;
  G state_;
  // In state_. Found while no search is under way: a host's function that took its time under the
  // lock would hold up the thread that ends searches.
  ActionList<G::kMaxLegal> legal_;
  SessionSearchOf<G> search_;
};

}  // namespace senet
