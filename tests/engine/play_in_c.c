/* Plays a whole game against itself through the C interface, as a C99 host would. */
#include "tests/engine/play_in_c.h"

#include <senet/senet.h>
#include <string.h>

static senet_text text(const char* words) {
  senet_text text;
  text.data = words;
  text.size = strlen(words);
  return text;
}

static void note(void* user, senet_session* session) {
  (void)session;
  ++*(int*)user;
}

/* Throws the dice: 15 outcomes at the start, where doubles are excluded, then 21. Returns NULL, or
 * the name of the failed check. */
static const char* throw_dice(senet_session* session, unsigned* random, int plies) {
  float probabilities[21];
  float drawn, sum = 0;
  size_t count = 0, rolls = plies == 0 ? 15 : 21, i;
  senet_action roll = 0;
  if (senet_session_chance(session, NULL, 0, &count) != SENET_NO_ROOM) return "no room";
  if (count != rolls) return "count";
  if (senet_session_chance(session, probabilities, 21, &count) != SENET_OK) return "chance";
  *random = *random * 1664525u + 1013904223u;
  drawn = (float)(*random >> 8) / 16777216.0f;
  for (i = 0; i < count; ++i) {
    sum += probabilities[i];
    if (sum <= drawn && i + 1 < count) ++roll;
  }
  if (sum < 0.9999f || sum > 1.0001f) return "sum";
  if (senet_session_play(session, (senet_action)count, NULL) != SENET_BAD_ACTION) return "more";
  return senet_session_play(session, roll, NULL) == SENET_OK ? NULL : "play";
}

int play_in_c(const void* weights, size_t size, const char* game, char* body, size_t room) {
  senet_config config;
  senet_limits limits = SENET_LIMITS_INIT;
  senet_engine* engine = NULL;
  senet_model* model = NULL;
  senet_session* session = NULL;
  senet_reason why;
  senet_turn turn;
  int plies = 0, reported = 0;
  size_t used = 0;
  unsigned random = 1;

  body[0] = '\0';
  senet_config_init(&config, sizeof config);
  config.seed = 7;
  limits.visits = 30;
  if (senet_engine_open(&config, &engine, &why) != SENET_OK) return -1;
  if (senet_model_from_memory(engine, weights, size, &model, &why) != SENET_OK) plies = -2;
  if (plies == 0 && senet_engine_use(engine, model, &why) != SENET_OK) plies = -3;
  senet_model_release(model);
  if (plies == 0 && senet_session_open(engine, text(game), &session, &why) != SENET_OK) plies = -4;
  while (plies >= 0 && plies < 1000 && senet_session_turn(session, &turn) == SENET_OK &&
         turn != SENET_OVER) {
    senet_result result = SENET_RESULT_INIT;
    size_t length = 0;
    if (turn == SENET_CHANCE) {
      if (throw_dice(session, &random, plies) != NULL) plies = -5;
      continue;
    }
    if (senet_session_search(session, &limits, note, &reported, &why) != SENET_OK ||
        senet_session_wait(session, UINT64_MAX) != SENET_OK ||
        senet_session_result(session, &result, NULL, 0) != SENET_OK ||
        senet_session_action_text(session, result.action, body + used, room - used, &length) !=
            SENET_OK) {
      plies = -6;
      break;
    }
    used += length;
    if (used + 2 > room) break;
    body[used++] = ',';
    body[used] = '\0';
    if (senet_session_play(session, result.action, &why) != SENET_OK) plies = -7;
    ++plies;
  }
  senet_session_close(session);
  senet_engine_close(engine);
  return plies < 0 ? plies : reported;
}
