/* libsenet: games that the library has never seen, as a table of functions.
 *
 * Two players, with dice or without, no secrets. In C++ a type that satisfies the concept of
 * senet/game.hpp fills the table by itself: own_game.hpp.
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
#define SENET_MOST_LEGAL 4096     /* legal moves of a position */
#define SENET_MOST_ACTIVE 2048    /* features of a position that are not 0 */
#define SENET_MOST_FEATURES 65535 /* features, policy logits, and actions without logits_of */
#define SENET_MOST_CHANCE 256     /* outcomes of a turn of chance */
#define SENET_MOST_LOGITS 4       /* logits that add up to an action's */
#define SENET_NO_LOGIT 65535u     /* fills up the list of logits_of */

typedef struct senet_game_table {
  uint32_t struct_size;
  uint32_t state_size;
  uint32_t features; /* numbers that describe a position to the network: 1 .. SENET_MOST_FEATURES */
  uint32_t most_active; /* of which so many are not 0, at most: 1 .. SENET_MOST_ACTIVE */
  uint32_t actions; /* moves are numbers below this: 1 .. SENET_MOST_FEATURES, without logits_of the
                     * network has a logit for each; with logits_of 1 .. 65536 */
  uint32_t most_legal; /* no position has more legal moves: 1 .. SENET_MOST_LEGAL */
  senet_text name;     /* in sessions and in weights' files; copied */
  void* user;

  /* The start of the game. */
  void (*start)(void* user, void* state);
  /* SENET_PLAYER_0, SENET_PLAYER_1 or SENET_OVER; in a game with dice also SENET_CHANCE. */
  senet_turn (*turn)(void* user, const void* state);
  /* Writes the legal moves, ascending, and returns how many: one at least (a player who cannot move
   * has a move that says so). Only on a player's turn. */
  uint32_t (*legal)(void* user, const void* state, senet_action* actions);
  /* Plays a legal move, or an outcome of chance on its turn. */
  void (*play)(void* user, void* state, senet_action action);
  /* Only when it is over: the way it ended as player 0 sees it, a number below `outcomes`. Without
   * `outcomes`: 0 player 0 has won, 1 the game is drawn, 2 player 1 has won. */
  uint32_t (*outcome)(void* user, const void* state);
  /* Equal for equal states, the player to move and the dice included; else different, but for
   * collisions of 64 bits. */
  uint64_t (*key)(void* user, const void* state);
  /* Describes a position that is not over, from the side of the player to move or, on a turn of
   * chance, of `viewer`: up to most_active different features, each below `features`, with their
   * finite values. Returns how many. */
  uint32_t (*encode)(void* user, const void* state, uint16_t* feature, float* value);
  /* Write up to `room` bytes, without an end, and return how many there are, 1 .. 65536: the
   * position as one line, and an action that is legal in it, outcomes of chance included. */
  size_t (*text)(void* user, const void* state, char* text, size_t room);
  size_t (*action_text)(void* user, const void* state, senet_action action, char* text,
                        size_t room);
  /* Read such texts: not 0 when it is one. A host hands over whatever people have typed. */
  int32_t (*read)(void* user, senet_text text, void* state);
  int32_t (*read_action)(void* user, const void* state, senet_text text, senet_action* action);

  /* What follows is 0 or NULL in a table of an older header, and may be in any. */

  uint32_t most_chance; /* no turn of chance has more outcomes, 1 .. SENET_MOST_CHANCE; 0: no dice,
                         * and `chance` and `viewer` are not called */
  uint32_t outcomes;    /* ways to end, 2 .. SENET_MOST_OUTCOMES; 0: three, worth 1, 0 and -1 */
  /* [outcomes] each: what a way to end is worth to the player who sees it so, -7 .. 7 and not all
   * 0; and the number of the same way as the other player sees it, who wins what this one loses.
   * Backgammon: outcomes 6, values 1 2 3 -1 -2 -3, mirror 3 4 5 0 1 2. */
  int8_t outcome_values[SENET_MOST_OUTCOMES];
  uint8_t outcome_mirror[SENET_MOST_OUTCOMES];
  uint32_t has_afterstates;   /* not 0: the network may be asked about the positions that moves lead
                               * to, before the dice, and is unless its weights say otherwise */
  uint32_t policy_logits;     /* of the network, 1 .. SENET_MOST_FEATURES; only with logits_of */
  uint32_t logits_per_action; /* that logits_of writes, 1 .. SENET_MOST_LOGITS */
  uint32_t reserved;          /* 0 */

  /* Writes how probable each outcome of this turn of chance is, that of action 0 first, and returns
   * how many there are, 1 .. most_chance. Each is above 0, and they sum to 1. */
  uint32_t (*chance)(void* user, const void* state, float* probability);
  /* The player, 0 or 1, who is about to roll. Only on a turn of chance. */
  uint32_t (*viewer)(void* user, const void* state);
  /* Writes which logits, each below policy_logits, add up to an action's: logits_per_action
   * numbers, one at least, and SENET_NO_LOGIT behind them. NULL: an action's number is its logit's.
   */
  void (*logits_of)(void* user, senet_action action, uint16_t* logits);
  /* As `legal`, without moves that lose the most there is to the other player's next one
   * (senet/game.hpp, SoundMovesGame). Where a single one is left, a search plays on at once. NULL:
   * a search considers every legal move. */
  uint32_t (*sound)(void* user, const void* state, senet_action* actions);
} senet_game_table;

/* The engine knows the game from now on, under a name that no other game has. Before that it plays
 * some games at random and compares what the functions say: SENET_BAD_ARGUMENT names the first
 * contradiction, the function at fault and the position. The table is copied; `user` and the
 * functions outlive the engine. */
SENET_API senet_status senet_engine_add_game(senet_engine* engine, const senet_game_table* table,
                                             senet_reason* why);

#ifdef __cplusplus
}
#endif
#endif
