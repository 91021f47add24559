// A line of the protocol, word by word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace senet::protocol {

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

/// All words of a text.
std::vector<std::string_view> words_of(std::string_view text);

/// A whole number in decimal digits, at most `most`; none when the word is anything else.
std::optional<std::uint64_t> number(std::string_view word, std::uint64_t most = UINT64_MAX);

/// A word for a message: in quotes, short, and harmless whatever bytes it holds.
std::string in_quotes(std::string_view word);

/// The text with every byte that is no printable ASCII replaced by '?', cut to `most` bytes.
std::string printable(std::string_view text, std::size_t most);

}  // namespace senet::protocol
