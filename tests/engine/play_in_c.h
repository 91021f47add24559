/* The C half of the test of the C interface, for its C++ half. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plays `game` with these weights and writes the moves, each followed by a comma, to `body`.
 * Returns the number of search callbacks, or a number below 0 that identifies the failed step. */
int play_in_c(const void* weights, size_t size, const char* game, char* body, size_t room);

#ifdef __cplusplus
}
#endif
