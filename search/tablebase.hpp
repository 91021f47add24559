// The endgame tablebase that a search asks before it asks the network.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

#include "games/tablebase.hpp"
#include "search/outcomes.hpp"

namespace senet {

namespace tablebase_detail {

struct None {};

template <Game G>
auto type() {
  if constexpr (TablebaseGame<G>) {
    return std::type_identity<typename G::Tablebase>{};
  } else {
    return std::type_identity<None>{};
  }
}

}  // namespace tablebase_detail

/// A view of the game's tablebase, or none. Copied freely; any number of threads may read the same
/// table.
template <Game G>
class Tablebase {
 public:
  /// None: knows no state.
  Tablebase() = default;
  /// `bytes` is a table that G::Tablebase::build() has filled, and outlives the view; empty: none.
  explicit Tablebase([[maybe_unused]] std::span<const std::byte> bytes) {
    if constexpr (TablebaseGame<G>) {
      if (!bytes.empty()) table_.emplace(bytes);
    }
  }

  explicit operator bool() const { return table_.has_value(); }

  /// Whether the table knows the unfinished `state`; if so, writes its distribution from the
  /// perspective of state.viewer().
  bool find([[maybe_unused]] const G& state, [[maybe_unused]] Outcomes<G>& outcomes) const {
    if constexpr (TablebaseGame<G>) return table_ && table_->find(state, outcomes);
    return false;
  }

 private:
  std::optional<typename decltype(tablebase_detail::type<G>())::type> table_;
};

}  // namespace senet
