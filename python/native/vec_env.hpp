// A batch of games that are played in step, for any game: shapes, arrays, and everything that needs
// no type of state. The part that is compiled for each game is VecEnv<G> (vec_env_of.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lanes/thread_team.hpp"
#include "games/any_game.hpp"
#include "nn/aligned_vector.hpp"
#include "nn/huge_pages.hpp"
#include "selfplay/start_settings.hpp"
#include "senet/result.hpp"

namespace senet {

/// Memory of whole cache lines, all 0. JAX takes memory with this alignment without a copy. Large
/// memory is of huge pages if the system has them: each row of a wide array is on another page.
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes)
      : bytes_(bytes), data_(pages_.allocate(bytes, kLineBytes)) {
    std::memset(data_, 0, bytes);
  }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  ~ZeroedMemory() { pages_.deallocate(data_, bytes_, kLineBytes); }
  void* data() const { return data_; }

 private:
  HugePages pages_;
  std::size_t bytes_;
  void* data_;
};

/// An array of `size` zeros.
template <class T>
class ZeroedArray {
 public:
  explicit ZeroedArray(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  ZeroedMemory memory_;
  std::size_t size_;
};

/// Settings of an environment.
struct EnvOptions {
  std::size_t count = 1;  // games, 1 .. kMostGames
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  bool is_sparse = false;     // observations as lists of features that are not zero
  StartSettings starts = {};  // none from hard positions
};

/// The numbers of an environment that its game and its options determine.
struct EnvShape {
  std::size_t count, features, most_active, most_legal;
  /// Whether an action is its own policy logit; then column j is action j, and the columns are the
  /// policy logits. Otherwise column j is the j-th legal action, and there are most_legal columns.
  bool columns_are_actions;
  std::size_t columns;
};

/// The column of a legal action. `legal`, the legal actions in ascending order, is read only if
/// columns are not actions.
inline std::size_t column_of(const EnvShape& shape, std::span<const Action> legal, Action action) {
  if (shape.columns_are_actions) return action;
  return static_cast<std::size_t>(std::ranges::lower_bound(legal, action) - legal.begin());
}

/// The arrays that an environment writes, in rows, one per game. Python's arrays share them.
struct EnvArrays {
  explicit EnvArrays(const EnvShape& shape, bool is_sparse);

  ZeroedArray<float> dense;               // [n, features], or empty
  ZeroedArray<std::uint16_t> indices;     // [n, most_active]: features that are not zero
  ZeroedArray<float> values;              // [n, most_active], or empty
  ZeroedArray<std::int32_t> counts;       // [n]: entries of a row of `indices`
  ZeroedArray<bool> mask;                 // [n, columns]
  ZeroedArray<std::uint16_t> legal;       // [n, most_legal], then kNoAction
  ZeroedArray<std::int32_t> legal_count;  // [n]
  ZeroedArray<std::int8_t> player;        // [n]: the player to move
  ZeroedArray<float> reward;              // [n]
  ZeroedArray<bool> done;                 // [n]
  ZeroedArray<std::int8_t> outcome;       // [n]: player 0's, -1 while the game is not over
  ZeroedArray<std::int32_t> sample;       // [n]: columns drawn by sample()

  static constexpr std::uint16_t kNoAction = 0xffff;
};

/// A batch of games, of a game known at run time. Used by one thread at a time. Steps allocate
/// nothing. A function of a host's game may throw; the environment must then be reset.
class AnyVecEnv {
 public:
  static constexpr std::size_t kMostGames = std::size_t{1} << 24, kMostThreads = 1024;

  virtual ~AnyVecEnv() = default;
  AnyVecEnv(const AnyVecEnv&) = delete;
  AnyVecEnv& operator=(const AnyVecEnv&) = delete;

  const AnyGame& game() const { return game_; }
  const EnvOptions& options() const { return options_; }
  const EnvShape& shape() const { return shape_; }
  const std::shared_ptr<EnvArrays>& arrays() const { return arrays_; }

  /// Starts the next game in every row; with a seed the first one of that seed. The first call
  /// without a seed keeps the games that the environment was made with.
  void reset(std::optional<std::uint64_t> seed);

  /// Takes the columns to play, `stride` elements apart. Returns the first row whose column is not
  /// legal; then nothing is taken.
  template <class T>
  std::optional<std::size_t> take(const T* columns, std::ptrdiff_t stride);
  /// Plays what the last take() took.
  void step();
  /// Draws a uniformly random legal column for each row into arrays().sample. A function of the
  /// seed and the number of draws since the start or the last reset with a seed.
  void sample();

  /// Whether a function of the game threw in an earlier call: rows may then contradict each other
  /// until all positions are replaced.
  bool is_broken() const { return is_broken_; }

  /// The position of a row.
  virtual AnyState state(std::size_t row) const = 0;

  /// Replaces all positions, [n]: each row begins its next game there. The roll of a chance turn is
  /// drawn. Fails, without a change, if a text is not a position or if its game has ended.
  Result<void> set_texts(std::span<const std::string> texts);

  /// Bytes of a row of states(): a checksum, the numbers of the game and the ply, and the state.
  virtual std::size_t state_bytes() const = 0;
  /// Writes all rows, [n, state_bytes].
  virtual void write_states(std::byte* to) const = 0;
  /// Reads what write_states() of an environment of the game wrote in this process or, if states
  /// contain no pointers, in any process of the same build. Fails, without a change, on other
  /// bytes.
  Result<void> read_states(const std::byte* from);

  /// Counters from which the same games continue: with the positions' texts, all of the
  /// environment's memory.
  struct Counters {
    std::uint64_t draws = 0;
    bool is_new = true;
    std::vector<std::uint32_t> games, plies;  // [n] each
  };
  Counters counters() const;
  /// Continues at these positions and counters. Fails, without a change, as set_texts() does, and
  /// if the sizes differ.
  Result<void> restore(std::span<const std::string> texts, const Counters& counters);

 protected:
  AnyVecEnv(const AnyGame& game, const EnvShape& shape, const EnvOptions& options);

  /// A range of rows, and room for the values of one row.
  struct Part {
    std::size_t begin, end;
    float* values;  // [most_active]
  };
  /// Begins game games_[row] of each row.
  virtual void start(const Part& part) = 0;
  /// Plays `taken_` and begins the next game where one ends. Writes all arrays of the rows.
  virtual void play(const Part& part) = 0;
  /// Rolls if it is a chance turn, then writes the arrays of the rows except those of results.
  virtual void describe(const Part& part) = 0;
  /// Replace all states. On failure nothing has changed.
  virtual Result<void> read_texts(std::span<const std::string> texts) = 0;
  virtual Result<void> read_rows(const std::byte* from) = 0;

  /// Begins all games, without results. Derived classes call it when they are complete.
  void start_all();

  const AnyGame& game_;
  EnvOptions options_;
  const EnvShape shape_;
  const std::shared_ptr<EnvArrays> arrays_;
  std::vector<std::uint16_t> taken_;          // [n]: columns to play
  std::vector<std::uint32_t> games_, plies_;  // [n]: number of the row's game, and of its next draw

 private:
  bool is_broken_ = false;
  /// Calls work(part) for parts that cover all rows, on all threads.
  template <class Work>
  void for_all(Work&& work);
  ThreadTeam& team();
  void describe_all();

  std::vector<float> values_;  // [threads, most_active]
  std::unique_ptr<ThreadTeam> team_;
  int team_process_ = 0;
  std::uint64_t draws_ = 0;  // calls of sample()
  bool is_new_ = true;       // reset() may keep the games
};

// -- Implementation.

template <class T>
std::optional<std::size_t> AnyVecEnv::take(const T* columns, std::ptrdiff_t stride) {
  const EnvArrays& arrays = *arrays_;
  const std::size_t width = shape_.columns;
  for (std::size_t row = 0; row < shape_.count; ++row, columns += stride) {
    // Negative columns become large ones.
    const auto column = static_cast<std::uint64_t>(static_cast<std::int64_t>(*columns));
    if (shape_.columns_are_actions) {
      const std::uint16_t* const legal = &arrays.legal[row * shape_.most_legal];
      const std::uint16_t* const end = legal + arrays.legal_count[row];
      if (column >= width || std::find(legal, end, column) == end) return row;
      taken_[row] = static_cast<Action>(column);
    } else {
      if (column >= static_cast<std::uint64_t>(arrays.legal_count[row])) return row;
      taken_[row] = arrays.legal[row * width + column];
    }
  }
  return std::nullopt;
}

}  // namespace senet
