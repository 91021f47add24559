#include "tools/play/search_setup.hpp"

#include <fmt/core.h>

#include <span>

#include "engine/host/builtin_models.hpp"
#include "engine/host/table_game.hpp"
#include "games/fields.hpp"
#include "games/games.hpp"

namespace senet {
namespace {

Result<Network> read_builtin(const std::string& game) {
  const std::span<const std::byte> file = builtin_model(game);
  if (file.empty()) return fail("builtin: there is no built-in network for " + game);
  return read_network(file);
}

constexpr std::string_view kUntrained = "untrained", kUntrainedOfSeed = "untrained:";
constexpr std::string_view kBuiltin = "builtin", kPlayouts = "playouts";

}  // namespace

std::string_view default_source(std::string_view game) {
  return builtin_model(game).empty() ? kPlayouts : kBuiltin;
}

bool is_untrained(std::string_view source) {
  return source == kUntrained || source.starts_with(kUntrainedOfSeed);
}

Result<Network> open_network(std::string_view source, const NetworkSpec& reference) {
  if (source == kUntrained) return initial_network(reference, 1);
  if (source == kPlayouts) return initial_network(spec_for_playouts(reference), 1);
  if (is_untrained(source)) {
    const std::string_view text = source.substr(kUntrainedOfSeed.size());
    if (const auto seed = number_of<std::uint64_t>(text, 0, UINT64_MAX))
      return initial_network(reference, *seed);
    return fail(
        fmt::format("{}: the seed \"{}\" is not an integer 0 .. {}", source, text, UINT64_MAX));
  }
  Result<Network> network =
      source == kBuiltin ? read_builtin(reference.game) : load_network(std::string(source));
  if (!network) return network;
  const Result<void> fits = check_contract(network->spec(), reference);
  if (!fits) return fail(fmt::format("{}: {}", source, fits.error().reason()));
  return network;
}

const GameTable* own_table_of(const AnyGame& game) {
  if (game.own_tables == nullptr) return nullptr;
  return static_cast<const GameTable*>(game.own_tables->table(typeid(GameTable)));
}

Result<ServiceSettings> service_settings(const SearchOptions& options, const AnyGame& game,
                                         const NetworkSpec& spec) {
  ServiceSettings settings;
  settings.evaluation = options.evaluation;
  const Result<Evaluates> asked = resolve_evaluates(spec, modes_of(game), options.mode);
  if (!asked) return asked.error();
  settings.evaluates = *asked;
  settings.search = options.settings;
  if (options.tablebase) settings.tablebases = tablebase_folder(options);
  return settings;
}

}  // namespace senet
