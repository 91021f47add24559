// senet label: backgammon decisions with GNU Backgammon's worth of every play, for senet eval.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "games/backgammon/phase.hpp"
#include "games/backgammon/position_id.hpp"
#include "tools/command.hpp"
#include "tools/gnubg/decision_source.hpp"
#include "tools/gnubg/gnubg.hpp"
#include "tools/gnubg/label_decision.hpp"
#include "tools/progress_line.hpp"
#include "tools/stop_signals.hpp"

namespace senet {
namespace {

struct LabelArguments {
  std::string from = "gnubg";
  std::size_t count = 100;
  int ply = 2;
  std::uint32_t one_in = 10;
  std::string phase = "any";
  std::uint64_t seed = 1;
  std::size_t processes = 1;
};

/// How many decisions each process gets before what is known is printed.
constexpr std::size_t kEach = 4;

bool is_label_file(const std::string& from) { return from.ends_with(".jsonl"); }

/// Which of the decisions met are labelled: those with a choice, of the phase asked for, one in so
/// many of them, none twice.
class Selection {
 public:
  explicit Selection(const LabelArguments& arguments)
      : arguments_(arguments), one_in_(is_label_file(arguments.from) ? 1 : arguments.one_in) {}

  bool wants(const MetDecision& met) {
    const backgammon::Board board = met.state.board();
    if (arguments_.phase != "any" &&
        arguments_.phase != backgammon::name_of(backgammon::phase_of(board))) {
      return false;
    }
    Random draw(arguments_.seed, met.game, met.ply, Purpose::kOpening);
    if (draw.below(one_in_) != 0) return false;
    ActionList<Backgammon::kMaxLegal> actions;
    met.state.legal(actions);
    if (actions.size() < 2) return false;
    const backgammon::Dice dice = *met.state.dice();
    return taken_
        .insert(fmt::format("{} {}{}", backgammon::position_id(board), dice.high, dice.low))
        .second;
  }

 private:
  const LabelArguments& arguments_;
  const std::uint32_t one_in_;
  std::set<std::string> taken_;
};

/// Labels decisions some at a time, side by side, and prints them in the order they came. Once told
/// to stop it leaves the rest.
class Labeller {
 public:
  Labeller(std::vector<Gnubg>& judges, const LabelArguments& arguments, StopSignals& signals)
      : judges_(judges),
        arguments_(arguments),
        signals_(signals),
        progress_("labelled", arguments.count) {}

  /// False when there are as many as wanted.
  Result<bool> take(const MetDecision& met) {
    waiting_.push_back(met);
    const bool is_last = printed_ + waiting_.size() == arguments_.count;
    if (is_last || waiting_.size() == judges_.size() * kEach) {
      if (const Result<void> done = flush(); !done) return done.error();
    }
    return !is_last;
  }

  /// Labels and prints what still waits.
  Result<void> flush() {
    std::vector<std::optional<Result<LabelledDecision>>> labelled(waiting_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t j = 0; j < judges_.size(); ++j) {
        threads.emplace_back([this, &labelled, j] {
          for (std::size_t i = j; i < labelled.size() && !signals_.has_come();
               i += judges_.size()) {
            labelled[i] = label_decision(judges_[j], waiting_[i], arguments_.ply);
          }
        });
      }
    }
    waiting_.clear();
    for (const auto& decision : labelled) {
      if (!decision) {
        is_cut_ = true;
        break;
      }
      if (!*decision) return decision->error();
      fmt::print("{}\n", label_line(fmt::format("L{:05}", ++printed_), **decision));
    }
    progress_.show(printed_);
    return flush_output();
  }

  std::size_t printed() const { return printed_; }
  /// It was told to stop before all that it had taken was labelled.
  bool is_cut() const { return is_cut_; }

 private:
  std::vector<Gnubg>& judges_;
  const LabelArguments& arguments_;
  StopSignals& signals_;
  ProgressLine progress_;
  std::vector<MetDecision> waiting_;
  std::size_t printed_ = 0;
  bool is_cut_ = false;
};

/// Meets decisions where the arguments say.
Result<void> visit_decisions(const LabelArguments& arguments, const TakeDecision& take) {
  if (arguments.from == "random") {
    return visit_played_decisions(
        arguments.seed,
        [](const Backgammon& state, Random& draw) -> Result<Action> {
          ActionList<Backgammon::kMaxLegal> actions;
          state.legal(actions);
          return actions[draw.below(static_cast<std::uint32_t>(actions.size()))];
        },
        take);
  }
  if (arguments.from == "gnubg") {
    Result<Gnubg> player = Gnubg::start({.ply = 0});
    if (!player) return player.error();
    return visit_played_decisions(
        arguments.seed, [&](const Backgammon& state, Random&) { return player->best_play(state); },
        take);
  }
  if (is_label_file(arguments.from)) return visit_labelled_decisions(arguments.from, take);
  return visit_recorded_decisions(arguments.from, take);
}

Result<void> run(const LabelArguments& arguments, std::vector<Gnubg>& judges) {
  StopSignals signals(StopSignals::Mode::kFirstOnly);
  Selection selection(arguments);
  Labeller labeller(judges, arguments, signals);
  bool is_stopped = false;
  const Result<void> visited =
      visit_decisions(arguments, [&](const MetDecision& met) -> Result<bool> {
        is_stopped = signals.has_come();
        if (is_stopped) return false;
        if (!selection.wants(met)) return true;
        return labeller.take(met);
      });
  if (!visited) return visited;
  if (!is_stopped) {
    if (const Result<void> done = labeller.flush(); !done) return done;
  }
  if (is_stopped || labeller.is_cut()) {
    return fail(fmt::format("stopped with {} of {} decisions labelled", labeller.printed(),
                            arguments.count));
  }
  if (labeller.printed() == 0) {
    return fail(fmt::format("--from: no decision of {} was chosen", arguments.from));
  }
  return {};
}

Result<Job> prepare(const LabelArguments& arguments) {
  if (arguments.from != "random" && arguments.from != "gnubg" &&
      !std::filesystem::is_regular_file(arguments.from)) {
    return fail(
        fmt::format("--from: \"{}\" is neither gnubg nor random nor a file", arguments.from));
  }
  std::vector<Gnubg> judges;
  for (std::size_t i = 0; i < arguments.processes; ++i) {
    Result<Gnubg> judge = Gnubg::start({.ply = 0});
    if (!judge) return judge.error();
    judges.push_back(std::move(*judge));
  }
  return Job([arguments, judges = std::move(judges)]() mutable { return run(arguments, judges); });
}

}  // namespace

void add_label_command(const Command& program) {
  auto arguments = std::make_shared<LabelArguments>();
  const Command command = program.add_command(
      "label", "Have GNU Backgammon judge every play of backgammon decisions, for senet eval");
  command
      .option("--from", arguments->from,
              "where decisions come from: gnubg or random (games played for the purpose, "
              "gnubg's at 0-ply), a log of recorded games, or a file of labels (.jsonl)")
      .shows_default();
  command.option("--count", arguments->count, "decisions wanted; files may hold fewer")
      .shows_default()
      .in_range(1, 100'000'000);
  command.option("--ply", arguments->ply, "how deeply gnubg looks at each play")
      .shows_default()
      .in_range(0, kMostGnubgPly);
  command
      .option("--one-in", arguments->one_in,
              "takes one in so many decisions, so that few stand in the same game; of a file "
              "of labels it takes all")
      .shows_default()
      .in_range(1, 1'000'000);
  std::vector<std::string> phases(backgammon::kPhaseNames.begin(), backgammon::kPhaseNames.end());
  phases.push_back("any");
  command.option("--phase", arguments->phase, "takes decisions of this phase only")
      .shows_default()
      .one_of(phases);
  command.option("--seed", arguments->seed, "fixes dice and choice").shows_default();
  command.option("--processes", arguments->processes, "gnubg processes that judge side by side")
      .shows_default()
      .in_range(1, 256);
  command.footer(
      "Prints one JSON object a line: id, cls, ply, posid, board, dice, n1, moves [[text, "
      "position\n"
      "id after, equity, [win, win gammon, win backgammon, lose gammon, lose backgammon]] ...]. "
      "Cubeless\n"
      "money play without the Jacoby rule. At 2-ply a decision takes about a second.");
  command.runs([arguments] { return run_command("label", prepare(*arguments)); });
}

}  // namespace senet
