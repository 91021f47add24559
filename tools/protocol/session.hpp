// A conversation: one line in, the lines that answer it out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/protocol/engine.hpp"
#include "tools/protocol/inbox.hpp"
#include "tools/protocol/options.hpp"
#include "tools/protocol/requests.hpp"
#include "tools/protocol/words.hpp"

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
  /// session's thread. Fails when the options ask for what is not there.
  static Result<Session> open(const Options& options, Inbox& inbox, Writer write);

  /// Carries out lines from the inbox until quit or the end of input.
  void run();
  /// Carries out one line. False when it was quit.
  bool handle(std::string_view line);

 private:
  /// What a run over fixed positions came to. `signature` is the same wherever the searches found
  /// the same.
  struct BenchTotals {
    std::uint32_t positions = 0;
    std::uint64_t visits = 0, evaluations = 0, signature = 0;
  };
  static constexpr std::size_t kAny = kLongestLine;
  struct Command {
    std::string_view word;
    Result<void> (Session::*run)(Words words);
    std::size_t most_words = kAny;  // behind it
    bool is_of_ubgi = false;        // games without UBGI do not know it
  };
  static std::span<const Command> commands();

  Session(const Options& options, Inbox& inbox, Writer write, Engine engine);

  void say(std::string_view line) { write_(line); }
  Result<void> answer(std::string_view line) { return say(line), Result<void>(); }
  void refuse_line(const Error& problem);
  Result<void> carry_out(std::string_view line);

  // UCI's words and UGI's.
  template <Dialect kDialect>
  Result<void> greet(Words words);
  Result<void> isready(Words words);
  Result<void> newgame(Words words);
  Result<void> setoption(Words words);
  Result<void> position(Words words);
  Result<void> go(Words words);
  Result<void> stop(Words words);
  Result<void> quit(Words words);
  Result<void> debug(Words words);
  Result<void> query(Words words);

  // UBGI's.
  Result<void> newsession(Words words);
  Result<void> setscore(Words words);
  Result<void> setcube(Words words);
  Result<void> setturn(Words words);
  Result<void> dice(Words words);
  Result<void> only_ubgi(std::string_view word) const;

  // For people.
  Result<void> draw(Words words);
  Result<void> eval(Words words);
  Result<void> perft(Words words);
  Result<void> bench(Words words);

  void mention_untrained();
  Result<void> set_position(const Result<AnyState>& position);
  Result<void> think(const GoRequest& go, Role role, ServiceClock::time_point began);
  // One "info" line for each line of play that was found here, the best first.
  void say_info(const SessionResult& result, Role role, ServiceClock::time_point began);
  Result<BenchTotals> search_blind_games(std::uint32_t visits);
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
