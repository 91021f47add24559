#include "tools/gnubg/gnubg_player.hpp"

#include <optional>
#include <thread>

namespace senet {

Result<GnubgPlayer> GnubgPlayer::start(const GnubgSettings& settings, std::size_t processes) {
  std::vector<Gnubg> started;
  for (std::size_t i = 0; i < processes; ++i) {
    Result<Gnubg> gnubg = Gnubg::start(settings);
    if (!gnubg) return tl::unexpected(gnubg.error());
    started.push_back(std::move(*gnubg));
  }
  return GnubgPlayer(std::move(started));
}

Result<void> GnubgPlayer::choose(std::span<const Backgammon> states, std::span<const Random>,
                                 std::span<Action> actions) {
  const std::size_t count = processes_.size();
  std::vector<std::optional<Result<Action>>> answers(states.size());
  const auto ask = [&](std::size_t process) {
    for (std::size_t i = process; i < states.size(); i += count) {
      answers[i] = processes_[process].best_play(states[i]);
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
    Gnubg& process = processes_[i % count];
    // Behind one that failed nothing has been asked yet.
    if (!answers[i]) answers[i] = process.best_play(states[i]);
    const Result<Action> action = settle(process, states[i], *answers[i]);
    if (!action) return tl::unexpected(action.error());
    actions[i] = *action;
  }
  return {};
}

Result<Action> GnubgPlayer::settle(Gnubg& process, const Backgammon& state, Result<Action> answer) {
  if (answer) return answer;
  if (process.is_alive()) {
    ++faults_.illegal;
    return answer;
  }
  ++faults_.crashes;
  Result<Gnubg> anew = Gnubg::start(process.settings());
  if (!anew) return tl::unexpected(anew.error());
  process = std::move(*anew);
  answer = process.best_play(state);
  if (!answer) ++(process.is_alive() ? faults_.illegal : faults_.crashes);
  return answer;
}

}  // namespace senet
