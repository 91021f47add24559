/* Kinds of failure, for C and C++. The numbers never change their meaning. */
#ifndef SENET_STATUS_H
#define SENET_STATUS_H

#include <stdint.h>

/* Four bytes in every compiler; in C++ a type of its own too. */
#ifdef __cplusplus
#define SENET_ENUM(name) enum name : int32_t
#else
#define SENET_ENUM(name) \
  typedef int32_t name;  \
  enum
#endif

SENET_ENUM(senet_status){
    SENET_OK = 0,
    SENET_BAD_ARGUMENT = 1, /* a value that makes no sense */
    SENET_BAD_STATE = 2,    /* not now: no weights in use, nothing searched yet, the game is over */
    SENET_BAD_ACTION = 3,   /* not legal here */
    SENET_UNKNOWN_GAME = 4, /* no game of that name */
    SENET_NO_FILE = 10,     /* a file is not there or cannot be read */
    SENET_BAD_MODEL = 11,   /* not the weights of a network, or damaged */
    SENET_MODEL_MISMATCH = 12, /* another game's, or another shape than the engine began with */
    SENET_NO_MEMORY = 20, /* senet_config.memory would be exceeded, or the system has no more */
    SENET_NO_SLOT = 21,   /* senet_config.sessions are open */
    SENET_BUSY = 30,      /* the session searches */
    SENET_TIMEOUT = 31,   /* still searching when the wait was over */
    SENET_STOPPED = 32,   /* the engine is being closed */
    SENET_NO_ROOM = 33,   /* the caller's buffer is too small; the needed size was written */
    SENET_INTERNAL = 99   /* an error of the library's own: please report it */
};

#endif
