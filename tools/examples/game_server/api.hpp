// The page and the API of games: which request has which answer.
#pragma once

#include <memory>
#include <senet/senet.hpp>
#include <string>
#include <vector>

#include "server.hpp"

namespace game_server {

/// `names`: the games that the engine has weights for. All arguments outlive what is returned.
std::unique_ptr<Service> make_api(senet::api::Engine& engine, const std::vector<std::string>& names,
                                  const Options& options, Counters& counters);

}  // namespace game_server
