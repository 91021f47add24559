#include "tools/gnubg/gnubg_player.hpp"

#include <optional>
#include <thread>

namespace senet {

Result<GnubgPlayer> GnubgPlayer::start(const GnubgSettings& settings, std::size_t processes,
                                       std::function<bool()> is_stopped) {
  std::vector<Gnubg> started;
  for (std::size_t i = 0; i < processes; ++i) {
    Result<Gnubg> gnubg = Gnubg::start(settings);
    if (!gnubg) return gnubg.error();
    started.push_back(std::move(*gnubg));
  }
  return GnubgPlayer(std::move(started), std::move(is_stopped));
}

Result<void> GnubgPlayer::choose(std::span<const AnyState> any_states, std::span<const Random>,
                                 std::span<Action> actions) {
  const std::size_t count = processes_.size();
  std::vector<Backgammon> states;
  for (const AnyState& state : any_states) states.push_back(state.as<Backgammon>());
  std::vector<std::optional<Result<std::string>>> answers(states.size());
  const auto ask = [&](std::size_t process) {
    for (std::size_t i = process; i < states.size() && !is_stopped(); i += count) {
      answers[i] = processes_[process].best_words(states[i]);
      if (!*answers[i]) break;
    }
  };
  if (count == 1) {
    ask(0);
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t process = 0; process < count; ++process) threads.emplace_back(ask, process);
  }
  // Processes start here, not in a thread that they would have to die with.
  for (std::size_t i = 0; i < states.size(); ++i) {
    faults_.state = i;
    if (is_stopped()) return fail(SENET_STOPPED, "stopped");
    Gnubg& process = processes_[i % count];
    // Behind one that failed nothing has been asked yet.
    if (!answers[i]) answers[i] = process.best_words(states[i]);
    const Result<std::string> words = second_chance(process, states[i], std::move(*answers[i]));
    if (!words) return words.error();
    const Result<Action> action = Gnubg::read_play(states[i], *words);
    if (!action) {
      ++faults_.illegal;
      return action.error();
    }
    actions[i] = *action;
  }
  return {};
}

Result<std::string> GnubgPlayer::second_chance(Gnubg& process, const Backgammon& state,
                                               Result<std::string> answer) {
  if (answer) return answer;
  ++faults_.crashes;
  Result<Gnubg> anew = Gnubg::start(process.settings());
  if (!anew) return anew.error();
  process = std::move(*anew);
  answer = process.best_words(state);
  if (!answer) {
    ++faults_.crashes;
    return fail(answer.error().reason() + " (in " + state.text() + ", asked twice)");
  }
  return answer;
}

}  // namespace senet
