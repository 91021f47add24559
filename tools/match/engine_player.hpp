// Other programs in a match: each is told one position at a time, several of them side by side.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "games/backgammon.hpp"
#include "selfplay/match_player.hpp"
#include "tools/match/text_engine.hpp"

namespace senet {

/// The lines that tell an engine a position and ask it for a move.
template <Game G>
std::vector<std::string> question(const G& state, EngineProtocol protocol, const std::string& go) {
  if constexpr (std::is_same_v<G, Backgammon>) {
    if (protocol == EngineProtocol::kUbgi) {
      // A position id is told from the player on roll, so the engine need not know which one it is.
      const backgammon::Dice dice = *state.dice();
      return {fmt::format("position gnubgid {}", backgammon::position_id(state.board())),
              fmt::format("dice {} {}", dice.high, dice.low), go};
    }
  }
  return {fmt::format("position fen {}", state.text()), go};
}

/// A UCI or UBGI engine.
///
/// An engine that ends, hangs or says `error` is counted as a crash, started anew and asked once
/// more; when that fails too, so does the player. An answer that is no legal move fails at once,
/// and the reason tells the position as we have it, as the engine was told it, and the answer.
template <Game G>
class EnginePlayer final : public MatchPlayer<G> {
 public:
  /// Starts `processes` (at least 1) of them. `go` is the line that asks for a move.
  static Result<EnginePlayer> start(const TextEngineSettings& settings, const std::string& go,
                                    std::size_t processes) {
    EnginePlayer player(settings, go);
    for (std::size_t i = 0; i < processes; ++i) {
      Result<TextEngine> engine = TextEngine::start(settings);
      if (!engine) return tl::unexpected(engine.error());
      player.engines_.push_back(std::move(*engine));
    }
    return player;
  }
  EnginePlayer(EnginePlayer&&) noexcept = default;
  ~EnginePlayer() override {
    for (TextEngine& engine : engines_) engine.quit();
  }

  Result<void> choose(std::span<const G> states, std::span<const Random>,
                      std::span<Action> actions) override {
    for (std::size_t begin = 0; begin < states.size(); begin += engines_.size()) {
      const std::size_t count = std::min(engines_.size(), states.size() - begin);
      std::vector<Result<void>> asked;
      for (std::size_t i = 0; i < count; ++i) {
        asked.push_back(engines_[i].ask(question(states[begin + i], settings_.protocol, go_)));
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Result<Action> action = answer(i, states[begin + i], asked[i]);
        if (!action) return tl::unexpected(action.error());
        actions[begin + i] = *action;
      }
    }
    return {};
  }

  PlayerFaults faults() const override { return faults_; }

 private:
  EnginePlayer(TextEngineSettings settings, std::string go)
      : settings_(std::move(settings)), go_(std::move(go)) {}

  Result<Action> answer(std::size_t i, const G& state, const Result<void>& asked) {
    Result<std::string> text = asked ? engines_[i].answer() : tl::unexpected(asked.error());
    if (!text) {
      ++faults_.crashes;
      text = ask_anew(i, state);
    }
    if (!text) {
      ++faults_.crashes;
      return fail(fmt::format("{} (in {}, asked twice)", text.error().reason, state.text()));
    }
    const Result<Action> action = state.action_from_text(*text);
    if (action) return action;
    ++faults_.illegal;
    std::string told;
    for (const std::string& line : question(state, settings_.protocol, go_)) {
      told += (told.empty() ? "" : " | ") + line;
    }
    return fail(fmt::format("illegal move \"{}\" in {} ({}); it was told: {}; we made of it: {}",
                            *text, state.text(), settings_.command, told, action.error().reason));
  }

  Result<std::string> ask_anew(std::size_t i, const G& state) {
    Result<TextEngine> engine = TextEngine::start(settings_);
    if (!engine) return tl::unexpected(engine.error());
    engines_[i] = std::move(*engine);
    const Result<void> asked = engines_[i].ask(question(state, settings_.protocol, go_));
    if (!asked) return tl::unexpected(asked.error());
    return engines_[i].answer();
  }

  TextEngineSettings settings_;
  std::string go_;
  std::vector<TextEngine> engines_;
  PlayerFaults faults_;
};

}  // namespace senet
