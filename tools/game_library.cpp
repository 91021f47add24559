#include "tools/game_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/host/game_object.hpp"
#include "games/kit.hpp"
#include "tools/play/programs_of.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/run_game_of.hpp"

namespace senet {
namespace {

/// A game and what the program does with it. Never moves.
class LoadedGame final : public OwnTables {
 public:
  LoadedGame(GameObject object, std::vector<std::string> recipe)
      : object_(std::move(object)), recipe_texts_(std::move(recipe)) {
    for (std::size_t i = 0; i + 1 < recipe_texts_.size(); i += 2) {
      recipe_.push_back({recipe_texts_[i], recipe_texts_[i + 1]});
    }
    with_type_of(object_.table, [this]<class G>(std::type_identity<G>) { make<G>(); });
  }
  LoadedGame(const LoadedGame&) = delete;
  LoadedGame& operator=(const LoadedGame&) = delete;

  const AnyGame& game() const override { return game_; }
  std::string_view file() const override { return object_.file; }
  const void* table(const std::type_info& type) const override {
    if (type == typeid(RunGame)) return &run_;
    if (type == typeid(Programs)) return &programs_;
    if (type == typeid(GameTable)) return &object_.table;
    return nullptr;
  }

 private:
  template <Game G>
  void make() {
    game_ = AnyGame::of(*::new (start_.data()) G(object_.table));
    game_.own_tables = this;
    game_.recipe = recipe_;
    run_ = RunGame::of<G>(game_);
    programs_ = Programs::of<G>();
  }

  const GameObject object_;  // before its functions' users: it is unloaded last
  const std::vector<std::string> recipe_texts_;
  std::vector<RecipeEntry> recipe_;
  alignas(AnyState::kAlignment) std::array<std::byte, AnyState::kRoom> start_;
  AnyGame game_{};
  RunGame run_{};
  Programs programs_{};
};

/// The names and values of a recipe, one after the other.
Result<std::vector<std::string>> read_recipe(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::istringstream parts(line);
    std::string name, value, more;
    if (!(parts >> name)) continue;  // an empty line
    if (!(parts >> value) || parts >> more) {
      return fail(fmt::format("its recipe: \"{}\" is not a name and a value", line));
    }
    words.insert(words.end(), {name, value});
  }
  return words;
}

Result<std::unique_ptr<LoadedGame>> load(const std::string& file) {
  auto object = GameObject::open(file);
  if (!object) return object.error();
  const auto wrong = [&](const Error& error) {
    return fail(fmt::format("{}: {}", file, error.reason()));
  };
  auto recipe = read_recipe(object->recipe);
  if (!recipe) return wrong(recipe.error());
  auto game = std::make_unique<LoadedGame>(std::move(*object), std::move(*recipe));
  const auto config = default_config(*table_of<RunGame>(game->game()));
  if (!config) return wrong(config.error());
  return game;
}

/// Loads a game and adds it. Exceptions of the game's own code become errors too.
Result<void> add(Games& games, const std::string& file) {
  try {
    auto game = load(file);
    if (!game) return game.error();
    if (const auto added = games.add(std::move(*game)); !added) {
      return fail(fmt::format("{}: {}", file, added.error().reason()));
    }
    return {};
  } catch (const std::exception& error) {
    return fail(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

Result<void> add_game_libraries(Games& games, std::vector<const char*>& arguments) {
  constexpr std::string_view kOption = "--game-library";
  std::vector<std::string> files;
  std::vector<const char*> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == kOption) {
      files.emplace_back(i + 1 < arguments.size() ? arguments[++i] : "");
    } else if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      files.emplace_back(word.substr(kOption.size() + 1));
    } else {
      rest.push_back(arguments[i]);
      continue;
    }
    if (files.back().empty()) return fail("--game-library: 1 required FILE missing");
  }
  arguments = std::move(rest);
  for (const std::string& file : files) {
    if (const auto added = add(games, file); !added) {
      return fail(fmt::format("{}: {}", kOption, added.error().reason()));
    }
  }
  return {};
}

}  // namespace senet
