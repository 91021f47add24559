// A game that libsenet has never seen: Breakthrough on five by five squares, played by the engine
// against chance. The game is the struct; one line makes it known. own_game [WEIGHTS]
//
// Two rows of pawns face each other. A pawn steps one square forward, straight or diagonally, and
// takes diagonally only. Who first reaches the other side, or leaves no pawn, has won.
#include <array>
#include <cstdio>
#include <random>
#include <senet/own_game.hpp>

namespace {

constexpr int kSide = 5, kSquares = kSide * kSide;

struct Breakthrough {
  static constexpr std::string_view kName = "breakthrough_5x5";
  static constexpr std::size_t kFeatures = 2 * kSquares, kMaxActive = kSquares;
  static constexpr std::size_t kPolicyLogits = 3 * kSquares, kLogitsPerAction = 1;
  static constexpr std::size_t kMaxLegal = 3 * kSquares, kMaxPlies = 200;
  static constexpr std::array<float, 2> kOutcomeValues{1, -1};        // won, lost
  static constexpr std::array<std::uint8_t, 2> kOutcomeMirror{1, 0};  // for the other player
  static constexpr float kValueRange = 1;
  static constexpr bool kHasAfterstates = false;

  std::uint32_t pawns[2] = {0x3ff, 0x3ffu << 15};  // of either player; square 0 is a1
  std::uint32_t to_move = 0;

  static std::uint32_t bit(int square) { return 1u << square; }
  // Where the move leads: 3 * square + 0, 1, 2 for left, straight on, right; -1: off the board.
  int target(senet::Action move) const {
    const int column = move / 3 % kSide + move % 3 - 1;
    const int row = move / 3 / kSide + (to_move == 0 ? 1 : -1);
    return column < 0 || column >= kSide || row < 0 || row >= kSide ? -1 : row * kSide + column;
  }
  bool is_legal(senet::Action move) const {
    const int to = target(move);
    if (!(pawns[to_move] & bit(move / 3)) || to < 0 || (pawns[to_move] & bit(to))) return false;
    return move % 3 != 1 || !(pawns[1 - to_move] & bit(to));
  }
  bool has_won(int player) const {
    return pawns[1 - player] == 0 || (pawns[player] & (player == 0 ? 0x1f00000u : 0x1fu)) != 0;
  }

  senet::Turn turn() const {
    if (has_won(0) || has_won(1)) return senet::Turn::kOver;
    return to_move == 0 ? senet::Turn::kPlayer0 : senet::Turn::kPlayer1;
  }
  senet::Player viewer() const { return static_cast<senet::Player>(to_move); }
  void legal(senet::ActionList<kMaxLegal>& moves) const {
    for (senet::Action move = 0; move < kPolicyLogits; ++move) {
      if (is_legal(move)) moves.push_back(move);
    }
  }
  void play(senet::Action move) {
    const std::uint32_t to = bit(target(move));
    pawns[to_move] ^= bit(move / 3) | to;
    pawns[1 - to_move] &= ~to;
    to_move = 1 - to_move;
  }
  std::uint8_t outcome() const { return has_won(0) ? 0 : 1; }
  std::uint64_t key() const {
    return (std::uint64_t{pawns[0]} | std::uint64_t{pawns[1]} << 25 |
            std::uint64_t{to_move} << 50) *
           0x9e3779b97f4a7c15u;
  }
  // The mover's pawns, then the other's, from the mover's side of the board.
  void encode(senet::FeatureRow& features) const {
    for (int square = 0; square < kSquares; ++square) {
      const int seen = to_move == 0 ? square : kSquares - 1 - square;
      if (pawns[to_move] & bit(square)) features.add(seen, 1);
      if (pawns[1 - to_move] & bit(square)) features.add(kSquares + seen, 1);
    }
  }

  static std::array<std::uint16_t, 1> logits_of(senet::Action move) { return {move}; }

  // "xxxxxxxxxx.....oooooooooo x": the squares from a1 on, and who is to move.
  std::string text() const {
    std::string text;
    for (int i = 0; i < kSquares; ++i)
      text += pawns[0] & bit(i) ? 'x' : pawns[1] & bit(i) ? 'o' : '.';
    return text + (to_move == 0 ? " x" : " o");
  }
  static senet::Result<Breakthrough> from_text(std::string_view text) {
    if (text.size() != kSquares + 2) return senet::fail("25 squares, a space, and x or o");
    Breakthrough read{{0, 0}, text.back() == 'o' ? 1u : 0u};
    for (int i = 0; i < kSquares; ++i) {
      if (text[i] == 'x') read.pawns[0] |= bit(i);
      if (text[i] == 'o') read.pawns[1] |= bit(i);
    }
    if (read.text() != text) return senet::fail("squares are x, o and ., the player x or o");
    return read;
  }
  static std::string square(int number) {
    return {static_cast<char>('a' + number % kSide), static_cast<char>('1' + number / kSide)};
  }
  std::string action_text(senet::Action move) const {
    return square(move / 3) + square(target(move));
  }
  senet::Result<senet::Action> action_from_text(std::string_view text) const {
    for (senet::Action move = 0; move < kPolicyLogits; ++move) {
      if (is_legal(move) && action_text(move) == text) return move;
    }
    return senet::fail("no legal move: " + std::string(text));
  }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 2) return std::fputs("usage: own_game [WEIGHTS]\n", stderr), 2;
  senet::api::Engine engine;
  senet::api::add_game<Breakthrough>(engine);  // that is all
  engine.use(argc == 2 ? engine.load(argv[1]) : engine.untrained(Breakthrough::kName));
  auto game = engine.open_session(Breakthrough::kName);
  std::minstd_rand chance(1);
  while (game.turn() != SENET_OVER) {
    if (game.turn() == SENET_PLAYER_0) {
      const auto found = game.search({.visits = 800});
      std::printf("%s  %s  value %+.2f\n", game.text().c_str(),
                  game.action_text(found.action).c_str(), static_cast<double>(found.value));
      game.play(found.action);
    } else {
      const auto moves = game.legal();
      game.play(moves[chance() % moves.size()]);
    }
  }
  std::printf("%s  player %u has won\n", game.text().c_str(), game.outcome());
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "own_game: %s\n", error.what());
  return 1;
}
