// A protocol session: executes lines and writes the answers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/play/protocol/clock.hpp"
#include "tools/play/protocol/engine.hpp"
#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {

/// The dialect of the answers, chosen by the last handshake. All dialects accept the same commands.
enum class Dialect : std::uint8_t { kUci, kUbgi, kUgi };

/// Executes lines in order, on one thread. Never fails: errors are answered with "error <code>
/// <text>". docs/protocol.md describes the commands.
///
/// While a search runs, the session checks the inbox. A stop or quit anywhere in the inbox ends the
/// search. An isready at the front is answered. Other lines wait for the end of the search, but are
/// refused during a search without limits, except for the ponderhit that a go ponder waits for. End
/// of input ends a search without limits, and perft and bench after kLastSeconds.
class Session {
 public:
  /// The time that perft and bench have after the end of input: enough for a line piped in, and the
  /// program does not outlive for long the one that talked to it.
  static constexpr int kLastSeconds = 3;
  using Writer = std::function<void(std::string_view line)>;

  /// Opens a session and its engine. `games` and `inbox` outlive it. `write` is called with one
  /// line at a time, on the session's thread. Throws an Error when the options are invalid, for
  /// example when the weights file does not exist.
  Session(const Games& games, const Options& options, Inbox& inbox, Writer write);

  /// Executes lines from the inbox until quit or the end of input.
  void run();
  /// Executes one line. False if it was quit.
  bool handle(std::string_view line);

 private:
  static constexpr std::size_t kAny = kLongestLine;
  struct Command {
    std::string_view word;
    void (Session::*run)(Words words);
    std::string_view use, help;     // for `help`: its words and what it does
    std::size_t most_words = kAny;  // maximum number of words after it
    bool is_of_ubgi = false;        // only for games that support UBGI
  };
  static std::span<const Command> commands();

  void say(std::string_view line) { write_(line); }
  void refuse_line(const Error& problem);
  void execute(std::string_view line);

  // Commands of UCI and UGI.
  template <Dialect kDialect>
  void greet(Words words);
  void isready(Words words);
  void newgame(Words words);
  void setoption(Words words);
  void position(Words words);
  void go(Words words);
  void stop(Words words);
  void ponderhit(Words words);
  void quit(Words words);
  void debug(Words words);
  void query(Words words);

  // Commands of UBGI.
  void newsession(Words words);
  void setscore(Words words);
  void setcube(Words words);
  void setturn(Words words);
  void dice(Words words);
  void only_ubgi(std::string_view word) const;

  // Commands for interactive use.
  void help(Words words);
  void draw(Words words);
  void eval(Words words);
  void perft(Words words);
  void bench(Words words);

  void say_notes();
  void think(const GoRequest& go, Role role, ServiceClock::time_point began);
  void say_move(const SessionResult& found, Role role);
  // Writes an "info" line for each principal variation, the best first.
  void say_info(const SessionResult& result, Role role, ServiceClock::time_point began);
  // How a running search, perft or bench listens to the inbox. Limits of perft and bench do not
  // bound their time: kCounts ends some time after the end of input.
  enum class Listening : std::uint8_t { kLimited, kCounts, kEndless, kPonders };
  bool keep_going(Listening how);
  bool listen(Listening how);

  Options options_;
  Inbox* inbox_;
  Writer write_;
  Engine engine_;
  AnyState position_;
  Dialect dialect_ = Dialect::kUci;
  bool quits_ = false;
  std::optional<ServiceClock::time_point>
      input_ended_;      // as seen by the perft or bench in progress
  bool is_hit_ = false;  // the go ponder in progress has its ponderhit
  bool mentioned_untrained_ = false;
  std::string tablebase_note_;  // the last one written

  // The UBGI state besides the position. Only turn_ affects the answers.
  Player turn_ = 0;
  Contest contest_;
  std::array<std::uint32_t, 2> score_{};
  std::uint32_t cube_ = 1;
  std::string cube_owner_ = "center";
};

}  // namespace senet::protocol
