#include "tools/play/protocol/inbox.hpp"

#include <utility>

#include "tools/play/protocol/words.hpp"

namespace senet::protocol {
namespace {

bool interrupts(std::string_view line) {
  const std::string_view word = only_word(line);
  return word == "stop" || word == "quit";
}

// An empty line takes memory too.
std::size_t bytes_of(const std::string& line) { return sizeof line + line.size(); }

}  // namespace

void Inbox::push(std::string line) {
  has_quit_ = has_quit_ || only_word(line) == "quit";
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return lines_.empty() || bytes_ + bytes_of(line) <= kMaxBytes; });
  bytes_ += bytes_of(line);
  if (interrupts(line)) ++interrupts_;
  lines_.push_back(std::move(line));
  attention_ = true;
  changed_.notify_one();
}

bool Inbox::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(has_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    fed_.append(bytes.substr(0, end).substr(0, kLongestLine + 1 - fed_.size()));
    if (end == std::string_view::npos) break;
    push(std::exchange(fed_, {}));
    has_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
  }
  return !has_quit_;
}

void Inbox::close() {
  if (!fed_.empty()) push(std::exchange(fed_, {}));
  const std::lock_guard lock(mutex_);
  closed_ = attention_ = true;
  changed_.notify_one();
}

std::unique_lock<std::mutex> Inbox::wait_for_line() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !lines_.empty(); });
  return lock;
}

std::optional<std::string> Inbox::take() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  bytes_ -= bytes_of(line);
  if (interrupts(line)) --interrupts_;
  attention_ = closed_ || !lines_.empty();
  changed_.notify_one();
  return line;
}

std::optional<std::string> Inbox::next() {
  const auto lock = wait_for_line();
  return take();
}

std::optional<std::string> Inbox::next_if(std::string_view word) {
  const std::lock_guard lock(mutex_);
  const bool is_it = word.empty() || (!lines_.empty() && only_word(lines_.front()) == word);
  return is_it ? take() : std::nullopt;
}

std::optional<std::string> Inbox::next_unless_interrupted() {
  const std::lock_guard lock(mutex_);
  return interrupts_ > 0 ? std::nullopt : take();
}

void Inbox::wait() { wait_for_line(); }

bool Inbox::has_interrupt() const {
  const std::lock_guard lock(mutex_);
  return interrupts_ > 0;
}

bool Inbox::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace senet::protocol
