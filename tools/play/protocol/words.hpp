// A line of the protocol: its words, what the sentences among the commands ask for, as values, and
// what can be wrong about them.
#pragma once

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "games/any_game.hpp"
#include "games/fields.hpp"
#include "games/names.hpp"
#include "senet/result.hpp"

namespace senet::protocol {

/// The codes of "error <code> <text>". The first five are UBGI's. Errors of a line carry them as
/// their status, beside the library's own.
enum class Code : std::int32_t {
  kUnknownCommand = 1000,
  kBadArgument,         // a word that does not belong there, a number out of range
  kMissingContext,      // what the command needs is not known yet, e.g. the dice
  kUnsupportedFeature,  // understood, and not done here
  kSearchInProgress,    // refused while a search without limits runs
  kIllegalPosition,
  kIllegalMove,
  kGameOver,
  kStopped,   // perft or bench ended by stop, without a result
  kInternal,  // no fault of the line: out of memory
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

/// Refusals, to be thrown: what carries a line out throws them, and Session::handle() answers them.
/// Their texts are formatted as by fmt::format().
template <class... Args>
Error refuse(Code code, fmt::format_string<Args...> text, Args&&... args) {
  return {static_cast<senet_status>(code), fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_argument(fmt::format_string<Args...> text, Args&&... args) {
  return refuse(Code::kBadArgument, text, std::forward<Args>(args)...);
}
/// The result's value; throws its error as a refusal of this kind.
template <class T>
T value_or(Code code, Result<T> result) {
  if (!result) throw refuse(code, "{}", result.error().reason());
  return std::move(result).value();
}

/// Walks through the words of a line; blanks, tabs and other control characters part words. The
/// text outlives it.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) { skip_blanks(); }

  bool empty() const { return rest_.empty(); }
  /// The next word, "" at the end; peek() leaves it there.
  std::string_view peek() const;
  std::string_view next();
  /// All that is left, from its first word to its last, blanks inside included.
  std::string_view rest() const;

 private:
  void skip_blanks();

  std::string_view rest_;
};

/// The word of a line that has one word and nothing else; "" of any other line.
std::string_view only_word(std::string_view line);

/// Which of the known words this is, counted from 0. A refusal begins with `what`: "type is money
/// or match, not "x"".
std::size_t choice(std::string_view what, std::string_view word,
                   std::initializer_list<std::string_view> known);

/// A word for a message: in quotes, short, and harmless whatever bytes it holds.
std::string in_quotes(std::string_view word);

/// The text with every byte that is no printable ASCII replaced by '?', cut to `most` bytes.
std::string printable(std::string_view text, std::size_t most);

using Milliseconds = std::chrono::milliseconds;

/// What UBGI's "go role" asks for: a play, whether to double, or both.
enum class Role : std::uint8_t { kChequer, kCube, kTurn };

/// "go ...": words that are not there leave their fields empty.
struct GoRequest {
  std::optional<Role> role;
  std::optional<std::uint32_t> nodes;
  std::optional<Milliseconds> movetime;
  bool infinite = false;
  /// A clock: what each player has left and gets for each move, and the moves until more is given.
  std::array<std::optional<Milliseconds>, 2> time, increment;
  std::optional<std::uint32_t> moves_to_go;
  /// How long the player on turn may think by the clock or by movetime; none without either.
  std::optional<Milliseconds> thinking_time(Player on_turn) const;
};

/// Reads what follows "go". Throws a refusal, as all functions here do.
GoRequest parse_go(Words words);

/// The position that the words behind "position" name, with its moves played: startpos, a text in
/// the game's own notation ("fen" before it or not) or one in another notation that some game has.
/// `on_roll`: the player who rolls when the words do not say (a position id, a new game).
AnyState read_position(const AnyGame& game, Words words, Player on_roll);

/// The refusal of a word that only the games of `have_it` know.
Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it);

/// "newsession ...": who plays for what.
struct Contest {
  bool is_match = false;
  std::uint32_t length = 0;  // of a match, in points
  bool jacoby = false;
  bool crawford = true;
};

/// Reads what follows "newsession".
Contest parse_newsession(Words words);

/// Whether the game is spoken about in UBGI, with its doubling cube, roles and score.
inline bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

}  // namespace senet::protocol
