// How a request is refused: a status and one sentence for a person, as JSON.
#pragma once

#include <string>
#include <utility>

namespace game_server {

/// Thrown by what handles requests; the routes make the answer of it.
struct Refusal {
  int status;
  std::string reason;
};

/// {"error":{"status":404,"reason":"..."}}
std::string error_body(const Refusal& refusal);

/// A whole answer for requests that never get to the routes; the connection ends after it.
std::string error_answer(const Refusal& refusal);

/// "Not Found" for 404; of the statuses that this server gives.
const char* status_text(int status);

/// For how many seconds the client is told to stay away; 0: not told.
int retry_after(int status);

}  // namespace game_server
