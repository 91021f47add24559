#include "games.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "http_error.hpp"

namespace game_server {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void unknown_game() {
  throw Refusal{404, "there is no game of that id: it was closed, or was idle for too long"};
}

}  // namespace

Games::Games(senet::api::Engine& engine, const GamesSettings& settings, Counters& counters)
    : engine_(engine), settings_(settings), counters_(counters) {}

// 128 bits of the system's randomness: who knows an id was told it.
std::string Games::new_id() {
  std::string id;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t bits = system_random_();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) id.push_back("0123456789abcdef"[bits & 15]);
  }
  return id;
}

void Games::check_place(const std::string& client) const {
  if (games_.size() >= settings_.most) {
    throw Refusal{503,
                  "all " + std::to_string(settings_.most) + " games are taken: come again later"};
  }
  const auto of_client = std::ranges::count_if(
      games_, [&](const auto& entry) { return entry.second.client == client; });
  if (static_cast<std::size_t>(of_client) >= settings_.most_of_client) {
    throw Refusal{429, "you have " + std::to_string(of_client) + " games open: close one of them"};
  }
}

Games::Use Games::open(const std::string& name, const std::string& client) {
  const std::lock_guard lock(mutex_);
  check_place(client);
  const std::uint64_t seed = settings_.dice_seed
                                 ? *settings_.dice_seed + opened_
                                 : std::uint64_t{system_random_()} << 32 | system_random_();
  auto game = std::make_unique<Game>(engine_, name, seed);
  ++opened_;
  ++counters_.games_opened;
  const std::string id = new_id();
  Game& opened = *game;
  games_.emplace(id, Entry{std::move(game), client, Clock::now(), true});
  return Use(*this, id, opened);
}

Games::Use Games::take(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = games_.find(id);
  if (found == games_.end() || found->second.is_closing) unknown_game();
  if (found->second.is_used) throw Refusal{409, "this game is busy with another request"};
  found->second.is_used = true;
  return Use(*this, id, *found->second.game);
}

void Games::give_back(const std::string& id) {
  std::unique_ptr<Game> closed;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = games_.at(id);
    if (!entry.is_closing) {
      entry.is_used = false;
      entry.last_used = Clock::now();
      return;
    }
    closed = std::move(entry.game);
  }
  closed.reset();  // outside the lock, and before its place is said to be free
  const std::lock_guard lock(mutex_);
  games_.erase(id);
  gone_.notify_all();
}

void Games::close(const std::string& id) {
  decltype(games_)::node_type closed;  // ends outside the lock
  std::unique_lock lock(mutex_);
  const auto found = games_.find(id);
  if (found == games_.end() || found->second.is_closing) unknown_game();
  if (!found->second.is_used) {
    closed = games_.extract(found);
    lock.unlock();
    return;
  }
  found->second.is_closing = true;
  found->second.game->end_search();
  gone_.wait(lock, [&] { return !games_.contains(id); });
}

void Games::close_idle() {
  std::vector<std::unique_ptr<Game>> closed;  // end outside the lock
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto next = games_.begin(); next != games_.end();) {
    Entry& entry = next->second;
    const bool idle = !entry.is_used && now - entry.last_used >= settings_.idle;
    if (idle) {
      closed.push_back(std::move(entry.game));
      ++counters_.games_timed_out;
    }
    next = idle ? games_.erase(next) : std::next(next);
  }
}

std::size_t Games::count() const {
  const std::lock_guard lock(mutex_);
  return games_.size();
}

std::size_t Games::busy() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(games_, [](const auto& entry) { return entry.second.is_used; }));
}

}  // namespace game_server
