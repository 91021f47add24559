// The games that a program knows: listed ones (games/registry.hpp) and others.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "senet/result.hpp"

namespace senet {

/// The tables of a game that is not listed. They live as long as this object.
class OwnTables {
 public:
  virtual ~OwnTables() = default;
  virtual const AnyGame& game() const = 0;
  /// The file from which the game was loaded.
  virtual std::string_view file() const = 0;
  /// The table of this type; null if the game has none.
  virtual const void* table(const std::type_info& type) const = 0;
};

/// The table of a game, listed or not; null if a game that is not listed has none.
template <class Table>
const Table* table_of(const AnyGame& game) {
  if (game.own_tables == nullptr) return *find_game<Table>(game.name);
  return static_cast<const Table*>(game.own_tables->table(typeid(Table)));
}

/// The games of a program: those listed, in their order, then those that it adds.
class Games {
 public:
  Games();
  /// Fails when the program knows a game of that name.
  Result<void> add(std::unique_ptr<const OwnTables> game);

  std::span<const AnyGame* const> all() const { return games_; }
  /// Never null. The error for an unknown name lists the known games.
  Result<const AnyGame*> find(std::string_view name) const;

 private:
  std::vector<const AnyGame*> games_;
  std::vector<std::unique_ptr<const OwnTables>> own_;
};

}  // namespace senet
