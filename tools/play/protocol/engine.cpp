#include "tools/play/protocol/engine.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "engine/host/host_table.hpp"
#include "engine/lanes/machine.hpp"
#include "games/registry.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {
namespace {

// No limit for the service: Hash bounds the memory.
constexpr std::size_t kAllMemory = std::size_t{1} << 60;
// Time of a poll() before keep_going() is called again.
constexpr std::chrono::microseconds kSlice{100};

ServiceSettings service_settings(const Options& options, const AnyGame& game,
                                 const NetworkSpec& spec) {
  ServiceSettings settings = senet::service_settings(options.search, game, spec).value();
  settings.workers = 0;
  settings.helpers = options.threads - 1;
  settings.sessions = 1;
  settings.memory = kAllMemory;
  settings.evaluation.batch_rows =
      rows_in_flight(options.search.settings.leaves, *settings.evaluates);
  // A kept part is copied into a second tree.
  settings.tree = (std::size_t{options.hash_mib} << 20) / (options.reuse_tree ? 2 : 1);
  settings.lines = kMaxMultiPv;
  settings.seed = options.seed;
  settings.search.reuse_tree = options.reuse_tree;
  return settings;
}

// -- Options.

using Names = std::vector<std::string_view>;

// One option. It refers to an Options, which must outlive it.
struct Option {
  std::string name;
  std::string type;  // the text after "type", with the current value
  std::function<Change(std::string_view value)> set;
};

// The option name of a setting: CPuct for "c-puct".
std::string option_name(std::string_view key) {
  std::string name;
  bool begins = true;
  for (const char c : key) {
    if (c != '-') name += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    begins = c == '-';
  }
  return name;
}

std::string combo(std::string_view value, const Names& names) {
  return fmt::format("combo default {} var {}", value, fmt::join(names, " var "));
}

template <NamedEnum Enum>
Names names_in() {
  Names names;
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) names.push_back(known.name);
  return names;
}

// UCI has no type for fractional numbers, so they are strings.
template <class Struct, class Value>
std::string type_text(const Setting<Struct, Value>& entry, const Value& value) {
  if constexpr (NamedEnum<Value>) {
    return combo(name_of(value), names_in<Value>());
  } else if constexpr (std::is_same_v<Value, bool>) {
    return fmt::format("check default {}", value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return fmt::format("string default {}", value);
  } else {
    const double most = std::min<double>(entry.range.most, std::numeric_limits<Value>::max());
    return fmt::format("spin default {} min {} max {}", value, std::max(entry.range.least, 0.0),
                       most);
  }
}

// Assigns a value. Returns kNothing if it does not change.
template <class Value>
Change replace(Value& to, Value value, Change change) {
  return std::exchange(to, value) != value ? change : Change::kNothing;
}

template <class Struct, class Value>
Option of_setting(Setting<Struct, Value> entry, Value& to, Change change) {
  const std::string_view given = entry.use.option_name;
  const std::string name = given.empty() ? option_name(entry.name) : std::string(given);
  const auto set = [=, &to](std::string_view text) mutable {
    entry.name = name;
    Value value{};
    value_or(Code::kBadArgument, set_value(entry, value, text));
    return replace(to, value, change);
  };
  return {name, type_text(entry, to), set};
}

// UCI's text for an empty string.
constexpr std::string_view kNoPath = "<empty>";
std::string path_text(const std::filesystem::path& path) {
  return path.empty() ? std::string(kNoPath) : path.string();
}

// An option whose value is one of `names`, currently `value`.
Option of_names(const std::string& name, std::string_view value, const Names& names,
                std::function<Change(std::string_view)> set) {
  return {name, combo(value, names), [=](std::string_view text) {
            if (std::ranges::find(names, text) != names.end()) return set(text);
            throw bad_argument("{0} is {2}: it must be one of {1}", name, fmt::join(names, ", "),
                               in_quotes(text));
          }};
}

// An option whose value is an integer.
Option of_number(const std::string& name, std::uint32_t least, std::uint32_t most, Change change,
                 std::uint32_t& to) {
  return {name,
          fmt::format("spin default {} min {} max {}", std::clamp(to, least, most), least, most),
          [=, &to](std::string_view text) {
            const auto number = number_of(text, least, most);
            if (number) return replace(to, *number, change);
            throw bad_argument("{0} is {3}: it must be an integer {1} .. {2}", name, least, most,
                               in_quotes(text));
          }};
}

// Strength below the network's full one.
void add_levels(std::span<const Level> levels, Options& o, std::vector<Option>& all) {
  if (levels.empty()) return;
  const auto elo = [](const Level& level) { return static_cast<std::uint32_t>(level.rating); };
  all.push_back(
      of_number("Level", 1, static_cast<std::uint32_t>(levels.size()), Change::kNothing, o.level));
  auto limits =
      setting("", &Options::limits_strength, "", {}, {.option_name = "UCI_LimitStrength"});
  all.push_back(of_setting(limits, o.limits_strength, Change::kNothing));
  all.push_back(
      of_number("UCI_Elo", elo(levels.front()), elo(levels.back()), Change::kNothing, o.elo));
}

Names ubgi_games() {
  Names names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (speaks_ubgi(*game)) names.push_back(game->name);
  }
  return names;
}

std::vector<Option> options_of(const Games& games, Options& o, std::span<const Level> levels) {
  const auto nothing = [](std::string_view) { return Change::kNothing; };
  std::vector<Option> all;
  Names names;
  for (const AnyGame* const game : games.all()) names.push_back(game->name);
  all.push_back(of_names("Game", o.game, names, [&o](std::string_view name) {
    if (name == o.game) return Change::kNothing;
    o.game = name;
    o.weights.clear();  // they are for the previous game
    return Change::kGame;
  }));
  all.push_back({"WeightsFile", fmt::format("string default {}", path_text(o.weights)),
                 [&o](std::string_view file) {
                   // A file that is named again is read again.
                   const bool is_same = o.weights.empty() && file == kNoPath;
                   o.weights = file == kNoPath ? "" : file;
                   return is_same ? Change::kNothing : Change::kNetwork;
                 }});
  for_each_setting(o, [&](auto entry, auto& value) {
    const auto is = [&](const void* member) { return member == &value; };
    if (is(&o.hash_mib)) entry.range.most = o.hash_limit_mib;
    const bool is_services = is(&o.hash_mib) || is(&o.threads) || is(&o.reuse_tree);
    all.push_back(of_setting(entry, value, is_services ? Change::kSearch : Change::kNothing));
  });
  all.push_back(
      of_setting(setting_of(&Evaluation::kind), o.search.evaluation.kind, Change::kSearch));
  Names modes = names_in<Evaluates>();
  modes.insert(modes.begin(), "auto");
  all.push_back(of_names(
      "Mode", o.search.mode ? name_of(*o.search.mode) : "auto", modes, [&o](std::string_view name) {
        return replace(o.search.mode, value_of<Evaluates>(name), Change::kSearch);
      }));
  for_each_setting(o.search, [&](const auto& entry, auto& value) {
    if (entry.use.of_players) all.push_back(of_setting(entry, value, Change::kSearch));
  });
  all.push_back(
      {"TablebaseFolder", fmt::format("string default {}", path_text(o.search.tablebase_folder)),
       [&o](std::string_view folder) {
         return replace(o.search.tablebase_folder,
                        std::filesystem::path(folder == kNoPath ? "" : folder), Change::kSearch);
       }});
  add_levels(levels, o, all);
  all.push_back(of_number("Seed", 0, INT32_MAX, Change::kSearch, o.seed));
  all.push_back(of_names("Deterministic", "true", {"true"}, nothing));
  all.back().type = "check default true";
  all.push_back(of_names("EvalMode", "cubeless", {"cubeless"}, nothing));
  // For UBGI. Variants of backgammon would be separate games here.
  all.push_back(of_names("Variant", first_game(), ubgi_games(), nothing));
  return all;
}

}  // namespace

std::string first_game() {
  const Names ubgi = ubgi_games();
  return std::string(ubgi.empty() ? game_names().front() : ubgi.front());
}

std::optional<Level> level_of(const Options& options, std::span<const Level> levels) {
  if (levels.empty()) return std::nullopt;
  std::size_t number = std::min<std::size_t>(options.level, levels.size());
  if (options.limits_strength) {
    const auto stronger = std::ranges::find_if(
        levels, [&](const Level& level) { return level.rating > static_cast<float>(options.elo); });
    number = std::min(number, std::max<std::size_t>(stronger - levels.begin(), 1));
  }
  return number == levels.size() ? std::nullopt : std::optional(levels[number - 1]);
}

std::vector<std::string> option_lines(const Games& games, const Options& options,
                                      std::span<const Level> levels) {
  std::vector<std::string> lines;
  Options copy = options;
  for (const Option& option : options_of(games, copy, levels)) {
    lines.push_back(fmt::format("option name {} type {}", option.name, option.type));
  }
  return lines;
}

Change set_option(const Games& games, Options& options, std::span<const Level> levels,
                  std::string_view name, std::string_view value) {
  for (const Option& option : options_of(games, options, levels)) {
    const bool is_it = option.name.size() == name.size() &&
                       ::strncasecmp(option.name.data(), name.data(), name.size()) == 0;
    if (is_it) return option.set(value);
  }
  throw bad_argument("unknown option {}", in_quotes(name));
}

void Engine::configure(const Options& options, Change change) {
  if (change == Change::kNothing) return;
  const AnyGame* const game = games_->find(options.game).value();
  SharedNetwork network = network_;
  if (change >= Change::kNetwork) {
    network = std::make_shared<const Network>(
        open_network(network_source(options), reference_spec(*game)).value());
  }
  const double tree_bytes = std::ldexp(options.hash_mib, 20);
  check_memory(tree_bytes, "hash: the tree", memory_limit(tree_bytes_)).value();
  ServiceSettings settings = service_settings(options, *game, network->spec());
  resolve(settings.evaluation, *network);
  std::unique_ptr<Service> service = Service::open(settings).value();
  if (const GameTable* const own = own_table_of(*game)) service->add_game(*own).value();
  service->use(network).value();
  // Close the old session first: the memory may not hold two trees. If opening the new one fails,
  // the next search reopens the old one.
  if (session_ != nullptr) service_->close_session(std::exchange(session_, nullptr));
  tree_bytes_ = 0;
  session_ = service->open_session(game->name).value();
  tree_bytes_ = tree_bytes;
  service_ = std::move(service);
  game_ = game;
  network_ = std::move(network);
}

SessionResult Engine::search(const AnyState& position, SessionLimits limits,
                             const std::function<bool()>& keep_going) {
  if (session_ == nullptr) {
    session_ = value_or(Code::kInternal, service_->open_session(game_->name));
  }
  limits.reuse_tree = std::exchange(reuses_tree_, true) && limits.reuse_tree;
  value_or(Code::kInternal, session_->set_position(position));
  value_or(Code::kInternal, service_->search(*session_, std::move(limits), nullptr));
  bool is_stopped = false;
  do {
    if (!is_stopped && !keep_going()) {
      is_stopped = true;
      session_->stop();
    }
  } while (value_or(Code::kInternal, service_->poll(kSlice)) > 0);
  return value_or(Code::kInternal, session_->result());
}

void Engine::evaluate(std::span<const AnyState> positions,
                      const std::function<void(std::size_t, const Expectation&)>& expected) {
  const auto position = [&](const AnyGame&, std::size_t i) { return positions[i]; };
  value_or(Code::kInternal, service_->evaluate(game_->name, positions.size(), position, expected));
}

}  // namespace senet::protocol
