#include "tools/match/engine_player.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace senet {

Result<EnginePlayer> EnginePlayer::start(const TextEngineSettings& settings,
                                         const EngineQuestions& questions) {
  EnginePlayer player(settings, questions);
  for (std::size_t i = 0; i < questions.processes; ++i) {
    Result<TextEngine> engine = TextEngine::start(settings);
    if (!engine) return engine.error();
    player.seats_.push_back({.engine = std::move(*engine)});
  }
  return player;
}
EnginePlayer::~EnginePlayer() {
  std::vector<TextEngine*> all;
  for (Seat& seat : seats_) all.push_back(&seat.engine);
  TextEngine::quit(all);
}

Result<void> EnginePlayer::choose(std::span<const AnyState> states, std::span<const Random>,
                                  std::span<Action> actions) {
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

std::vector<std::string> EnginePlayer::question_of(const AnyState& state) const {
  if (settings_.protocol == EngineProtocol::kUci) {
    return {fmt::format("position fen {}", state.text()), questions_.go};
  }
  std::vector<std::string> lines = state.game().ubgi_question(state.bytes());
  lines.push_back(questions_.go);
  return lines;
}

void EnginePlayer::crash(Seat& seat, const Error& error) {
  ++faults_.crashes;
  seat.thinks = false;
  seat.is_unfit = true;
  seat.reason = error.reason();
}

Result<void> EnginePlayer::make_fit(Seat& seat, std::span<const AnyState> states) {
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

void EnginePlayer::ask(Seat& seat, std::span<const AnyState> states) {
  if (seat.state >= states.size()) return;
  seat.thinks = true;
  const Result<void> asked = seat.engine.ask(question_of(states[seat.state]));
  if (!asked) crash(seat, asked.error());
}

Result<void> EnginePlayer::hear_out(std::span<const AnyState> states, std::span<Action> actions) {
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

Result<void> EnginePlayer::take_answer(Seat& seat, std::span<const AnyState> states,
                                       std::span<Action> actions) {
  const Result<std::optional<std::string>> text = seat.engine.answer();
  if (!text) crash(seat, text.error());
  if (!text || !*text) return {};
  const AnyState& state = states[seat.state];
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

Result<void> EnginePlayer::give_up_thinking() {
  for (Seat& seat : seats_) {
    if (std::exchange(seat.thinks, false)) seat.is_unfit = true;
  }
  return fail(SENET_STOPPED, "stopped while it thought");
}

}  // namespace senet
