// A conversation: one line in, the lines that answer it out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tools/play/protocol/engine.hpp"
#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {

/// Whose words a session speaks: the last handshake decides. All understand the same commands.
enum class Dialect : std::uint8_t { kUci, kUbgi, kUgi };

/// Carries out lines in their order, on one thread, and never fails: what is wrong is answered with
/// "error <code> <text>". docs/protocol.md has the words.
///
/// While a search runs, the session looks into the inbox: a stop or quit that waits there ends it,
/// whatever stands before them; isready is answered. Other lines wait for its end, unless it has no
/// limits: then they are refused. No line will come any more: such a search ends.
class Session {
 public:
  using Writer = std::function<void(std::string_view line)>;

  /// A session with its engine ready. `inbox` outlives it; `write` takes one line at a time, on the
  /// session's thread. Throws an Error when the options ask for what is not there.
  Session(const Options& options, Inbox& inbox, Writer write);

  /// Carries out lines from the inbox until quit or the end of input.
  void run();
  /// Carries out one line. False when it was quit.
  bool handle(std::string_view line);

 private:
  static constexpr std::size_t kAny = kLongestLine;
  struct Command {
    std::string_view word;
    void (Session::*run)(Words words);
    std::size_t most_words = kAny;  // behind it
    bool is_of_ubgi = false;        // games without UBGI do not know it
  };
  static std::span<const Command> commands();

  void say(std::string_view line) { write_(line); }
  void refuse_line(const Error& problem);
  void carry_out(std::string_view line);

  // UCI's words and UGI's.
  template <Dialect kDialect>
  void greet(Words words);
  void isready(Words words);
  void newgame(Words words);
  void setoption(Words words);
  void position(Words words);
  void go(Words words);
  void stop(Words words);
  void quit(Words words);
  void debug(Words words);
  void query(Words words);

  // UBGI's.
  void newsession(Words words);
  void setscore(Words words);
  void setcube(Words words);
  void setturn(Words words);
  void dice(Words words);
  void only_ubgi(std::string_view word) const;

  // For people.
  void draw(Words words);
  void eval(Words words);
  void perft(Words words);
  void bench(Words words);

  void mention_untrained();
  void think(const GoRequest& go, Role role, ServiceClock::time_point began);
  // One "info" line for each line of play that was found here, the best first.
  void say_info(const SessionResult& result, Role role, ServiceClock::time_point began);
  bool goes_on(bool is_endless);
  bool listen(bool is_endless);

  Options options_;
  Inbox* inbox_;
  Writer write_;
  Engine engine_;
  AnyState position_;
  Dialect dialect_ = Dialect::kUci;
  bool quits_ = false;
  bool mentioned_untrained_ = false;

  // What surrounds a position in UBGI. Only whose turn it is matters to the answers.
  Player turn_ = 0;
  Contest contest_;
  std::array<std::uint32_t, 2> score_{};
  std::uint32_t cube_ = 1;
  std::string cube_owner_ = "center";
};

}  // namespace senet::protocol
