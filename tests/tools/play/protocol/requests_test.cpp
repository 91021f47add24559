// Parsing of the arguments of protocol commands.
#include <gtest/gtest.h>

#include "games/registry.hpp"
#include "tests/tools/play/protocol/talk.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {
namespace {

Result<GoRequest> go(std::string_view text) {
  return result_of([&] { return parse_go(Words(text)); });
}

TEST(ProtocolRequests, GoTakesItsLimitsInAnyOrder) {
  EXPECT_FALSE(go("")->nodes);
  EXPECT_EQ(go("nodes 50 movetime 7")->nodes, 50u);
  EXPECT_EQ(go("nodes 50 movetime 7")->movetime, Milliseconds(7));
  EXPECT_EQ(go("movetime 7 role turn nodes 50")->role, Role::kTurn);
  EXPECT_EQ(go("role chequer")->role, Role::kChequer);
  EXPECT_EQ(go("role cube")->role, Role::kCube);
  EXPECT_TRUE(go("infinite")->infinite);
  EXPECT_TRUE(go("ponder wtime 500")->ponder);
  EXPECT_EQ(go("nodes 50 depth 4")->depth, 4u);
  EXPECT_EQ(go("searchmoves 24/18 13/12 8/5 nodes 5")->searchmoves, "24/18 13/12 8/5 ");
  EXPECT_EQ(go("searchmoves 24/18 13/12 8/5 nodes 5")->nodes, 5u);
}

TEST(ProtocolRequests, GoRefusesWhatItCannotDo) {
  for (const char* const wrong :
       {"nodes", "nodes x", "nodes -1", "movetime -1", "wtime x", "nodes 99999999999999999999",
        "movetime", "movetime 1e3", "role", "role captain", "infinite nodes 5",
        "movetime 5 infinite", "wtime 5 infinite", "infinite ponder", "depth", "depth 2 infinite",
        "searchmoves", "searchmoves nodes 4", "fast"}) {
    ASSERT_FALSE(go(wrong)) << wrong;
    EXPECT_EQ(go(wrong).error().status(), static_cast<senet_status>(Code::kBadArgument)) << wrong;
  }
  for (const char* const not_here : {"trials 10", "mate 3"}) {
    ASSERT_FALSE(go(not_here)) << not_here;
    EXPECT_EQ(go(not_here).error().status(), static_cast<senet_status>(Code::kUnsupportedFeature))
        << not_here;
  }
}

TEST(ProtocolRequests, AClockIsSharedOut) {
  const auto time = [](std::string_view text, Player player) {
    return go(text)->thinking_time(player);
  };
  const auto times = [](int usual, int most) {
    return ThinkingTime{Milliseconds(usual), Milliseconds(most)};
  };
  EXPECT_EQ(time("nodes 5", 0), std::nullopt);
  EXPECT_EQ(time("movetime 5 wtime 90000", 0),
            (ThinkingTime{Milliseconds(5), Milliseconds(5), true}));
  EXPECT_EQ(time("wtime 90000 btime 30000", 0), times(3000, 9000));
  EXPECT_EQ(time("wtime 90000 btime 30000", 1), times(1000, 3000));
  EXPECT_EQ(time("p1time 90000 p2time 30000 p1inc 4000 p2inc 0", 0), times(6000, 18000));
  EXPECT_EQ(time("wtime 10000 movestogo 10", 0), times(1000, 3000));
  // Some time always stays on the clock, and the thinking time is at least 1 ms.
  EXPECT_EQ(time("wtime 100 winc 5000", 0), times(80, 80));
  EXPECT_EQ(time("wtime 1000 movestogo 1", 0), times(500, 500));
  EXPECT_EQ(time("wtime 1000 movestogo 5", 0), times(200, 500));
  EXPECT_EQ(time("wtime 0", 0), times(1, 1));
  EXPECT_EQ(time("wtime 1000", 1), std::nullopt);
  // A flag that has fallen, and programs that send the largest number for "no limit".
  EXPECT_EQ(time("wtime -5 btime 1000", 0), times(1, 1));
  EXPECT_EQ(time("movetime 2147483647", 0), time("movetime 9223372036854775807", 0));
  EXPECT_EQ(time("wtime 2147483647", 0), time("wtime 1000000000", 0));
  EXPECT_EQ(go("nodes 4294967295 depth 2147483647")->nodes, 1u << 30);
}

TEST(ProtocolRequests, PositionsHaveAKindATextAndMoves) {
  const auto position = [](const char* game, std::string_view text) {
    const auto state =
        result_of([&] { return read_position(**find_game<AnyGame>(game), Words(text), 0); });
    EXPECT_TRUE(state) << text << ": " << state.error().reason();
    return state ? state->text() : "";
  };
  const std::string start = position("connect_four", "startpos");
  EXPECT_EQ(start, "7/7/7/7/7/7");
  EXPECT_EQ(position("connect_four", "startpos moves"), start);
  const std::string after = position("connect_four", "4453");
  EXPECT_NE(after, start);
  EXPECT_EQ(position("connect_four", "fen 4453"), after);
  EXPECT_EQ(position("connect_four", "startpos moves 4 4 5 3"), after);
  EXPECT_EQ(position("connect_four", "fen 4453 moves 1 2"), position("connect_four", "445312"));
  EXPECT_EQ(position("backgammon", "gnubgid 4HPwATDgc/ABMA"), "4HPwATDgc/ABMA:0:-");
  EXPECT_TRUE(position("backgammon", "xgid XGID=--A--A------------a--a----:0:0:1:21:0:0:0:0:10")
                  .ends_with(":0:21"));
  const auto code = [](const char* game, std::string_view text) {
    const auto state =
        result_of([&] { return read_position(**find_game<AnyGame>(game), Words(text), 0); });
    EXPECT_FALSE(state) << text;
    return static_cast<Code>(state.error().status());
  };
  for (const char* const wrong : {"", "fen", "gnubgid", "xgid", "startpos 4", "xgid - 4"}) {
    EXPECT_EQ(code("connect_four", wrong), Code::kBadArgument) << wrong;
  }
  EXPECT_EQ(code("connect_four", "4453 4453"), Code::kIllegalPosition);
  EXPECT_EQ(code("connect_four", "xgid XGID=-b"), Code::kUnsupportedFeature);
  EXPECT_EQ(code("backgammon", "xgid XGID=-b"), Code::kIllegalPosition);
  EXPECT_EQ(code("connect_four", "19"), Code::kIllegalPosition);
  EXPECT_EQ(code("connect_four", "startpos moves 8"), Code::kIllegalMove);
}

TEST(ProtocolRequests, SessionsAreForMoneyOrAMatch) {
  const auto contest = [](std::string_view text) {
    return result_of([&] { return parse_newsession(Words(text)); });
  };
  EXPECT_FALSE(contest("type money")->is_match);
  EXPECT_TRUE(contest("type money jacoby on")->jacoby);
  EXPECT_EQ(contest("type match length 7")->length, 7u);
  EXPECT_FALSE(contest("type match length 7 crawford off")->crawford);
  for (const char* const wrong :
       {"", "type", "type chess", "type match", "type money length 5", "type match length x",
        "type money jacoby maybe", "length 5", "type money beavers on"}) {
    EXPECT_FALSE(contest(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace senet::protocol
