// A game in a shared object; with FAULT, a variant that senet must refuse, or 8 and 9.
#include "tools/examples/train_own_game/breakthrough.hpp"

#include <senet/own_game.hpp>

/// 8, 9: two games whose types have the same name.
struct MyGame : Breakthrough {
  static constexpr std::string_view kName = FAULT == 8 ? "first_game" : "second_game";
  static senet::Result<MyGame> from_text(std::string_view text) {
    const senet::Result<Breakthrough> read = Breakthrough::from_text(text);
    if (!read) return read.error();
    return MyGame{*read};
  }
};

namespace {

constexpr int kFault = FAULT;

/// 1: all positions have the same key.
struct SameKeys : Breakthrough {
  std::uint64_t key() const { return 7; }
  static senet::Result<SameKeys> from_text(std::string_view text) {
    const senet::Result<Breakthrough> read = Breakthrough::from_text(text);
    if (!read) return read.error();
    return SameKeys{*read};
  }
};

/// 2: the name of a game that senet has.
struct TakenName : Breakthrough {
  static constexpr std::string_view kName = "connect_four";
  static senet::Result<TakenName> from_text(std::string_view text) {
    const senet::Result<Breakthrough> read = Breakthrough::from_text(text);
    if (!read) return read.error();
    return TakenName{*read};
  }
};

senet_game_library library() {
  if constexpr (kFault == 1) return senet::api::game_library<SameKeys>();
  if constexpr (kFault == 2) return senet::api::game_library<TakenName>();
  if constexpr (kFault == 3) return senet::api::game_library<Breakthrough>("visits many");
  if constexpr (kFault == 4) return senet::api::game_library<Breakthrough>("visits");
  if constexpr (kFault == 8 || kFault == 9) return senet::api::game_library<MyGame>();
  auto good = senet::api::game_library<Breakthrough>("visits 16\nwidth 16\n\nblocks 1\n");
  if constexpr (kFault == 5) good.version = 99;
  if constexpr (kFault == 6) good.table = nullptr;
  if constexpr (kFault == 7) good.struct_size = 0;
  return good;
}

}  // namespace

const senet_game_library senet_exported_game = library();
