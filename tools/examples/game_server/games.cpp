#include "games.hpp"

#include <algorithm>
#include <memory>

#include "refusal.hpp"

namespace game_server {

using nlohmann::json;

// Sessions are opened and closed under the lock: a place is free when its memory is.
std::string Games::open(const std::string& name, const std::string& client) {
  const std::lock_guard lock(mutex_);
  require(games_.size() < options_.games, 503, "all ", options_.games,
          " games are taken: come again later");
  const auto of_client = static_cast<std::size_t>(std::ranges::count_if(
      games_, [&](const auto& entry) { return entry.second.client == client; }));
  require(of_client < options_.client_games, 429, "you have ", of_client,
          " games open: close one of them");
  // 128 bits of the system's randomness: whoever knows an id may play.
  std::string id;
  for (std::uint32_t bits = 0; id.size() < 32; bits >>= 4) {
    if (id.size() % 8 == 0) bits = system_random_();
    id.push_back("0123456789abcdef"[bits & 15]);
  }
  const std::uint64_t seed = options_.dice_seed
                                 ? *options_.dice_seed + counters_.games_opened
                                 : std::uint64_t{system_random_()} << 32 | system_random_();
  games_.try_emplace(id, engine_, name, seed, client);
  ++counters_.games_opened;
  return id;
}

Games::Entry& Games::find(const std::string& id) {
  const auto found = games_.find(id);
  require(found != games_.end() && !found->second.is_closing, 404,
          "there is no game of that id: it was closed, or was idle for too long");
  return found->second;
}

json Games::use(const std::string& id, const std::function<json(Game&)>& action) {
  std::unique_lock lock(mutex_);
  Entry& entry = find(id);
  require(!entry.is_used, 409, "this game is busy with another request");
  entry.is_used = true;
  lock.unlock();
  const auto give_back = [this](Entry* used) {
    const std::lock_guard lock_again(mutex_);
    used->is_used = false;
    used->last_used = Clock::now();
    unused_.notify_all();
  };
  const std::unique_ptr<Entry, decltype(give_back)> used(&entry, give_back);
  return action(used->game);
}

void Games::close(const std::string& id) {
  std::unique_lock lock(mutex_);
  Entry& entry = find(id);
  entry.is_closing = true;
  entry.game.end_search();
  unused_.wait(lock, [&] { return !entry.is_used; });
  games_.erase(id);
}

void Games::close_idle() {
  const std::lock_guard lock(mutex_);
  const auto latest = Clock::now() - options_.idle;
  counters_.games_timed_out += std::erase_if(games_, [&](const auto& entry) {
    return !entry.second.is_used && !entry.second.is_closing && entry.second.last_used <= latest;
  });
}

std::pair<std::size_t, std::size_t> Games::counts() const {
  const std::lock_guard lock(mutex_);
  const auto is_used = [](const auto& entry) { return entry.second.is_used; };
  return {games_.size(), std::ranges::count_if(games_, is_used)};
}

}  // namespace game_server
