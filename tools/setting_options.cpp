#include "tools/setting_options.hpp"

#include "engine/lanes/worker.hpp"

namespace senet {

void add_search_options(const Command& command, SearchOptions& options) {
  add_setting(command, setting_of(&WorkerSettings::evaluator), options.evaluator);
  auto mode = setting_of(&SearchSettings::evaluates);
  mode.help =
      "what the network is asked about (default: what it has learnt; if its file does not say, "
      "afterstates in games that have them)";
  add_setting(command, mode, options.mode);
  auto lanes = setting_of(&WorkerSettings::lanes);
  lanes.help = "searches side by side (default: up to 64, within 1 GiB of trees)";
  add_setting(command, lanes, options.lanes).shows_default("");
  for_each_setting(options.settings, [&](const auto& entry, auto& value) {
    if (entry.use.of_players) add_setting(command, entry, value);
  });
}

}  // namespace senet
