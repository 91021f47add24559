// The command-line options of a searching player.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/search_setup.hpp"

namespace senet {

/// Adds the options to a command: --evaluator, --mode, --lanes and the settings of a search that
/// concern players. `options` outlives the parsing.
void add_search_options(CLI::App& command, SearchOptions& options);

}  // namespace senet
