/* libsenet: games that the library has never seen, as a table of functions.
 *
 * Two players in turn, no dice, no secrets; a game ends won, drawn or lost. In C++ a type of yours
 * fills the table by itself: own_game.hpp.
 *
 * A state is `state_size` bytes, aligned to 16, that the library copies with memcpy and never looks
 * into. The functions keep nothing else: they are called from several threads at once, with states
 * that need not follow one another. `user` is handed to each of them.
 */
#ifndef SENET_GAME_TABLE_H
#define SENET_GAME_TABLE_H

#include "senet/senet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SENET_MOST_STATE 1008     /* bytes of a state */
#define SENET_MOST_LEGAL 1024     /* legal moves of a position */
#define SENET_MOST_ACTIVE 2048    /* features of a position that are not 0 */
#define SENET_MOST_FEATURES 65535 /* features, and actions */

typedef struct senet_game_table {
  uint32_t struct_size;
  uint32_t state_size;
  uint32_t features; /* numbers that describe a position to the network: 1 .. SENET_MOST_FEATURES */
  uint32_t most_active; /* of which so many are not 0, at most: 1 .. SENET_MOST_ACTIVE */
  uint32_t actions;     /* moves are numbers below this; the network has a logit for each */
  uint32_t most_legal;  /* no position has more legal moves: 1 .. SENET_MOST_LEGAL */
  senet_text name;      /* in sessions and in weights' files; copied */
  void* user;

  /* The start of the game. */
  void (*start)(void* user, void* state);
  /* SENET_PLAYER_0, SENET_PLAYER_1 or SENET_OVER. */
  senet_turn (*turn)(void* user, const void* state);
  /* Writes the legal moves, ascending, and returns how many: one at least (a player who cannot move
   * has a move that says so). Only on a player's turn. */
  uint32_t (*legal)(void* user, const void* state, senet_action* actions);
  /* Plays a legal move. */
  void (*play)(void* user, void* state, senet_action action);
  /* Only when it is over: 0 player 0 has won, 1 nobody, 2 player 1 has. */
  uint32_t (*outcome)(void* user, const void* state);
  /* Equal for equal states, the player to move included; else different, as good as always. */
  uint64_t (*key)(void* user, const void* state);
  /* Describes the position from the side of the player to move: up to most_active different
   * features, each below `features`, with their finite values. Returns how many. */
  uint32_t (*encode)(void* user, const void* state, uint16_t* feature, float* value);
  /* Write up to `room` bytes, without an end, and return how many there are, 65536 at most: the
   * position, and a legal move of it. */
  size_t (*text)(void* user, const void* state, char* text, size_t room);
  size_t (*action_text)(void* user, const void* state, senet_action action, char* text,
                        size_t room);
  /* Read such texts; 0 when they are none. */
  int32_t (*read)(void* user, senet_text text, void* state);
  int32_t (*read_action)(void* user, const void* state, senet_text text, senet_action* action);
} senet_game_table;

/* The engine knows the game from now on, under a name that no other game has. Before that it plays
 * some games at random and compares what the functions say: SENET_BAD_ARGUMENT names the first
 * contradiction. The table is copied; `user` and the functions outlive the engine. */
SENET_API senet_status senet_engine_add_game(senet_engine* engine, const senet_game_table* table,
                                             senet_reason* why);

#ifdef __cplusplus
}
#endif
#endif
