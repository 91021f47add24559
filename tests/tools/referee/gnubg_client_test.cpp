// Failures in the use of GNU Backgammon: a program that is missing, misbehaves, has ended or is
// silent. The trust tests check the quality of its answers.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/temporary_folder.hpp"
#include "tests/tools/referee/gnubg_trust.hpp"
#include "tools/referee/games/backgammon/hooks.hpp"

namespace senet {
namespace {

using Clock = LineSocket::Clock;

TEST(GnubgName, IsReadOrRefused) {
  EXPECT_FALSE(parse_gnubg("random"));
  EXPECT_FALSE(parse_gnubg("weights/gnubg:0"));
  const auto settings = parse_gnubg("gnubg:1");
  ASSERT_TRUE(settings && *settings);
  EXPECT_EQ((*settings)->ply, 1);
  EXPECT_FALSE((*settings)->full);
  const auto full = parse_gnubg("gnubg:2:full");
  ASSERT_TRUE(full && *full);
  EXPECT_EQ((*full)->ply, 2);
  EXPECT_TRUE((*full)->full);
  for (const char* wrong : {"gnubg", "gnubg:", "gnubg:3", "gnubg:-1", "gnubg:0:", "gnubg:0:half",
                            "gnubg:00", "gnubg 0", "gnubg:0:full:"}) {
    const auto read = parse_gnubg(wrong);
    ASSERT_TRUE(read) << wrong;
    ASSERT_FALSE(*read) << wrong;
    EXPECT_NE(read->error().reason().find(wrong), std::string::npos);
  }
}

/// Listens on a socket, accepts one connection, and sends `answer` after the first request.
class Listener {
 public:
  Listener(std::string answer, bool hangs_up) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    descriptor_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(descriptor_, 1), 0);
    thread_ = std::thread([this, answer = std::move(answer), hangs_up] {
      const int caller = ::accept(descriptor_, nullptr, nullptr);
      char question[64];
      bool is_there = ::read(caller, question, sizeof question) > 0;
      // Ignore errors: the client may have closed the connection.
      (void)::send(caller, answer.data(), answer.size(), MSG_NOSIGNAL);
      while (is_there && !hangs_up) is_there = ::read(caller, question, sizeof question) > 0;
      ::close(caller);
    });
  }
  ~Listener() {
    thread_.join();
    ::close(descriptor_);
  }
  std::string path() const { return folder_ / "socket"; }

 private:
  TemporaryFolder folder_;
  int descriptor_ = -1;
  std::thread thread_;
};

/// Sends two requests and returns the answer or the error of each.
using Answers = std::vector<std::string>;
Answers asked_twice(std::string answer, bool hangs_up, std::chrono::milliseconds time) {
  const Listener listener(std::move(answer), hangs_up);
  Result<LineSocket> socket = LineSocket::connect(listener.path());
  EXPECT_TRUE(socket);
  Answers answers;
  for (int i = 0; i < 2; ++i) {
    const Result<std::string> line = socket->ask("a question", Clock::now() + time);
    answers.push_back(line ? *line : line.error().reason());
  }
  return answers;
}

TEST(LineSocket, AnswersAndReasons) {
  constexpr std::chrono::seconds kLong(60);
  const std::string given_up = "the connection is closed after an earlier failure";
  EXPECT_EQ(asked_twice("one\ntwo\n", false, kLong), (Answers{"one", "two"}));
  EXPECT_EQ(asked_twice("half a line", true, kLong),
            (Answers{"the connection was closed", given_up}));
  EXPECT_EQ(asked_twice(std::string(100'000, 'x'), false, kLong),
            (Answers{"the answer is longer than 64 KiB", given_up}));
  EXPECT_EQ(asked_twice("half a line", false, std::chrono::milliseconds(50)),
            (Answers{"no answer in time", given_up}));
}

TEST(LineSocket, NobodyThere) {
  const auto nobody = LineSocket::connect("/nowhere/socket");
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().reason().find("/nowhere/socket"), std::string::npos);
  const auto too_long = LineSocket::connect(std::string(200, 'x'));
  ASSERT_FALSE(too_long);
  EXPECT_NE(too_long.error().reason().find("too long"), std::string::npos);
}

TEST(ScratchFolder, LivesAsLongAsItsOwner) {
  std::filesystem::path path;
  {
    Result<ScratchFolder> folder = ScratchFolder::make("senet-test-");
    ASSERT_TRUE(folder);
    path = folder->path();
    ScratchFolder moved = std::move(*folder);
    EXPECT_EQ(moved.path(), path);
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path / "file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// While it exists, PATH begins with a folder that contains a `gnubg` with these shell commands.
class FakeGnubg {
 public:
  explicit FakeGnubg(const std::string& commands) : path_(::getenv("PATH")) {
    const std::string file = folder_ / "gnubg";
    std::ofstream(file) << "#!/bin/sh\n" << commands << "\n";
    ::chmod(file.c_str(), 0755);
    ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakeGnubg() { ::setenv("PATH", path_.c_str(), 1); }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

std::string reason_of_failed_start(const std::string& commands) {
  const FakeGnubg fake(commands);
  const Result<Gnubg> gnubg = Gnubg::start({});
  return gnubg ? "it started" : gnubg.error().reason();
}

TEST(GnubgStart, StrangeProgramsAreRefused) {
  EXPECT_NE(reason_of_failed_start("echo no database >&2; exit 3").find("no database"),
            std::string::npos);
  EXPECT_EQ(reason_of_failed_start("echo \"Unknown keyword 'jacoby'.\"; sleep 60"),
            "gnubg refused a setting: Unknown keyword 'jacoby'.");
  const std::string deaf = reason_of_failed_start("echo Waiting for a connection...; sleep 60");
  EXPECT_TRUE(deaf.starts_with("cannot connect to ")) << deaf;
}

/// The error and the faults of a player whose program answers every request with `answer`.
struct Blamed {
  std::string reason;
  PlayerFaults faults;
};
Blamed blamed(const std::string& answer) {
  const FakeGnubg fake("exec " SENET_FAKE_GNUBG " '" + answer + "' \"$@\"");
  const auto player = value_of(gnubg_player());
  const AnyState state =
      any_state(*Backgammon::from_board(Backgammon().board(), 0, backgammon::Dice{3, 1}));
  const std::array states = {state, state};
  const std::array draws = {Random(1, 0, 0, Purpose::kTest), Random(1, 0, 1, Purpose::kTest)};
  std::array<Action, 2> actions{};
  const Result<void> chosen = player->choose(states, draws, actions);
  return {chosen ? "it played" : chosen.error().reason(), player->faults()};
}

// An illegal play counts as a fault and is reported with the request.
TEST(GnubgPlayer, AnIllegalMoveIsToldWithTheQuestion) {
  const Blamed illegal = blamed("24/20 6/5");
  EXPECT_EQ(illegal.faults.illegal, 1u);
  EXPECT_EQ(illegal.faults.crashes, 0u);
  EXPECT_EQ(illegal.faults.state, 0u);
  const std::string& reason = illegal.reason;
  EXPECT_TRUE(reason.starts_with("illegal move \"24/20 6/5\" in 4HPwATDgc/ABMA:0:31")) << reason;
  EXPECT_NE(reason.find("request: board:X:O:0:0:0:0:-2:"), std::string::npos) << reason;
}

// Any other bad answer is not an illegal move: the request is sent once more to a new process, and
// then the player fails.
TEST(GnubgPlayer, AnErrorIsNoIllegalMove) {
  const Blamed error = blamed("Error: out of order");
  EXPECT_EQ(error.faults.illegal, 0u);
  EXPECT_EQ(error.faults.crashes, 2u);
  EXPECT_NE(error.reason.find("out of order"), std::string::npos) << error.reason;
  EXPECT_NE(error.reason.find("asked twice"), std::string::npos) << error.reason;
}

TEST(GnubgPlayer, StopsBetweenPositions) {
  const FakeGnubg fake("exec " SENET_FAKE_GNUBG " '8/5 6/5' \"$@\"");
  for (const std::size_t processes : {1u, 2u}) {
    std::atomic<int> asked = 0;
    const auto player = value_of(gnubg_player({}, processes, [&] { return ++asked > 5; }));
    const std::vector<AnyState> states(
        20, any_state(*Backgammon::from_board(Backgammon().board(), 0, backgammon::Dice{3, 1})));
    const std::vector<Random> draws(states.size(), Random(1, 0, 0, Purpose::kTest));
    std::vector<Action> actions(states.size());
    const Result<void> chosen = player->choose(states, draws, actions);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().status(), SENET_STOPPED);
    EXPECT_LE(asked, 9);
    EXPECT_EQ(player->faults().crashes, 0u);
  }
}

class GnubgProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnubg()) GTEST_SKIP() << "gnubg is not installed: its process was not tested";
  }

  const backgammon::Board start_ = Backgammon().board();
};

TEST_F(GnubgProcess, IsGoneWithItsOwner) {
  pid_t id = 0;
  {
    Gnubg gnubg = started({});
    id = gnubg.process_id();
    EXPECT_EQ(::kill(id, 0), 0);
    Gnubg moved = std::move(gnubg);
    EXPECT_TRUE(moved.evaluate(start_, 0));
  }
  // Neither running nor waiting to be reaped.
  EXPECT_EQ(::kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(GnubgProcess, KilledIsAReason) {
  Gnubg gnubg = started({});
  ASSERT_TRUE(gnubg.evaluate(start_, 0));
  ::kill(gnubg.process_id(), SIGKILL);
  for (int i = 0; i < 2; ++i) {
    const auto answer = gnubg.evaluate(start_, 0);
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().reason().starts_with("gnubg: ")) << answer.error().reason();
  }
}

TEST_F(GnubgProcess, SilenceIsAReason) {
  Gnubg gnubg = started({.answer_time = std::chrono::milliseconds(300)});
  ::kill(gnubg.process_id(), SIGSTOP);
  const auto answer = gnubg.evaluate(start_, 0);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().reason(), "gnubg: no answer in time");
  // Its late answer must not be taken for that of the next request.
  ::kill(gnubg.process_id(), SIGCONT);
  EXPECT_FALSE(gnubg.evaluate(start_, 0));
}

// A process that has ended is restarted once, and the same choose() succeeds.
TEST_F(GnubgProcess, PlayersGoOnWithANewOne) {
  std::vector<AnyState> states;
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    states.push_back(any_state(*Backgammon::from_board(start_, 0, backgammon::dice_of(roll))));
  }
  const std::vector<Random> draws(states.size(), Random(1, 0, 0, Purpose::kTest));
  const auto chosen = [&](ProcessPlayer& player) {
    std::vector<Action> actions(states.size());
    const Result<void> answered = player.choose(states, draws, actions);
    EXPECT_TRUE(answered) << answered.error().reason();
    return actions;
  };
  for (const std::size_t processes : {1u, 2u}) {
    std::vector<pid_t> ids;
    const auto start = [&]() -> Result<std::unique_ptr<MoveProcess>> {
      auto gnubg = std::make_unique<Gnubg>(started({}));
      ids.push_back(gnubg->process_id());
      return gnubg;
    };
    const auto player = value_of(ProcessPlayer::start(start, processes));
    const std::vector<Action> before = chosen(*player);
    EXPECT_EQ(player->faults().crashes, 0u);
    ::kill(ids.front(), SIGKILL);
    EXPECT_EQ(chosen(*player), before);
    EXPECT_EQ(player->faults().crashes, 1u);
    EXPECT_EQ(player->faults().illegal, 0u);
    EXPECT_EQ(ids.size(), processes + 1);
  }
}

}  // namespace
}  // namespace senet
