# The list of games, and the source files generated for each of them.

# senet_game(NAME TYPE): adds the game in the folder games/NAME. Its header NAME.hpp declares the
# class TYPE, whose kName is NAME. Besides the rules the folder may contain
#   kit.cpp, kit/*.cpp   the game's kit: games/kit.hpp
#   model.safetensors    the built-in network
function(senet_game name type)
  set_property(GLOBAL APPEND PROPERTY senet_games ${name})
  set_property(GLOBAL PROPERTY senet_type_of_${name} ${type})
endfunction()

# Sets `variable` to the names of all games, in the order of the list.
function(senet_games variable)
  get_property(games GLOBAL PROPERTY senet_games)
  set(${variable} ${games} PARENT_SCOPE)
endfunction()

# Sets `variable` to the files that match the patterns. The next build picks up a new file.
function(senet_sources variable)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# senet_game_tables(TARGET TABLE HEADER [HOOKS FOLDER]): adds to the target a source for each game
# that instantiates game_table<TABLE, TYPE>() of games/game_table.hpp, and one source with
# game_tables<TABLE>(). HEADER defines TABLE::of<TYPE>(). HOOKS: the source of a game includes
# FOLDER/NAME/hooks.hpp if it exists.
function(senet_game_tables target senet_table header)
  cmake_parse_arguments(ARG "" "HOOKS" "" ${ARGN})
  senet_games(games)
  set(senet_headers)
  set(senet_declarations)
  set(senet_pointers)
  foreach(senet_game ${games})
    get_property(senet_type GLOBAL PROPERTY senet_type_of_${senet_game})
    set(senet_includes)
    string(APPEND senet_includes "#include \"${header}\"\n")
    senet_sources(hooks ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../${ARG_HOOKS}/${senet_game}/hooks.hpp)
    if(ARG_HOOKS AND hooks)
      string(APPEND senet_includes "#include \"${ARG_HOOKS}/${senet_game}/hooks.hpp\"\n")
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/games/${senet_game}/${senet_table}.cpp)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/table.cpp.in ${source} @ONLY)
    target_sources(${target} PRIVATE ${source})
    string(APPEND senet_headers "#include \"games/list/${senet_game}.hpp\"\n")
    string(APPEND senet_declarations "template <>\nconst ${senet_table}& game_table<${senet_table}, ${senet_type}>();\n")
    list(APPEND senet_pointers "&game_table<${senet_table}, ${senet_type}>")
  endforeach()
  list(LENGTH games senet_game_count)
  list(JOIN senet_pointers ", " senet_pointers)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/games/list/${senet_table}.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/all_games.cpp.in ${source} @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
