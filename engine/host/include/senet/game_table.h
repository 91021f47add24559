/* libsenet: games of the host's own, as a table of functions.
 *
 * Two players, with or without dice, or one without; perfect information. In C++, own_game.hpp
 * fills the table from a type that satisfies the concept of senet/game.hpp.
 *
 * A state is `state_size` bytes, aligned to 16. The library copies it with memcpy and never
 * interprets it. The functions must keep no other state: several threads call them at once, on
 * unrelated states. Each of them gets `user`.
 */
#ifndef SENET_GAME_TABLE_H
#define SENET_GAME_TABLE_H

#include "senet/senet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SENET_MOST_STATE 1008     /* bytes of a state */
#define SENET_MOST_LEGAL 4096     /* legal moves of a position */
#define SENET_MOST_ACTIVE 2048    /* non-zero features of a position */
#define SENET_MOST_FEATURES 65535 /* features, policy logits, and actions without logits_of */
#define SENET_MOST_CHANCE 256     /* outcomes of a chance turn */
#define SENET_MOST_LOGITS 4       /* logits whose sum is an action's logit */
#define SENET_NO_LOGIT 65535u     /* pads the list of logits_of */
#define SENET_MOST_MOVES_LEFT 31  /* the last outcome of a game of one player */

typedef struct senet_game_table {
  uint32_t struct_size;
  uint32_t state_size;
  uint32_t features;    /* width of the network's input: 1 .. SENET_MOST_FEATURES */
  uint32_t most_active; /* maximum non-zero features of a position: 1 .. SENET_MOST_ACTIVE */
  uint32_t actions;     /* every move is below this. Without logits_of each has its own logit:
                         * 1 .. SENET_MOST_FEATURES; with logits_of 1 .. 65536 */
  uint32_t most_legal;  /* maximum legal moves of a position: 1 .. SENET_MOST_LEGAL */
  senet_text name;      /* in sessions and weight files; copied */
  void* user;

  /* Writes the start of the game. */
  void (*start)(void* user, void* state);
  /* SENET_PLAYER_0, SENET_PLAYER_1 or SENET_OVER; in a game with dice also SENET_CHANCE. */
  senet_turn (*turn)(void* user, const void* state);
  /* Writes the legal moves, ascending, and returns their number, at least 1: a player who cannot
   * move has a "pass" move. Only called on a player's turn. */
  uint32_t (*legal)(void* user, const void* state, senet_action* actions);
  /* Plays a legal move, or a chance outcome on a chance turn. */
  void (*play)(void* user, void* state, senet_action action);
  /* Only called when the game has ended: how it ended, from player 0's perspective, a number below
   * `outcomes`. If `outcomes` is 0: 0 player 0 has won, 1 draw, 2 player 1 has won. */
  uint32_t (*outcome)(void* user, const void* state);
  /* A hash of the whole state, including the player to move and the dice: equal states have equal
   * keys, different states different keys, except for 64-bit collisions. */
  uint64_t (*key)(void* user, const void* state);
  /* Writes the non-zero features of an unfinished position, from the perspective of the player to
   * move or, on a chance turn, of `viewer`: up to most_active distinct indices below `features`,
   * and their finite values. Returns their number. */
  uint32_t (*encode)(void* user, const void* state, uint16_t* feature, float* value);
  /* The next four are for people and other programs, and in pairs may be NULL: then the text of a
   * position is its bytes in hexadecimal with a checksum, and that of an action its number.
   *
   * Write up to `room` bytes, without a NUL, and return the full length, 1 .. 65536: the position
   * as one line, and an action that is legal in it (or a chance outcome). */
  size_t (*text)(void* user, const void* state, char* text, size_t room);
  size_t (*action_text)(void* user, const void* state, senet_action action, char* text,
                        size_t room);
  /* Parse these texts; 0 on failure. Hosts pass anything that people have typed. */
  int32_t (*read)(void* user, senet_text text, void* state);
  int32_t (*read_action)(void* user, const void* state, senet_text text, senet_action* action);

  /* All fields below may be 0 or NULL, as they are in a table of an older header. */

  uint32_t most_chance; /* maximum outcomes of a chance turn, 1 .. SENET_MOST_CHANCE; 0: no dice,
                         * and `chance` and `viewer` are not called */
  uint32_t outcomes;    /* ways to end, 2 .. SENET_MOST_OUTCOMES; 0: three, worth 1, 0 and -1. With
                         * one player 2 .. SENET_MOST_MOVES_LEFT + 1 */
  /* [outcomes] each: the value of an ending for the player from whose perspective it is seen,
   * -7 .. 7 and not all 0; and the index of the same ending from the other player's perspective,
   * which has the negated value. Backgammon: outcomes 6, values 1 2 3 -1 -2 -3, mirror 3 4 5 0 1 2.
   */
  int8_t outcome_values[SENET_MOST_OUTCOMES];
  uint8_t outcome_mirror[SENET_MOST_OUTCOMES];
  uint32_t has_afterstates;   /* not 0: the network can evaluate afterstates (positions after a
                               * move, before the dice), and does unless its weights were trained
                               * otherwise */
  uint32_t policy_logits;     /* of the network, 1 .. SENET_MOST_FEATURES; only with logits_of */
  uint32_t logits_per_action; /* numbers that logits_of writes, 1 .. SENET_MOST_LOGITS */
  uint32_t player_count;      /* 1 or 2; 0: 2. One player tries to reach the end in few moves:
                               * outcome i means that i moves are left, the last one so many or more.
                               * A finished game has outcome 0 (won) or the last. outcome_values and
                               * outcome_mirror are then not read; no dice, and no `sound` */

  /* Writes the probabilities of the chance outcomes, [i] that of action i, and returns their
   * number, 1 .. most_chance. Each is above 0, and they sum to 1. Only called on a chance turn. */
  uint32_t (*chance)(void* user, const void* state, float* probability);
  /* The player, 0 or 1, who is about to roll. Only called on a chance turn. */
  uint32_t (*viewer)(void* user, const void* state);
  /* Writes the indices of the logits whose sum is the action's logit: logits_per_action numbers
   * below policy_logits, at least one, padded with SENET_NO_LOGIT at the end. NULL: an action's
   * number is the index of its logit. */
  void (*logits_of)(void* user, senet_action action, uint16_t* logits);
  /* Like `legal`, without the moves that lose the maximum to the opponent's reply (SoundMovesGame
   * in senet/game.hpp). A search follows a single sound move without evaluating the position.
   * NULL: a search considers every legal move. */
  uint32_t (*sound)(void* user, const void* state, senet_action* actions);
  /* Replaces the state by its mirror image, and returns the action's image, which does not depend
   * on the state. The image of the image is the original. A game with mirror images learns twice as
   * much from each position. NULL, both of them: there are none. */
  void (*mirror)(void* user, void* state);
  senet_action (*mirror_action)(void* user, senet_action action);
  /* Writes the features of an unfinished position, those of `encode` and all of value 1, as a set:
   * bit i % 64 of word i / 64 is feature i. Writes all (features + 63) / 64 words; bits past
   * `features` are 0. Environments in Python write dense rows from it, several times faster. NULL:
   * they call `encode`. */
  void (*feature_bits)(void* user, const void* state, uint64_t* words);
  /* Where a scramble begins, the wanted end of the game: `legal` and `play` may be called there.
   * And makes the state the first of a game, where counters begin. Self-play can then start from
   * random moves away from the end (ScrambledGame in senet/game.hpp). NULL, both of them: it
   * cannot. */
  void (*solved)(void* user, void* state);
  void (*as_start)(void* user, void* state);
} senet_game_table;

/* A game in a shared object, for `senet --game-library FILE`. The object exports one of these under
 * the name senet_exported_game; it needs no library of ours. In C++, own_game.hpp fills it. */
typedef struct senet_game_library {
  uint32_t struct_size;
  uint32_t version; /* SENET_GAME_LIBRARY_VERSION */
  const senet_game_table* table;
  /* Settings of `senet selfplay` in which training this game differs from the defaults: lines of a
   * name and a value, such as "visits 50\nwidth 64". NULL: none. */
  const char* recipe;
} senet_game_library;

#define SENET_GAME_LIBRARY_VERSION 1

/* Defined by the shared object, not by libsenet. */
SENET_API extern const senet_game_library senet_exported_game;

/* Adds a game to the engine, under a name that no other game has. First plays some games at random
 * and checks the functions' results against each other: SENET_BAD_ARGUMENT names the first
 * contradiction, its function and its position. The table is copied; `user` and the functions must
 * outlive the engine. */
SENET_API senet_status senet_engine_add_game(senet_engine* engine, const senet_game_table* table,
                                             senet_reason* why);

#ifdef __cplusplus
}
#endif
#endif
