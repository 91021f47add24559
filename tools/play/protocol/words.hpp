// Parsing of protocol lines: words, the arguments of longer commands as values, and errors.
#pragma once

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "games/any_game.hpp"
#include "games/fields.hpp"
#include "games/names.hpp"
#include "senet/result.hpp"

namespace senet::protocol {

/// The codes of "error <code> <text>". The first five are defined by UBGI. An Error has one of
/// these as its status, or a status of libsenet.
enum class Code : std::int32_t {
  kUnknownCommand = 1000,
  kBadArgument,         // an unexpected word or a number out of range
  kMissingContext,      // a prerequisite is missing, e.g. the dice
  kUnsupportedFeature,  // understood, but not supported
  kSearchInProgress,    // refused while a search without limits runs
  kIllegalPosition,
  kIllegalMove,
  kGameOver,
  kStopped,   // perft or bench was stopped before its result
  kInternal,  // not caused by the line, e.g. out of memory
};
constexpr std::array<Named<Code>, 10> names_of(std::type_identity<Code>) {
  return {{{"unknown_command", Code::kUnknownCommand},
           {"bad_argument", Code::kBadArgument},
           {"missing_context", Code::kMissingContext},
           {"unsupported_feature", Code::kUnsupportedFeature},
           {"search_in_progress", Code::kSearchInProgress},
           {"illegal_position", Code::kIllegalPosition},
           {"illegal_move", Code::kIllegalMove},
           {"game_over", Code::kGameOver},
           {"stopped", Code::kStopped},
           {"internal", Code::kInternal}}};
}

/// Makes an Error to throw while a line is executed. Session::handle() prints it as the answer. The
/// text is formatted by fmt::format().
template <class... Args>
Error refuse(Code code, fmt::format_string<Args...> text, Args&&... args) {
  return {static_cast<senet_status>(code), fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_argument(fmt::format_string<Args...> text, Args&&... args) {
  return refuse(Code::kBadArgument, text, std::forward<Args>(args)...);
}
/// The result's value; throws its error with this code.
template <class T>
T value_or(Code code, Result<T> result) {
  if (!result) throw refuse(code, "{}", result.error().reason());
  return std::move(result).value();
}

/// Iterates over the words of a line, which are separated by blanks, tabs and other control
/// characters. The line must outlive it.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) { skip_blanks(); }

  bool empty() const { return rest_.empty(); }
  /// The next word, or "" at the end. next() consumes it, peek() does not.
  std::string_view peek() const;
  std::string_view next();
  /// The rest of the line without surrounding blanks.
  std::string_view rest() const;

 private:
  void skip_blanks();

  std::string_view rest_;
};

/// The word of a line that consists of a single word; "" for any other line.
std::string_view only_word(std::string_view line);

/// The index of `word` in `known`. Otherwise throws an error such as "type is "x": it must be money
/// or match", where `what` is "type".
std::size_t choice(std::string_view what, std::string_view word,
                   std::initializer_list<std::string_view> known);

/// A word for a message: quoted, cut to 40 bytes and made printable.
std::string in_quotes(std::string_view word);

/// The text with every byte outside printable ASCII replaced by '?', cut to `most` bytes.
std::string printable(std::string_view text, std::size_t most);

using Milliseconds = std::chrono::milliseconds;

/// The decision that UBGI's "go role" requests: a play, whether to double, or both.
enum class Role : std::uint8_t { kChequer, kCube, kTurn };

/// How long a search may think.
struct ThinkingTime {
  Milliseconds usual;  // ends about here; exactly, if is_exact
  Milliseconds most;
  bool is_exact = false;  // from movetime, not from a clock
  bool operator==(const ThinkingTime&) const = default;
};

/// The arguments of "go". Absent words leave their fields empty.
struct GoRequest {
  std::optional<Role> role;
  std::optional<std::uint32_t> nodes, depth;
  std::optional<Milliseconds> movetime;
  bool infinite = false;
  bool ponder = false;
  std::string searchmoves;  // the words after it
  /// The clock: time left and increment per move of each player, and moves until the next time
  /// control.
  std::array<std::optional<Milliseconds>, 2> time, increment;
  std::optional<std::uint32_t> moves_to_go;
  /// Thinking time of the player to move, from movetime or the clock; none without either.
  std::optional<ThinkingTime> thinking_time(Player on_turn) const;
};

/// Parses the words after "go". Throws a refusal on errors, like all functions here.
GoRequest parse_go(Words words);

/// The legal actions that these words name. Throws a refusal if they name another, or one twice.
std::vector<Action> read_actions(const AnyState& state, Words words);

/// The notation of the actions that lead on from `state`, one after the other.
std::vector<std::string> texts_of(AnyState state, std::span<const Action> line);

/// Parses the words after "position" and plays the moves. The position is startpos, a text in the
/// game's own notation (optionally after "fen"), or one in another notation after its name.
/// `on_roll` is the player on roll if the words do not specify one (a position id, a new game).
AnyState read_position(const AnyGame& game, Words words, Player on_roll);
/// The same, with the positions before each move.
std::vector<AnyState> read_positions(const AnyGame& game, Words words, Player on_roll);

/// The error for a word that only the games selected by `have_it` support.
Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it);

/// The arguments of "newsession".
struct Contest {
  bool is_match = false;
  std::uint32_t length = 0;  // of a match, in points
  bool jacoby = false;
  bool crawford = true;
};

/// Parses the words after "newsession".
Contest parse_newsession(Words words);

/// Whether UBGI supports the game, with its doubling cube, roles and score.
inline bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

}  // namespace senet::protocol
