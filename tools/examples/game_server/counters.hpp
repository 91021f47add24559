// What the server has done so far, for /api/metrics. Any thread may count.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace game_server {

struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count connections = 0;           // accepted
  Count open_connections = 0;      // of these, now
  Count requests = 0;              // complete ones
  Count timed_out = 0;             // connections that took too long over a request or an answer
  Count shed = 0;                  // requests and connections that there was no room for: 503
  Count dropped = 0;               // connections that there was not even room for a 503 for
  std::array<Count, 6> answers{};  // [4]: with a status 400 .. 499

  Count games_opened = 0, games_finished = 0, games_timed_out = 0;
  Count searches = 0, visits = 0, search_microseconds = 0;

  void count_answer(int status) {
    ++answers.at(static_cast<std::size_t>(status / 100));
    if (status == 503) ++shed;
  }
};

}  // namespace game_server
