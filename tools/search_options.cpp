#include "tools/search_options.hpp"

namespace senet {

void add_search_options(const Command& command, SearchOptions& options) {
  command
      .option("--evaluator", options.evaluator,
              "the forward pass: fused, onednn, auto (the faster of both), reference or hash")
      .shows_default();
  command
      .option("--mode", options.mode,
              "what the network is asked about: position or afterstates (default: what it has "
              "learnt; if its file does not say, afterstates in games that have them)")
      .one_of({"position", "afterstates"});
  command
      .option("--lanes", options.lanes,
              "searches side by side (default: up to 64, within 1 GiB of trees)")
      .in_range(1, 4096);
  const auto add_number = [&](const char* name, float& value, const char* help, double least) {
    command.option(name, value, help).shows_default().in_range(least, 1000.0);
  };
  constexpr auto kLeast = static_cast<double>(kLeastTemperature);
  add_number("--c-puct", options.settings.c_puct, "exploration constant", 0);
  add_number("--fpu-reduction", options.settings.fpu_reduction,
             "how much less than its parent an unvisited move is taken to be worth", 0);
  add_number("--policy-temperature", options.settings.policy_temperature,
             "position: priors are softmax(logit / this)", kLeast);
  add_number("--afterstate-temperature", options.settings.afterstate_temperature,
             "afterstates: priors are softmax(value / this)", kLeast);
}

}  // namespace senet
