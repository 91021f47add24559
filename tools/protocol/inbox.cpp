#include "tools/protocol/inbox.hpp"

#include <utility>

#include "tools/protocol/words.hpp"

namespace senet::protocol {
namespace {

bool interrupts(std::string_view line) {
  const std::string_view word = only_word(line);
  return word == "stop" || word == "quit";
}

}  // namespace

void LineSplitter::feed(std::string_view bytes, const Use& use) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end).substr(0, kLongestLine + 1 - line_.size()));
    if (end == std::string_view::npos) return;
    use(std::exchange(line_, {}));
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish(const Use& use) {
  if (!line_.empty()) use(std::exchange(line_, {}));
}

void Inbox::push(std::string line) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return lines_.empty() || bytes_ + line.size() <= kMostBytes; });
  bytes_ += line.size();
  if (interrupts(line)) ++interrupts_;
  lines_.push_back(std::move(line));
  attention_ = true;
  changed_.notify_one();
}

void Inbox::close() {
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
  bytes_ -= line.size();
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
