/* libsenet plays a game of Connect Four against itself: minimal [WEIGHTS]
 * gcc -std=c11 minimal.c $(pkg-config --cflags --libs --static senet) -o minimal */
#include <senet/senet.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, senet_status status, const senet_reason* why) {
  fprintf(stderr, "minimal: %s: %s: %s\n", what, senet_status_name(status), why->text);
  return 1;
}

int main(int argc, char** argv) {
  senet_config config;
  senet_limits limits = SENET_LIMITS_INIT;
  senet_engine* engine = NULL;
  senet_model* model = NULL;
  senet_session* session = NULL;
  senet_reason why = {""};
  senet_status status;
  senet_text path, game = SENET_TEXT("connect_four");
  senet_turn turn;

  if (argc > 2) {
    fprintf(stderr, "usage: minimal [WEIGHTS]\n");
    return 2;
  }
  limits.visits = 200;
  limits.time_us = 50000;

  senet_config_init(&config, sizeof config);
  if ((status = senet_engine_open(&config, &engine, &why)) != SENET_OK)
    return fail("engine", status, &why);
  if (argc == 2) {
    path.data = argv[1];
    path.size = strlen(argv[1]);
    status = senet_model_open(engine, path, &model, &why);
  } else {
    status = senet_model_builtin(engine, game, &model, &why);
  }
  if (status != SENET_OK || (status = senet_engine_use(engine, model, &why)) != SENET_OK ||
      (status = senet_session_open(engine, game, &session, &why)) != SENET_OK) {
    senet_model_release(model);
    senet_engine_close(engine);
    return fail("weights", status, &why);
  }
  senet_model_release(model); /* the engine holds its own reference */

  while (senet_session_turn(session, &turn) == SENET_OK && turn != SENET_OVER) {
    senet_result result = SENET_RESULT_INIT;
    char move[32];
    if ((status = senet_session_search(session, &limits, NULL, NULL, &why)) != SENET_OK) break;
    senet_session_wait(session, UINT64_MAX);
    if ((status = senet_session_result(session, &result, NULL, 0)) != SENET_OK) break;
    senet_session_action_text(session, result.action, move, sizeof move, NULL);
    printf("player %d: %s  value %+.2f, %u visits\n", (int)turn, move, (double)result.value,
           (unsigned)result.visits);
    if ((status = senet_session_play(session, result.action, &why)) != SENET_OK) break;
  }
  senet_session_close(session);
  senet_engine_close(engine);
  return status == SENET_OK ? 0 : fail("game", status, &why);
}
