#include "front.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace game_server {
namespace {

// What an event is about; connections are numbered from kFirstConnection on and no number is used
// twice.
constexpr std::uint64_t kListener = 0, kWake = 1, kStop = 2, kFirstConnection = 3;

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kLingerTime = std::chrono::seconds(1);
constexpr std::size_t kLingerBytes = std::size_t{1} << 20;

Descriptor checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return Descriptor(descriptor);
}

}  // namespace

Front::Front(const FrontSettings& settings, Handler handler, Counters& counters)
    : settings_(settings),
      handler_(std::move(handler)),
      counters_(counters),
      listener_(settings.address, settings.port),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      clients_(settings.clients),
      next_number_(kFirstConnection),
      workers_(settings.threads, settings.queue) {
  // By edge: connections that wait because the system has no room for them do not wake us at once
  // again; the next tick looks.
  watch(listener_.descriptor(), kListener, EPOLLIN | EPOLLET);
  watch(wake_.get(), kWake, EPOLLIN);
}

bool Front::watch(int descriptor, std::uint64_t number, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Front::wait_for(std::uint64_t number, const Connection& connection, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket.get(), &event);
}

void Front::run(int stop, const std::function<void()>& tick) {
  watch(stop, kStop, EPOLLIN);
  auto next_tick = Clock::now();
  auto last_moment = Clock::time_point::max();
  std::array<epoll_event, 64> events;
  while (!stopping_ || (!connections_.empty() && Clock::now() < last_moment)) {
    const int count =
        epoll_wait(epoll_.get(), events.data(), events.size(), static_cast<int>(kTick.count()));
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kListener) {
        accept_all();
      } else if (event.data.u64 == kWake) {
        take_finished();
      } else if (event.data.u64 == kStop) {
        if (!stopping_) begin_to_stop();
        epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, stop, nullptr);
        last_moment = Clock::now() + settings_.request_time;
      } else {
        act(event.data.u64, event.events);
      }
    }
    if (Clock::now() < next_tick) continue;
    next_tick = Clock::now() + kTick;
    end_overdue();
    tick();
  }
}

void Front::accept_all() {
  while (!stopping_) {
    std::optional<Accepted> accepted = listener_.accept();
    if (!accepted) return;
    admit(std::move(*accepted));
  }
}

void Front::admit(Accepted accepted) {
  const auto now = Clock::now();
  ++counters_.connections;
  // Beyond the limit there is a word of refusal for as many again, and nothing for the rest.
  if (connections_.size() >= 2 * settings_.connections) {
    ++counters_.dropped;
    return;
  }
  const std::uint64_t number = next_number_++;
  Connection& connection = connections_[number];
  connection.socket = std::move(accepted.socket);
  connection.client = std::move(accepted.client);
  connection.deadline = now + settings_.request_time;
  counters_.open_connections = connections_.size();
  bool open = watch(connection.socket.get(), number, EPOLLIN);
  if (!open) {
    ++counters_.dropped;
  } else if (connections_.size() > settings_.connections) {
    open = refuse(number, connection, {503, "all connections are taken: come again later"});
  } else if (!clients_.connect(connection.client, now)) {
    open = refuse(number, connection, {429, "you have too many connections open"});
  } else {
    connection.counted = true;
  }
  if (!open) remove(connections_.find(number));
}

void Front::act(std::uint64_t number, std::uint32_t events) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  bool open = (events & EPOLLERR) == 0;
  if (open && (events & EPOLLOUT) != 0) open = write_some(number, connection);
  if (open && (events & EPOLLIN) != 0) open = read_some(number, connection);
  // Nothing more can be read or written; while a request is answered nothing else would tell.
  if ((events & EPOLLHUP) != 0 && (events & (EPOLLIN | EPOLLOUT)) == 0) open = false;
  if (!open) remove(found);
}

bool Front::read_some(std::uint64_t number, Connection& connection) {
  std::array<char, 16384> bytes;
  const ssize_t count = recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (connection.state == State::kLingering) {
    connection.lingered += static_cast<std::size_t>(count);
    return connection.lingered < kLingerBytes;
  }
  if (connection.in.empty()) connection.deadline = Clock::now() + settings_.request_time;
  connection.in.append(bytes.data(), static_cast<std::size_t>(count));
  return next_request(number, connection);
}

bool Front::next_request(std::uint64_t number, Connection& connection) {
  std::optional<Frame> frame;
  try {
    frame = read_frame(connection.in, settings_.frame);
  } catch (const Refusal& refusal) {
    return refuse(number, connection, refusal);
  }
  if (!frame) return true;
  connection.in.erase(0, frame->size);
  connection.keep_alive = frame->keep_alive;
  ++counters_.requests;
  if (!clients_.request(connection.client, Clock::now())) {
    return refuse(number, connection, {429, "you ask too often: slow down"});
  }
  return hand_over(number, connection, std::move(frame->request));
}

bool Front::hand_over(std::uint64_t number, Connection& connection, std::string request) {
  const bool taken =
      workers_.try_push([this, number, request = std::move(request), client = connection.client] {
        Answer answer = handler_(request, client);
        {
          const std::lock_guard lock(mutex_);
          finished_.push_back({number, std::move(answer)});
        }
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t told = write(wake_.get(), &one, sizeof one);
      });
  if (!taken) {
    return refuse(number, connection, {503, "the server is busy: come again later"});
  }
  connection.state = State::kAnswering;
  connection.deadline = Clock::time_point::max();  // the handler has limits of its own
  wait_for(number, connection, 0);
  return true;
}

bool Front::refuse(std::uint64_t number, Connection& connection, const Refusal& refusal) {
  if (refusal.status == 503) ++counters_.shed;
  counters_.count_answer(refusal.status);
  connection.keep_alive = false;
  connection.out = error_answer(refusal);
  return write_some(number, connection);
}

bool Front::write_some(std::uint64_t number, Connection& connection) {
  if (connection.state != State::kWriting) {
    connection.state = State::kWriting;
    connection.deadline = Clock::now() + settings_.request_time;
    connection.written = 0;
    wait_for(number, connection, EPOLLOUT);
  }
  while (connection.written < connection.out.size()) {
    const ssize_t count = send(connection.socket.get(), connection.out.data() + connection.written,
                               connection.out.size() - connection.written, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    connection.written += static_cast<std::size_t>(count);
  }
  connection.out = {};
  if (!connection.keep_alive || stopping_) return linger(number, connection);
  connection.state = State::kReading;
  const bool begun = !connection.in.empty();  // the next request, behind the last
  connection.deadline = Clock::now() + (begun ? settings_.request_time : settings_.idle_time);
  wait_for(number, connection, EPOLLIN);
  return connection.in.empty() || next_request(number, connection);
}

// Closing a socket with unread bytes resets the connection, and the client may lose the answer that
// it has not read yet. So the end is told, and the rest of what it sends thrown away for a moment.
bool Front::linger(std::uint64_t number, Connection& connection) {
  connection.state = State::kLingering;
  connection.in = {};
  connection.deadline = Clock::now() + kLingerTime;
  wait_for(number, connection, EPOLLIN);
  return shutdown(connection.socket.get(), SHUT_WR) == 0;
}

void Front::take_finished() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.get(), &count, sizeof count);
  std::vector<Finished> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  for (Finished& one : finished) {
    const auto found = connections_.find(one.number);
    if (found == connections_.end()) continue;  // the client has gone
    Connection& connection = found->second;
    connection.keep_alive = connection.keep_alive && one.answer.keep_alive;
    connection.out = std::move(one.answer.bytes);
    if (!write_some(one.number, connection)) remove(found);
  }
}

void Front::end_overdue() {
  const auto now = Clock::now();
  std::vector<std::uint64_t> overdue;
  for (const auto& [number, connection] : connections_) {
    if (now >= connection.deadline) overdue.push_back(number);
  }
  for (const std::uint64_t number : overdue) {
    const auto found = connections_.find(number);
    Connection& connection = found->second;
    // Who has begun a request is told; who was idle, or does not read or go, is not.
    const bool begun = connection.state == State::kReading && !connection.in.empty();
    if (begun || connection.state == State::kWriting) ++counters_.timed_out;
    if (!begun || !refuse(number, connection, {408, "the request took too long to arrive"})) {
      remove(found);
    }
  }
  clients_.forget_idle(now);
  accept_all();
}

void Front::begin_to_stop() {
  stopping_ = true;
  listener_.close();
  for (auto next = connections_.begin(); next != connections_.end();) {
    const auto current = next++;
    if (current->second.state == State::kReading) remove(current);
  }
}

void Front::remove(Connections::iterator connection) {
  if (connection->second.counted) clients_.disconnect(connection->second.client);
  connections_.erase(connection);
  counters_.open_connections = connections_.size();
}

}  // namespace game_server
