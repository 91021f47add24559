// A run as called by a program for its own game: by the game's type, with hooks.
#include <gtest/gtest.h>
#include <unistd.h>
#include <senet/train.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "selfplay/parked_file.hpp"
#include "selfplay/record_log.hpp"
#include "selfplay/record_replay.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/tiny_config.hpp"
#include "train_bridge/metrics_map.hpp"
#include "train_bridge/stall_watch.hpp"

namespace senet {

/// A game that is not registered: tic-tac-toe under another name.
struct Noughts : TicTacToe {
  static constexpr std::string_view kName = "noughts";
  Noughts() = default;
  explicit Noughts(const TicTacToe& state) : TicTacToe(state) {}
  static Result<Noughts> from_text(std::string_view text) {
    const Result<TicTacToe> state = TicTacToe::from_text(text);
    if (!state) return state.error();
    return Noughts(*state);
  }
  Noughts mirrored() const { return Noughts(TicTacToe::mirrored()); }
  static Action mirrored(Action action) { return TicTacToe::mirrored(action); }
};

namespace {

class OwnRun : public testing::Test {
 protected:
  RunConfig config() const {
    RunConfig config = *default_config<Noughts>();
    make_tiny(config);
    set_all(config, {{"blocks", "0"}, {"begin-after", "100"}, {"temperature-plies", "4"}});
    return config;
  }
  std::filesystem::path folder() const { return folder_ / "run"; }

  const TemporaryFolder folder_;
};

TEST_F(OwnRun, BeginsShowsHowFarItIsAndEndsAtItsLimit) {
  ASSERT_TRUE(check_game<Noughts>());
  std::vector<RunPhase> phases;
  int begun = 0;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& beginning) {
    EXPECT_TRUE(phases.empty());
    EXPECT_EQ(beginning.config.game, "noughts");
    EXPECT_EQ(beginning.trainer, "cpu, 1 thread");
    ++begun;
  };
  std::uint64_t games = 0;
  hooks.progresses = [&](const RunProgress& now) {
    EXPECT_GE(now.learn.games, games);
    games = now.learn.games;
    phases.push_back(now.phase);
  };
  hooks.warning = [](const std::string& warning) { ADD_FAILURE() << warning; };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 200, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_EQ(begun, 1);
  ASSERT_FALSE(phases.empty());
  EXPECT_EQ(phases.back(), RunPhase::kSaving);
  EXPECT_TRUE(std::ranges::is_sorted(phases));
  EXPECT_EQ(ended->progress.learn.games, 200u);
  EXPECT_GT(ended->progress.learn.steps, 0u);
  EXPECT_GT(ended->progress.searches, 200u);
  EXPECT_GE(ended->progress.visits, ended->progress.searches);
  EXPECT_GT(ended->progress.evaluations, 0u);

  // The run can be resumed with its own settings, and only as a run of this game.
  const Result<RunConfig> saved = load_config<Noughts>(folder());
  ASSERT_TRUE(saved) << saved.error().reason();
  EXPECT_EQ(config_text(*saved), config_text(config()));
  const Result<RunSummary> more =
      run<Noughts>(*saved, {.folder = folder(), .resume = true, .games = 50});
  ASSERT_TRUE(more) << more.error().reason();
  EXPECT_EQ(more->progress.learn.games, 250u);
  const Result<RunConfig> other = load_config<TicTacToe>(folder());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().reason().find("the run trains noughts, not tic_tac_toe"),
            std::string::npos);

  // Its weights can play, but only this game.
  const auto player = load_player<Noughts>(more->weights, 20);
  ASSERT_TRUE(player) << player.error().reason();
  const auto result = match_result<Noughts>(**player, {.pairs = 20, .random_plies = 0});
  ASSERT_TRUE(result) << result.error().reason();
  EXPECT_EQ(result->games, 40u);
  EXPECT_GT(result->score, 0.6);
  EXPECT_FALSE(load_player<TicTacToe>(more->weights, 20));
}

// A worker that hangs, here in a hook, is seen while the others play.
TEST_F(OwnRun, SeesThatAWorkerIsStuck) {
  RunConfig settings = config();
  settings.selfplay.workers = 2;
  std::atomic<bool> is_held{false}, is_free{false};
  RunHooks hooks;
  hooks.learns = [&] {
    if (is_held.exchange(true)) return true;
    for (int i = 0; i < 12'000 && !is_free; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  };
  double longest = 0;
  hooks.progresses = [&](const RunProgress& now) {
    longest = std::max(longest, now.stalled_seconds);
    if (longest > 1.5) is_free = true;
  };
  hooks.order = [&] { return is_free ? RunOrder::kFinish : RunOrder::kContinue; };
  const Result<RunSummary> ended = run<Noughts>(settings, {.folder = folder()}, hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_GT(longest, 1.5);
}

// The watch's time runs for each part alone, and not for one that has ended.
TEST(StallWatch, FindsThePartThatMakesNoProgress) {
  StallWatch watch;
  using Parts = std::array<StallWatch::Part, 2>;
  EXPECT_EQ(watch.look(0, Parts{{{true, 1}, {true, 1}}}), 0);
  EXPECT_EQ(watch.look(3, Parts{{{true, 2}, {true, 1}}}), 3);
  EXPECT_EQ(watch.look(5, Parts{{{true, 3}, {true, 1}}}), 5);
  EXPECT_EQ(watch.look(6, Parts{{{true, 3}, {true, 2}}}), 1);
  EXPECT_EQ(watch.look(9, Parts{{{false, 3}, {true, 3}}}), 0);
  EXPECT_EQ(watch.look(12, Parts{{{false, 3}, {true, 4}}}), 0);
}

// `auto` is timed once: a resumed run has the same evaluator.
TEST_F(OwnRun, RecordsTheEvaluatorThatItChose) {
  RunConfig begun = config();
  begun.selfplay.worker.evaluation.kind = EvaluatorKind::kAuto;
  EvaluatorKind chosen = EvaluatorKind::kAuto;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& beginning) {
    chosen = beginning.config.selfplay.worker.evaluation.kind;
  };
  const auto ended = run<Noughts>(begun, {.folder = folder(), .games = 2}, hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_NE(chosen, EvaluatorKind::kAuto);
  const Result<RunConfig> saved = load_config<Noughts>(folder());
  ASSERT_TRUE(saved) << saved.error().reason();
  EXPECT_EQ(saved->selfplay.worker.evaluation.kind, chosen);
}

TEST_F(OwnRun, EndsAtItsPlannedLengthAndCanBeLengthened) {
  RunConfig planned = config();
  planned.learn.planned_games = 20;
  planned.learn.learning_rate = *Schedule::parse("0.001@0.5,0.0001@1");
  const auto first = run<Noughts>(planned, {.folder = folder(), .games = 15});
  ASSERT_TRUE(first) << first.error().reason();
  EXPECT_EQ(first->progress.learn.games, 15u);
  const RunOptions resumed{.folder = folder(), .resume = true};
  const auto second = run<Noughts>(planned, resumed);
  ASSERT_TRUE(second) << second.error().reason();
  EXPECT_EQ(second->progress.learn.games, 20u);
  const auto over = run<Noughts>(planned, resumed);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().reason(),
            "planned-games: the run has played its 20 games; a larger number lengthens it");
  planned.learn.planned_games = 25;
  const auto longer = run<Noughts>(planned, resumed);
  ASSERT_TRUE(longer) << longer.error().reason();
  EXPECT_EQ(longer->progress.learn.games, 25u);
}

TEST_F(OwnRun, EndsAfterItsPlannedMinutesAndCanBeLengthened) {
  RunConfig planned = config();
  planned.learn.learning_rate = *Schedule::parse("0.001@0.5,0.0001@1");
  planned.learn.planned_minutes = 1000;
  const auto first = run<Noughts>(planned, {.folder = folder(), .games = 20});
  ASSERT_TRUE(first) << first.error().reason();
  const RunOptions resumed{.folder = folder(), .resume = true};
  planned.learn.planned_minutes = 1e-9;
  const auto over = run<Noughts>(planned, resumed);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().reason(),
            "planned-minutes: the run has taken its 1e-09 minutes; a larger number lengthens it");
  // Nothing else ends this one, after about a second more.
  planned.learn.planned_minutes = (first->progress.seconds + 1) / 60;
  const auto longer = run<Noughts>(planned, resumed);
  ASSERT_TRUE(longer) << longer.error().reason();
  EXPECT_GT(longer->progress.learn.games, 20u);
  EXPECT_EQ(longer->progress.learn.planned_share, 1);
}

// At once, and in a resumed run as far as it has come.
TEST_F(OwnRun, LimitsTheVisitsOfItsSearches) {
  RunConfig limited = config();
  set_all(limited, {{"visits", "12"}, {"fast-visits", "12"}, {"full-share", "1"}});
  limited.selfplay.play.visit_limit = *Schedule::parse("6@0.5,2@0.6");
  limited.learn.planned_games = 100;
  ASSERT_TRUE(run<Noughts>(limited, {.folder = folder(), .games = 20}));
  limited.learn.planned_games = 30;
  ASSERT_TRUE(run<Noughts>(limited, {.folder = folder(), .resume = true}));
  std::array<std::uint64_t, 2> most{};  // before the stop, and after it
  RecordReader reader = RecordReader::open(folder() / "games.senet").value();
  for (GameRecord record; reader.next(record).value_or(false);) {
    for (const RecordedTurn& turn : record.turns()) {
      std::uint64_t visits = 0;
      for (const VisitCount& count : record.visits(turn)) visits += count.visits;
      std::uint64_t& so_far = most[record.game_number < 20 ? 0 : 1];
      so_far = std::max(so_far, visits);
    }
  }
  EXPECT_GT(most[0], 2u);
  EXPECT_LE(most[0], 6u);
  EXPECT_GT(most[1], 0u);
  EXPECT_LE(most[1], 2u);
}

// Games that start where others were misjudged: legal, recorded with their start, and in a resumed
// run from its first game on, since the log of the first one has hard positions.
TEST_F(OwnRun, StartsGamesFromItsHardPositions) {
  RunConfig hard = config();
  hard.selfplay.play.starts.sources = "hard@0.5,game@0.5";
  hard.queue_games = 1;
  const auto started = [&](std::uint64_t from, std::uint64_t end) {
    std::uint64_t games = 0;
    RecordReader reader = RecordReader::open(folder() / "games.senet").value();
    for (GameRecord record; reader.next(record).value_or(false);) {
      std::vector<Noughts> states;
      const Result<void> replayed = replay(record, states);
      EXPECT_TRUE(replayed) << replayed.error().reason();
      games += record.game_number >= from && record.game_number < end && !record.start.empty();
    }
    return games;
  };
  const auto first = run<Noughts>(hard, {.folder = folder(), .games = 400});
  ASSERT_TRUE(first) << first.error().reason();
  EXPECT_GT(started(0, 400), 50u);
  const auto second = run<Noughts>(hard, {.folder = folder(), .resume = true, .games = 40});
  ASSERT_TRUE(second) << second.error().reason();
  EXPECT_GT(started(400, 440), 5u);
}

TEST_F(OwnRun, LearnsOnlyFromGamesThatItMayLearnFrom) {
  RunHooks hooks;
  hooks.learns = [] { return false; };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 40, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_EQ(ended->progress.finished_games, 40u);
  EXPECT_EQ(ended->progress.learn.games, 0u);
}

TEST_F(OwnRun, SaysOnceThatFiguresCannotBeWritten) {
  std::filesystem::create_directories(folder() / "metrics.jsonl");
  std::vector<std::string> warnings;
  RunHooks hooks;
  hooks.warning = [&](const std::string& warning) { warnings.push_back(warning); };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 10, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("metrics.jsonl: cannot be written"), std::string::npos);
}

// As by logrotate.
TEST_F(OwnRun, BeginsItsFiguresAgainWhenTheyWereMoved) {
  const std::array files = {folder() / "metrics.jsonl", folder() / "metrics.map"};
  bool is_moved = false;
  RunHooks hooks;
  hooks.warning = [](const std::string& warning) { ADD_FAILURE() << warning; };
  hooks.progresses = [&](const RunProgress& now) {
    if (now.finished_games < 20 || std::exchange(is_moved, true)) return;
    for (const auto& file : files) std::filesystem::rename(file, file.string() + ".old");
  };
  hooks.order = [&] { return is_moved ? RunOrder::kFinish : RunOrder::kContinue; };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .trainer = {.backend = TrainerBackend::kCpu}}, hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  ASSERT_TRUE(is_moved);
  const std::string lines = text_of(files[0]);
  EXPECT_TRUE(lines.starts_with("{\"seconds\":")) << lines;
  EXPECT_TRUE(lines.ends_with("}\n")) << lines;
  auto map = MetricsReader::open(files[1]);
  ASSERT_TRUE(map) << map.error().reason();
  EXPECT_TRUE(map->read()->has_ended);
}

TEST_F(OwnRun, ReportsWhatHappenedToItsLog) {
  const auto base = folder_ / "base";
  const auto begun = run<Noughts>(
      config(), {.folder = base, .games = 30, .trainer = {.backend = TrainerBackend::kCpu}});
  ASSERT_TRUE(begun) << begun.error().reason();
  const std::vector<std::byte> whole = read_file(base / "games.senet");
  std::vector<std::uint64_t> ends;  // of each record, and the beginning of the first
  {
    auto reader = RecordReader::open(base / "games.senet");
    ASSERT_TRUE(reader);
    ends.push_back(reader->position());
    for (GameRecord record; *reader->next(record);) ends.push_back(reader->position());
  }
  ASSERT_EQ(ends.size(), 31u);
  const auto place = [](auto& bytes, std::uint64_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
  };
  const std::string size = std::to_string(whole.size());
  const auto too_short = [&](std::uint64_t bytes) {
    return "game log: its end is missing: it has " + std::to_string(bytes) + " bytes, but had " +
           size + " when the checkpoint was written";
  };
  const auto lacks = [](int games) {
    return "game log: it lacks " + std::to_string(games) +
           " of the 30 games that the checkpoint counts";
  };
  /// Resumes a copy of the run with this log, for one game; returns the warnings.
  const auto warnings = [&](const char* name, const std::optional<std::vector<std::byte>>& log) {
    std::filesystem::copy(base, folder_ / name, std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder_ / name / "games.senet");
    if (log) write_file(folder_ / name / "games.senet", *log);
    std::vector<std::string> heard;
    RunHooks hooks;
    hooks.warning = [&](const std::string& warning) { heard.push_back(warning); };
    const auto ended = run<Noughts>(config(),
                                    {.folder = folder_ / name,
                                     .resume = true,
                                     .games = 1,
                                     .trainer = {.backend = TrainerBackend::kCpu}},
                                    hooks);
    EXPECT_TRUE(ended) << ended.error().reason();
    if (ended) {
      EXPECT_EQ(ended->progress.learn.games, 31u) << name;
    }
    return heard;
  };
  using Lines = std::vector<std::string>;
  const auto begun_again = [&](const char* name, const std::string& why) {
    return Lines{"game log: " + (folder_ / name / "games.senet").string() + " " + why +
                 ": a new log was begun, without the 30 games that the checkpoint counts"};
  };
  EXPECT_EQ(warnings("untouched", whole), Lines{});
  EXPECT_EQ(warnings("missing", std::nullopt), begun_again("missing", "was missing"));
  EXPECT_EQ(warnings("empty", std::vector<std::byte>{}),
            begun_again("empty", "contained no games"));
  auto changed = whole;
  changed.resize(ends[10]);
  EXPECT_EQ(warnings("shorter", changed), (Lines{too_short(ends[10]), lacks(20)}));
  changed = whole;
  changed[ends[10] + 20] ^= std::byte{1};
  EXPECT_EQ(warnings("damaged", changed),
            (Lines{"game log: skipped " + std::to_string(ends[11] - ends[10]) +
                       " damaged bytes in 1 place",
                   lacks(1)}));
  changed = whole;
  changed.erase(place(changed, ends[10]), place(changed, ends[12]));
  EXPECT_EQ(warnings("cut", changed),
            (Lines{too_short(whole.size() - (ends[12] - ends[10])), lacks(2)}));
  changed = whole;
  changed.insert(place(changed, ends[12]), place(whole, ends[10]), place(whole, ends[12]));
  EXPECT_EQ(warnings("doubled", changed),
            Lines{"game log: skipped 2 records of games that occur earlier in it"});
  changed = whole;
  std::vector<std::byte> frame;
  FramePacker(0).pack(std::vector<std::byte>(9, std::byte{9}), frame);
  changed.insert(changed.end(), frame.begin(), frame.end());
  EXPECT_EQ(warnings("undecodable", changed),
            Lines{"game log: skipped 1 record that cannot be decoded, the first at byte " + size +
                  ": record payload, byte 1: version 9 is not 1 to 2"});
}

// The main thread looks for the log's file while the trainer's thread replaces it.
TEST_F(OwnRun, ClosesFilesOfItsLogWhileItPlays) {
  RunConfig small = config();
  ASSERT_TRUE(apply_setting(small, "log-segment-mib", "0.002"));
  std::vector<std::string> warnings;
  RunHooks hooks;
  hooks.warning = [&](const std::string& warning) { warnings.push_back(warning); };
  for (const std::uint64_t games : {60, 120, 180}) {
    const auto ended = run<Noughts>(small,
                                    {.folder = folder(),
                                     .resume = games > 60,
                                     .games = 60,
                                     .trainer = {.backend = TrainerBackend::kCpu}},
                                    hooks);
    ASSERT_TRUE(ended) << ended.error().reason();
    EXPECT_EQ(ended->progress.learn.games, games);
  }
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_GT(segments_in(folder()).size(), 5u);
  SeenGames seen;
  auto reader = GameLogReader::open(folder());
  ASSERT_TRUE(reader);
  for (GameRecord record; *reader->next(record);) EXPECT_TRUE(seen.add(record.game_number));
  EXPECT_EQ(seen.count(), 180u);
  EXPECT_EQ(seen.end(), 180u);
  // Without its newest file, which is reported; the others are still known.
  std::filesystem::remove(folder() / kGrowingFile);
  const auto ended = run<Noughts>(small,
                                  {.folder = folder(),
                                   .resume = true,
                                   .games = 5,
                                   .trainer = {.backend = TrainerBackend::kCpu}},
                                  hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  ASSERT_GE(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "game log: " + (folder() / kGrowingFile).string() +
                             " was missing: a new log was begun");
  EXPECT_EQ(ended->progress.learn.games, 185u);
}

// Who removes the log of a running program does not let a second one in.
TEST_F(OwnRun, ItsLockIsAFileOfItsOwn) {
  const RunOptions here{.folder = folder(), .games = 1};
  {
    auto first = Run::open(game_table<RunGame, Noughts>(), config(), here);
    ASSERT_TRUE(first) << first.error().reason();
    const std::string process = std::to_string(::getpid());
    EXPECT_EQ(text_of(folder() / "lock"), process + "\n");
    std::filesystem::remove(folder() / "games.senet");
    const auto second = Run::open(game_table<RunGame, Noughts>(), config(), here);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().reason(), (folder() / "lock").string() + ": is in use by process " +
                                           process + ", which plays this run");
    EXPECT_FALSE(std::filesystem::exists(folder() / "games.senet"));
  }
  EXPECT_TRUE(run<Noughts>(config(), here));
}

// With games that are written, and with none, so that only the run itself can notice it. The games
// are kept, and when they are put back, the run continues as after a crash.
TEST_F(OwnRun, EndsWhenItsLogIsRemoved) {
  for (const bool learns : {true, false}) {
    const auto where = folder_ / (learns ? "writes" : "idles");
    const std::string log = where / "games.senet", kept = log + ".removed";
    RunHooks hooks;
    hooks.learns = [&] { return learns; };
    bool is_removed = false;
    hooks.progresses = [&](const RunProgress& now) {
      if (now.finished_games >= 20 && !is_removed) is_removed = std::filesystem::remove(log);
    };
    const RunOptions here{
        .folder = where, .minutes = 5, .trainer = {.backend = TrainerBackend::kCpu}};
    const auto ended = run<Noughts>(config(), here, hooks);
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().reason().starts_with(
        log + ": the log was removed while it was being written; its games are now in " + kept))
        << ended.error().reason();
    EXPECT_FALSE(std::filesystem::exists(log));
    std::filesystem::rename(kept, log);
    const auto put_back = RecordLog::open(log, "noughts", {});
    ASSERT_TRUE(put_back) << put_back.error().reason();
    EXPECT_EQ(put_back->records() > 0, learns);
    const auto parked = load_parked(where / "parked.senet", "noughts");
    ASSERT_TRUE(parked) << parked.error().reason();
    EXPECT_FALSE(parked->games.empty());
  }
  std::vector<std::string> warnings;
  RunHooks hooks;
  hooks.warning = [&](const std::string& warning) { warnings.push_back(warning); };
  std::uint64_t before = 0;
  hooks.begins = [&](const RunBeginning& beginning) { before = beginning.games; };
  const auto resumed = run<Noughts>(config(),
                                    {.folder = folder_ / "writes",
                                     .resume = true,
                                     .games = 5,
                                     .trainer = {.backend = TrainerBackend::kCpu}},
                                    hooks);
  ASSERT_TRUE(resumed) << resumed.error().reason();
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_GT(before, 0u);
  EXPECT_EQ(resumed->progress.learn.games, before + 5);
}

TEST_F(OwnRun, EndsWhenItIsOrderedTo) {
  for (const RunOrder order : {RunOrder::kFinish, RunOrder::kPark}) {
    std::vector<RunPhase> phases;
    RunHooks hooks;
    hooks.progresses = [&](const RunProgress& now) { phases.push_back(now.phase); };
    hooks.order = [&] { return phases.size() < 3 ? RunOrder::kContinue : order; };
    const auto where = folder_ / (order == RunOrder::kPark ? "dropped" : "finished");
    const Result<RunSummary> ended = run<Noughts>(config(), {.folder = where}, hooks);
    ASSERT_TRUE(ended) << ended.error().reason();
    const auto wanted = order == RunOrder::kPark ? RunPhase::kParking : RunPhase::kFinishing;
    ASSERT_GT(phases.size(), 3u);
    EXPECT_EQ(phases[2], RunPhase::kPlaying);
    EXPECT_EQ(phases[3], wanted);
    EXPECT_TRUE(std::filesystem::exists(ended->weights));
  }
}

// The self-play and training threads still end.
TEST_F(OwnRun, AHookMayThrow) {
  RunHooks hooks;
  hooks.progresses = [](const RunProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(run<Noughts>(config(), {.folder = folder()}, hooks)),
               std::runtime_error);
  EXPECT_TRUE(run<Noughts>(*load_config<Noughts>(folder()),
                           {.folder = folder(), .resume = true, .games = 1}));
}

TEST_F(OwnRun, RefusesWhatMakesNoSense) {
  const auto refused = [&](const RunConfig& config, const RunOptions& options) {
    const Result<RunSummary> ended = run<Noughts>(config, options);
    EXPECT_FALSE(ended);
    EXPECT_FALSE(std::filesystem::exists(folder()));
    return ended ? std::string() : ended.error().reason();
  };
  const RunOptions here{.folder = folder(), .games = 1};
  EXPECT_EQ(refused(config(), {.games = 1}), "folder: name the run folder");
  RunConfig wrong = config();
  wrong.game = "tic_tac_toe";
  EXPECT_EQ(refused(wrong, here), "the settings are those of tic_tac_toe, not of noughts");
  wrong = config();
  wrong.selfplay.worker.lanes = 0;
  EXPECT_EQ(refused(wrong, here), "lanes takes a whole number 1 .. 4096, not \"0\"");
  wrong = config();
  wrong.selfplay.worker.search.evaluates = Evaluates::kAfterstates;
  EXPECT_EQ(refused(wrong, here), "mode: noughts has no afterstates");
  wrong = config();
  wrong.network.policy_head = false;
  EXPECT_EQ(refused(wrong, here),
            "mode: a network without a policy head cannot evaluate positions");
  wrong = config();
  wrong.learn.samples.lambda = *Schedule::parse("1@0.1,0.7@0.2");
  EXPECT_EQ(refused(wrong, here),
            "lambda: a schedule needs the length of the run, planned-games or planned-minutes");
  // Only one program at a time can open the folder.
  auto first = Run::open(game_table<RunGame, Noughts>(), config(), here);
  ASSERT_TRUE(first) << first.error().reason();
  EXPECT_EQ(first->folder(), folder());
  EXPECT_FALSE(run<Noughts>(config(), here));
}

}  // namespace
}  // namespace senet
