// How a request is refused: an HTTP status and one sentence for a person.
#pragma once

#include <sstream>
#include <string>

namespace game_server {

/// Thrown by whatever handles requests; error_answer() in http.hpp turns it into an answer.
struct Refusal {
  int status;
  std::string reason;
};

/// Throws a Refusal whose reason is all `parts` one behind the other.
template <class... Parts>
void require(bool holds, int status, const Parts&... parts) {
  if (!holds) throw Refusal{status, (std::ostringstream() << ... << parts).str()};
}

}  // namespace game_server
