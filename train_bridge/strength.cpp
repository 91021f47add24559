#include "train_bridge/strength.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <utility>

#include "nn/file.hpp"
#include "selfplay/match.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/metrics_map.hpp"
#include "train_bridge/run_figures.hpp"
#include "train_bridge/strength_settings.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kGamesAtOnce = 32;

/// Waits; false when stopped.
bool sleep(Seconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, std::chrono::duration_cast<std::chrono::nanoseconds>(time),
                 [] { return false; });
  return !stop.stop_requested();
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Keeps the processor time of this thread below a number of cores, from the construction on.
class Pace {
 public:
  Pace(double cores, std::stop_token stop) : cores_(cores), stop_(std::move(stop)) {}

  /// Sleeps for as long as too much time was taken; false when stopped.
  bool keep() const {
    const double ahead = cpu_seconds() / cores_ - seconds();
    return ahead > 0 ? sleep(Seconds(ahead), stop_) : !stop_.stop_requested();
  }
  bool is_stopped() const { return stop_.stop_requested(); }
  double seconds() const { return Seconds(Clock::now() - began_).count(); }
  double cpu_seconds() const { return thread_cpu_seconds() - cpu_began_; }

 private:
  const double cores_;
  const std::stop_token stop_;
  const Clock::time_point began_ = Clock::now();
  const double cpu_began_ = thread_cpu_seconds();
};

/// A player that sleeps between searches to keep a pace, and can be stopped there.
class PacedPlayer final : public MatchPlayer {
 public:
  PacedPlayer(std::unique_ptr<MatchPlayer> player, const Pace& pace)
      : player_(std::move(player)), pace_(pace) {}

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    for (std::size_t begin = 0; begin < states.size(); begin += kStrengthLanes) {
      if (!pace_.keep()) return fail(SENET_STOPPED, "stopped");
      const std::size_t count = std::min(kStrengthLanes, states.size() - begin);
      const auto chosen = player_->choose(states.subspan(begin, count), draws.subspan(begin, count),
                                          actions.subspan(begin, count));
      if (!chosen) return chosen;
    }
    return {};
  }

 private:
  std::unique_ptr<MatchPlayer> player_;
  const Pace& pace_;
};

/// The grades of a player; none when it was stopped.
Result<std::vector<Metric>> grades_of(MatchPlayer& player, const Exam& exam, const Pace& pace) {
  const std::span<const AnyState> positions(exam.positions);
  std::vector<Random> draws;
  for (std::size_t i = 0; i < positions.size(); ++i) draws.emplace_back(0, i, 0, Purpose::kMove);
  std::vector<Action> actions(positions.size());
  if (const auto chosen = player.choose(positions, draws, actions); !chosen) return chosen.error();
  std::vector<MoveMix> moves;
  for (const Action action : actions) moves.push_back({action});
  return exam.grade(moves, [&pace](std::size_t) { return pace.keep(); }).metrics;
}

/// What two independent differences add up to.
StrengthDifference sum_of(const StrengthDifference& a, const StrengthDifference& b) {
  const double value = a.value + b.value;
  const auto end = [](double x, double y) { return std::hypot(x, y); };
  return {value,
          {value - end(a.value - a.interval.low, b.value - b.interval.low),
           value + end(a.interval.high - a.value, b.interval.high - b.value)}};
}

}  // namespace

Strength::Strength(Parts parts)
    : parts_(std::move(parts)),
      sprt_(sprt_settings("", *parts_.game.any,
                          read_hypotheses("", parts_.config.strength.sprt).value())
                .value()),
      first_generation_(parts_.newest.generation()),
      ledger_(parts_.folder / "strength.jsonl"),
      best_file_(parts_.folder / "weights" / kBestWeights) {
  if (parts_.config.strength.minutes == 0) return;
  if (!continue_ladder()) begin_ladder();
  progress_.rating = rated_.rating;
  progress_.best = rated_.number;
}

// False when there is no ladder; warns when there is one that cannot be continued.
bool Strength::continue_ladder() {
  std::error_code unknown;
  const bool has_ledger = std::filesystem::exists(ledger_, unknown);
  const bool has_best = std::filesystem::exists(best_file_, unknown);
  if (!has_ledger && !has_best) return false;
  const auto begins_again = [&](const std::string& reason) {
    parts_.warning(fmt::format("strength: {}: the ladder begins again with network {}", reason,
                               parts_.number));
    return false;
  };
  Result<Network> best = load_network(best_file_);
  if (best && best->spec() != parts_.config.network) {
    best = fail(best_file_.string() + ": its shape is not that of the run's network");
  }
  if (!best) {
    if (has_best) static_cast<void>(move_aside(best_file_));
    return begins_again(best.error().reason());
  }
  if (!has_ledger) return begins_again(ledger_.string() + " is missing");
  const Result<LedgerState> ledger = read_ledger(ledger_, best->id());
  if (!ledger) return begins_again(ledger.error().reason());
  if (ledger->damaged > 0) {
    parts_.warning(fmt::format("strength: {}: skipped {} damaged line{}", ledger_.string(),
                               ledger->damaged, ledger->damaged == 1 ? "" : "s"));
  }
  if (!ledger->best) {
    return begins_again(fmt::format("{} has no whole line about the network in {}",
                                    ledger_.string(), best_file_.string()));
  }
  last_ = ledger->time.value_or(0);
  progress_.match = ledger->match.value_or(progress_.match);
  rated_ = *ledger->best;
  best_.publish(std::move(*best));
  return true;
}

void Strength::begin_ladder() {
  const SharedWeights first = parts_.newest.newest().weights;
  const RatedNetwork rated{.number = parts_.number, .id = first->id()};
  last_ = unix_seconds();
  // Without this line, the next resume begins the ladder again.
  append(first_line(*parts_.game.any, last_, parts_.learned(), rated));
  make_best(first, rated);
}

void Strength::start() {
  if (parts_.config.strength.minutes == 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    // Gives way to the trainer, as workers do. On Linux the call is about its thread only.
    static_cast<void>(nice(10));
    play_matches(stop);
  });
}

// Until it is stopped.
void Strength::play_matches(const std::stop_token& stop) {
  const Seconds interval(parts_.config.strength.minutes * 60);
  std::uint64_t tested = 0;  // generation of the network that played last
  // Where a match was dropped when the run stopped, it begins again.
  const Seconds since(std::clamp(unix_seconds() - last_, 0.0, interval.count()));
  for (auto began = Clock::now() - std::chrono::duration_cast<Clock::duration>(since);;) {
    const Seconds passed = Clock::now() - began;
    if (!sleep(std::max(interval - passed, Seconds(0)), stop)) return;
    const auto [newest, generation] = parts_.newest.newest();
    if (generation == tested || newest->id() == rated_.id) {
      if (!sleep(std::min(interval, Seconds(1)), stop)) return;
      continue;
    }
    began = Clock::now();
    tested = generation;
    Result<void> played;
    try {
      played = play(newest, parts_.number + generation - first_generation_, stop);
    } catch (const std::bad_alloc&) {
      played = fail("out of memory");
    } catch (const std::exception& error) {  // a user's game
      played = fail(error.what());
    }
    if (!played) parts_.warning("strength: a match was dropped: " + played.error().reason());
  }
}

Result<void> Strength::play(const SharedWeights& newest, std::uint64_t number,
                            const std::stop_token& stop) {
  const AnyGame& game = *parts_.game.any;
  const StrengthSettings& settings = parts_.config.strength;
  const WorkerSettings& worker = parts_.config.selfplay.worker;
  const auto workers = static_cast<double>(parts_.config.selfplay.workers);
  const Pace pace(std::min(1.0, static_cast<double>(settings.share) * workers), stop);
  SearchOptions options{.evaluation = worker.evaluation,
                        .mode = worker.search.evaluates,
                        .workers = 1,
                        .lanes = kStrengthLanes,
                        .settings = worker.search};
  options.evaluation.batch_rows = 0;
  const PlaySettings& play = parts_.config.selfplay.play;
  std::vector<PacedPlayer> players;
  for (const SharedWeights& weights : {newest, best_.newest().weights}) {
    auto made = parts_.game.make_player(game, weights, options, strength_visits(play));
    if (!made) return made.error();
    players.emplace_back(std::move(*made), pace);
  }
  // Plays up to `pairs` pairs, whose openings and dice are those of the seed.
  const auto play_pairs = [&](std::size_t pairs, std::uint64_t seed, MatchResults& results) {
    const MatchHooks hooks{
        .finished = [&](const PlayedGame& played) -> Result<void> {
          results.add(played);
          const std::lock_guard lock(mutex_);
          progress_.pairs = results.counted().size() / 2;
          return {};
        },
        .is_stopped =
            [&] { return pace.is_stopped() || results.decision() != Sprt::Decision::kNone; }};
    return play_match(
        game, players[0], players[1],
        {.pairs = pairs, .ply_cap = play.ply_cap, .seed = seed, .games_at_once = kGamesAtOnce}, {},
        hooks);
  };
  const std::vector<float> values(game.outcome_values.begin(), game.outcome_values.end());
  const std::uint64_t seed = mix(play.seed + number);
  MatchResults tested(values, pair_unit(game), sprt_), rated(values, pair_unit(game), std::nullopt);
  if (const MatchRun run = play_pairs(settings.pairs, seed, tested); run.fault) return *run.fault;
  const bool is_accepted = tested.decision() == Sprt::Decision::kH1;
  if (is_accepted && !pace.is_stopped()) {
    const MatchRun run = play_pairs(std::max(settings.pairs / 2, 1u), mix(seed), rated);
    if (run.fault) return *run.fault;
  }
  if (!pace.keep()) return {};
  const MatchResults& results = is_accepted ? rated : tested;
  const StrengthDifference difference = strength_difference(game, results);
  const RatedNetwork network{number, newest->id(), sum_of(rated_.rating, difference)};
  record({.network = network,
          .best = rated_,
          .tested_pairs = tested.counted().size() / 2,
          .decision = tested.decision(),
          .sum = sum_up(results.counted(), results.values()),
          .difference = difference,
          .seconds = pace.seconds(),
          .cpu_seconds = pace.cpu_seconds()},
         newest);
  if (parts_.exam == nullptr) return {};
  const Result<std::vector<Metric>> grades = grades_of(players[0], *parts_.exam, pace);
  if (!grades) return grades.error().status() == SENET_STOPPED ? Result<void>() : grades.error();
  if (pace.keep()) record_grades(network, *grades);
  return {};
}

void Strength::record(const RatedMatch& match, const SharedWeights& weights) {
  const AnyGame& game = *parts_.game.any;
  if (!append(match_line(game, unix_seconds(), parts_.learned(), match))) return;
  const RatedNetwork& after = match.best_after();
  if (match.is_accepted()) make_best(weights, after);
  const std::lock_guard lock(mutex_);
  progress_.rating = after.rating;
  progress_.match = match.difference;
  progress_.pairs = match.sum.games / 2;
  progress_.best = after.number;
  notes_.push_back(fmt::format("network {} {} {}: {}, rating {:.{}f}", match.network.number,
                               match.is_accepted() ? "beats" : "does not beat", match.best.number,
                               difference_text(game, match.difference), after.rating.value,
                               has_elo(game) ? 0 : 3));
}

void Strength::record_grades(const RatedNetwork& network, const std::vector<Metric>& grades) {
  append(grades_line(unix_seconds(), network, grades));
  const std::lock_guard lock(mutex_);
  progress_.grade = grades.empty() ? StrengthProgress::kUnknown : grades.front().value;
}

void Strength::make_best(const SharedWeights& weights, const RatedNetwork& rated) {
  warn_of_file(save_network(weights->network(), best_file_), "the best network");
  rated_ = rated;
  best_.publish(weights);
}

bool Strength::append(std::string line) {
  line += '\n';
  Result<FileHandle> file = open_lines(ledger_);
  Result<void> added;
  if (!file) added = file.error();
  if (added) added = file->append(std::as_bytes(std::span(line)));
  if (added) added = file->sync();
  warn_of_file(added, "the ledger of matches");
  return added.has_value();
}

void Strength::warn_of_file(const Result<void>& written, const std::string& what) {
  if (written) {
    unwritten_.erase(what);
  } else if (unwritten_.insert(what).second) {
    parts_.warning(fmt::format("strength: {} cannot be written: the run continues without it ({})",
                               what, written.error().reason()));
  }
}

}  // namespace senet
