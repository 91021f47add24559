// The command-line options of a searching player.
#pragma once

#include "tools/command_line.hpp"
#include "tools/search_setup.hpp"

namespace senet {

/// Adds the options to a command: --evaluator, --mode, --lanes and the settings of a search that
/// concern players. `options` outlives the parsing.
void add_search_options(const Command& command, SearchOptions& options);

}  // namespace senet
