/* What the C half of the test of the C interface offers to its C++ half. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plays `game` with these weights and writes the moves, with commas, to `story`. Returns how often
 * a search told that it had ended, or a number below 0 that says which step failed. */
int play_in_c(const void* weights, size_t size, const char* game, char* story, size_t room);

#ifdef __cplusplus
}
#endif
