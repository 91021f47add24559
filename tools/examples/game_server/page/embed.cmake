# Makes one document of the page's files and a C++ header of that: embed.cmake is run with FOLDER and OUTPUT set.
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
set(script "")
foreach(part api board connect_four backgammon_rules backgammon_drawing backgammon panel main)
  file(READ ${FOLDER}/${part}.js source)
  string(APPEND script "${source}\n")
endforeach()
string(REPLACE "/*style*/" "${style}" page "${page}")
string(REPLACE "/*script*/" "${script}" page "${page}")
file(WRITE ${OUTPUT} "// Made of page/ by embed.cmake.
#pragma once

#include <string_view>

namespace game_server {

inline constexpr std::string_view kPage = R\"page(${page})page\";

}  // namespace game_server
")
