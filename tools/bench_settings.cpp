#include "tools/bench_settings.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace senet {

Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference) {
  constexpr std::string_view kReference = "seed-283k";
  if (settings.network != kReference) {
    Result<Network> network = load_network(settings.network);
    if (!network) return network.error();
    const Result<void> fits = check_contract(network->spec(), reference);
    if (!fits) return fits.error();
    return BenchNetwork{std::move(*network), std::filesystem::path(settings.network).filename()};
  }
  NetworkSpec spec = reference;
  if (settings.width > 0) spec.width = settings.width;
  spec.blocks = settings.blocks.value_or(spec.blocks);
  if (const Result<void> good = check_spec(spec); !good) return good.error();
  return BenchNetwork{initial_network(spec, settings.seed),
                      spec == reference
                          ? std::string(kReference)
                          : fmt::format("width-{}-blocks-{}", spec.width, spec.blocks)};
}

Network copy_of(const Network& network) {
  const std::span<const float> parameters = network.parameters();
  return Network(network.spec(), {parameters.begin(), parameters.end()});
}

}  // namespace senet
