// check_game() finds each violation of the contract and names the function at fault. Violations
// that only a host's table can have are in tests/engine/own_game_test.cpp.
#include "senet/check_game.hpp"

#include <gtest/gtest.h>

#include <string>

#include "games/tic_tac_toe/tic_tac_toe.hpp"

namespace senet {
namespace {

enum class Fault {
  kNone,
  kManyActive,     // more features than kMaxActive
  kWideFeature,    // a feature that is not below kFeatures
  kOtherBits,      // feature_bits() are not the features of encode()
  kNoBit,          // feature_bits() in a game with a feature that is not 1
  kBadLogit,       // a logit that is not below kPolicyLogits
  kLateLogit,      // a logit after the list's end
  kSameKey,        // two different states with one key
  kOtherKey,       // two equal states with different keys
  kOutside,        // play() writes past the state
  kViewer,         // viewer() is the wrong player
  kImageOfImage,   // mirroring a state twice gives another state
  kImageOfMove,    // a mirrored action does something else in the mirror image
  kTakesNonsense,  // invalid text is read as some state
  kNoReason,       // a text is refused without a reason
  kManyLegal,      // more actions than kMaxLegal
  kEndless,        // a game is longer than kMaxPlies
  kThrows,
};

// Tic-tac-toe with a fault.
template <Fault kFault>
struct Broken {
  static constexpr std::string_view kName = "broken";
  static constexpr std::size_t kMaxLegal = kFault == Fault::kManyLegal ? 8 : 9;
  static constexpr std::size_t kMaxPlies = kFault == Fault::kEndless ? 4 : 9;
  static constexpr std::size_t kFeatures = kFault == Fault::kWideFeature ? 18 : 19;
  static constexpr std::size_t kMaxActive = kFault == Fault::kManyActive ? 5 : 10;
  static constexpr std::size_t kPolicyLogits = kFault == Fault::kBadLogit ? 8 : 9;
  static constexpr std::size_t kLogitsPerAction = 2;
  static constexpr auto kOutcomeValues = TicTacToe::kOutcomeValues;
  static constexpr auto kOutcomeMirror = TicTacToe::kOutcomeMirror;
  static constexpr float kValueRange = 1;
  static constexpr bool kHasAfterstates = false;

  TicTacToe game;
  std::uint8_t copies = 0;

  Turn turn() const { return game.turn(); }
  Player viewer() const { return kFault == Fault::kViewer ? other(game.viewer()) : game.viewer(); }
  void legal(ActionList<kMaxLegal>& out) const {
    ActionList<9> legal;
    game.legal(legal);
    for (const Action action : legal) out.push_back(action);
  }
  void play(Action action) {
    if (kFault == Fault::kThrows && action == 4) throw std::runtime_error("not the centre");
    game.play(action);
    copies = static_cast<std::uint8_t>(copies + 1);
    if (kFault == Fault::kOutside) {
      // volatile hides from the compiler and the sanitizers where it points.
      char* volatile beyond = reinterpret_cast<char*>(this) + sizeof *this;
      *beyond = 1;
    }
  }
  std::uint8_t outcome() const { return game.outcome(); }
  std::uint64_t key() const {
    if (kFault == Fault::kSameKey) return mix(game.key()) % 2'000;
    return kFault == Fault::kOtherKey ? mix(game.key()) + copies : game.key();
  }
  void encode(FeatureRow& row) const {
    if (kFault != Fault::kNoBit) return game.encode(row);
    for (std::size_t i = 0; i < 2; ++i) row.add(i, 0.5f);
  }
  FeatureBits<kFeatures> feature_bits() const {
    std::array<std::uint16_t, 16> index;
    std::array<float, 16> value;
    FeatureRow row(index.data(), value.data(), index.size());
    encode(row);
    FeatureBits<kFeatures> bits{kFault == Fault::kOtherBits ? 1u : 0u};
    for (std::size_t i = 0; i < row.count(); ++i) bits[0] ^= std::uint64_t{1} << index[i];
    return bits;
  }
  static std::array<std::uint16_t, 2> logits_of(Action action) {
    if (kFault == Fault::kLateLogit) return {kNoLogit, action};
    return {action, kNoLogit};
  }
  std::string text() const { return game.text(); }
  static Result<Broken> from_text(std::string_view text) {
    const Result<TicTacToe> read = TicTacToe::from_text(text);
    if (read) return Broken{*read};
    if (kFault == Fault::kTakesNonsense) return Broken{*TicTacToe::from_text("a1")};
    return fail(kFault == Fault::kNoReason ? "" : "no board");
  }
  std::string action_text(Action action) const { return game.action_text(action); }
  Result<Action> action_from_text(std::string_view text) const {
    return game.action_from_text(text);
  }
  Broken mirrored() const {
    if (kFault == Fault::kImageOfImage && game.turn() == Turn::kPlayer1) return Broken{};
    return {game.mirrored(), copies};
  }
  static Action mirrored(Action action) {
    return kFault == Fault::kImageOfMove ? action : TicTacToe::mirrored(action);
  }
};

template <Fault kFault>
std::string why() {
  const Result<void> checked = check_game<Broken<kFault>>();
  return checked ? "" : checked.error().reason();
}
bool starts(const std::string& reason, std::string_view with) { return reason.starts_with(with); }

TEST(CheckGame, FindsEachBrokenPromise) {
  static_assert(MirrorGame<Broken<Fault::kNone>> && BinaryFeaturesGame<Broken<Fault::kNone>>);
  EXPECT_EQ(why<Fault::kNone>(), "");
  EXPECT_PRED2(starts, why<Fault::kManyActive>(), "encode: more features than kMaxActive (in ");
  EXPECT_PRED2(starts, why<Fault::kWideFeature>(),
               "encode: a feature that is not below kFeatures (in 3/3/3");
  EXPECT_PRED2(starts, why<Fault::kOtherBits>(), "feature_bits: not the features of encode (in ");
  EXPECT_PRED2(starts, why<Fault::kNoBit>(),
               "encode: a value that is not 1, in spite of feature_bits (in ");
  EXPECT_PRED2(starts, why<Fault::kBadLogit>(),
               "logits_of: a logit that is not below kPolicyLogits (in ");
  EXPECT_PRED2(starts, why<Fault::kLateLogit>(),
               "logits_of: no logit before the first kNoLogit (in ");
  EXPECT_PRED2(starts, why<Fault::kSameKey>(), "key: the same as that of ");
  EXPECT_PRED2(starts, why<Fault::kOtherKey>(), "from_text: reads its own text as another state");
  EXPECT_PRED2(starts, why<Fault::kOutside>(), "play: writes outside the state (the start)");
  EXPECT_PRED2(starts, why<Fault::kViewer>(), "viewer: 1 when player 0 is to move (in ");
  EXPECT_PRED2(starts, why<Fault::kImageOfImage>(), "mirrored: ");
  EXPECT_PRED2(starts, why<Fault::kImageOfMove>(), "mirrored: ");
  EXPECT_PRED2(starts, why<Fault::kNoReason>(), "from_text: refuses ");
  EXPECT_PRED2(starts, why<Fault::kManyLegal>(), "legal: more actions than kMaxLegal (the start)");
  EXPECT_PRED2(starts, why<Fault::kEndless>(), "play: the game is longer than kMaxPlies");
  EXPECT_PRED2(starts, why<Fault::kThrows>(), "not the centre (in ");
}

// A text with mistakes may be read as a state, if that state is valid.
TEST(CheckGame, NonsenseMayMeanAState) { EXPECT_EQ(why<Fault::kTakesNonsense>(), ""); }

TEST(CheckGame, SaysWhatItHasMet) {
  GameCoverage seen;
  ASSERT_TRUE(check_game<TicTacToe>({.games = 100}, TicTacToe{}, &seen));
  EXPECT_GT(seen.states, 700u);
  EXPECT_GT(seen.distinct_states, 300u);
  EXPECT_EQ(seen.chance_turns, 0u);
  EXPECT_EQ(seen.outcomes[0] + seen.outcomes[1] + seen.outcomes[2], 100u);
  EXPECT_EQ(std::count(seen.features.begin(), seen.features.end(), true), 19);
}

}  // namespace
}  // namespace senet
