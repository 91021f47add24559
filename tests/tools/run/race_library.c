/* The Race of tests/engine/own_games.hpp, a game with dice in C99, as a shared object. */
#include <senet/game_table.h>

senet_game_table race_in_c(void);

static senet_game_table table;

__attribute__((constructor)) static void fill(void) { table = race_in_c(); }

const senet_game_library senet_exported_game = {
    sizeof(senet_game_library), SENET_GAME_LIBRARY_VERSION, &table, "visits 8\nwidth 16"};
