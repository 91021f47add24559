// Where self-play games start: sources and their shares, scrambles, the curriculum, and records.
#include "selfplay/starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "games/connect_four/connect_four.hpp"
#include "games/cube2/cube2.hpp"
#include "selfplay/curriculum.hpp"
#include "selfplay/record_replay.hpp"
#include "tests/selfplay/selfplay_runs.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

constexpr std::uint32_t kAnyMoves = 1000;

Random draw(std::uint64_t game) { return start_draws(1, game); }

template <Game G>
std::string refusal(const StartSettings& settings) {
  const auto made = Starts<G>::make(settings, G{});
  return made ? "" : made.error().reason();
}

TEST(Starts, AreTheGamesOwnUnlessSaid) {
  const auto starts = Starts<ConnectFour>::make({}, ConnectFour{});
  ASSERT_TRUE(starts);
  EXPECT_EQ(starts->draw(draw(1), kAnyMoves).text(), ConnectFour().text());
}

TEST(Starts, AreDrawnByTheirShares) {
  const TemporaryFolder folder;
  const std::string file = folder / "positions";
  write_text(file, "444\n\n4455\n");
  const auto starts =
      Starts<ConnectFour>::make({.sources = "game@3,file:" + file + "@1"}, ConnectFour{});
  ASSERT_TRUE(starts) << starts.error().reason();
  std::map<std::string, int> drawn;
  for (std::uint64_t game = 0; game < 4000; ++game) {
    ++drawn[starts->draw(draw(game), kAnyMoves).text()];
  }
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_NEAR(drawn[ConnectFour().text()], 3000, 100);
  EXPECT_NEAR(drawn[ConnectFour::from_text("444")->text()], 500, 70);
}

TEST(Starts, RefusalsNameWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string file = folder / "positions";
  EXPECT_EQ(refusal<ConnectFour>({.sources = "games"}),
            "starts: \"games\" is none of game, scrambles, hard, file:FILE");
  EXPECT_EQ(refusal<ConnectFour>({.sources = "game,"}),
            "starts: \"\" is none of game, scrambles, hard, file:FILE");
  EXPECT_EQ(refusal<ConnectFour>({.sources = "game@0"}),
            "starts: the share of \"game@0\" is not a number above 0");
  EXPECT_EQ(refusal<ConnectFour>({.sources = "scrambles"}),
            "starts: connect_four has no scrambles");
  EXPECT_NE(refusal<ConnectFour>({.sources = "file:" + file}).find(file), std::string::npos);
  write_text(file, "");
  EXPECT_EQ(refusal<ConnectFour>({.sources = "file:" + file}),
            "starts: " + file + ": no positions");
  write_text(file, "44\nxx\n");
  EXPECT_NE(refusal<ConnectFour>({.sources = "file:" + file}).find(file + ": line 2: "),
            std::string::npos);
  write_text(file, "1212121\n");
  EXPECT_NE(refusal<ConnectFour>({.sources = "file:" + file}).find("the game is over there"),
            std::string::npos);
}

// The positions within so many moves of the solved cube.
std::set<std::string> within(std::uint32_t moves) {
  std::set<std::string> positions = {Cube2::solved().text()};
  for (std::uint32_t move = 0; move < moves; ++move) {
    for (const std::string& text : std::set(positions)) {
      for (Action action = 0; action < Cube2::kMaxLegal; ++action) {
        Cube2 after = *Cube2::from_text(text);
        after.play(action);
        positions.insert(after.as_start().text());
      }
    }
  }
  return positions;
}

// A scramble has up to so many moves, never none, and each number of them occurs.
TEST(Starts, ScramblesHaveUpToTheirMoves) {
  const auto starts = Starts<Cube2>::make({.sources = "scrambles", .scramble_moves = 12}, Cube2{});
  ASSERT_TRUE(starts);
  for (const std::uint32_t most : {1u, 2u, 3u}) {
    std::set<std::string> drawn;
    for (std::uint64_t game = 0; game < 3000; ++game) {
      const Cube2 start = starts->draw(draw(game), most);
      EXPECT_EQ(start.turn(), Turn::kPlayer0);
      drawn.insert(start.text());
    }
    const std::set<std::string> all = within(most), nearer = within(most - 1);
    EXPECT_TRUE(std::ranges::includes(all, drawn)) << most;
    EXPECT_FALSE(std::ranges::includes(nearer, drawn)) << most;
    EXPECT_GT(drawn.size(), all.size() * 3 / 4) << most;
    EXPECT_FALSE(drawn.contains(Cube2::solved().text()));
  }
  // The settings limit what a curriculum allows.
  std::set<std::string> drawn;
  const auto short_ones =
      Starts<Cube2>::make({.sources = "scrambles", .scramble_moves = 2}, Cube2{});
  for (std::uint64_t game = 0; game < 500; ++game) {
    drawn.insert(short_ones->draw(draw(game), kAnyMoves).text());
  }
  EXPECT_TRUE(std::ranges::includes(within(2), drawn));
}

TEST(HardPositions, AreGivenAwayOnceTheHardestFirst) {
  HardPositions hard(3);
  EXPECT_FALSE(hard.take());
  hard.offer(0.2f, "b");
  hard.offer(0.1f, "a");
  EXPECT_TRUE(hard.wants(0.05f));
  EXPECT_FALSE(hard.wants(0));
  hard.offer(0.3f, "c");
  EXPECT_TRUE(hard.wants(0.1f));
  EXPECT_FALSE(hard.wants(0.05f));
  hard.offer(0.3f, "d");  // in place of "a"
  EXPECT_FALSE(hard.wants(0.1f));
  hard.offer(0.2f, "e");  // in place of "b", which is as hard and older
  EXPECT_EQ(hard.take(), "d");
  EXPECT_EQ(hard.take(), "c");
  EXPECT_EQ(hard.take(), "e");
  EXPECT_FALSE(hard.take());
}

TEST(Starts, TakeHardPositionsWhileThereAreAny) {
  auto starts =
      Starts<Cube2>::make({.sources = "hard@3,scrambles@1", .scramble_moves = 1}, Cube2{});
  ASSERT_TRUE(starts) << starts.error().reason();
  const std::string hardest = Cube2().text();
  const auto count = [&] {
    int hard = 0;
    const std::set<std::string> near = within(1);
    for (std::uint64_t game = 0; game < 1000; ++game) {
      const std::string start = starts->draw(draw(game), kAnyMoves).text();
      EXPECT_TRUE(start == hardest || near.contains(start)) << start;
      hard += start == hardest ? 1 : 0;
    }
    return hard;
  };
  EXPECT_EQ(count(), 0);
  HardPositions hard;
  starts->take_from(&hard);
  EXPECT_EQ(count(), 0);
  for (int i = 0; i < 100; ++i) hard.offer(0.5f, hardest);
  EXPECT_EQ(count(), 100);
  for (int i = 0; i < 2000; ++i) hard.offer(0.5f, hardest);
  EXPECT_NEAR(count(), 750, 70);
  // Without another source, the game's own start.
  const auto only = Starts<ConnectFour>::make({.sources = "hard"}, ConnectFour{});
  ASSERT_TRUE(only);
  EXPECT_EQ(only->draw(draw(1), kAnyMoves).text(), ConnectFour().text());
}

TEST(Curriculum, MovesUpWhenEnoughWereSolved) {
  Curriculum curriculum({.scramble_moves = 3, .curriculum = 0.75f, .curriculum_games = 100}, 0);
  EXPECT_EQ(curriculum.moves(), 1u);
  const auto play = [&](int games, int solved_of_four) {
    for (int game = 0; game < games; ++game) curriculum.note(game % 4 < solved_of_four);
  };
  play(1000, 2);
  EXPECT_EQ(curriculum.moves(), 1u);
  EXPECT_FLOAT_EQ(curriculum.solved_share(), 0.5f);
  play(100, 3);
  EXPECT_EQ(curriculum.moves(), 2u);
  play(99, 4);
  EXPECT_EQ(curriculum.moves(), 2u);
  play(1, 4);
  EXPECT_EQ(curriculum.moves(), 3u);
  play(1000, 4);
  EXPECT_EQ(curriculum.moves(), 3u);
  EXPECT_EQ(curriculum.solved_share(), 1);
}

TEST(Curriculum, ContinuesWhereItWas) {
  const StartSettings settings{.scramble_moves = 8, .curriculum = 0.9f};
  EXPECT_EQ(Curriculum(settings, 5).moves(), 5u);
  EXPECT_EQ(Curriculum(settings, 50).moves(), 8u);
  EXPECT_EQ(Curriculum({.scramble_moves = 8}, 5).moves(), 8u);  // without one
}

SelfPlaySettings scrambled_run() {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 8);
  settings.worker.search.evaluates = Evaluates::kAfterstates;
  settings.play.random_plies = 0;
  settings.play.starts = {.sources = "scrambles@2,game@1", .scramble_moves = 3};
  return settings;
}

TEST(StartedGames, RecordTheirStart) {
  const auto games = play_run<Cube2>(scrambled_run(), 60);
  ASSERT_EQ(games.size(), 60u);
  std::size_t own = 0, solved = 0;
  for (const auto& [number, record] : games) {
    std::vector<Cube2> states;
    const Result<void> replayed = replay(record, states);
    ASSERT_TRUE(replayed) << replayed.error().reason();
    own += states.front() == Cube2() ? 1 : 0;
    EXPECT_EQ(record.start.empty(), states.front() == Cube2());
    solved += record.end() == EndKind::kPlayed && record.final_outcome() == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(own), 20, 12);
  EXPECT_GT(solved, 5u);
}

// Random moves would lead away from there.
TEST(StartedGames, HaveNoRandomMovesUnlessTheyBeginWithTheGamesOwnStart) {
  SelfPlaySettings settings = scrambled_run();
  settings.play.random_plies = 4;
  std::size_t random = 0;
  for (const auto& [number, record] : play_run<Cube2>(settings, 60)) {
    const auto moves = std::ranges::count(record.turns(), TurnKind::kRandom, &RecordedTurn::kind);
    EXPECT_TRUE(record.start.empty() || moves == 0);
    random += static_cast<std::size_t>(moves);
  }
  EXPECT_GT(random, 0u);
}

TEST(StartedGames, AreTheSameForAnyLanesAndWorkers) {
  SelfPlaySettings settings = scrambled_run();
  const auto games = play_run<Cube2>(settings, 24);
  settings.worker.lanes = 7;
  settings.workers = 3;
  EXPECT_TRUE(play_run<Cube2>(settings, 24) == games);
}

TEST(StartedGames, AParkedGameGoesOnFromItsStart) {
  PlaySettings settings = scrambled_run().play;
  const Starts<Cube2> starts = *Starts<Cube2>::make(settings.starts, Cube2{});
  GameInPlay<Cube2> game(settings, starts);
  game.begin(7, "evaluator", "settings");
  GameRecord parked = game.record();
  parked.start = Cube2::from_text("R U F R2 U' F2")->text();  // which this run would not draw
  parked.add_decision({.action = 3, .kind = TurnKind::kFastSearch});
  const Result<void> resumed = game.resume(parked);
  ASSERT_TRUE(resumed) << resumed.error().reason();
  Cube2 expected = *Cube2::from_text(parked.start);
  expected.play(3);
  EXPECT_EQ(game.state(), expected);
  EXPECT_EQ(game.record(), parked);
  parked.start = "0123456/0000001 40";
  EXPECT_FALSE(game.resume(parked));
}

TEST(StartedGames, OnePlayerWhoIsCutOffHasNotSolvedIt) {
  SelfPlaySettings settings = scrambled_run();
  settings.play.starts.sources = "game";
  settings.play.ply_cap = 3;
  for (const auto& [number, record] : play_run<Cube2>(settings, 3)) {
    ASSERT_EQ(record.end(), EndKind::kCut);
    EXPECT_EQ(record.cut_outcomes().back(), 65535);
  }
}

TEST(StartSettings, FilesGetAbsolutePaths) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(with_absolute_files("game@2,file:a/b.txt@0.5,file:/c,scrambles"),
            "game@2,file:" + here + "/a/b.txt@0.5,file:/c,scrambles");
  EXPECT_EQ(with_absolute_files("nonsense"), "nonsense");
}

}  // namespace
}  // namespace senet
