// Other programs in a match: each gets one position at a time, several of them side by side.
#include <fmt/format.h>

#include <algorithm>

#include "tools/match/players.hpp"

namespace senet {
namespace {

/// A process and what it is at.
struct Slot {
  TextEngine engine;
  std::size_t state = 0;   // the one it is asked about, beyond the last when it is done
  bool thinks = false;     // was asked and has not answered
  bool is_unfit = false;   // must be started anew
  bool is_second = false;  // it is the second time that it is asked about this state
  std::string reason = {};
};

class EnginePlayer final : public MatchPlayer {
 public:
  EnginePlayer(TextEngineSettings settings, std::string go, std::function<bool()> is_stopped,
               std::vector<Slot> slots)
      : settings_(std::move(settings)),
        go_(std::move(go)),
        is_stopped_(std::move(is_stopped)),
        slots_(std::move(slots)) {}
  EnginePlayer(const EnginePlayer&) = delete;
  EnginePlayer& operator=(const EnginePlayer&) = delete;
  ~EnginePlayer() override {
    std::vector<TextEngine*> all;
    for (Slot& slot : slots_) all.push_back(&slot.engine);
    TextEngine::quit(all);
  }

  Result<void> choose(std::span<const AnyState> states, std::span<const Random>,
                      std::span<Action> actions) override {
    states_ = states;
    actions_ = actions;
    // Process p answers for states p, p + n, ... in this order, whatever the others do.
    for (std::size_t p = 0; p < slots_.size(); ++p) {
      slots_[p].state = p;
      slots_[p].is_second = false;
    }
    const auto is_done = [&](const Slot& slot) { return slot.state >= states.size(); };
    while (!std::ranges::all_of(slots_, is_done)) {
      // No engine is thinking, so no clock runs while processes are started.
      for (Slot& slot : slots_) {
        if (const Result<void> fit = make_fit(slot); !fit) return fit;
      }
      for (Slot& slot : slots_) ask(slot);
      if (const Result<void> taken = take_answers(); !taken) return taken;
    }
    return {};
  }

  PlayerFaults faults() const override { return faults_; }

 private:
  // The lines that give an engine a position and ask it for a move.
  std::vector<std::string> question_of(const AnyState& state) const {
    std::vector<std::string> lines = settings_.protocol == EngineProtocol::kUci
                                         ? std::vector{fmt::format("position fen {}", state.text())}
                                         : state.game().ubgi_question(state);
    lines.push_back(go_);
    return lines;
  }

  void crash(Slot& slot, const Error& error) {
    ++faults_.crashes;
    slot.thinks = false;
    slot.is_unfit = true;
    slot.reason = error.reason();
  }

  // Starts a process anew that crashed; fails when it was its second chance.
  Result<void> make_fit(Slot& slot) {
    if (!slot.is_unfit || slot.state >= states_.size()) return {};
    if (!slot.is_second) {
      Result<TextEngine> engine = TextEngine::start(settings_);
      if (engine) {
        slot.engine = std::move(*engine);
        slot.is_unfit = false;
        slot.is_second = true;
        return {};
      }
      crash(slot, engine.error());
    }
    faults_.state = slot.state;
    return fail(fmt::format("{} (in {}, asked twice)", slot.reason, states_[slot.state].text()));
  }

  void ask(Slot& slot) {
    if (slot.state >= states_.size()) return;
    slot.thinks = true;
    const Result<void> asked = slot.engine.ask(question_of(states_[slot.state]));
    if (!asked) crash(slot, asked.error());
  }

  // Asks each engine that has answered for its next move, until none is thinking.
  Result<void> take_answers() {
    constexpr std::chrono::milliseconds kLookForStop(50);
    for (std::vector<TextEngine*> thinking;; thinking.clear()) {
      for (Slot& slot : slots_) {
        if (slot.thinks) thinking.push_back(&slot.engine);
      }
      if (thinking.empty()) return {};
      TextEngine::wait_for_any(thinking, kLookForStop);
      for (Slot& slot : slots_) {
        if (!slot.thinks) continue;
        if (const Result<void> taken = take_answer(slot); !taken) return taken;
      }
      if (!is_stopped_ || !is_stopped_()) continue;
      // An engine that is still thinking could answer the next question: it is restarted.
      for (Slot& slot : slots_) {
        if (std::exchange(slot.thinks, false)) slot.is_unfit = true;
      }
      return fail(SENET_STOPPED, "stopped while it thought");
    }
  }

  Result<void> take_answer(Slot& slot) {
    const Result<std::optional<std::string>> text = slot.engine.answer();
    if (!text) crash(slot, text.error());
    if (!text || !*text) return {};
    const AnyState& state = states_[slot.state];
    const Result<Action> action = state.action_from_text(**text);
    if (!action) {
      ++faults_.illegal;
      faults_.state = slot.state;
      return fail(fmt::format("illegal move \"{}\" in {} ({}); it was told: {}; we made of it: {}",
                              **text, state.text(), settings_.command,
                              fmt::join(question_of(state), " | "), action.error().reason()));
    }
    actions_[slot.state] = *action;
    slot.thinks = slot.is_second = false;
    slot.state += slots_.size();
    ask(slot);
    return {};
  }

  const TextEngineSettings settings_;
  const std::string go_;
  const std::function<bool()> is_stopped_;
  std::vector<Slot> slots_;
  PlayerFaults faults_;
  // Of the choose() under way.
  std::span<const AnyState> states_;
  std::span<Action> actions_;
};

// The line that asks another program for a move.
std::string go_line(EngineProtocol protocol, const PlayerSettings& settings) {
  // "nodes 0" is no limit at all to many programs.
  const std::uint32_t nodes = std::max(settings.visits, 1u);
  if (protocol == EngineProtocol::kUci) return fmt::format("go nodes {}", nodes);
  // Few UBGI programs know limits, so they get none that is not asked for.
  const std::string go = "go role chequer";
  return settings.visits_from == VisitsSource::kDefault ? go
                                                        : fmt::format("{} nodes {}", go, nodes);
}

}  // namespace

Result<PlayerHolder> make_engine_player(EngineProtocol protocol, const std::string& word,
                                        const PlayerSettings& settings) {
  TextEngineSettings engine{.protocol = protocol,
                            .command = word.substr(word.find(':') + 1),
                            .options = {},
                            .start_time = milliseconds_of(settings.start_seconds),
                            .answer_time = milliseconds_of(settings.answer_seconds)};
  const std::string go = go_line(protocol, settings);
  PlayerHolder holder{.player = {}, .identity = word + ", " + go, .is_process = true};
  for (const std::string& option : settings.options) {
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string::npos || option.find('\n') != std::string::npos) {
      return fail(fmt::format("option \"{}\" is not NAME=VALUE", option));
    }
    engine.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
    holder.identity += ", " + option;
  }
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < settings.processes; ++i) {
    Result<TextEngine> process = TextEngine::start(engine);
    if (!process) return process.error();
    slots.push_back({.engine = std::move(*process)});
  }
  holder.player =
      std::make_unique<EnginePlayer>(std::move(engine), go, settings.is_stopped, std::move(slots));
  return holder;
}

}  // namespace senet
