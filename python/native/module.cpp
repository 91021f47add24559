#include "python/native/module.hpp"

#include <vector>

#include "games/registry.hpp"

namespace senet::python {

Games& known_games() {
  static Games* const games = new Games;
  return *games;
}

const AnyGame& game_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const AnyGame* const game : known_games().all()) {
    if (game->name == name) return *game;
    names.push_back(game->name);
  }
  raise_value_error(unknown_game(name, names).reason());
}

void raise_value_error(const std::string& text) { throw nb::value_error(text.c_str()); }

}  // namespace senet::python

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // objects that are left at the interpreter's end are no leak
  module.doc() = "The compiled part of the package senet.";
  senet::python::bind_games(module);
  senet::python::bind_env(module);
  senet::python::bind_own_games(module);
  senet::python::bind_network(module);
  senet::python::bind_search(module);
  senet::python::bind_records(module);
}
