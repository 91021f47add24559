/* Prints the sizes, offsets and constants of senet.h with this compiler, for comparison with
 * tests/embedding/abi.txt. */
#include <senet/game_table.h>
#include <stdio.h>

#define SIZE(type) printf("size %s %zu\n", #type, sizeof(type))
#define FIELD(type, field) \
  printf("field %s.%s %zu %zu\n", #type, #field, offsetof(type, field), sizeof(((type*)0)->field))
#define CONSTANT(name) printf("constant %s %ld\n", #name, (long)name)

int main(void) {
  CONSTANT(SENET_ABI);
  CONSTANT(SENET_MOST_OUTCOMES);
  CONSTANT(SENET_MOST_STATE);
  CONSTANT(SENET_MOST_LEGAL);
  CONSTANT(SENET_MOST_ACTIVE);
  CONSTANT(SENET_MOST_FEATURES);
  CONSTANT(SENET_MOST_CHANCE);
  CONSTANT(SENET_MOST_LOGITS);
  CONSTANT(SENET_NO_LOGIT);
  SIZE(senet_action);
  SIZE(senet_text);
  FIELD(senet_text, data);
  FIELD(senet_text, size);
  SIZE(senet_reason);
  FIELD(senet_reason, text);

  SIZE(senet_status);
  CONSTANT(SENET_OK);
  CONSTANT(SENET_BAD_ARGUMENT);
  CONSTANT(SENET_BAD_STATE);
  CONSTANT(SENET_BAD_ACTION);
  CONSTANT(SENET_UNKNOWN_GAME);
  CONSTANT(SENET_NO_FILE);
  CONSTANT(SENET_BAD_MODEL);
  CONSTANT(SENET_MODEL_MISMATCH);
  CONSTANT(SENET_NO_MEMORY);
  CONSTANT(SENET_NO_SLOT);
  CONSTANT(SENET_BUSY);
  CONSTANT(SENET_TIMEOUT);
  CONSTANT(SENET_STOPPED);
  CONSTANT(SENET_NO_ROOM);
  CONSTANT(SENET_INTERNAL);
  SIZE(senet_turn);
  CONSTANT(SENET_PLAYER_0);
  CONSTANT(SENET_PLAYER_1);
  CONSTANT(SENET_CHANCE);
  CONSTANT(SENET_OVER);
  SIZE(senet_ending);
  CONSTANT(SENET_BY_VISITS);
  CONSTANT(SENET_BY_TIME);
  CONSTANT(SENET_BY_STOP);
  CONSTANT(SENET_BY_PROOF);
  CONSTANT(SENET_BY_FULL_TREE);

  SIZE(senet_config);
  FIELD(senet_config, struct_size);
  FIELD(senet_config, workers);
  FIELD(senet_config, pollers);
  FIELD(senet_config, sessions);
  FIELD(senet_config, visits);
  FIELD(senet_config, batch);
  FIELD(senet_config, memory);
  FIELD(senet_config, seed);
  FIELD(senet_config, user);
  FIELD(senet_config, alloc);
  FIELD(senet_config, release);
  FIELD(senet_config, log);
  FIELD(senet_config, evaluator);
  FIELD(senet_config, cache);
  FIELD(senet_config, tablebases);
  FIELD(senet_config, ply);
  FIELD(senet_config, leaves);
  FIELD(senet_config, lines);
  FIELD(senet_config, reserved);
  FIELD(senet_config, search);

  SIZE(senet_limits);
  FIELD(senet_limits, struct_size);
  FIELD(senet_limits, visits);
  FIELD(senet_limits, time_us);
  FIELD(senet_limits, temperature);
  FIELD(senet_limits, noise);
  FIELD(senet_limits, priority);
  FIELD(senet_limits, level);
  FIELD(senet_limits, depth);
  FIELD(senet_limits, lines);
  FIELD(senet_limits, progress_us);
  FIELD(senet_limits, progress);
  FIELD(senet_limits, search);

  SIZE(senet_model_shape);
  FIELD(senet_model_shape, struct_size);
  FIELD(senet_model_shape, features);
  FIELD(senet_model_shape, policy_logits);
  FIELD(senet_model_shape, outcomes);
  FIELD(senet_model_shape, width);
  FIELD(senet_model_shape, blocks);
  FIELD(senet_model_shape, parameters);
  FIELD(senet_model_shape, mode);

  SIZE(senet_level);
  FIELD(senet_level, visits);
  FIELD(senet_level, temperature);
  FIELD(senet_level, most_loss);
  FIELD(senet_level, rating);

  SIZE(senet_choice);
  FIELD(senet_choice, action);
  FIELD(senet_choice, reserved);
  FIELD(senet_choice, visits);
  FIELD(senet_choice, prior);
  FIELD(senet_choice, value);

  SIZE(senet_expectation);
  FIELD(senet_expectation, player);
  FIELD(senet_expectation, value);
  FIELD(senet_expectation, outcome_count);
  FIELD(senet_expectation, outcomes);

  SIZE(senet_result);
  FIELD(senet_result, struct_size);
  FIELD(senet_result, ending);
  FIELD(senet_result, action);
  FIELD(senet_result, outcome_count);
  FIELD(senet_result, value);
  FIELD(senet_result, visits);
  FIELD(senet_result, evaluations);
  FIELD(senet_result, depth);
  FIELD(senet_result, choice_count);
  FIELD(senet_result, model);
  FIELD(senet_result, outcomes);

  SIZE(senet_game_library);
  CONSTANT(SENET_GAME_LIBRARY_VERSION);
  FIELD(senet_game_library, struct_size);
  FIELD(senet_game_library, version);
  FIELD(senet_game_library, table);
  FIELD(senet_game_library, recipe);
  SIZE(senet_game_table);
  FIELD(senet_game_table, struct_size);
  FIELD(senet_game_table, state_size);
  FIELD(senet_game_table, features);
  FIELD(senet_game_table, most_active);
  FIELD(senet_game_table, actions);
  FIELD(senet_game_table, most_legal);
  FIELD(senet_game_table, name);
  FIELD(senet_game_table, user);
  FIELD(senet_game_table, start);
  FIELD(senet_game_table, turn);
  FIELD(senet_game_table, legal);
  FIELD(senet_game_table, play);
  FIELD(senet_game_table, outcome);
  FIELD(senet_game_table, key);
  FIELD(senet_game_table, encode);
  FIELD(senet_game_table, text);
  FIELD(senet_game_table, action_text);
  FIELD(senet_game_table, read);
  FIELD(senet_game_table, read_action);
  FIELD(senet_game_table, most_chance);
  FIELD(senet_game_table, outcomes);
  FIELD(senet_game_table, outcome_values);
  FIELD(senet_game_table, outcome_mirror);
  FIELD(senet_game_table, has_afterstates);
  FIELD(senet_game_table, policy_logits);
  FIELD(senet_game_table, logits_per_action);
  FIELD(senet_game_table, player_count);
  FIELD(senet_game_table, chance);
  FIELD(senet_game_table, viewer);
  FIELD(senet_game_table, logits_of);
  FIELD(senet_game_table, sound);
  FIELD(senet_game_table, mirror);
  FIELD(senet_game_table, mirror_action);
  FIELD(senet_game_table, feature_bits);
  FIELD(senet_game_table, solved);
  FIELD(senet_game_table, as_start);
  return 0;
}
