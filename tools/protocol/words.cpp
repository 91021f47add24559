#include "tools/protocol/words.hpp"

#include <algorithm>
#include <charconv>

namespace senet::protocol {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace

void Words::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

std::string_view Words::peek() const {
  return rest_.substr(
      0, static_cast<std::size_t>(std::ranges::find_if(rest_, is_blank) - rest_.begin()));
}

std::string_view Words::next() {
  const std::string_view word = peek();
  rest_.remove_prefix(word.size());
  skip_blanks();
  return word;
}

std::string_view Words::rest() const {
  std::string_view rest = rest_;
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

std::string_view only_word(std::string_view line) {
  Words words(line);
  const std::string_view word = words.next();
  return words.empty() ? word : std::string_view();
}

std::optional<std::uint64_t> number(std::string_view word, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || value > most) return std::nullopt;
  return value;
}

Result<std::size_t> choice(std::string_view what, std::string_view word,
                           std::initializer_list<std::string_view> known) {
  const auto found = std::ranges::find(known, word);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  std::string words;
  for (auto next = known.begin(); next != known.end(); ++next) {
    words.append(next == known.begin()     ? ""
                 : next + 1 == known.end() ? " or "
                                           : ", ")
        .append(*next);
  }
  return bad_argument("{} is {}, not {}", what, words, in_quotes(word));
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (shown.size() < text.size()) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view word) { return '"' + printable(word, 40) + '"'; }

}  // namespace senet::protocol
