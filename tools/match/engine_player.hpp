// Other programs in a match: each is told one position at a time, several of them side by side.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "games/backgammon/backgammon.hpp"
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

/// How an EnginePlayer asks.
struct EngineQuestions {
  std::string go;             // the line that asks for a move
  std::size_t processes = 1;  // at least 1
  /// Asked while engines think: true makes choose() fail at once. None: never.
  std::function<bool()> is_stopped = {};
};

/// A UCI or UBGI engine, in as many processes as one likes.
///
/// Each process has its own clock for each answer, however long the others take. One that ends,
/// hangs or says `error` is counted as a crash, started anew and asked once more; when that fails
/// too, so does the player. An answer that is no legal move fails at once, and the reason tells the
/// position as we have it, as the engine was told it, and the answer.
template <Game G>
class EnginePlayer final : public MatchPlayer<G> {
 public:
  /// Starts the processes.
  static Result<EnginePlayer> start(const TextEngineSettings& settings,
                                    const EngineQuestions& questions) {
    EnginePlayer player(settings, questions);
    for (std::size_t i = 0; i < questions.processes; ++i) {
      Result<TextEngine> engine = TextEngine::start(settings);
      if (!engine) return engine.error();
      player.seats_.push_back({.engine = std::move(*engine)});
    }
    return player;
  }
  EnginePlayer(EnginePlayer&&) noexcept = default;
  ~EnginePlayer() override {
    std::vector<TextEngine*> all;
    for (Seat& seat : seats_) all.push_back(&seat.engine);
    TextEngine::quit(all);
  }

  Result<void> choose(std::span<const G> states, std::span<const Random>,
                      std::span<Action> actions) override {
    // Process p answers for states p, p + n, ... in this order, whatever the others do.
    for (std::size_t p = 0; p < seats_.size(); ++p) {
      seats_[p].state = p;
      seats_[p].is_second = false;
    }
    const auto is_done = [&](const Seat& seat) { return seat.state >= states.size(); };
    while (!std::ranges::all_of(seats_, is_done)) {
      // Nobody thinks now, so nobody's clock runs while processes are started.
      for (Seat& seat : seats_) {
        if (const Result<void> fit = make_fit(seat, states); !fit) return fit;
      }
      for (Seat& seat : seats_) ask(seat, states);
      if (const Result<void> heard = hear_out(states, actions); !heard) return heard;
    }
    return {};
  }

  PlayerFaults faults() const override { return faults_; }

 private:
  /// A process and what it is at.
  struct Seat {
    TextEngine engine;
    std::size_t state = 0;   // the one it is asked about, beyond the last when it is done
    bool thinks = false;     // was asked and has not answered
    bool is_unfit = false;   // must be started anew
    bool is_second = false;  // it is the second time that it is asked about this state
    std::string reason = {};
  };

  EnginePlayer(TextEngineSettings settings, EngineQuestions questions)
      : settings_(std::move(settings)), questions_(std::move(questions)) {}

  std::vector<std::string> question_of(const G& state) const {
    return question(state, settings_.protocol, questions_.go);
  }

  void crash(Seat& seat, const Error& error) {
    ++faults_.crashes;
    seat.thinks = false;
    seat.is_unfit = true;
    seat.reason = error.reason();
  }

  // Starts a process anew that crashed; fails when it was its second chance.
  Result<void> make_fit(Seat& seat, std::span<const G> states) {
    if (!seat.is_unfit || seat.state >= states.size()) return {};
    const auto give_up = [&] {
      faults_.state = seat.state;
      return fail(fmt::format("{} (in {}, asked twice)", seat.reason, states[seat.state].text()));
    };
    if (seat.is_second) return give_up();
    Result<TextEngine> engine = TextEngine::start(settings_);
    if (!engine) {
      crash(seat, engine.error());
      return give_up();
    }
    seat.engine = std::move(*engine);
    seat.is_unfit = false;
    seat.is_second = true;
    return {};
  }

  void ask(Seat& seat, std::span<const G> states) {
    if (seat.state >= states.size()) return;
    seat.thinks = true;
    const Result<void> asked = seat.engine.ask(question_of(states[seat.state]));
    if (!asked) crash(seat, asked.error());
  }

  // Takes answers, and asks on who has answered, until nobody thinks.
  Result<void> hear_out(std::span<const G> states, std::span<Action> actions) {
    constexpr std::chrono::milliseconds kLookForStop(50);
    for (std::vector<TextEngine*> thinking;;) {
      thinking.clear();
      for (Seat& seat : seats_) {
        if (seat.thinks) thinking.push_back(&seat.engine);
      }
      if (thinking.empty()) return {};
      TextEngine::wait_for_any(thinking, kLookForStop);
      for (Seat& seat : seats_) {
        if (!seat.thinks) continue;
        if (const Result<void> taken = take_answer(seat, states, actions); !taken) return taken;
      }
      if (questions_.is_stopped && questions_.is_stopped()) return give_up_thinking();
    }
  }

  Result<void> take_answer(Seat& seat, std::span<const G> states, std::span<Action> actions) {
    const Result<std::optional<std::string>> text = seat.engine.answer();
    if (!text) crash(seat, text.error());
    if (!text || !*text) return {};
    const G& state = states[seat.state];
    const Result<Action> action = state.action_from_text(**text);
    if (!action) {
      ++faults_.illegal;
      faults_.state = seat.state;
      return fail(fmt::format("illegal move \"{}\" in {} ({}); it was told: {}; we made of it: {}",
                              **text, state.text(), settings_.command,
                              fmt::join(question_of(state), " | "), action.error().reason()));
    }
    actions[seat.state] = *action;
    seat.thinks = seat.is_second = false;
    seat.state += seats_.size();
    ask(seat, states);
    return {};
  }

  // Who still thinks may answer when it is asked something else, so it is not asked again.
  Result<void> give_up_thinking() {
    for (Seat& seat : seats_) {
      if (std::exchange(seat.thinks, false)) seat.is_unfit = true;
    }
    return fail(SENET_STOPPED, "stopped while it thought");
  }

  TextEngineSettings settings_;
  EngineQuestions questions_;
  std::vector<Seat> seats_;
  PlayerFaults faults_;
};

}  // namespace senet
