#include "tools/match/players.hpp"

#include <fmt/format.h>

namespace senet {

Result<std::vector<std::pair<std::string, std::string>>> parse_options(
    const std::vector<std::string>& options) {
  std::vector<std::pair<std::string, std::string>> parsed;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string::npos || option.find('\n') != std::string::npos) {
      return fail(fmt::format("option \"{}\" is not NAME=VALUE", option));
    }
    parsed.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  return parsed;
}

std::string network_identity(const Network& network, const SearchSetup& setup) {
  const SearchSettings& search = setup.settings;
  return fmt::format(
      "network {}, {} visits, {}, evaluator {}, c_puct {}, fpu_reduction {}, "
      "afterstate_temperature {}",
      id_text(network.id()), setup.visits, evaluates_name(search.evaluates),
      setup.evaluator->name(), search.c_puct, search.fpu_reduction, search.afterstate_temperature);
}

}  // namespace senet
