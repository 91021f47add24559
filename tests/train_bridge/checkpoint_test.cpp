// A checkpoint is restored exactly, or not at all.
#include <gtest/gtest.h>

#include <limits>

#include "games/random.hpp"
#include "nn/network.hpp"
#include "tests/temporary_folder.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

NetworkSpec tiny_spec() {
  return {.game = "test",
          .features = 5,
          .policy_logits = 4,
          .outcomes = 3,
          .width = 8,
          .blocks = 1,
          .policy_layers = 1};
}

Checkpoint sample() {
  Random random(1, 0, 0, Purpose::kTest);
  Checkpoint checkpoint;
  TrainerState& state = checkpoint.trainer;
  for (auto* values : {&state.weights, &state.ema, &state.first_moment, &state.second_moment}) {
    values->resize(parameter_count(tiny_spec()));
    for (float& value : *values) value = random.normal();
  }
  state.weights[0] = std::numeric_limits<float>::denorm_min();
  state.weights[1] = -0.0f;
  state.steps = 123;
  checkpoint.iterations = 4;
  checkpoint.games = std::numeric_limits<std::uint64_t>::max();
  checkpoint.positions = (std::uint64_t{1} << 53) + 1;  // not representable as a double
  checkpoint.next_game = 77;
  checkpoint.log_position = 1'000'000'007;
  checkpoint.replay_begin = 99;
  checkpoint.owed_steps = 0.1 + 0.2;
  checkpoint.seconds = 1.0 / 3;
  return checkpoint;
}

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    const Result<void> saved = save_checkpoint(sample(), tiny_spec(), file());
    ASSERT_TRUE(saved) << saved.error().reason();
    bytes_ = read_file(file());
  }
  std::filesystem::path file() const { return folder_ / "checkpoint.safetensors"; }

  /// The reason why these bytes are rejected; "" when they are accepted.
  std::string refusal(std::span<const std::byte> bytes) {
    write_file(file(), bytes);
    const Result<Checkpoint> loaded = load_checkpoint(file(), tiny_spec());
    if (loaded) return "";
    EXPECT_NE(loaded.error().reason().find(file().string()), std::string::npos)
        << loaded.error().reason();
    EXPECT_EQ(loaded.error().reason().find('\n'), std::string::npos);
    return loaded.error().reason();
  }
  /// The file with `from` replaced by `to`, which has the same length.
  std::vector<std::byte> with(std::string_view from, std::string_view to) const {
    EXPECT_EQ(from.size(), to.size());
    std::vector<std::byte> changed = bytes_;
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string_view::npos) << from;
    if (at != std::string_view::npos) {
      std::ranges::copy(std::as_bytes(std::span(to)), changed.begin() + static_cast<long>(at));
    }
    return changed;
  }

  const TemporaryFolder folder_;
  std::vector<std::byte> bytes_;
};

TEST_F(CheckpointFile, ComesBackExactly) {
  const Result<Checkpoint> loaded = load_checkpoint(file(), tiny_spec());
  ASSERT_TRUE(loaded) << loaded.error().reason();
  const Checkpoint saved = sample();
  const auto same_bits = [](std::span<const float> a, std::span<const float> b) {
    return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
  };
  EXPECT_TRUE(same_bits(loaded->trainer.weights, saved.trainer.weights));
  EXPECT_TRUE(same_bits(loaded->trainer.ema, saved.trainer.ema));
  EXPECT_TRUE(same_bits(loaded->trainer.first_moment, saved.trainer.first_moment));
  EXPECT_TRUE(same_bits(loaded->trainer.second_moment, saved.trainer.second_moment));
  EXPECT_EQ(loaded->trainer.steps, saved.trainer.steps);
  EXPECT_EQ(loaded->iterations, saved.iterations);
  EXPECT_EQ(loaded->games, saved.games);
  EXPECT_EQ(loaded->positions, saved.positions);
  EXPECT_EQ(loaded->next_game, saved.next_game);
  EXPECT_EQ(loaded->log_position, saved.log_position);
  EXPECT_EQ(loaded->replay_begin, saved.replay_begin);
  EXPECT_EQ(loaded->owed_steps, saved.owed_steps);
  EXPECT_EQ(loaded->seconds, saved.seconds);
  // Saving the same content gives the same file, and no other file is left in the folder.
  ASSERT_TRUE(save_checkpoint(*loaded, tiny_spec(), file()));
  EXPECT_EQ(read_file(file()), bytes_);
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(CheckpointFile, CutShortAnywhereIsRefused) {
  for (std::size_t length = 0; length < bytes_.size(); length += 1 + length / 40) {
    EXPECT_NE(refusal(std::span(bytes_).first(length)), "") << length;
  }
  EXPECT_NE(refusal(std::span(bytes_).first(bytes_.size() - 1)), "");
  std::vector<std::byte> longer = bytes_;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer), "");
}

TEST_F(CheckpointFile, AnyFlippedBitIsRefused) {
  // Only the padding spaces after the header may change.
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  const std::size_t header_end = text.find("}}") + 2;
  Random random(2, 0, 0, Purpose::kTest);
  const auto flip = [&](std::size_t at) {
    std::vector<std::byte> damaged = bytes_;
    damaged[at] ^= static_cast<std::byte>(1u << random.below(8));
    EXPECT_NE(refusal(damaged), "") << "byte " << at << " of " << bytes_.size();
  };
  for (std::size_t at = 0; at < header_end; ++at) flip(at);
  for (int i = 0; i < 500; ++i) {
    const std::size_t data = parameter_count(tiny_spec()) * 4 * sizeof(float);
    flip(bytes_.size() - 1 - random.below(static_cast<std::uint32_t>(data)));
  }
}

TEST_F(CheckpointFile, ReasonsSayWhatIsWrong) {
  EXPECT_NE(refusal(with("senet-checkpoint-1", "senet-checkpoint-9")).find("not a checkpoint"),
            std::string::npos);
  EXPECT_NE(refusal(with("\"steps\":\"123\"", "\"steps\":\"12x\"")).find("counter 'steps'"),
            std::string::npos);
  EXPECT_NE(refusal(with("\"next_game\":\"77\"", "\"next_game\":\"-7\"")).find("'next_game'"),
            std::string::npos);
  EXPECT_NE(refusal(with("\"next_game\"", "\"next_gone\"")).find("'next_game'"), std::string::npos);
  EXPECT_NE(refusal(with("\"next_game\":\"77\"", "\"next_game\":\"76\"")).find("does not match"),
            std::string::npos);
  EXPECT_NE(refusal(with("first_moment", "worst_moment")).find("tensor 'first_moment'"),
            std::string::npos);
  for (const std::string_view owed : {"-0.000000000000001", "nan               "}) {
    EXPECT_NE(refusal(with("0.30000000000000004", std::string(owed) + " ")), "");
  }
  std::vector<std::byte> not_a_number = bytes_;
  std::fill(not_a_number.end() - 4, not_a_number.end(), std::byte{0xff});
  EXPECT_NE(refusal(not_a_number).find("not finite"), std::string::npos);
}

TEST_F(CheckpointFile, OwedStepsWithoutEndAreRefused) {
  for (const double owed :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Checkpoint checkpoint = sample();
    checkpoint.owed_steps = owed;
    ASSERT_TRUE(save_checkpoint(checkpoint, tiny_spec(), file()));
    const Result<Checkpoint> loaded = load_checkpoint(file(), tiny_spec());
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().reason().find("out of range"), std::string::npos);
  }
}

TEST_F(CheckpointFile, AnotherNetworkOrNoFileIsRefused) {
  NetworkSpec wider = tiny_spec();
  wider.width = 9;
  Result<Checkpoint> loaded = load_checkpoint(file(), wider);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().reason().find("made for a network with width 8, not 9"),
            std::string::npos);
  NetworkSpec other_game = tiny_spec();
  other_game.game = "another";
  loaded = load_checkpoint(file(), other_game);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().reason().find("not for another"), std::string::npos);
  EXPECT_FALSE(load_checkpoint(folder_ / "missing", tiny_spec()));
  EXPECT_FALSE(load_checkpoint(folder_.path(), tiny_spec()));
  // A network is not a checkpoint.
  ASSERT_TRUE(save_network(initial_network(tiny_spec(), 1), file()));
  EXPECT_FALSE(load_checkpoint(file(), tiny_spec()));
}

TEST_F(CheckpointFile, AFailedSaveLeavesTheOldOne) {
  const Result<void> saved =
      save_checkpoint(sample(), tiny_spec(), folder_ / "missing" / "checkpoint.safetensors");
  ASSERT_FALSE(saved);
  EXPECT_TRUE(load_checkpoint(file(), tiny_spec()));
  EXPECT_EQ(folder_.files(), 1);
}

}  // namespace
}  // namespace senet
