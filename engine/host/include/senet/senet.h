/* libsenet: search and inference for game AI inside your own program.
 *
 *   senet_config config;
 *   senet_config_init(&config, sizeof config);
 *   senet_engine *engine;
 *   senet_engine_open(&config, &engine, NULL);
 *   ... load a model, use it, open sessions, search: tools/examples/minimal.c
 *
 * Guarantees. No call exits, aborts, throws, prints, or installs a handler. The library keeps no
 * global and no thread-local state. Memory stays below senet_config.memory. Several engines can run
 * in one process; they share nothing.
 *
 * Threads. Every function may be called from any thread. Calls on one session must not overlap,
 * except senet_session_stop, senet_session_wait, senet_session_evaluate, senet_session_clone and
 * the functions that read the position: these are allowed at any time, even during a search, and
 * senet_session_close waits for them to return. No call on a handle may begin after its close or
 * release has begun. Callbacks must not block: in one, senet_session_wait, senet_poll and
 * senet_engine_close return SENET_BAD_STATE. The engine's threads block all signals except those of
 * faults, such as SIGSEGV.
 *
 * Errors. Functions that can fail return a senet_status and, if `why` is not NULL, write a sentence
 * there that names what was wrong. Out-parameters are written on success only, unless a function
 * describes what it writes on failure.
 *
 * Compatibility. Structs that may grow begin with struct_size: the caller's sizeof, set by their
 * _init function or macro. Fields that an older header lacks get their defaults. Structs have no
 * padding; `reserved` fields are 0. Constants never change their meaning, but limits
 * (SENET_MOST_... in game_table.h) may grow. SENET_ABI changes only when existing callers would
 * break (tests/embedding/abi.txt).
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

typedef uint16_t senet_action; /* a move or a chance outcome; each game defines its numbers */

/* UTF-8, not NUL-terminated. {NULL, 0} is the empty text. */
typedef struct senet_text {
  const char* data;
  size_t size;
} senet_text;
/* The text of a string literal, as an expression. */
#ifdef __cplusplus
#define SENET_TEXT(literal) \
  senet_text { "" literal, sizeof(literal) - 1 }
#else
#define SENET_TEXT(literal) ((senet_text){"" literal, sizeof(literal) - 1})
#endif

/* A NUL-terminated sentence for people, truncated if it is too long. */
typedef struct senet_reason {
  char text[256];
} senet_reason;

SENET_ENUM(senet_turn){SENET_PLAYER_0 = 0, SENET_PLAYER_1 = 1,
                       SENET_CHANCE = 2, /* dice: play an outcome of senet_session_chance */
                       SENET_OVER = 3};

#define SENET_MOST_OUTCOMES 8 /* ways to end a game */

SENET_ENUM(senet_ending){
    SENET_BY_VISITS = 0, SENET_BY_TIME = 1, SENET_BY_STOP = 2,
    SENET_BY_PROOF = 3,    /* more visits would not change the value: it is exact, or the result of
                            * every move is in a tablebase */
    SENET_BY_FULL_TREE = 4 /* no room: senet_config.visits made, or unusually many moves */
};

/* ---- The engine -------------------------------------------------------------------------- */

typedef struct senet_config {
  uint32_t struct_size;
  uint32_t workers;  /* threads that the engine starts, 0 .. 1024; 0: the host calls senet_poll.
                      * Default 1 */
  uint32_t pollers;  /* with workers = 0: maximum threads that poll at once, 1 .. 1024. Default 1 */
  uint32_t sessions; /* maximum open at once, 1 .. 1000000. Default 16 */
  uint32_t visits;   /* capacity of each session's tree, 1 .. 10000000. Default 800 */
  uint32_t batch;    /* maximum rows of one forward pass, 1 .. 4096. Default 32 */
  uint64_t memory;   /* bytes for everything: trees, weights, batches, stacks. Default 256 MiB */
  uint64_t seed;     /* for noise and temperature: equal seeds give equal games. Default 1 */

  /* Allocator of large blocks: set both functions, or neither for the ordinary heap. It provides
   * trees, sessions, batches, search scratch, packed weights and activations, and weights that were
   * read: all of `memory` except thread stacks, lists, names and results. Called from any thread.
   * alloc returns NULL when it has no memory; release gets the arguments that alloc got. Neither
   * may call the engine. */
  void* user;
  void* (*alloc)(void* user, size_t size, size_t alignment);
  void (*release)(void* user, void* memory, size_t size, size_t alignment);
  /* Receives lines for people: weights that are published, and failures. Called from any thread;
   * must not call the engine. Default NULL. */
  void (*log)(void* user, senet_text line);

  /* The forward pass: "fused" (our own kernels; the empty text means the same, and is the default),
   * "int8" (the same with products in 8 bits: faster for wide networks, less exact), "onednn"
   * (oneDNN's; senet_engine_open refuses it unless the library was built with SENET_ONEDNN), "auto"
   * (the faster of "fused" and "onednn", timed when a game's first weights are published),
   * "reference" (plain loops in double precision: slow) or "hash" (no network: numbers computed
   * from the position, for tests). */
  senet_text evaluator;
  /* Bytes of each worker's evaluation cache, per game: repeated positions need no forward pass.
   * Part of `memory`. Does not change results. Default 0: no cache. */
  uint64_t cache;
  /* A folder for endgame tablebases, for games that have one (backgammon: bear-offs). Searches ask
   * the tablebase instead of the network where it can answer. The first senet_engine_use of a game
   * builds its file in well under a second, on the ordinary heap; later ones map it. The table and
   * the building are part of `memory`. If the file cannot be written, the table stays in memory,
   * and `log` gets the reason. Other programs may use the same folder at the same time; a file
   * there may be deleted or renamed over, but not be truncated. Default empty: no tablebases. */
  senet_text tablebases;
  /* Not 0: searches value every roll of the dice and the best replies to this many plies, 1 .. 6,
   * instead of searching a tree; for networks that evaluate afterstates. A search makes a visit for
   * each ply and one before, so a limit of 1 visit is the network alone. Default 0. */
  uint32_t ply;
  /* Maximum number of leaves of one search that may wait for the network, 1 .. 256. More fill the
   * batches of a lone search, which then makes more visits a second, each worth a little less.
   * Results do not depend on threads. Each leaf takes memory. Default 1. */
  uint32_t leaves;
  uint32_t lines; /* maximum of senet_limits.lines, 0 .. 500. Default 0 */
  uint32_t reserved;
  /* Settings of the search, as NAME=VALUE with spaces between them: "c-puct=2 mode=position". The
   * names, values and defaults are those of the options under "Search" in `senet uci --help`. They
   * replace `ply` and `leaves`. Default empty. */
  senet_text search;
} senet_config;

SENET_API uint32_t senet_abi(void);        /* SENET_ABI of the library that is loaded */
SENET_API const char* senet_version(void); /* "0.1.0"; static */
SENET_API const char* senet_status_name(senet_status status); /* "SENET_BUSY"; static */
/* Fills in the defaults. `size` is the caller's sizeof(senet_config). */
SENET_API void senet_config_init(senet_config* config, size_t size);

/* The largest `visits` with which config->sessions sessions, all of `game` with the reference
 * network, and one call of senet_engine_evaluate at a time fit into config->memory; 0 if not even
 * one visit fits. Allocates nothing. */
SENET_API senet_status senet_config_fit(const senet_config* config, senet_text game,
                                        uint32_t* visits, senet_reason* why);
/* The inverse: the largest `sessions` that fit with config->visits each. For a mix of games, or a
 * network of another shape, open an engine and call senet_engine_memory. */
SENET_API senet_status senet_config_fit_sessions(const senet_config* config, senet_text game,
                                                 uint32_t* sessions, senet_reason* why);

SENET_API senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                                         senet_reason* why);
/* Ends all searches (their callbacks run), waits for calls of senet_session_wait to return, then
 * ends the threads and sessions. All other calls on the engine must have returned. NULL is allowed.
 * In a callback of this engine it does nothing and returns SENET_BAD_STATE. */
SENET_API senet_status senet_engine_close(senet_engine* engine);
/* Bytes reserved so far; at most senet_config.memory. */
SENET_API uint64_t senet_engine_memory(const senet_engine* engine);

/* With workers = 0: searches on the calling thread for about budget_us, or until the only work left
 * is being done by other threads. *searches gets the number of running searches; a search whose
 * `done` is running has ended. */
SENET_API senet_status senet_poll(senet_engine* engine, uint32_t budget_us, uint32_t* searches);

/* The names of all games, those of the host after the library's own; valid while the engine is
 * open. Writes up to `room` of them, and the total number to *count: SENET_NO_ROOM when it exceeds
 * `room`. */
SENET_API senet_status senet_engine_games(const senet_engine* engine, senet_text* names,
                                          size_t room, size_t* count);

/* ---- Models ------------------------------------------------------------------------------ */

/* Reads a safetensors file, as `senet selfplay` writes it, into memory. */
SENET_API senet_status senet_model_open(senet_engine* engine, senet_text path, senet_model** model,
                                        senet_reason* why);
/* The same from the bytes of such a file, which are copied. */
SENET_API senet_status senet_model_from_memory(senet_engine* engine, const void* bytes, size_t size,
                                               senet_model** model, senet_reason* why);
/* The network that is linked in, without a copy; SENET_NO_FILE for games that have none. */
SENET_API senet_status senet_model_builtin(senet_engine* engine, senet_text game,
                                           senet_model** model, senet_reason* why);
/* No network: searches play a random game from each new position, and its result is the value of
 * the position. The way to play your own game (game_table.h) before its first training. Sessions
 * of a game without a built-in network use it if no model of the game is in use. */
SENET_API senet_status senet_model_playouts(senet_engine* engine, senet_text game,
                                            senet_model** model, senet_reason* why);
/* Untrained weights, drawn from `seed`: searches find only what they can prove. */
SENET_API senet_status senet_model_untrained(senet_engine* engine, senet_text game, uint64_t seed,
                                             senet_model** model, senet_reason* why);
/* Drops the caller's reference; searches that use the model keep theirs. NULL is allowed. Release
 * every model before senet_engine_close. */
SENET_API void senet_model_release(senet_model* model);
/* A hash of the weights, independent of their source. */
SENET_API uint64_t senet_model_id(const senet_model* model);
/* The name of the game that the model plays, valid until the model is released; the empty text for
 * NULL. */
SENET_API senet_text senet_model_game(const senet_model* model);
/* The shape of the model's network: see `senet inspect` and docs/own_game.md. */
typedef struct senet_model_shape {
  uint32_t struct_size;
  uint32_t features;      /* inputs */
  uint32_t policy_logits; /* of the game, if the network has a policy head */
  uint32_t outcomes;      /* ways to end that the value head tells apart */
  uint32_t width, blocks; /* of the hidden layers, and the number of residual blocks */
  uint64_t parameters;
  senet_text
      mode; /* what it was trained to evaluate: "position", "afterstates", "moves", "playouts"
             * (it has no network), or the empty text if that is unknown. Static */
} senet_model_shape;
#define SENET_MODEL_SHAPE_INIT                                         \
  {                                                                    \
    (uint32_t)sizeof(senet_model_shape), 0, 0, 0, 0, 0, 0, { NULL, 0 } \
  }
SENET_API senet_status senet_model_get_shape(const senet_model* model, senet_model_shape* shape);
/* One level of strength, for play below full strength (docs/strength.md). */
typedef struct senet_level {
  uint32_t visits;   /* of a search */
  float temperature; /* of the draw among its moves; 0: the best move */
  float most_loss;   /* of a drawn move, in the game's points */
  float rating;      /* in Elo; uniformly random moves are rated 0 */
} senet_level;
/* The levels of the model, the weakest first; none unless its file has some, which `senet ladder`
 * writes. Writes up to `room` of them, and the total number to *count: SENET_NO_ROOM when it
 * exceeds `room`. */
SENET_API senet_status senet_model_levels(const senet_model* model, senet_level* levels,
                                          size_t room, size_t* count);
/* Publishes the model: searches of its game that begin from now on use it, and running searches
 * end on the weights that they began with. At most two models of a game are in use at a time: while
 * searches run on two older ones, new searches use the newer of these. All models of a game in one
 * engine have the same shape. The model must come from this engine. */
SENET_API senet_status senet_engine_use(senet_engine* engine, const senet_model* model,
                                        senet_reason* why);

/* ---- Sessions ---------------------------------------------------------------------------- */

/* Opens a session at the start of the game. A model of the game must be in use, unless the game has
 * no built-in network: then senet_model_playouts. */
SENET_API senet_status senet_session_open(senet_engine* engine, senet_text game,
                                          senet_session** session, senet_reason* why);
/* Ends the session's search, waits for its callback and for other threads' calls on the session,
 * and frees it. In a callback of this engine it returns immediately; memory and slot become free
 * when the search, callbacks and calls in progress have ended. NULL is allowed. */
SENET_API void senet_session_close(senet_session* session);

/* Opens another session of the same game at this session's position, with the same actions to take
 * back and an empty tree. */
SENET_API senet_status senet_session_clone(const senet_session* session, senet_session** clone,
                                           senet_reason* why);

/* Sets the position from text (empty: the start) and plays `count` actions from there. On failure
 * nothing has changed. */
SENET_API senet_status senet_session_set(senet_session* session, senet_text position,
                                         const senet_action* actions, size_t count,
                                         senet_reason* why);
/* Plays a move or a chance outcome. Keeps the part of the tree below it. */
SENET_API senet_status senet_session_play(senet_session* session, senet_action action,
                                          senet_reason* why);
/* Takes back the last action that was played or was an action of senet_session_set; up to 1024 of
 * them, one for each call. SENET_BAD_STATE if there is none. */
SENET_API senet_status senet_session_undo(senet_session* session, senet_reason* why);

/* The functions from here to senet_session_read_action read the position. A search does not change
 * it, so readers need not wait for its end. */
SENET_API senet_status senet_session_turn(const senet_session* session, senet_turn* turn);
/* How a finished game ended, from player 0's perspective: an index into the game's ways to end, in
 * the order of senet_result.outcomes. In a game of one player 0 (won) or the last one, which may be
 * beyond those of senet_result. */
SENET_API senet_status senet_session_outcome(const senet_session* session, uint32_t* outcome);
/* Legal moves, ascending; none unless a player is to move. Writes up to `room` of them, and the
 * total number to *count: SENET_NO_ROOM when it exceeds `room`. */
SENET_API senet_status senet_session_legal(const senet_session* session, senet_action* actions,
                                           size_t room, size_t* count);
/* The probabilities of the chance outcomes, so that the host can throw the dice: [i] is that of
 * action i; they sum to 1. None unless it is chance's turn. `room` and *count as in
 * senet_session_legal. */
SENET_API senet_status senet_session_chance(const senet_session* session, float* probabilities,
                                            size_t room, size_t* count);
/* The position, or an action that is legal in it (else SENET_BAD_ACTION), as NUL-terminated text.
 * *size gets the length without the NUL. SENET_NO_ROOM, with *size, unless `room` exceeds it. */
SENET_API senet_status senet_session_text(const senet_session* session, char* text, size_t room,
                                          size_t* size);
SENET_API senet_status senet_session_action_text(const senet_session* session, senet_action action,
                                                 char* text, size_t room, size_t* size);
/* Parses the notation of an action; SENET_BAD_ACTION if it is not a legal one. */
SENET_API senet_status senet_session_read_action(const senet_session* session, senet_text text,
                                                 senet_action* action, senet_reason* why);

/* Called during a search, about every progress_us, on the thread that searches, which waits: it may
 * read the position, senet_session_result and senet_session_line, which have what was found so far,
 * and stop the search. */
typedef void (*senet_progress)(void* user, senet_session* session);

typedef struct senet_limits { /* a search ends at the first limit that it reaches; 0: no limit */
  uint32_t struct_size;
  uint32_t visits; /* of the root, including those kept from the previous search */
  uint64_t time_us;
  float temperature; /* the action is drawn with weights visits^(1/temperature), 0 or more; 0: the
                      * best action */
  uint32_t noise;    /* not 0: noise at the root, so that games differ */
  int32_t priority;  /* against other sessions: -1 gets half the visits of 0, +1 twice as many */
  uint32_t level;    /* not 0: plays at this level of senet_model_levels, 1 the weakest: at most its
                      * visits, none of them kept, and a drawn action */
  uint32_t depth;    /* of the longest line, in moves that are not forced */
  uint32_t lines;    /* number of choices whose expected continuation is kept for
                      * senet_session_line, at most senet_config.lines */
  uint64_t progress_us;
  senet_progress progress; /* NULL: none. Gets the `user` of senet_session_search */
  senet_text search; /* settings for this search, as in senet_config.search, which they replace; not
                      * mode, reuse-tree or those of plies. At most senet_config.leaves leaves */
} senet_limits;
#define SENET_LIMITS_INIT                                                                 \
  {                                                                                       \
    (uint32_t)sizeof(senet_limits), 0, 0, 0.0f, 0, 0, 0, 0, 0, 1000000, NULL, { NULL, 0 } \
  }

/* Called once per search, on the thread that ended it, when the session is idle: it may be
 * searched, played and closed from here. */
typedef void (*senet_done)(void* user, senet_session* session);

/* Begins a search and returns immediately. `done` may be NULL. */
SENET_API senet_status senet_session_search(senet_session* session, const senet_limits* limits,
                                            senet_done done, void* user, senet_reason* why);
/* Asks the search to end with the result so far, after one visit at least. */
SENET_API void senet_session_stop(senet_session* session);
/* Waits until no search of the session runs and its `done` has returned; SENET_TIMEOUT if that
 * takes longer than timeout_us. UINT64_MAX: no timeout. With workers = 0 it searches meanwhile,
 * like senet_poll. */
SENET_API senet_status senet_session_wait(const senet_session* session, uint64_t timeout_us);

typedef struct senet_choice {
  senet_action action;
  uint16_t reserved;
  uint32_t visits;
  float prior; /* the network's, at the search's policy temperature, without noise */
  float value; /* for the player to move; without visits often just the position's value */
} senet_choice;

typedef struct senet_result {
  uint32_t struct_size;
  senet_ending ending;
  senet_action action; /* to play */
  uint16_t outcome_count;
  float value; /* for the player to move, in the game's points: win 1, loss -1; backgammon to 3; in
                * a game of one player minus the moves left */
  uint32_t visits, evaluations, depth;
  uint32_t choice_count;               /* number of legal moves, even if `room` was smaller */
  uint64_t model;                      /* senet_model_id of the weights that the search used */
  float outcomes[SENET_MOST_OUTCOMES]; /* probability of each way to end, for the player to move; in
                                        * a game of one player [i]: that i moves are left, and in
                                        * the last entry: so many or more */
} senet_result;
#define SENET_RESULT_INIT                                                                \
  {                                                                                      \
    (uint32_t)sizeof(senet_result), SENET_BY_VISITS, 0, 0, 0.0f, 0, 0, 0, 0, 0, { 0.0f } \
  }

/* The result of the last search. SENET_BUSY while one runs, except in its `progress`;
 * SENET_BAD_STATE before the first and after the position has changed; SENET_NO_MEMORY or
 * SENET_INTERNAL if the search failed with that. Writes up to `room` choices: the best first (it is
 * `action`, unless that was drawn at random), then by decreasing visits. */
SENET_API senet_status senet_session_result(const senet_session* session, senet_result* result,
                                            senet_choice* choices, size_t room);
/* The expected continuation of choice `rank` of the result, from 0 on: the choice itself, then
 * moves up to a chance turn, the end of the game or the end of the search's knowledge. Writes up to
 * `room` of them, and the total number to *count: SENET_NO_ROOM when it exceeds `room`. `rank` must
 * be below senet_limits.lines and the number of choices. Otherwise like senet_session_result. */
SENET_API senet_status senet_session_line(const senet_session* session, size_t rank,
                                          senet_action* actions, size_t room, size_t* count);

/* ---- The network alone ------------------------------------------------------------------- */

/* What a model expects of a position, without a search. For the values and priors of its moves,
 * search with 1 visit. */
typedef struct senet_expectation {
  senet_turn player; /* whose perspective the figures have: the player to move or to roll; in a
                      * finished game it may be either */
  float value;       /* in the game's points */
  uint32_t outcome_count;
  float outcomes[SENET_MOST_OUTCOMES]; /* probability of each way to end, as in senet_result */
} senet_expectation;

/* Evaluates `count` positions of a game, given as for senet_session_set, with the model in use when
 * the call begins. All turns are allowed. A model of positions sees a chance turn as the mean over
 * its outcomes, a model of afterstates or of moves a decision as its best move;
 * senet_model_playouts takes the mean of 256 games, which is slow. The tablebase answers where it
 * can. A position has the same answer, bit for bit, in every call, unless the evaluator is "onednn"
 * or "auto". Runs on the calling thread, with a new evaluator, which takes a part of
 * senet_config.memory until the call returns. Any number of threads may call at once. On failure
 * some of `expected` may have been written; `why` names a position that cannot be parsed. */
SENET_API senet_status senet_engine_evaluate(senet_engine* engine, senet_text game,
                                             const senet_text* positions, size_t count,
                                             senet_expectation* expected, senet_reason* why);
/* The same for the position of a session; allowed at any time, also during a search. */
SENET_API senet_status senet_session_evaluate(const senet_session* session,
                                              senet_expectation* expected, senet_reason* why);

#ifdef __cplusplus
}
#endif
#endif
