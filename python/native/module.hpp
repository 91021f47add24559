// The parts of the Python module senet._core. Each has a source file with a function that adds its
// classes and functions to the module.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "games/games.hpp"
#include "senet/result.hpp"

namespace senet::python {

namespace nb = nanobind;

/// senet.games(), senet.Game and senet.State.
void bind_games(nb::module_& module);
/// senet.VecEnv.
void bind_env(nb::module_& module);

/// senet.load_game() and senet.add_game().
void bind_own_games(nb::module_& module);
/// senet.Network.
void bind_network(nb::module_& module);
/// senet.search().
void bind_search(nb::module_& module);
/// senet.Records.
void bind_records(nb::module_& module);

/// The games of the process. They are never destroyed: states and environments refer to them.
/// Guarded by Python's global interpreter lock.
Games& known_games();

/// The game with this name. Raises ValueError, which lists the known games.
const AnyGame& game_named(std::string_view name);

/// senet.Game: a handle to a game's tables.
struct GameHandle {
  const AnyGame* any;
};

/// Raises a ValueError unless the action is legal here, or an outcome of the chance turn.
void check_action(const AnyState& state, std::int64_t action);

/// Lets one call at a time use an object whose calls release the interpreter lock.
class OneUser {
 public:
  /// Uses the object until its end. Raises RuntimeError if another call is using it.
  class Use {
   public:
    explicit Use(const OneUser& object) : object_(object) {
      if (object_.is_used_.exchange(true, std::memory_order_acquire)) {
        throw std::runtime_error("another call is using this object");
      }
    }
    ~Use() { object_.is_used_.store(false, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const OneUser& object_;
  };

 private:
  mutable std::atomic<bool> is_used_ = false;
};

/// Raises a ValueError with this text.
[[noreturn]] void raise_value_error(const std::string& text);

/// The table of a game. Raises ValueError if it has none.
template <class Table>
const Table& table_for(const AnyGame& game) {
  const Table* const table = table_of<Table>(game);
  if (table == nullptr) raise_value_error(std::string(game.name) + " cannot do this");
  return *table;
}

/// The value, or a ValueError with the reason.
template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise_value_error(result.error().reason());
  return std::move(*result);
}
inline void value_or_raise(const Result<void>& result) {
  if (!result) raise_value_error(result.error().reason());
}

}  // namespace senet::python
