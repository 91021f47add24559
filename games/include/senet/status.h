/* Status codes, for C and C++. The meaning of a number never changes. */
#ifndef SENET_STATUS_H
#define SENET_STATUS_H

#include <stdint.h>

/* Four bytes with every compiler; a distinct type in C++. */
#ifdef __cplusplus
#define SENET_ENUM(name) enum name : int32_t
#else
#define SENET_ENUM(name) \
  typedef int32_t name;  \
  enum
#endif

SENET_ENUM(senet_status){
    SENET_OK = 0,
    SENET_BAD_ARGUMENT = 1, /* an invalid argument */
    SENET_BAD_STATE = 2,    /* not possible now: no weights in use, not searched yet, game over */
    SENET_BAD_ACTION = 3,   /* not legal in this position */
    SENET_UNKNOWN_GAME = 4, /* no game of that name */
    SENET_NO_FILE = 10,     /* a file does not exist or cannot be read */
    SENET_BAD_MODEL = 11,   /* damaged, or not a network's weights */
    SENET_MODEL_MISMATCH = 12, /* weights of another game, or of another shape than the first */
    SENET_NO_MEMORY = 20, /* senet_config.memory is too small, or the system is out of memory */
    SENET_NO_SLOT = 21,   /* senet_config.sessions sessions are open */
    SENET_BUSY = 30,      /* the session is searching */
    SENET_TIMEOUT = 31,   /* still searching when the wait timed out */
    SENET_STOPPED = 32,   /* the engine is being closed */
    SENET_NO_ROOM = 33,   /* the caller's buffer is too small; the required size was written */
    SENET_INTERNAL = 99   /* a bug in the library: please report it */
};

#endif
