// The web page: page/ as one document, built in by CMake (page/embed.cmake).
#pragma once

#include <string_view>

namespace game_server {

std::string_view page();

}  // namespace game_server
