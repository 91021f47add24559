#include "tools/games/backgammon/hooks.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace senet {

Result<GnubgPlayer> GnubgPlayer::start(const GnubgSettings& settings, std::size_t processes,
                                       std::function<bool()> is_stopped) {
  Result<std::vector<Gnubg>> started = Gnubg::start(settings, processes);
  if (!started) return started.error();
  return GnubgPlayer(std::move(*started), std::move(is_stopped));
}

Result<void> GnubgPlayer::choose(std::span<const AnyState> any_states, std::span<const Random>,
                                 std::span<Action> actions) {
  std::vector<Backgammon> states;
  for (const AnyState& state : any_states) states.push_back(state.as<Backgammon>());
  std::vector<std::optional<Result<std::string>>> answers(states.size());
  share_out(processes_, states.size(), [&](Gnubg& process, std::size_t i) {
    if (is_stopped()) return false;
    answers[i] = process.best_words(states[i]);
    return answers[i]->has_value();
  });
  // Processes start here, not in a thread that they would have to die with.
  for (std::size_t i = 0; i < states.size(); ++i) {
    faults_.state = i;
    if (is_stopped()) return fail(SENET_STOPPED, "stopped");
    Gnubg& process = processes_[i % processes_.size()];
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

bool OwnPlayers<Backgammon>::is_one(std::string_view word) { return parse_gnubg(word).has_value(); }

Result<PlayerHolder> OwnPlayers<Backgammon>::make(const std::string& word,
                                                  const PlayerSettings& settings) {
  Result<GnubgSettings> gnubg = *parse_gnubg(word);
  if (!gnubg) return gnubg.error();
  gnubg->answer_time = milliseconds_of(settings.answer_seconds);
  Result<GnubgPlayer> player = GnubgPlayer::start(*gnubg, settings.processes, settings.is_stopped);
  if (!player) return player.error();
  PlayerHolder holder;
  holder.identity = word;
  holder.player = std::make_unique<GnubgPlayer>(std::move(*player));
  holder.is_process = true;
  return holder;
}

}  // namespace senet
