// Words, lines and the inbox: the layers between bytes and commands.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {
namespace {

using Lines = std::vector<std::string>;

Lines split(std::initializer_list<std::string_view> pieces) {
  Inbox inbox;
  for (const std::string_view piece : pieces) EXPECT_TRUE(inbox.feed(piece));
  inbox.close();
  Lines lines;
  while (const std::optional<std::string> line = inbox.next()) lines.push_back(*line);
  return lines;
}

TEST(ProtocolWords, AreWhatStandsBetweenBlanks) {
  Words words("  go \t nodes  5 \x01 ");
  EXPECT_EQ(words.peek(), "go");
  EXPECT_EQ(words.next(), "go");
  EXPECT_EQ(words.rest(), "nodes  5");
  EXPECT_EQ(words.next(), "nodes");
  EXPECT_EQ(words.next(), "5");
  EXPECT_TRUE(words.empty());
  EXPECT_EQ(words.next(), "");
  EXPECT_TRUE(Words(" \t").empty());
}

TEST(ProtocolWords, OnlyOneOrNone) {
  EXPECT_EQ(only_word(" stop\t"), "stop");
  EXPECT_EQ(only_word("stop now"), "");
  EXPECT_EQ(only_word(" "), "");
}

TEST(ProtocolWords, NumbersAreWholeAndBounded) {
  const auto number = [](std::string_view word, std::uint64_t most = UINT64_MAX) {
    return number_of<std::uint64_t>(word, 0, most);
  };
  EXPECT_EQ(number("0"), 0u);
  EXPECT_EQ(number("100", 100), 100u);
  EXPECT_EQ(number("18446744073709551615"), UINT64_MAX);
  for (const char* const wrong : {"", "-1", "+1", "1.0", "1x", "0x10", "18446744073709551616"}) {
    EXPECT_FALSE(number(wrong)) << wrong;
  }
  EXPECT_FALSE(number("101", 100));
}

TEST(ProtocolWords, MessagesStayHarmless) {
  EXPECT_EQ(in_quotes("abc"), "\"abc\"");
  EXPECT_EQ(in_quotes(std::string_view("a\0\n\xff", 4)), "\"a???\"");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')).size(), 45u);
}

TEST(Inbox, TakesEveryLineEndAndEveryCut) {
  const Lines wanted = {"uci", "isready", "go"};
  EXPECT_EQ(split({"uci\nisready\ngo\n"}), wanted);
  EXPECT_EQ(split({"uci\nisready\ngo"}), wanted);
  EXPECT_EQ(split({"u", "ci", "\n", "isrea", "dy\ng", "o"}), wanted);
  EXPECT_EQ(split({"uci\risready\rgo\r"}), wanted);
  EXPECT_EQ(split({"uci\r", "\nisready\r\ngo"}), wanted);
  EXPECT_EQ(split({"uci\r\rgo\n", "\n\r\n"}), (Lines{"uci", "", "go", "", ""}));
  EXPECT_EQ(split({""}), Lines{});
}

TEST(Inbox, KeepsLittleOfALineThatIsTooLong) {
  const std::string piece(100'000, 'x');
  Inbox inbox;
  for (int i = 0; i < 30; ++i) inbox.feed(piece);
  EXPECT_TRUE(inbox.is_quiet());
  inbox.feed("\nisready\n");
  EXPECT_EQ(inbox.next()->size(), kLongestLine + 1);
  EXPECT_EQ(inbox.next(), "isready");
}

TEST(Inbox, WantsNoMoreBehindQuit) {
  Inbox inbox;
  EXPECT_TRUE(inbox.feed("quit it\nqu"));
  EXPECT_FALSE(inbox.feed("it\nisready\n"));
  EXPECT_FALSE(inbox.feed(""));
}

TEST(Inbox, SeesAStopBehindOtherLines) {
  Inbox inbox;
  EXPECT_TRUE(inbox.is_quiet());
  inbox.push("position startpos");
  EXPECT_FALSE(inbox.is_quiet());
  EXPECT_FALSE(inbox.has_interrupt());
  inbox.push("  stop ");
  EXPECT_TRUE(inbox.has_interrupt());
  EXPECT_EQ(inbox.next_if("position"), std::nullopt);
  EXPECT_EQ(inbox.next_if(""), "position startpos");
  EXPECT_TRUE(inbox.has_interrupt());
  EXPECT_EQ(inbox.next(), "  stop ");
  EXPECT_FALSE(inbox.has_interrupt());
  EXPECT_TRUE(inbox.is_quiet());
  for (const char* const other : {"stopped", "stop now", "quit it"}) inbox.push(other);
  EXPECT_FALSE(inbox.has_interrupt());
  inbox.push(" quit\t");
  EXPECT_TRUE(inbox.has_interrupt());
}

TEST(Inbox, GivesOutNothingBeforeAnInterrupt) {
  Inbox inbox;
  inbox.push("isready");
  EXPECT_EQ(inbox.next_unless_interrupted(), "isready");
  EXPECT_EQ(inbox.next_unless_interrupted(), std::nullopt);
  inbox.push("d");
  inbox.push("stop");
  EXPECT_EQ(inbox.next_unless_interrupted(), std::nullopt);
  EXPECT_EQ(inbox.next(), "d");
  EXPECT_EQ(inbox.next(), "stop");
}

TEST(Inbox, GivesOutAWordThatStandsAlone) {
  Inbox inbox;
  inbox.push("isready foo");
  EXPECT_EQ(inbox.next_if("isready"), std::nullopt);
  EXPECT_EQ(inbox.next(), "isready foo");
  inbox.push(" isready");
  EXPECT_EQ(inbox.next_if("isready"), " isready");
}

TEST(Inbox, GivesOutWhatItHasWhenClosed) {
  Inbox inbox;
  inbox.push("uci");
  inbox.close();
  EXPECT_TRUE(inbox.is_closed());
  EXPECT_FALSE(inbox.is_quiet());
  EXPECT_EQ(inbox.next(), "uci");
  EXPECT_EQ(inbox.next(), std::nullopt);
  EXPECT_FALSE(inbox.is_quiet());
  inbox.wait();
}

// Lines without bytes take memory too.
TEST(Inbox, HoldsNotManyEmptyLines) {
  constexpr std::size_t kMost = Inbox::kMaxBytes / sizeof(std::string), kLines = 2 * kMost;
  Inbox inbox;
  std::atomic<std::size_t> pushed = 0;
  std::jthread pusher([&] {
    for (; pushed < kLines; ++pushed) inbox.push("");
    inbox.close();
  });
  while (pushed < kMost) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (std::size_t taken = 0; inbox.next() == ""; ++taken) {
    ASSERT_LE(pushed, taken + kMost + 1);
  }
  EXPECT_EQ(pushed, kLines);
}

// Passes more lines than fit into the inbox between threads; none is lost or reordered.
TEST(Inbox, PassesLinesBetweenThreadsInOrder) {
  constexpr int kLines = 2000;
  const std::string filler(20'000, 'x');
  Inbox inbox;
  std::jthread pusher([&] {
    for (int i = 0; i < kLines; ++i) inbox.push(std::to_string(i) + " " + filler);
    inbox.close();
  });
  int expected = 0;
  while (const std::optional<std::string> line = inbox.next()) {
    ASSERT_EQ(Words(*line).peek(), std::to_string(expected));
    ++expected;
  }
  EXPECT_EQ(expected, kLines);
}

}  // namespace
}  // namespace senet::protocol
