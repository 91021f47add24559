// A game that libsenet has never seen: Breakthrough on five by five squares, played by the engine
// against chance. The game is the struct; one line makes it known. own_game [WEIGHTS]
//
// Two rows of pawns face each other. A pawn steps one square forward, straight or diagonally, and
// takes diagonally only. Who first reaches the other side, or leaves no pawn, has won.
#include <cstdio>
#include <random>
#include <senet/own_game.hpp>

namespace {

constexpr int kSide = 5, kSquares = kSide * kSide;

struct Breakthrough {
  static constexpr std::string_view kName = "breakthrough_5x5";
  static constexpr std::uint32_t kFeatures = 2 * kSquares, kMaxActive = 4 * kSide;
  static constexpr std::uint32_t kActions = 3 * kSquares, kMaxLegal = 3 * 2 * kSide;

  std::uint32_t pawns[2] = {0x3ff, 0x3ffu << 15};  // of either player; square 0 is a1
  std::uint32_t to_move = 0;

  static std::uint32_t bit(int square) { return 1u << square; }
  // Where the move leads: 3 * square + 0, 1, 2 for left, straight on, right; -1: off the board.
  int target(senet_action move) const {
    const int column = move / 3 % kSide + move % 3 - 1;
    const int row = move / 3 / kSide + (to_move == 0 ? 1 : -1);
    return column < 0 || column >= kSide || row < 0 || row >= kSide ? -1 : row * kSide + column;
  }
  bool is_legal(senet_action move) const {
    const int to = target(move);
    if (!(pawns[to_move] & bit(move / 3)) || to < 0 || (pawns[to_move] & bit(to))) return false;
    return move % 3 != 1 || !(pawns[1 - to_move] & bit(to));
  }
  bool has_won(int player) const {
    return pawns[1 - player] == 0 || (pawns[player] & (player == 0 ? 0x1f00000u : 0x1fu)) != 0;
  }

  senet_turn turn() const {
    if (has_won(0) || has_won(1)) return SENET_OVER;
    return to_move == 0 ? SENET_PLAYER_0 : SENET_PLAYER_1;
  }
  void legal(senet::api::Moves& moves) const {
    for (senet_action move = 0; move < kActions; ++move) {
      if (is_legal(move)) moves.push_back(move);
    }
  }
  void play(senet_action move) {
    const std::uint32_t to = bit(target(move));
    pawns[to_move] ^= bit(move / 3) | to;
    pawns[1 - to_move] &= ~to;
    to_move = 1 - to_move;
  }
  std::uint32_t outcome() const { return has_won(0) ? 0 : 2; }
  std::uint64_t key() const {
    return (std::uint64_t{pawns[0]} | std::uint64_t{pawns[1]} << 25 |
            std::uint64_t{to_move} << 50) *
           0x9e3779b97f4a7c15u;
  }
  // The mover's pawns, then the other's, from the mover's side of the board.
  void encode(senet::api::Features& features) const {
    for (int square = 0; square < kSquares; ++square) {
      const int seen = to_move == 0 ? square : kSquares - 1 - square;
      if (pawns[to_move] & bit(square)) features.add(seen, 1);
      if (pawns[1 - to_move] & bit(square)) features.add(kSquares + seen, 1);
    }
  }

  // "xxxxxxxxxx.....oooooooooo x": the squares from a1 on, and who is to move.
  std::string text() const {
    std::string text;
    for (int i = 0; i < kSquares; ++i)
      text += pawns[0] & bit(i) ? 'x' : pawns[1] & bit(i) ? 'o' : '.';
    return text + (to_move == 0 ? " x" : " o");
  }
  static std::optional<Breakthrough> from_text(std::string_view text) {
    if (text.size() != kSquares + 2 || text[kSquares] != ' ') return {};
    Breakthrough read{{0, 0}, text.back() == 'o' ? 1u : 0u};
    for (int i = 0; i < kSquares; ++i) {
      if (text[i] == 'x') read.pawns[0] |= bit(i);
      if (text[i] == 'o') read.pawns[1] |= bit(i);
    }
    if (read.text() != text) return {};
    return read;
  }
  static std::string square(int number) {
    return {static_cast<char>('a' + number % kSide), static_cast<char>('1' + number / kSide)};
  }
  std::string action_text(senet_action move) const {
    return square(move / 3) + square(target(move));
  }
  std::optional<senet_action> action_from_text(std::string_view text) const {
    for (senet_action move = 0; move < kActions; ++move) {
      if (is_legal(move) && action_text(move) == text) return move;
    }
    return {};
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
  std::printf("%s  player %u has won\n", game.text().c_str(), game.outcome() / 2);
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "own_game: %s\n", error.what());
  return 1;
}
