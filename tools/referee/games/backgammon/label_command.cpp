// senet label: labels backgammon decisions with GNU Backgammon's equities, for senet eval.
#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "games/random_moves.hpp"
#include "selfplay/game_log.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_replay.hpp"
#include "tools/command.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"
#include "tools/referee/games/backgammon/hooks.hpp"
#include "tools/stop_signals.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

using backgammon::Label;

struct LabelArguments {
  std::string from = "gnubg";
  std::size_t count = 100;
  int ply = 2;
  std::uint32_t one_in = 10;
  std::string phase = "any";
  std::uint64_t seed = 1;
  std::size_t processes = 1;
};

/// Decisions per process in a batch. Results are printed after each batch.
constexpr std::size_t kEach = 4;
/// If a decision has more plays (some doubles), only the best are evaluated at 2 ply.
constexpr std::size_t kMaxInDepth = 80;

bool is_label_file(const std::string& from) { return from.ends_with(".jsonl"); }

/// A decision and where it occurred.
struct MetDecision {
  Backgammon state{};      // a player has rolled
  std::uint64_t game = 0;  // number of the game
  std::uint32_t ply = 0;   // number of earlier players' turns in the game
};

/// Receives one decision; returns false when it needs no more.
using TakeDecision = std::function<bool(const MetDecision&)>;

/// Visits the decisions of endless games in which gnubg or random moves play both sides.
void visit_played_decisions(const LabelArguments& arguments, const TakeDecision& take) {
  std::optional<Gnubg> player;
  if (arguments.from == "gnubg") player = Gnubg::start({.ply = 0}).value();
  for (std::uint64_t game = 0;; ++game) {
    MetDecision met{.game = game};
    for (std::uint32_t turn = 0; met.state.turn() != Turn::kOver; ++turn) {
      const bool is_decided = is_decision(met.state.turn());
      if (is_decided && !take(met)) return;
      if (is_decided && player) {
        met.state.play(player->best_move(any(met.state)).value());
      } else {
        Random draw(arguments.seed, game, turn, is_decided ? Purpose::kMove : Purpose::kChance);
        met.state.play(draw_action(met.state, draw));
      }
      if (is_decided) ++met.ply;
    }
  }
}

/// Visits the decisions in a log. Throws if it is not of backgammon or contains an illegal game.
void visit_recorded_decisions(const std::string& log, const TakeDecision& take) {
  GameLogReader reader = value_for(log, GameLogReader::open(log));
  GameRecord record;
  std::vector<Backgammon> states;
  while (value_for(log, reader.next(record))) {
    value_for(log, replay(record, states));
    std::uint32_t ply = 0;
    for (const Backgammon& state : states) {
      if (is_decision(state.turn()) && !take({state, record.game_number, ply++})) return;
    }
  }
}

/// Visits the decisions of --from. Each decision of a label file counts as a separate game.
void visit_decisions(const LabelArguments& arguments, const TakeDecision& take) {
  if (arguments.from == "random" || arguments.from == "gnubg") {
    visit_played_decisions(arguments, take);
  } else if (is_label_file(arguments.from)) {
    std::uint64_t game = 0;
    for (const Label& label : backgammon::read_labels(arguments.from).value()) {
      if (!take({label.state, game++})) return;
    }
  } else {
    visit_recorded_decisions(arguments.from, take);
  }
}

/// The decision with every play evaluated at `ply` (0..2), the best first.
Result<Label> judged(Gnubg& judge, const MetDecision& met, int ply) {
  const Result<std::vector<GnubgPlay>> plays = judge.rank(met.state, ply, kMaxInDepth);
  if (!plays) return plays.error();
  const backgammon::Phase phase = backgammon::phase_of(met.state.board());
  Label label{"", std::string(backgammon::name_of(phase)), met.state, {}, met.ply};
  if (ply > 1 && plays->size() > kMaxInDepth) label.shallow = plays->size() - kMaxInDepth;
  for (const auto& [action, evaluation] : *plays) {
    label.plays.push_back({backgammon::position_after(label, action), evaluation.equity,
                           met.state.action_text(action), evaluation.probabilities});
  }
  return label;
}

/// Labels batches of decisions in parallel and prints them in order. Throws an Error on failure.
class Labeller {
 public:
  Labeller(std::vector<Gnubg>& judges, const LabelArguments& arguments)
      : judges_(judges), arguments_(arguments), progress_("labelled", arguments.count) {}

  /// Returns false when there are enough decisions or a stop signal was received.
  bool take(const MetDecision& met) {
    is_stopped_ = signals_.has_come();
    if (is_stopped_) return false;
    if (!wants(met)) return true;
    waiting_.push_back(met);
    const bool is_last = printed_ + waiting_.size() == arguments_.count;
    if (is_last || waiting_.size() == judges_.size() * kEach) flush();
    return !is_last;
  }

  /// Labels and prints the waiting decisions. Fails when stopped or when nothing was printed.
  Result<void> finish() {
    if (!is_stopped_) flush();
    if (is_stopped_) {
      return fail(
          fmt::format("stopped with {} of {} decisions labelled", printed_, arguments_.count));
    }
    if (printed_ > 0) return {};
    return fail(fmt::format("--from: {} contains no matching decision", arguments_.from));
  }

 private:
  /// Whether a decision has a choice and the requested phase, is drawn with probability 1 / one_in
  /// (1 from a label file), and is not a repetition.
  bool wants(const MetDecision& met) {
    const backgammon::Board board = met.state.board();
    if (arguments_.phase != "any" &&
        arguments_.phase != backgammon::name_of(backgammon::phase_of(board))) {
      return false;
    }
    Random draw(arguments_.seed, met.game, met.ply, Purpose::kOpening);
    if (draw.below(is_label_file(arguments_.from) ? 1 : arguments_.one_in) != 0) return false;
    ActionList<Backgammon::kMaxLegal> actions;
    met.state.legal(actions);
    if (actions.size() < 2) return false;
    const backgammon::Dice dice = *met.state.dice();
    return taken_
        .insert(fmt::format("{} {}{}", backgammon::position_id(board), dice.high, dice.low))
        .second;
  }

  void flush() {
    std::vector<std::optional<Result<Label>>> labels(waiting_.size());
    share_out(judges_, labels.size(), [&](Gnubg& judge, std::size_t i) {
      if (signals_.has_come()) return false;
      labels[i] = judged(judge, waiting_[i], arguments_.ply);
      return true;
    });
    waiting_.clear();
    for (auto& label : labels) {
      is_stopped_ = !label;
      if (is_stopped_) break;
      label->value();  // throws the error, if any
      (*label)->id = fmt::format("L{:05}", ++printed_);
      fmt::print("{}\n", backgammon::label_line(**label));
    }
    progress_.show(printed_);
    flush_output().value();
  }

  std::vector<Gnubg>& judges_;
  const LabelArguments& arguments_;
  StopSignals signals_{StopSignals::Mode::kFirstOnly};
  ProgressLine progress_;
  std::set<std::string> taken_;
  std::vector<MetDecision> waiting_;
  std::size_t printed_ = 0;
  bool is_stopped_ = false;
};

Job prepare(const LabelArguments& arguments) {
  if (arguments.from != "random" && arguments.from != "gnubg" &&
      !std::filesystem::is_regular_file(arguments.from)) {
    throw fail(fmt::format("--from is \"{}\": it must be gnubg, random or a file", arguments.from));
  }
  std::vector<Gnubg> started;
  while (started.size() < arguments.processes) started.push_back(Gnubg::start({.ply = 0}).value());
  return [arguments, judges = std::move(started)]() mutable {
    Labeller labeller(judges, arguments);
    visit_decisions(arguments, [&](const MetDecision& met) { return labeller.take(met); });
    return labeller.finish();
  };
}

}  // namespace

void add_label_command(const Command& program) {
  auto arguments = std::make_shared<LabelArguments>();
  const Command command = program.add_command(
      "label", "Evaluate every play of backgammon decisions with GNU Backgammon, for senet eval");
  command
      .option("--from", arguments->from,
              "where decisions come from: gnubg or random (new games, played by gnubg at 0-ply or "
              "by random moves), a log of recorded games (a run folder or a file), or a file of "
              "labels (.jsonl)")
      .shows_type("SOURCE")
      .shows_default();
  command.option("--count", arguments->count, "number of decisions; a file may contain fewer")
      .shows_default()
      .in_range(1, 100'000'000);
  command.option("--ply", arguments->ply, "gnubg's search depth for each play")
      .shows_default()
      .in_range(0, kMaxGnubgPly);
  command
      .option("--one-in", arguments->one_in,
              "label one in this many decisions, so that few are from the same game; does not "
              "apply to a file of labels")
      .shows_default()
      .in_range(1, 1'000'000);
  std::vector<std::string> phases(backgammon::kPhaseNames.begin(), backgammon::kPhaseNames.end());
  phases.push_back("any");
  command.option("--phase", arguments->phase, "label only decisions of this phase")
      .shows_default()
      .one_of(phases);
  command.option("--seed", arguments->seed, "seed for dice and choice of decisions")
      .shows_default();
  command.option("--processes", arguments->processes, "gnubg processes that run in parallel")
      .shows_default()
      .in_range(1, 256);
  command.footer(
      "Prints one JSON object per line: id, cls, ply, posid, board, dice, n1, moves [[text, "
      "position id after, equity, [win, win gammon, win backgammon, lose gammon, lose "
      "backgammon]] ...]. Equities are for cubeless money play without the Jacoby rule. At 2-ply a "
      "decision takes about a second.");
  command.runs([arguments] { return prepare(*arguments); });
}

}  // namespace senet
