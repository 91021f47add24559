// The engine behind a conversation: a service that is polled on the calling thread, and its one
// session.
#pragma once

#include <functional>
#include <memory>

#include "engine/host/service.hpp"
#include "games/any_game.hpp"
#include "tools/protocol/options.hpp"

namespace senet::protocol {

/// Belongs to one thread at a time. Every search begins with an empty tree, so that an answer
/// depends on nothing but the position, the settings and the limits.
class Engine {
 public:
  /// Of the game that the options name, with a session whose memory is reserved: no search has to.
  static Result<Engine> open(const Options& options);

  /// Builds anew what `change` says. On failure all is as it was. Throws std::bad_alloc where there
  /// is not so much memory.
  Result<void> configure(const Options& options, Change change);

  const AnyGame& game() const { return *game_; }
  /// The session in this position, which is of the game.
  Result<senet::Session*> at(const AnyState& position);

  /// Searches a position until a limit is reached or goes_on(), which is asked at least once a
  /// millisecond, says no. Then at() has what the result's actions mean.
  Result<SessionResult> search(const AnyState& position, SessionLimits limits,
                               const std::function<bool()>& goes_on);

 private:
  Engine() = default;
  Result<void> open_session();

  const AnyGame* game_ = nullptr;
  SharedNetwork network_;
  std::unique_ptr<Service> service_;
  senet::Session* session_ = nullptr;  // null when there was no memory for it
};

}  // namespace senet::protocol
