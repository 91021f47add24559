// senet selfplay: stopped, killed, resumed, with damaged files and on full disks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "tests/effort.hpp"
#include "tests/tools/run/checked_run.hpp"

namespace senet {
namespace {

class SelfPlayCommand : public CheckedRun {};

TEST_F(SelfPlayCommand, MakesARunAndGoesOnWithIt) {
  expect_finished(run_senet(tiny({"--games", "60"})));
  EXPECT_EQ(games(), first(60));
  const Checkpoint begun = checkpoint();
  EXPECT_EQ(begun.games, 60u);
  EXPECT_EQ(begun.next_game, 60u);
  EXPECT_GT(begun.trainer.steps, 0u);
  EXPECT_GT(begun.iterations, 0u);
  for (const char* name : {"config.json", "metrics.jsonl", "weights/000000.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(run() / name)) << name;
  }
  const Result<Network> latest = load_network(run() / "weights/latest.safetensors");
  ASSERT_TRUE(latest) << latest.error().reason();
  EXPECT_TRUE(std::ranges::equal(latest->parameters(), begun.trainer.ema));

  // The same call continues it.
  expect_finished(run_senet(tiny({"--games", "10"})));
  EXPECT_EQ(games(), first(70));
  EXPECT_FALSE(std::filesystem::exists(run() / "changes.jsonl"));

  std::uint64_t played = 70;
  for (const std::uint64_t more : {1, 30, 9}) {
    const Checkpoint before = checkpoint();
    expect_finished(run_senet(resume({"--games", std::to_string(more)})));
    played += more;
    EXPECT_EQ(games(), first(played));
    const Checkpoint after = checkpoint();
    EXPECT_EQ(after.games, played);
    EXPECT_EQ(after.next_game, played);
    EXPECT_GT(after.positions, before.positions);
    EXPECT_GE(after.trainer.steps, before.trainer.steps);
    EXPECT_GE(after.iterations, before.iterations);
    if (more == 30) {
      EXPECT_GT(after.trainer.steps, before.trainer.steps);
      EXPECT_GT(after.iterations, before.iterations);
    }
  }
}

TEST_F(SelfPlayCommand, BackgammonLearnsFromAfterstates) {
  expect_finished(run_senet({"selfplay",
                             "--run",
                             run().string(),
                             "--game",
                             "backgammon",
                             "--width",
                             "16",
                             "--blocks",
                             "1",
                             "--workers",
                             "1",
                             "--lanes",
                             "4",
                             "--games",
                             "4",
                             "--begin-after",
                             "20",
                             "--train-batch",
                             "16",
                             "--quiet"}));
  EXPECT_EQ(games(), first(4));
  NetworkSpec tiny = default_config("backgammon")->network;
  tiny.width = 16;
  tiny.blocks = 1;
  const Result<Checkpoint> saved = load_checkpoint(run() / "checkpoint.safetensors", tiny);
  ASSERT_TRUE(saved) << saved.error().reason();
  EXPECT_GT(saved->trainer.steps, 0u);
}

// A new run gets the policy that its mode needs; a resumed one keeps its mode.
TEST_F(SelfPlayCommand, TheModeDecidesAboutThePolicy) {
  const auto config_with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"selfplay", "--print-config", "--mode", "position"});
    const ProgramRun printed = run_senet(arguments);
    EXPECT_EQ(printed.exit_code, 0) << printed.err;
    return printed.out;
  };
  const auto has = [](const std::string& text, const char* line) {
    return text.find(line) != std::string::npos;
  };
  std::string text = config_with({"--game", "backgammon"});
  EXPECT_TRUE(has(text, "\"policy-head\": true,") && has(text, "\"policy-weight\": 1.0,")) << text;
  text = config_with({"--game", "backgammon", "--policy-weight", "0.5"});
  EXPECT_TRUE(has(text, "\"policy-head\": true,") && has(text, "\"policy-weight\": 0.5,")) << text;

  const ProgramRun moves =
      run_senet({"selfplay", "--print-config", "--mode", "moves", "--game", "cube2"});
  EXPECT_TRUE(has(moves.out, "\"dueling\": true,") && has(moves.out, "\"policy-head\": true,") &&
              has(moves.out, "\"policy-weight\": 0.0,"))
      << moves.out << moves.err;

  RunConfig config = *default_config("backgammon");
  config.network.policy_head = true;
  std::filesystem::create_directories(run());
  ASSERT_TRUE(save_config(config, run() / "config.json"));
  const auto run_with = [&](const char* mode) {
    return run_senet({"selfplay", "--print-config", "--mode", mode, "--run", run().string()});
  };
  expect_failure(run_with("position"), 2, "selfplay",
                 "--mode: the network of the run has learned to evaluate \"afterstates\"");
  text = run_with("afterstates").out;
  EXPECT_TRUE(has(text, "\"policy-head\": true,") && has(text, "\"policy-weight\": 0.0,")) << text;
}

// The games in play are parked: a resumed run continues them before it begins others.
TEST_F(SelfPlayCommand, SignalsEndItWellAndItCanGoOn) {
  ::signal(SIGHUP, SIG_DFL);  // even under nohup
  std::uint64_t size = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    BackgroundProgram program(size == 0 ? tiny({}) : resume());
    ASSERT_TRUE(wait_for_games(program, size + 5000)) << program.err();
    program.send(signal);
    EXPECT_EQ(program.wait(), 0) << program.err();
    const auto numbers = games();
    const Checkpoint saved = checkpoint();
    EXPECT_EQ(saved.games, numbers.size());
    EXPECT_EQ(saved.log_position, log_size());
    // Every game that was begun is finished or parked.
    std::set<std::uint64_t> begun = numbers;
    for (const GameRecord& game : parked()) {
      EXPECT_TRUE(begun.insert(game.game_number).second) << game.game_number << " is in the log";
    }
    EXPECT_EQ(begun, first(begun.size()));
    EXPECT_GE(begun.size(), 16u);
    size = log_size();
  }
  const std::size_t begun = games().size() + parked().size();
  expect_finished(run_senet(resume({"--games", std::to_string(parked().size() + 2)})));
  EXPECT_EQ(games(), first(begun + 2));
  EXPECT_FALSE(std::filesystem::exists(run() / "parked.senet"));
}

// With these visits the games in play take minutes, in a tree search and in one by plies.
TEST_F(SelfPlayCommand, ParksLongGamesAtOnceAndContinuesThem) {
  const Arguments trees = {"--game", "connect_four", "--visits", "20000",          "--full-share",
                           "1",      "--lanes",      "4",        "--random-plies", "4"};
  const Arguments plies = {"--game", "backgammon",          "--ply", "2",       "--noise",
                           "0",      "--temperature-plies", "0",     "--lanes", "4"};
  struct Case {
    Arguments settings;
    int signal;
  };
  for (const auto& [slow, signal] : {Case{trees, SIGTERM}, Case{plies, SIGINT}}) {
    std::filesystem::remove_all(run());
    BackgroundProgram program(with({"selfplay", "--run", run().string(), "--workers", "2"}, slow));
    while (program.running() && program.err().find("\n00:0") == std::string::npos) ::usleep(2000);
    ::sleep(1);
    ASSERT_TRUE(program.running()) << program.err();
    program.send(signal);
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_NE(program.err().find(" parking the games in play  "), std::string::npos)
        << program.err();
    const std::vector<GameRecord> left = parked();
    ASSERT_GE(left.size(), 1u);
    const auto turns = [](const GameRecord& game) { return game.turns().size(); };
    EXPECT_GT(std::ranges::max(left, {}, turns).turns().size(), 0u);
    const std::size_t before = games().size();  // a fast machine may have finished one already
    // Finished fast now, from where they were.
    const ProgramRun rest = run_senet({"selfplay", "--run", run().string(), "--resume", "--games",
                                       "8", "--visits", "4", "--ply", "0", "--quiet"});
    expect_finished(rest);
    std::map<std::uint64_t, GameRecord> finished;
    auto reader = RecordReader::open(run() / "games.senet");
    ASSERT_TRUE(reader) << reader.error().reason();
    GameRecord record;
    while (*reader->next(record)) finished[record.game_number] = record;
    ASSERT_EQ(finished.size(), before + 8);
    for (const GameRecord& game : left) {
      const GameRecord& whole = finished[game.game_number];
      ASSERT_GT(whole.turns().size(), game.turns().size());
      for (std::size_t i = 0; i < game.turns().size(); ++i) {
        EXPECT_EQ(whole.turns()[i].action, game.turns()[i].action);
      }
    }
  }
}

TEST_F(SelfPlayCommand, DamagedParkedGamesBeginAgain) {
  BackgroundProgram program(tiny({}));
  ASSERT_TRUE(wait_for_games(program, 5000)) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto file = run() / "parked.senet";
  const std::size_t begun = games().size() + parked().size();
  const std::string good = text_of(file);
  ASSERT_GT(good.size(), 100u);
  std::uint64_t played = begun;
  for (const std::string& bad :
       {good.substr(0, good.size() - 1), std::string("nothing"), std::string(good.size(), '\0')}) {
    write_text(file, bad);
    const ProgramRun resumed = run_senet(resume({"--games", "40"}));
    expect_finished(resumed);
    EXPECT_NE(resumed.err.find("parked.senet"), std::string::npos) << resumed.err;
    played = games().size();
    EXPECT_EQ(games(), first(played)) << "numbers are missing";
  }
  EXPECT_GT(played, begun);
}

// A daemon does not end because the reader of its progress has gone.
TEST_F(SelfPlayCommand, PlaysOnWithoutAReader) {
  ::signal(SIGPIPE, SIG_DFL);  // as for a program that a shell starts
  Arguments words = tiny({"--games", "2000"});
  std::erase(words, "--quiet");
  words.insert(words.begin(),
               {"-c", "{ \"$0\" \"$@\" 2>&1; echo $? > \"$CODE\"; } | head -1", SENET_PROGRAM});
  const std::string code = (folder_ / "code").string();
  ::setenv("CODE", code.c_str(), 1);
  const ProgramRun piped = run_program("/bin/sh", words);
  EXPECT_EQ(piped.out, "tic_tac_toe: 8 visits; 2 workers x 8 lanes\n");
  EXPECT_EQ(text_of(code), "0\n");
  EXPECT_EQ(games(), first(2000));
  EXPECT_EQ(checkpoint().games, 2000u);
}

// The reader of its messages is there, but never reads, and the pipe is full.
TEST_F(SelfPlayCommand, DoesNotWaitForAReader) {
  Arguments words = tiny({"--games", "50"});
  std::erase(words, "--quiet");
  const std::string pipe = (folder_ / "pipe").string();
  words.insert(words.begin(), {"-c",
                               "mkfifo \"$PIPE\"; exec 3<>\"$PIPE\"; "
                               "dd if=/dev/zero of=\"$PIPE\" bs=4096 oflag=nonblock; "
                               "timeout -k 9 100 \"$0\" \"$@\" 2>\"$PIPE\"",
                               SENET_PROGRAM});
  ::setenv("PIPE", pipe.c_str(), 1);
  const ProgramRun unread = run_program("/bin/sh", words);
  EXPECT_EQ(unread.exit_code, 0) << unread.err;
  EXPECT_EQ(games(), first(50));
}

// Without --quiet: what plays, the losses, whether the trainer keeps up, a summary and what to do
// next, in lines that fit 80 columns.
TEST_F(SelfPlayCommand, ReportsToPeople) {
  Arguments words = tiny({"--games", "3000", "--samples-per-position", "1"});
  std::erase(words, "--quiet");
  const ProgramRun run_of = run_senet(words);
  expect_finished(run_of);
  const std::string folder = run().string();
  EXPECT_TRUE(run_of.err.starts_with("tic_tac_toe: 8 visits; 2 workers x 8 lanes\nrun " + folder +
                                     ": network "))
      << run_of.err;
  for (const std::string& text :
       {std::string("\n00:00"), std::string("\nloss: policy "), std::string(", value "),
        std::string("  trainer "), std::string("\n3,000 games in 00:"),
        std::string(" training steps and "),
        "newest weights: " + folder + "/weights/latest.safetensors\n",
        std::string("  senet match --game tic_tac_toe --second untrained"),
        "  senet selfplay --run " + folder + "\n"}) {
    EXPECT_NE(run_of.err.find(text), std::string::npos) << text << " in\n" << run_of.err;
  }
  std::istringstream lines(run_of.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(folder) != std::string::npos) continue;
    EXPECT_LE(line.size(), 80u) << line;
  }
}

// Figures in files are as short as they can be: 0.2, not 0.20000000298023224.
TEST_F(SelfPlayCommand, WritesNumbersAsPeopleDo) {
  expect_finished(run_senet(tiny({"--games", "60", "--lambda", "0.7"})));
  const std::string config = text_of(run() / "config.json");
  EXPECT_NE(config.find("\"fpu-reduction\": 0.2,"), std::string::npos) << config;
  EXPECT_NE(config.find("\"lambda\": 0.7,"), std::string::npos) << config;
  const std::regex too_long("[0-9]\\.[0-9]{9,}");
  for (const std::string& text : {config, text_of(run() / "metrics.jsonl")}) {
    EXPECT_FALSE(std::regex_search(text, too_long)) << text;
  }
}

TEST_F(SelfPlayCommand, CountsCacheHits) {
  expect_finished(run_senet(tiny({"--games", "60", "--cache", "1"})));
  const std::string metrics = text_of(run() / "metrics.jsonl");
  std::smatch rate;
  ASSERT_TRUE(std::regex_search(metrics, rate, std::regex("\"cache_hit_rate\":([0-9.e-]+)")));
  EXPECT_GT(std::stod(rate[1]), 0.01);
  EXPECT_LT(std::stod(rate[1]), 1);
}

// The number of games depends on the machine; all that were started are in the log.
TEST_F(SelfPlayCommand, EndsByTheClock) {
  expect_finished(run_senet(tiny({"--minutes", "0.005"})));
  const auto numbers = games();
  EXPECT_EQ(numbers, first(numbers.size()));
  EXPECT_EQ(checkpoint().games, numbers.size());
}

TEST_F(SelfPlayCommand, SurvivesBeingKilledAtAnyMoment) {
  expect_finished(run_senet(tiny({"--games", "10"})));
  std::set<std::uint64_t> before = games();
  // The long forms of tools/faults.sh.
  const auto most_kills = asked("SENET_KILLS", 14), seed = asked("SENET_SEED", 1);
  const auto most_wait =
      static_cast<std::uint32_t>(1'000'000 * asked("SENET_SECONDS_TO_KILL", 0.12));
  Random random(static_cast<std::uint64_t>(seed), 0, 0, Purpose::kTest);
  Checkpoint last = checkpoint();
  for (int kills = 0; kills < most_kills; ++kills) {
    BackgroundProgram program(resume());
    // One in four kills is during startup, the others during play.
    if (kills % 4 != 3) {
      ASSERT_TRUE(wait_for_games(program, log_size())) << program.err();
    }
    ::usleep(random.below(most_wait));
    ASSERT_TRUE(program.running()) << program.err();
    program.send(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
    const std::set<std::uint64_t> after = games(false);
    EXPECT_TRUE(std::ranges::includes(after, before)) << "games were lost";
    before = after;
    const Checkpoint now = checkpoint();
    EXPECT_GE(now.games, last.games);
    EXPECT_GE(now.trainer.steps, last.trainer.steps);
    EXPECT_GE(now.iterations, last.iterations);
    last = now;
  }
  // More games than could be in play or wait: no number is missing.
  expect_finished(run_senet(resume({"--games", "400"})));
  expect_whole(before.size() + 400);
  EXPECT_GT(checkpoint().trainer.steps, 0u);
  std::printf("%.0f kills, %zu games, %llu steps\n", most_kills, before.size() + 400,
              static_cast<unsigned long long>(checkpoint().trainer.steps));
}

TEST_F(SelfPlayCommand, KilledBeforeTheFirstGameLeavesAFolderToBeginInOrToGoOnWith) {
  Random random(2, 0, 0, Purpose::kTest);
  for (int kills = 0; kills < 8; ++kills) {
    BackgroundProgram program(tiny({}));
    ::usleep(random.below(60'000));
    program.send(SIGKILL);
    program.wait();
    const bool begun = std::filesystem::exists(run() / "config.json");
    expect_finished(run_senet(begun ? resume({"--games", "3"}) : tiny({"--games", "3"})));
    std::filesystem::remove_all(run());
  }
}

TEST_F(SelfPlayCommand, DamagedFilesAreNamed) {
  expect_finished(run_senet(tiny({"--games", "20", "--kept-checkpoints", "1"})));
  const auto damaged = [&](const char* name, const std::string& text, int exit_code,
                           const std::string& reason) {
    const std::string good = text_of(run() / name);
    write_text(run() / name, text);
    const ProgramRun failed = run_senet(resume({"--games", "1"}));
    expect_failure(failed, exit_code, "selfplay", reason);
    EXPECT_NE(failed.err.find((run() / name).string()), std::string::npos) << failed.err;
    write_text(run() / name, good);
  };
  std::string checkpoint_text = text_of(run() / "checkpoint.safetensors");
  damaged("checkpoint.safetensors", "", 2, "too short");
  damaged("checkpoint.safetensors", checkpoint_text.substr(0, checkpoint_text.size() / 2), 2, "");
  checkpoint_text.back() = static_cast<char>(checkpoint_text.back() ^ 1);
  damaged("checkpoint.safetensors", checkpoint_text, 2, "does not match its checksum");

  const std::string config = text_of(run() / "config.json");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = config;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
  };
  damaged("config.json", "", 2, "not a JSON object");
  damaged("config.json", config.substr(0, config.size() / 2), 2, "not a JSON object");
  damaged("config.json", "[]", 2, "not a JSON object");
  damaged("config.json", replaced("tic_tac_toe", "tic_tac_two"), 2, "unknown game");
  damaged("config.json", replaced("\"visits\": 8", "\"visits\": \"8\""), 2, "\"visits\"");
  damaged("config.json", replaced("\"visits\": 8", "\"visits\": 4294967304"), 2,
          "visits takes a whole number 1 .. 1000000, not \"4294967304\"");
  damaged("config.json", replaced("\"visits\": 8", "\"visits\": -8"), 2, "\"visits\"");
  damaged("config.json", replaced("\"visits\": 8", "\"visitors\": 8"), 2, "\"visitors\"");
  damaged("config.json", replaced("\"lanes\": 8", "\"lanes\": 0"), 2,
          "lanes takes a whole number 1 .. 4096");
  damaged("config.json", replaced("\"lambda\": 1.0", "\"lambda\": null"), 2, "\"lambda\"");
  damaged("config.json", replaced("\"position\"", "\"motion\""), 2, "mode takes one of");
  damaged("config.json", replaced("\"position\"", "7"), 2, "\"mode\"");
  damaged("config.json", replaced("\"position\"", "\"afterstates\""), 2, "no afterstates");
  damaged("games.senet", "no log at all, by any means", 2, "");

  expect_failure(run_senet(resume({"--width", "24"})), 2, "selfplay",
                 "--width: the network of the run has 16, not 24, and keeps its shape");

  expect_finished(run_senet(resume({"--games", "1"})));
  EXPECT_EQ(games(), first(21));
}

// Without the early checkpoints, such a run would never save what it learned.
TEST_F(SelfPlayCommand, AKilledRunHasLearned) {
  BackgroundProgram program(tiny({"--checkpoint-seconds", "1000000"}));
  const auto has_saved_steps = [&] {
    const auto saved = load_checkpoint(run() / "checkpoint.safetensors", spec());
    return saved && saved->trainer.steps > 0;
  };
  for (int tries = 0; tries < 12'000 && program.running() && !has_saved_steps(); ++tries) {
    ::usleep(10'000);
  }
  EXPECT_TRUE(has_saved_steps());
  program.send(SIGKILL);
  program.wait();
  const std::uint64_t steps = checkpoint().trainer.steps;
  expect_finished(run_senet(resume({"--games", "1"})));
  EXPECT_GE(checkpoint().trainer.steps, steps);
}

TEST_F(SelfPlayCommand, AFullDiskEndsItWithAReason) {
  expect_finished(run_senet(tiny({"--games", "20"})));
  const std::uint64_t checkpoint_size =
      std::filesystem::file_size(run() / "checkpoint.safetensors");
  // The log can grow by 4000 bytes, or is already longer than the limit.
  while (log_size() < checkpoint_size) expect_finished(run_senet(resume({"--games", "200"})));
  for (const std::uint64_t limit : {log_size() + 4000, checkpoint_size - 1000}) {
    const auto before = games();
    BackgroundProgram program(resume(), limit);
    EXPECT_EQ(program.wait(), 1);
    const std::string err = program.err();
    const std::size_t line = err.rfind("senet selfplay: ");
    ASSERT_NE(line, std::string::npos) << err;
    EXPECT_EQ(err.find('\n', line), err.size() - 1) << err;
    EXPECT_NE(err.find("File too large", line), std::string::npos) << err;
    EXPECT_TRUE(std::ranges::includes(games(), before));
    checkpoint();
  }
  const auto before = games();
  expect_finished(run_senet(resume({"--games", "5"})));
  EXPECT_EQ(games().size(), before.size() + 5);
}

TEST_F(SelfPlayCommand, WithoutTrainingItOnlyPlays) {
  const ProgramRun played = run_senet(tiny({"--games", "30", "--no-train"}));
  expect_finished(played);
  EXPECT_NE(played.err.find("trainer none (--no-train)\n"), std::string::npos) << played.err;
  EXPECT_EQ(games(), first(30));
  EXPECT_EQ(checkpoint().trainer.steps, 0u);
  EXPECT_EQ(checkpoint().iterations, 0u);
  EXPECT_EQ(checkpoint().games, 30u);
  // Training may start later.
  expect_finished(run_senet(resume({"--games", "30"})));
  EXPECT_GT(checkpoint().trainer.steps, 0u);
}

TEST_F(SelfPlayCommand, OneProgramAtATime) {
  BackgroundProgram program(tiny({}));
  ASSERT_TRUE(wait_for_games(program, 1000)) << program.err();
  expect_failure(run_senet(resume({"--games", "1"})), 2, "selfplay",
                 (run() / "lock").string() + ": is in use by process " +
                     std::to_string(program.process()) + ", which plays this run");
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 0) << program.err();
}

// The run ends, its games are kept, and when they are put back, it continues as after a crash.
TEST_F(SelfPlayCommand, ALogThatIsRemovedEndsTheRun) {
  const std::string log = run() / "games.senet", kept = log + ".removed";
  BackgroundProgram program(tiny({}));
  ASSERT_TRUE(wait_for_games(program, 3000)) << program.err();
  std::filesystem::remove(log);
  EXPECT_EQ(program.wait(), 1);
  const std::string err = program.err();
  const std::size_t line = err.rfind("senet selfplay: ");
  ASSERT_NE(line, std::string::npos) << err;
  EXPECT_EQ(err.find('\n', line), err.size() - 1) << err;
  EXPECT_TRUE(err.substr(line).starts_with("senet selfplay: " + log +
                                           ": the log was removed while it was being written; its "
                                           "games are now in " +
                                           kept))
      << err;
  EXPECT_FALSE(std::filesystem::exists(log));
  const ProgramRun without = run_senet({"inspect", kept});
  EXPECT_EQ(without.exit_code, 0) << without.err;
  std::filesystem::rename(kept, log);
  const auto before = games();
  EXPECT_GT(before.size(), 4u);
  const ProgramRun resumed = run_senet(resume({"--games", "5"}));
  expect_finished(resumed);
  EXPECT_EQ(resumed.err.find("game log"), std::string::npos) << resumed.err;
  EXPECT_EQ(games().size(), before.size() + 5);
  EXPECT_EQ(checkpoint().games, before.size() + 5);
}

TEST_F(SelfPlayCommand, ReportsThatItsLogIsMissing) {
  expect_finished(run_senet(tiny({"--games", "20"})));
  const std::string log = run() / "games.senet";
  std::filesystem::remove(log);
  const ProgramRun resumed = run_senet(resume({"--games", "1"}));
  expect_finished(resumed);
  EXPECT_TRUE(resumed.err.starts_with("senet selfplay: game log: " + log +
                                      " was missing: a new log was begun, without the 20 games "
                                      "that the checkpoint counts\n"))
      << resumed.err;
  EXPECT_EQ(games(), (std::set<std::uint64_t>{20}));
}

TEST_F(SelfPlayCommand, BeginsWithGivenWeights) {
  const auto file = folder_ / "given.safetensors";
  const Network given = initial_network(spec(), 77);
  ASSERT_TRUE(save_network(given, file));
  expect_finished(run_senet(tiny({"--games", "1", "--no-train", "--weights", file.string()})));
  EXPECT_TRUE(std::ranges::equal(checkpoint().trainer.ema, given.parameters()));
  expect_failure(run_senet(tiny({"--weights", file.string()})), 2, "selfplay",
                 "--weights: " + run().string() + " already holds a run");
  std::filesystem::remove_all(run());
  expect_failure(run_senet(tiny({"--value-layers", "2", "--weights", file.string()})), 2,
                 "selfplay", "--weights: " + file.string());
  const std::string nowhere = folder_ / "nowhere.safetensors";
  expect_failure(run_senet(tiny({"--weights", nowhere})), 2, "selfplay", "--weights: " + nowhere);
  EXPECT_FALSE(std::filesystem::exists(run()));
}

TEST_F(SelfPlayCommand, BeginsWithTheWeightsOfANarrowerNetwork) {
  const auto file = folder_ / "given.safetensors";
  NetworkSpec narrow = spec();
  narrow.norm = false;
  const Network given = initial_network(narrow, 77);
  ASSERT_TRUE(save_network(given, file));
  const auto begin = [&](const std::string& norm) {
    return run_senet(tiny({"--games", "1", "--no-train", "--norm", norm, "--value-width", "200",
                           "--weights", file.string()}));
  };
  expect_failure(begin("1"), 2, "selfplay", "norm 0 cannot become 1");
  expect_finished(begin("0"));
  const Result<Network> latest = load_network(run() / "weights/latest.safetensors");
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->spec().value_width, 200u);
  const Result<Network> enlarged = enlarged_network(given, latest->spec(), 1);
  ASSERT_TRUE(enlarged);
  EXPECT_EQ(latest->id(), enlarged->id());
}

TEST_F(SelfPlayCommand, SaysWhoTrains) {
  const ProgramRun cpu = run_senet(tiny({"--games", "1", "--trainer", "cpu"}));
  expect_finished(cpu);
  EXPECT_NE(cpu.err.find("trainer cpu, 1 thread\n"), std::string::npos) << cpu.err;
  EXPECT_EQ(cpu.err.find("the CPU trains"), std::string::npos) << cpu.err;
  const ProgramRun no_device =
      run_senet(resume({"--games", "1", "--trainer", "cpu", "--replay-on-device"}));
  expect_finished(no_device);
  EXPECT_NE(no_device.err.find("no device keeps the replay: the CPU trains\n"), std::string::npos)
      << no_device.err;
  // Without a device, one line contains the reason why the CPU trains.
  const ProgramRun cuda = run_senet(resume({"--games", "30", "--trainer", "cuda"}));
  expect_finished(cuda);
  const bool trains = cuda.err.find("trainer cuda, ") != std::string::npos;
  const bool says_why = cuda.err.find("senet selfplay: the CPU trains: ") != std::string::npos;
  EXPECT_NE(trains, says_why) << cuda.err;
  EXPECT_GT(checkpoint().trainer.steps, 0u);
}

TEST_F(SelfPlayCommand, WeightsTellWhatTheyLearnt) {
  expect_finished(run_senet(tiny({"--games", "1"})));
  const Result<Network> latest = load_network(run() / "weights/latest.safetensors");
  ASSERT_TRUE(latest) << latest.error().reason();
  EXPECT_EQ(latest->spec().evaluates, Evaluates::kPosition);
}

// A dueling network: it is trained, saved with its mode, and played from its file.
TEST_F(SelfPlayCommand, LearnsToValueMoves) {
  expect_finished(run_senet(tiny({"--games", "20", "--mode", "moves"})));
  expect_finished(run_senet(resume({"--games", "20"})));
  const std::filesystem::path weights = run() / "weights/latest.safetensors";
  const Result<Network> latest = load_network(weights);
  ASSERT_TRUE(latest) << latest.error().reason();
  EXPECT_TRUE(latest->spec().dueling);
  EXPECT_EQ(latest->spec().evaluates, Evaluates::kMoves);
  const ProgramRun played =
      run_senet({"match", "--game", "tic_tac_toe", "--first", weights.string(), "--second",
                 "random", "--pairs", "20", "--visits", "1"});
  EXPECT_EQ(played.exit_code, 0) << played.err;
  expect_failure(run_senet({"match", "--game", "tic_tac_toe", "--first", weights.string(),
                            "--second", "random", "--mode", "position"}),
                 2, "match", "mode: a dueling network only values moves");
}

// senet train: a new run learns from the games of another, as if it had played them. It is the same
// each time, because no thread plays meanwhile.
TEST_F(SelfPlayCommand, LearnsFromRecordedGames) {
  expect_finished(run_senet(tiny({"--games", "60"})));
  const auto learn = [&](const std::filesystem::path& into, const Arguments& more = {}) {
    Arguments all = tiny(with({"--run", into.string()}, more));
    all.front() = "train";
    if (std::ranges::count(more, "--game") == 0) {  // the games name it
      const auto game = std::ranges::find(all, "--game");
      all.erase(game, game + 2);
    }
    return run_senet(with(all, {"--from", run().string()}));
  };
  const std::filesystem::path one = folder_ / "one", two = folder_ / "two";
  expect_finished(learn(one));
  expect_finished(learn(two));
  EXPECT_EQ(text_of(one / "weights/latest.safetensors"),
            text_of(two / "weights/latest.safetensors"));
  const auto games_of = [](const std::filesystem::path& folder) {
    std::vector<GameRecord> games(1);
    GameLogReader reader = GameLogReader::open(folder).value();
    while (reader.next(games.back()).value()) games.emplace_back();
    games.pop_back();
    return games;
  };
  std::vector<GameRecord> given = games_of(run()), learned = games_of(one);
  ASSERT_EQ(learned.size(), given.size());
  std::uint64_t positions = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(learned[i].game_number, i);
    given[i].game_number = i;
    EXPECT_EQ(learned[i], given[i]);
    positions += given[i].turns().size();
  }
  // No step is dropped: four samples for each position, 32 in a step.
  const Checkpoint saved = load_checkpoint(one / "checkpoint.safetensors", spec()).value();
  EXPECT_EQ(saved.games, given.size());
  EXPECT_GT(saved.positions, positions / 2);
  EXPECT_LE(saved.positions, positions);
  EXPECT_EQ(saved.trainer.steps, saved.positions * 4 / 32);
  // From there on it plays.
  expect_finished(run_senet({"selfplay", "--run", one.string(), "--quiet", "--games", "5"}));
  EXPECT_EQ(games_of(one).size(), given.size() + 5);

  expect_failure(learn(two), 2, "train",
                 "already holds a run: only a new one learns from recorded games");
  expect_failure(learn(folder_ / "three", {"--game", "connect_four"}), 2, "train",
                 "has games of tic_tac_toe, not of connect_four");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "three"));
  const std::filesystem::path none = folder_ / "none";
  expect_failure(run_senet({"train", "--from", none.string(), "--run", (folder_ / "x").string()}),
                 2, "train", none.string());
}

// Games twice, damage and records that break the rules are left out and named; a signal ends the
// call within seconds, also where a game has earned many steps; and the run continues.
TEST_F(SelfPlayCommand, LearnsFromAnyLog) {
  expect_finished(run_senet(tiny({"--games", "40"})));
  const std::filesystem::path log = run() / "games.senet", bad = folder_ / "bad.senet";
  std::vector<GameRecord> games(1);
  GameLogReader reader = GameLogReader::open(log).value();
  while (reader.next(games.back()).value()) games.emplace_back();
  games.pop_back();
  {
    RecordLog copy = RecordLog::open(bad, "tic_tac_toe", {}).value();
    for (const GameRecord& game : games) ASSERT_TRUE(copy.append(game));
    ASSERT_TRUE(copy.append(games[3]));
    GameRecord endless = games[4];
    endless.game_number = 1000;
    endless.start = "nowhere";
    ASSERT_TRUE(copy.append(endless));
    ASSERT_TRUE(copy.flush());
  }
  const std::filesystem::path into = folder_ / "into";
  const auto train = [&](const Arguments& more) {
    return with({"train", "--from", bad.string(), "--run", into.string(), "--width", "16",
                 "--blocks", "1", "--begin-after", "0", "--train-batch", "32"},
                more);
  };
  const ProgramRun learned = run_senet(train({}));
  EXPECT_EQ(learned.exit_code, 0) << learned.err;
  for (const char* part :
       {"tic_tac_toe: the games of ", "skipped 1 record of games that occur earlier",
        "skipped 1 record that breaks the rules", "nowhere"}) {
    EXPECT_NE(learned.err.find(part), std::string::npos) << part << '\n' << learned.err;
  }
  const Checkpoint saved = load_checkpoint(into / "checkpoint.safetensors", spec()).value();
  EXPECT_EQ(saved.games, games.size());

  std::filesystem::remove_all(into);
  BackgroundProgram program(train({"--samples-per-position", "1000000", "--quiet"}));
  while (program.running() && !std::filesystem::exists(into / "config.json")) ::usleep(2000);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait_for(60), 0) << program.err();
  expect_finished(run_senet({"selfplay", "--run", into.string(), "--quiet", "--games", "3",
                             "--samples-per-position", "1"}));
}

TEST_F(SelfPlayCommand, WhatMakesNoSenseIsRefused) {
  const auto refused = [&](const Arguments& more, const std::string& reason) {
    expect_failure(run_senet(tiny(more)), 2, "selfplay", reason);
    EXPECT_FALSE(std::filesystem::exists(run()));
  };
  refused({"--mode", "afterstates"}, "--mode: tic_tac_toe has no afterstates");
  refused({"--mode", "sideways"}, "sideways");
  refused({"--mode", "moves", "--dueling", "0"}, "mode: only a dueling network values moves");
  refused({"--dueling", "1"}, "mode: a dueling network only values moves");
  refused({"--mode", "moves", "--policy-head", "0"},
          "dueling: a network without a policy head cannot value moves");
  refused({"--mode", "moves", "--game", "backgammon"},
          "mode: the moves of backgammon cannot be valued all at once");
  refused({"--evaluator", "magic"}, "magic");
  refused({"--trainer", "abacus"}, "trainer takes one of auto, cpu, cuda, not \"abacus\"");
  refused({"--precision", "fp8"},
          "precision takes one of auto, bf16, fp16, tf32, fp32, not \"fp8\"");
  refused({"--temperature", "nan"}, "--temperature");
  refused({"--fpu-reduction", "inf"}, "--fpu-reduction");
  refused({"--policy-temperature", "0"},
          "--policy-temperature takes a number 0.0001 .. 1000, not \"0\"");
  refused({"--policy-temperature", "1e-30"}, "--policy-temperature");
  refused({"--noise", "2"}, "--noise takes 0 or 1, not \"2\"");
  refused({"--replay", "-1"}, "--replay");
  refused({"--temperature-plies", "4294967296"}, "--temperature-plies");
  refused({"--random-plies", "4294967295"}, "--random-plies");
  refused({"--clip", "0"}, "--clip");
  refused({"--fast-visits", "9"}, "--fast-visits");
  refused({"--queue", "0"}, "--queue");
  expect_failure(run_senet({"selfplay", "--games", "1"}), 2, "selfplay", "--run");
  expect_failure(run_senet({"selfplay", "--game", "checkers", "--run", run().string()}), 2,
                 "selfplay", "checkers");
  expect_failure(run_senet(resume()), 2, "selfplay", (run() / "config.json").string());
}

TEST_F(SelfPlayCommand, AFolderThatCannotBeMadeOrIsSomethingElseIsNamed) {
  write_text(folder_ / "file", "a file");
  for (const std::string& place : {(folder_ / "file").string(), (folder_ / "file" / "run").string(),
                                   (folder_ / std::string(300, 'x').c_str()).string()}) {
    expect_failure(run_senet({"selfplay", "--run", place, "--games", "1"}), 2, "selfplay", place);
  }
  // A folder with a game log but without a config.
  expect_finished(run_senet(tiny({"--games", "3"})));
  std::filesystem::remove(run() / "config.json");
  expect_failure(run_senet(tiny({"--games", "3"})), 2, "selfplay", run().string());
  EXPECT_EQ(games(), first(3));
}

TEST_F(SelfPlayCommand, GoesOnOnlyWithItsOwnGame) {
  expect_finished(run_senet(tiny({"--games", "1"})));
  expect_failure(run_senet(resume({"--game", "connect_four"})), 2, "selfplay",
                 "is for tic_tac_toe");
}

// They are read before the run begins, and a resumed run finds them from any folder.
TEST_F(SelfPlayCommand, WrongLabelsAreAUsageError) {
  const auto labels = folder_ / "labels.jsonl";
  const auto with_labels = [&](const std::string& file) {
    return run_senet(tiny({"--games", "1", "--strength-labels", file}));
  };
  expect_failure(with_labels(labels.string()), 2, "selfplay",
                 "strength-labels: " + labels.string() + ": No such file or directory");
  write_text(labels, "{\"position\": \"\", \"best\": [\"d4\"]}\n");
  expect_failure(with_labels(labels.string()), 2, "selfplay", "labels.jsonl: line 1: ");
  EXPECT_FALSE(std::filesystem::exists(run()));
  write_text(labels, "{\"position\": \"\", \"best\": [\"b2\"]}\n");
  expect_finished(with_labels(std::filesystem::relative(labels).string()));
  const auto json = nlohmann::json::parse(text_of(run() / "config.json"), nullptr, false);
  EXPECT_TRUE(std::filesystem::path(json.value("strength-labels", "")).is_absolute());
  expect_failure(run_senet(tiny({"--gating", "1", "--strength-minutes", "0"})), 2, "selfplay",
                 "gating: ");
}

TEST_F(SelfPlayCommand, PrintsTheSettingsItWouldRunWith) {
  const ProgramRun printed = run_senet(tiny({"--print-config", "--lambda", "0.25"}));
  expect_finished(printed);
  const auto json = nlohmann::json::parse(printed.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << printed.out;
  EXPECT_EQ(json.value("game", ""), "tic_tac_toe");
  EXPECT_EQ(json.value("width", 0), 16);
  EXPECT_EQ(json.value("lambda", 0.0), 0.25);
  EXPECT_EQ(json.value("policy-temperature", 0.0), 1);  // independent of the players' default
  EXPECT_FALSE(std::filesystem::exists(run()));
  // The same text as in config.json, except for the run's id.
  expect_finished(run_senet(tiny({"--games", "1", "--lambda", "0.25"})));
  const std::regex id(",\n  \"run-id\": \"[0-9a-f]{16}\"");
  EXPECT_EQ(std::regex_replace(text_of(run() / "config.json"), id, ""), printed.out);
  EXPECT_EQ(printed.out.find("run-id"), std::string::npos);
}

}  // namespace
}  // namespace senet
