/* The Race of own_games.hpp as a table of functions, as a C99 host would write it. */
#include <senet/game_table.h>
#include <string.h>

enum { kHome = 12 };

typedef struct Race {
  uint8_t runners[2][2]; /* [player]: squares, the runner that is behind first */
  uint8_t mover, die;    /* die 0: about to roll */
} Race;

senet_game_table race_in_c(void);

static void start(void* user, void* state) {
  (void)user;
  memset(state, 0, sizeof(Race));
}
static int is_home(const Race* race, int player) { return race->runners[player][0] == kHome; }
static senet_turn turn(void* user, const void* state) {
  const Race* race = (const Race*)state;
  (void)user;
  if (is_home(race, 0) || is_home(race, 1)) return SENET_OVER;
  if (race->die == 0) return SENET_CHANCE;
  return race->mover == 0 ? SENET_PLAYER_0 : SENET_PLAYER_1;
}
static uint32_t viewer(void* user, const void* state) {
  (void)user;
  return ((const Race*)state)->mover;
}
static uint32_t chance(void* user, const void* state, float* probability) {
  uint32_t i;
  (void)user;
  (void)state;
  for (i = 0; i < 3; ++i) probability[i] = (float)(3 - i) / 6.0f;
  return 3;
}
static uint32_t legal(void* user, const void* state, senet_action* actions) {
  const Race* race = (const Race*)state;
  const uint8_t* own = race->runners[race->mover];
  (void)user;
  actions[0] = own[0];
  if (own[1] == own[0] || own[1] == kHome) return 1;
  actions[1] = own[1];
  return 2;
}
static void play(void* user, void* state, senet_action action) {
  Race* race = (Race*)state;
  uint8_t* own = race->runners[race->mover];
  int runner, to;
  (void)user;
  if (race->die == 0) {
    race->die = (uint8_t)(action + 1);
    return;
  }
  runner = action == own[0] ? 0 : 1;
  to = own[runner] + race->die;
  own[runner] = (uint8_t)(to > kHome ? kHome : to);
  if (own[0] > own[1]) {
    to = own[0];
    own[0] = own[1];
    own[1] = (uint8_t)to;
  }
  race->mover = (uint8_t)(1 - race->mover);
  race->die = 0;
}
static uint32_t outcome(void* user, const void* state) {
  const Race* race = (const Race*)state;
  const uint32_t winner = is_home(race, 0) ? 0 : 1;
  const uint8_t ahead = race->runners[1 - winner][1];
  (void)user;
  return 3 * winner + (ahead == kHome ? 0u : ahead > kHome / 2 ? 1u : 2u);
}
static uint64_t key(void* user, const void* state) {
  const Race* race = (const Race*)state;
  uint64_t all = 1;
  int i;
  (void)user;
  for (i = 0; i < 4; ++i) all = all * 16 + race->runners[i / 2][i % 2];
  all = (all * 2 + race->mover) * 4 + race->die;
  all *= 0x9e3779b97f4a7c15u;
  return all ^ all >> 29;
}
static uint32_t encode(void* user, const void* state, uint16_t* feature, float* value) {
  const Race* race = (const Race*)state;
  uint32_t count = 0;
  int i;
  (void)user;
  for (i = 0; i < 2; ++i) {
    const uint8_t* of = race->runners[i == 0 ? race->mover : 1 - race->mover];
    const int first = i * (kHome + 1);
    feature[count] = (uint16_t)(first + of[0]);
    value[count++] = of[0] == of[1] ? 2.0f : 1.0f;
    if (of[0] == of[1]) continue;
    feature[count] = (uint16_t)(first + of[1]);
    value[count++] = 1.0f;
  }
  if (race->die > 0) {
    feature[count] = (uint16_t)(2 * (kHome + 1) + race->die - 1);
    value[count++] = 1.0f;
  }
  return count;
}
static size_t text(void* user, const void* state, char* text, size_t room) {
  const Race* race = (const Race*)state;
  char words[9];
  (void)user;
  words[0] = (char)('a' + race->runners[0][0]);
  words[1] = (char)('a' + race->runners[0][1]);
  words[3] = (char)('a' + race->runners[1][0]);
  words[4] = (char)('a' + race->runners[1][1]);
  words[2] = words[5] = words[7] = ' ';
  words[6] = (char)('0' + race->mover);
  words[8] = (char)('0' + race->die);
  memcpy(text, words, room < sizeof words ? room : sizeof words);
  return sizeof words;
}
static size_t action_text(void* user, const void* state, senet_action action, char* text,
                          size_t room) {
  (void)user;
  if (room > 0) *text = (char)((((const Race*)state)->die == 0 ? '1' : 'a') + action);
  return 1;
}
static int32_t read(void* user, senet_text words, void* state) {
  Race race;
  char again[9];
  int i;
  if (words.size != sizeof again) return 0;
  for (i = 0; i < 4; ++i) race.runners[i / 2][i % 2] = (uint8_t)(words.data[i + i / 2] - 'a');
  race.mover = (uint8_t)(words.data[6] - '0');
  race.die = (uint8_t)(words.data[8] - '0');
  for (i = 0; i < 2; ++i) {
    if (race.runners[i][0] > race.runners[i][1] || race.runners[i][1] > kHome) return 0;
  }
  if (race.mover > 1 || race.die > 3 || (is_home(&race, 0) && is_home(&race, 1))) return 0;
  text(user, &race, again, sizeof again);
  if (memcmp(again, words.data, sizeof again) != 0) return 0;
  *(Race*)state = race;
  return 1;
}
static int32_t read_action(void* user, const void* state, senet_text words, senet_action* action) {
  const Race* race = (const Race*)state;
  senet_action moves[2];
  uint32_t count, i;
  if (words.size != 1) return 0;
  if (race->die == 0) {
    *action = (senet_action)(words.data[0] - '1');
    return words.data[0] >= '1' && words.data[0] <= '3';
  }
  count = legal(user, state, moves);
  for (i = 0; i < count; ++i) {
    *action = moves[i];
    if (words.data[0] == (char)('a' + moves[i])) return 1;
  }
  return 0;
}

senet_game_table race_in_c(void) {
  static const int8_t kValues[] = {1, 3, 7, -1, -3, -7};
  static const uint8_t kMirror[] = {3, 4, 5, 0, 1, 2};
  senet_game_table table;
  memset(&table, 0, sizeof table);
  table.struct_size = (uint32_t)sizeof table;
  table.state_size = (uint32_t)sizeof(Race);
  table.features = 2 * (kHome + 1) + 3;
  table.most_active = 5;
  table.actions = kHome;
  table.most_legal = 2;
  table.name.data = "race_in_c";
  table.name.size = 9;
  table.start = start;
  table.turn = turn;
  table.legal = legal;
  table.play = play;
  table.outcome = outcome;
  table.key = key;
  table.encode = encode;
  table.text = text;
  table.action_text = action_text;
  table.read = read;
  table.read_action = read_action;
  table.most_chance = 3;
  table.outcomes = 6;
  memcpy(table.outcome_values, kValues, sizeof kValues);
  memcpy(table.outcome_mirror, kMirror, sizeof kMirror);
  table.has_afterstates = 1;
  table.chance = chance;
  table.viewer = viewer;
  return table;
}
