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

void Inbox::push(std::string line) {
  {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return lines_.empty() || bytes_ + line.size() <= kMostBytes; });
    bytes_ += line.size();
    if (interrupts(line)) ++interrupts_;
    lines_.push_back(std::move(line));
    attention_ = true;
  }
  arrived_.notify_one();
}

void Inbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    attention_ = true;
  }
  arrived_.notify_one();
}

std::string Inbox::take() {
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  bytes_ -= line.size();
  if (interrupts(line)) --interrupts_;
  attention_ = closed_ || !lines_.empty();
  return line;
}

std::optional<std::string> Inbox::next() {
  std::optional<std::string> line;
  {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return closed_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    line = take();
  }
  taken_.notify_one();
  return line;
}

std::optional<std::string> Inbox::next_if(std::string_view word) {
  std::optional<std::string> line;
  {
    const std::lock_guard lock(mutex_);
    if (lines_.empty() || (!word.empty() && only_word(lines_.front()) != word)) {
      return std::nullopt;
    }
    line = take();
  }
  taken_.notify_one();
  return line;
}

void Inbox::wait() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return closed_ || !lines_.empty(); });
}

bool Inbox::has_interrupt() const {
  const std::lock_guard lock(mutex_);
  return interrupts_ > 0;
}

bool Inbox::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace senet::protocol
