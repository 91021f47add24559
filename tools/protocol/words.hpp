// A line of the protocol, word by word, and what it can be wrong about.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

/// Refusals; their texts are formatted as by fmt::format().
template <class... Args>
Error refuse(Code code, fmt::format_string<Args...> text, Args&&... args) {
  return {static_cast<senet_status>(code), fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_argument(fmt::format_string<Args...> text, Args&&... args) {
  return refuse(Code::kBadArgument, text, std::forward<Args>(args)...);
}
inline Error refuse(Code code, const Error& error) { return refuse(code, "{}", error.reason()); }

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

/// A whole number in decimal digits, at most `most`; none when the word is anything else.
std::optional<std::uint64_t> number(std::string_view word, std::uint64_t most = UINT64_MAX);

/// Which of the known words this is, counted from 0. A refusal begins with `what`: "type is money
/// or match, not "x"".
Result<std::size_t> choice(std::string_view what, std::string_view word,
                           std::initializer_list<std::string_view> known);

/// A word for a message: in quotes, short, and harmless whatever bytes it holds.
std::string in_quotes(std::string_view word);

/// The text with every byte that is no printable ASCII replaced by '?', cut to `most` bytes.
std::string printable(std::string_view text, std::size_t most);

}  // namespace senet::protocol
