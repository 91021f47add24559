/* libsenet: search and inference for game AI inside your own program.
 *
 *   senet_config config;
 *   senet_config_init(&config, sizeof config);
 *   senet_engine *engine;
 *   senet_engine_open(&config, &engine, NULL);
 *   ... load a model, use it, open sessions, search: tools/examples/minimal.c
 *
 * Manners. No call exits, aborts, throws, prints, or installs a handler; the library keeps no
 * global and no thread-local state. Memory stays below senet_config.memory. Several engines may
 * live in one process; they share nothing.
 *
 * Threads. Every function may be called from any thread. A session is one game: it takes one call
 * at a time, but for senet_session_stop and _wait and the functions that read its position, which
 * may come at any moment, during a search too: closing a session waits for those inside them. No
 * call of a handle may begin once its closing or release has begun.
 * In a callback nothing may be waited for: senet_session_wait, senet_poll and senet_engine_close
 * answer SENET_BAD_STATE there. The engine's threads block all signals but those of faults.
 *
 * Errors. What can fail returns a senet_status, and fills `why`, if it is not NULL, with a sentence
 * that names what was wrong. Out-parameters are written on success only.
 *
 * Growth. Structs that may grow begin with struct_size, which their _init sets to the caller's
 * sizeof; what a caller's older header did not know gets its default. They have no holes: what is
 * `reserved` is 0. Numbers never change their meaning, but bounds (SENET_MOST_... of game_table.h)
 * may grow. SENET_ABI changes only when old callers would break (tests/embedding/abi.txt).
 */
#ifndef SENET_H
#define SENET_H

#include <stddef.h>
#include <stdint.h>

#include "senet/status.h"

#if defined(__GNUC__)
#define SENET_API __attribute__((visibility("default")))
#else
#define SENET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SENET_ABI 1u

typedef struct senet_engine senet_engine;   /* threads, batches and the memory bound */
typedef struct senet_model senet_model;     /* immutable weights of one game */
typedef struct senet_session senet_session; /* one game that is played or analysed */

typedef uint16_t senet_action; /* a move, or an outcome of chance; a number of the game's own */

/* UTF-8, not terminated. {NULL, 0} is the empty text. */
typedef struct senet_text {
  const char* data;
  size_t size;
} senet_text;

/* A terminated sentence for a person; what is longer is cut. */
typedef struct senet_reason {
  char text[256];
} senet_reason;

SENET_ENUM(senet_turn){SENET_PLAYER_0 = 0, SENET_PLAYER_1 = 1,
                       SENET_CHANCE = 2, /* dice: play one of senet_session_chance's outcomes */
                       SENET_OVER = 3};

SENET_ENUM(senet_ending){
    SENET_BY_VISITS = 0, SENET_BY_TIME = 1, SENET_BY_STOP = 2,
    SENET_BY_PROOF = 3,    /* the value is exact */
    SENET_BY_FULL_TREE = 4 /* senet_config.visits, or an unusually wide position */
};

/* ---- The engine -------------------------------------------------------------------------- */

typedef struct senet_config {
  uint32_t struct_size;
  uint32_t workers;  /* threads the engine starts, at most 1024; 0: the host calls senet_poll.
                      * Default 1 */
  uint32_t pollers;  /* with workers = 0: threads that may poll at once, 1 .. 1024. Default 1 */
  uint32_t sessions; /* most that are open at once, 1 .. 1000000. Default 16 */
  uint32_t visits;   /* that each session's tree has room for, 1 .. 10000000. Default 800 */
  uint32_t batch;    /* positions of one forward pass, at most: 1 .. 4096. Default 32 */
  uint64_t memory;   /* bytes for everything: trees, weights, batches, stacks. Default 256 MiB */
  uint64_t seed;     /* draws noise and temperature: the same seed, the same games. Default 1 */

  /* Where large blocks come from; both or neither, then the ordinary heap. Trees, sessions,
   * batches, search scratch, packed weights and activations, and weights that were read go through
   * them: all of `memory` but threads' stacks, lists, names and results. Called from any thread;
   * alloc answers NULL when there is none; release gets what alloc was asked for. Neither calls
   * the engine. */
  void* user;
  void* (*alloc)(void* user, size_t size, size_t alignment);
  void (*release)(void* user, void* memory, size_t size, size_t alignment);
  /* Lines for a person: weights that are taken into use, what failed. From any thread; does not
   * call the engine. Default NULL. */
  void (*log)(void* user, senet_text line);

  /* The forward pass: "fused" (our own kernels; so is the empty text, the default), "onednn"
   * (oneDNN's; senet_engine_open refuses it unless the library was built with SENET_ONEDNN), "auto"
   * (the faster of the two, timed when a game's first weights are used), "reference" (plain loops
   * in double precision: slow) or "hash" (no network: numbers made of the position, for tests). */
  senet_text evaluator;
  /* Bytes in which each worker remembers answers, for each game: positions that come again are not
   * computed again. Part of `memory`. The answers are the same. Default 0: none */
  uint64_t cache;
} senet_config;

SENET_API uint32_t senet_abi(void);        /* SENET_ABI of the library that runs */
SENET_API const char* senet_version(void); /* "0.1.0"; static */
SENET_API const char* senet_status_name(senet_status status); /* "SENET_BUSY"; static */
/* Fills in the defaults, for a caller to whom senet_config has `size` bytes: sizeof config. */
SENET_API void senet_config_init(senet_config* config, size_t size);

/* The largest `visits` for which this configuration's sessions, all of `game` with the reference
 * network, fit into its memory; 0: not even one fits. Allocates nothing. */
SENET_API senet_status senet_config_fit(const senet_config* config, senet_text game,
                                        uint32_t* visits, senet_reason* why);
/* The same the other way around: the most `sessions` whose trees have room for config->visits. For
 * games of both, or a network of another shape, open an engine and see senet_engine_memory. */
SENET_API senet_status senet_config_fit_sessions(const senet_config* config, senet_text game,
                                                 uint32_t* sessions, senet_reason* why);

SENET_API senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                                         senet_reason* why);
/* Ends all searches (their callbacks come), waits for those inside senet_session_wait, then ends
 * threads and sessions. NULL is allowed. Refused with SENET_BAD_STATE in a callback of this engine.
 */
SENET_API senet_status senet_engine_close(senet_engine* engine);
/* Bytes promised so far; never more than senet_config.memory. */
SENET_API uint64_t senet_engine_memory(const senet_engine* engine);

/* With workers = 0: searches on the calling thread for about budget_us, or until there is nothing
 * left that other threads are not at already; *searches is how many are under way then (a search
 * whose `done` runs just now is not). */
SENET_API senet_status senet_poll(senet_engine* engine, uint32_t budget_us, uint32_t* searches);

/* ---- Models ------------------------------------------------------------------------------ */

/* A safetensors file as `senet selfplay` writes them, read into memory. */
SENET_API senet_status senet_model_open(senet_engine* engine, senet_text path, senet_model** model,
                                        senet_reason* why);
/* The same from memory, which is copied. */
SENET_API senet_status senet_model_from_memory(senet_engine* engine, const void* bytes, size_t size,
                                               senet_model** model, senet_reason* why);
/* The network that is linked in; SENET_NO_FILE for games that have none. Nothing is copied. */
SENET_API senet_status senet_model_builtin(senet_engine* engine, senet_text game,
                                           senet_model** model, senet_reason* why);
/* Fresh weights, drawn from `seed`: they know nothing, and searches find what they can prove. For a
 * game of your own (game_table.h) before it has learnt anything. */
SENET_API senet_status senet_model_untrained(senet_engine* engine, senet_text game, uint64_t seed,
                                             senet_model** model, senet_reason* why);
/* The caller lets go; searches that use it keep it. NULL is allowed. Before senet_engine_close. */
SENET_API void senet_model_release(senet_model* model);
/* Names the content, wherever it came from. */
SENET_API uint64_t senet_model_id(const senet_model* model);
/* Searches of the model's game that begin from now on are answered by it; those under way end on
 * the weights they began with. While some on two older models are still under way, those that begin
 * are answered by the newer of these. All models of a game in one engine have one shape; the model
 * is one that this engine opened. */
SENET_API senet_status senet_engine_use(senet_engine* engine, const senet_model* model,
                                        senet_reason* why);

/* ---- Sessions ---------------------------------------------------------------------------- */

/* At the start of the game; a model of the game must be in use. */
SENET_API senet_status senet_session_open(senet_engine* engine, senet_text game,
                                          senet_session** session, senet_reason* why);
/* Ends its search and waits for that end, its callback, and other threads inside calls of it. In a
 * callback of this engine it returns at once, and the session's memory and slot are free behind
 * what is under way. NULL is allowed. */
SENET_API void senet_session_close(senet_session* session);

/* The position from text (empty: the start), then `count` actions played from there. Nothing has
 * changed on failure. */
SENET_API senet_status senet_session_set(senet_session* session, senet_text position,
                                         const senet_action* actions, size_t count,
                                         senet_reason* why);
/* Plays a move or an outcome of chance. What the tree knows about what follows is kept. */
SENET_API senet_status senet_session_play(senet_session* session, senet_action action,
                                          senet_reason* why);

/* The position, which a search does not change: readers need not wait for the end. */
SENET_API senet_status senet_session_turn(const senet_session* session, senet_turn* turn);
/* How a finished game ended, as player 0 sees it: an index as into senet_result.outcomes. */
SENET_API senet_status senet_session_outcome(const senet_session* session, uint32_t* outcome);
/* Legal moves, ascending; none but on a player's turn. Writes up to `room`, and to *count how many
 * there are: SENET_NO_ROOM when that is more. */
SENET_API senet_status senet_session_legal(const senet_session* session, senet_action* actions,
                                           size_t room, size_t* count);
/* The host throws the dice: how probable each outcome is, that of action 0 first; they sum to 1.
 * None but on the turn of chance. `room` and *count as in senet_session_legal. */
SENET_API senet_status senet_session_chance(const senet_session* session, float* probabilities,
                                            size_t room, size_t* count);
/* The position, or an action that is legal in it (else SENET_BAD_ACTION), as terminated text; *size
 * without the end. SENET_NO_ROOM, with *size, when `room` is not larger than that. */
SENET_API senet_status senet_session_text(const senet_session* session, char* text, size_t room,
                                          size_t* size);
SENET_API senet_status senet_session_action_text(const senet_session* session, senet_action action,
                                                 char* text, size_t room, size_t* size);
SENET_API senet_status senet_session_read_action(const senet_session* session, senet_text text,
                                                 senet_action* action, senet_reason* why);

typedef struct senet_limits { /* a search ends at whichever comes first; 0: no such limit */
  uint32_t struct_size;
  uint32_t visits; /* of the root, those kept from the search before included */
  uint64_t time_us;
  float temperature; /* of the drawn action: weights visits^(1/temperature), not negative; 0: the
                      * best */
  uint32_t noise;    /* not 0: noise at the root, for games that shall differ */
  int32_t priority;  /* beside others: -1 gets half of the visits of 0, +1 twice as many */
  uint32_t reserved;
} senet_limits;
#define SENET_LIMITS_INIT \
  { (uint32_t)sizeof(senet_limits), 0, 0, 0.0f, 0, 0, 0 }

/* Called once for each search, on the thread that ended it, with the session idle: it may be
 * searched, played and closed from here. */
typedef void (*senet_done)(void* user, senet_session* session);

/* Begins a search and returns at once. `done` may be NULL. */
SENET_API senet_status senet_session_search(senet_session* session, const senet_limits* limits,
                                            senet_done done, void* user, senet_reason* why);
/* Asks the search to end with what it has, at least one visit. */
SENET_API void senet_session_stop(senet_session* session);
/* SENET_OK when no search is under way and its `done` has returned, SENET_TIMEOUT when that took
 * longer. UINT64_MAX: no limit. With workers = 0 it searches meanwhile, as senet_poll does. */
SENET_API senet_status senet_session_wait(const senet_session* session, uint64_t timeout_us);

typedef struct senet_choice {
  senet_action action;
  uint16_t reserved;
  uint32_t visits;
  float prior; /* the network's, flattened as the search takes it; without noise */
  float value; /* for the player to move; without visits often just the position's */
} senet_choice;

#define SENET_MOST_OUTCOMES 8
typedef struct senet_result {
  uint32_t struct_size;
  senet_ending ending;
  senet_action action; /* to play */
  uint16_t outcome_count;
  float value; /* for the player to move, in the game's points: win 1, loss -1; backgammon to 3 */
  uint32_t visits, evaluations, depth;
  uint32_t choice_count;               /* legal moves, also when there was less room */
  uint64_t model;                      /* senet_model_id of the weights that answered */
  float outcomes[SENET_MOST_OUTCOMES]; /* shares of the ways to end, for the player to move */
} senet_result;
#define SENET_RESULT_INIT                                                                \
  {                                                                                      \
    (uint32_t)sizeof(senet_result), SENET_BY_VISITS, 0, 0, 0.0f, 0, 0, 0, 0, 0, { 0.0f } \
  }

/* Of the last search: SENET_BUSY during one, SENET_BAD_STATE before the first and when the position
 * has changed, SENET_NO_MEMORY or SENET_INTERNAL when that is what ended it. Writes up to `room`
 * choices: the best, which is `action` unless that was drawn, then by falling visits. */
SENET_API senet_status senet_session_result(const senet_session* session, senet_result* result,
                                            senet_choice* choices, size_t room);

#ifdef __cplusplus
}
#endif
#endif
