// Other programs in a match: each is told one position at a time, several of them side by side.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "tools/match/text_engine.hpp"

namespace senet {

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
class EnginePlayer final : public MatchPlayer {
 public:
  /// Starts the processes. With UBGI, of a game whose kit knows how to ask.
  static Result<EnginePlayer> start(const TextEngineSettings& settings,
                                    const EngineQuestions& questions);
  EnginePlayer(EnginePlayer&&) noexcept = default;
  ~EnginePlayer() override;

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override;
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

  // The lines that tell an engine a position and ask it for a move.
  std::vector<std::string> question_of(const AnyState& state) const;
  void crash(Seat& seat, const Error& error);
  // Starts a process anew that crashed; fails when it was its second chance.
  Result<void> make_fit(Seat& seat, std::span<const AnyState> states);
  void ask(Seat& seat, std::span<const AnyState> states);
  // Takes answers, and asks on who has answered, until nobody thinks.
  Result<void> hear_out(std::span<const AnyState> states, std::span<Action> actions);
  Result<void> take_answer(Seat& seat, std::span<const AnyState> states, std::span<Action> actions);
  // Who still thinks may answer when it is asked something else, so it is not asked again.
  Result<void> give_up_thinking();

  TextEngineSettings settings_;
  EngineQuestions questions_;
  std::vector<Seat> seats_;
  PlayerFaults faults_;
};

}  // namespace senet
