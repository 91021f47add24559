// A game of one player in a shared object.
#include "tools/examples/lights_out.hpp"

#include <senet/own_game.hpp>

const senet_game_library senet_exported_game = senet::api::game_library<LightsOut>(
    "starts scrambles\nscramble-moves 3\nvisits 1\nfast-visits 1\nwidth 64\nblocks 1\nlambda 0\n"
    "temperature-plies 0\nafterstate-temperature 0.5");
