// A checkpoint is restored exactly, or not at all; of a run's checkpoints the newest good one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

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
  checkpoint.run_id = 0xfedcba9876543210;
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
  EXPECT_EQ(loaded->run_id, saved.run_id);
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

// What loading would refuse is not saved, and does not replace what is there.
TEST_F(CheckpointFile, NumbersThatAreNotFiniteAreNotSaved) {
  const auto expect_refused = [&](const Checkpoint& checkpoint, const std::string& reason) {
    const Result<void> saved = save_checkpoint(checkpoint, tiny_spec(), file());
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().reason().find(file().string() + ": not saved: "), std::string::npos);
    EXPECT_NE(saved.error().reason().find(reason), std::string::npos) << saved.error().reason();
    EXPECT_EQ(read_file(file()), bytes_);
    EXPECT_EQ(folder_.files(), 1);
  };
  for (const double owed :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Checkpoint checkpoint = sample();
    checkpoint.owed_steps = owed;
    expect_refused(checkpoint, "out of range");
  }
  for (const StateTensor& tensor : kStateTensors) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      Checkpoint checkpoint = sample();
      (checkpoint.trainer.*tensor.values).back() = bad;
      expect_refused(checkpoint, std::string(tensor.name) + " has a value that is not finite");
    }
  }
}

TEST_F(CheckpointFile, OfAnotherRunIsRefused) {
  const std::uint64_t own = sample().run_id, other = 0xabc;
  EXPECT_TRUE(load_checkpoint(file(), tiny_spec(), own));
  const Result<Checkpoint> loaded = load_checkpoint(file(), tiny_spec(), other);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().status(), SENET_MODEL_MISMATCH);
  EXPECT_EQ(loaded.error().reason(),
            "checkpoint " + file().string() +
                ": made by the run fedcba9876543210, not by this run, 0000000000000abc");
  // A file from before ids belongs to any run.
  Checkpoint older = sample();
  older.run_id = 0;
  ASSERT_TRUE(save_checkpoint(older, tiny_spec(), file()));
  EXPECT_EQ(text_of(file()).find("\"run\""), std::string::npos);
  EXPECT_TRUE(load_checkpoint(file(), tiny_spec(), other));
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

class KeptCheckpoints : public testing::Test {
 protected:
  static Checkpoint at(std::uint64_t steps) {
    Checkpoint checkpoint = sample();
    checkpoint.trainer.steps = steps;
    return checkpoint;
  }
  void keep(std::uint64_t steps, std::size_t kept, bool replaces_newest = false) const {
    const auto done =
        keep_checkpoint(at(steps), tiny_spec(), folder_.path(), kept, replaces_newest);
    EXPECT_TRUE(done) << done.error().reason();
  }
  FoundCheckpoint find() const {
    Result<FoundCheckpoint> found = find_checkpoint(folder_.path(), tiny_spec(), sample().run_id);
    EXPECT_TRUE(found) << found.error().reason();
    return found ? std::move(*found) : FoundCheckpoint{};
  }
  std::uint64_t found_steps() const {
    const auto found = find().checkpoint;
    return found ? found->trainer.steps : 0;
  }
  /// "0:7 1:6": the steps of checkpoint.safetensors and of checkpoint.1.safetensors.
  std::string places() const {
    std::string text;
    for (int age = 0; age < 9; ++age) {
      const auto file = place(age);
      if (!std::filesystem::exists(file)) continue;
      const auto loaded = load_checkpoint(file, tiny_spec());
      EXPECT_TRUE(loaded) << loaded.error().reason();
      if (!loaded) continue;
      text += text.empty() ? "" : " ";
      text += std::to_string(age) + ":" + std::to_string(loaded->trainer.steps);
    }
    return text;
  }
  std::filesystem::path place(int age) const {
    return folder_.path() /
           ("checkpoint" + (age == 0 ? "" : "." + std::to_string(age)) + ".safetensors");
  }
  std::filesystem::path unplaced() const { return folder_ / "checkpoint.new.safetensors"; }

  const TemporaryFolder folder_;
};

TEST_F(KeptCheckpoints, AreTheNewest) {
  EXPECT_FALSE(find().checkpoint);
  for (const auto& [steps, expected] : std::vector<std::pair<std::uint64_t, const char*>>{
           {1, "0:1"}, {2, "0:2 1:1"}, {3, "0:3 1:2 2:1"}, {4, "0:4 1:3 2:2"}}) {
    keep(steps, 3);
    EXPECT_EQ(places(), expected);
    EXPECT_EQ(found_steps(), steps);
  }
  keep(5, 3, true);
  EXPECT_EQ(places(), "0:5 1:3 2:2");
  keep(6, 2);
  EXPECT_EQ(places(), "0:6 1:5");
  keep(7, 1);
  EXPECT_EQ(places(), "0:7");
  keep(8, 1);
  EXPECT_EQ(places(), "0:8");
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(KeptCheckpoints, TheNewestGoodOneIsFound) {
  for (std::uint64_t steps = 1; steps <= 3; ++steps) keep(steps, 3);
  std::filesystem::resize_file(place(0), 100);
  FoundCheckpoint found = find();
  ASSERT_TRUE(found.checkpoint);
  EXPECT_EQ(found.checkpoint->trainer.steps, 2u);
  ASSERT_EQ(found.newer.size(), 1u);
  EXPECT_EQ(found.newer.front().file, place(0));
  EXPECT_NE(found.newer.front().reason.find(place(0).string()), std::string::npos);
  // A pipe, and a link to nowhere, are reported too.
  std::filesystem::remove(place(1));
  std::filesystem::create_symlink(folder_ / "nowhere", place(1));
  std::filesystem::remove(place(0));
  ASSERT_EQ(::mkfifo(place(0).c_str(), 0600), 0);
  found = find();
  ASSERT_TRUE(found.checkpoint);
  EXPECT_EQ(found.checkpoint->trainer.steps, 1u);
  EXPECT_EQ(found.newer.size(), 2u);
  std::filesystem::resize_file(place(2), 0);
  found = find();
  EXPECT_FALSE(found.checkpoint);
  EXPECT_EQ(found.newer.size(), 3u);
}

TEST_F(KeptCheckpoints, AreOfOneRun) {
  keep(1, 3);
  keep(2, 3);
  EXPECT_FALSE(find_checkpoint(folder_.path(), tiny_spec(), 1));
}

TEST_F(KeptCheckpoints, AFileIsMovedAsideUnderAFreeName) {
  for (const char* const name : {".damaged", ".damaged.2", ".damaged.3"}) {
    write_text(place(0), name);
    const auto moved = move_aside(place(0));
    ASSERT_TRUE(moved);
    EXPECT_EQ(*moved, place(0).string() + name);
    EXPECT_EQ(text_of(*moved), name);
    EXPECT_FALSE(std::filesystem::exists(place(0)));
  }
  EXPECT_FALSE(move_aside(place(0)));
}

// The states between two renamings, in which a process may be killed.
TEST_F(KeptCheckpoints, EveryStateInBetweenIsFoundAndTidied) {
  for (std::uint64_t steps = 1; steps <= 3; ++steps) keep(steps, 3);
  ASSERT_TRUE(save_checkpoint(at(4), tiny_spec(), unplaced()));
  EXPECT_EQ(found_steps(), 4u);
  std::filesystem::rename(place(1), place(2));
  EXPECT_EQ(found_steps(), 4u);
  std::filesystem::create_hard_link(place(0), place(1));
  EXPECT_EQ(found_steps(), 4u);
  keep(5, 3);
  EXPECT_EQ(places(), "0:5 1:3 2:3");
  keep(6, 3);
  EXPECT_EQ(places(), "0:6 1:5 2:3");
  // Without hard links.
  std::filesystem::rename(place(0), place(1));
  EXPECT_EQ(found_steps(), 6u);
  keep(7, 3);
  EXPECT_EQ(places(), "0:7 1:6 2:3");
  EXPECT_EQ(folder_.files(), 3);
}

TEST_F(KeptCheckpoints, SurviveBeingKilledAtAnyMoment) {
  Random random(3, 0, 0, Purpose::kTest);
  std::uint64_t last = 1;
  keep(last, 3);
  for (int kills = 0; kills < 20; ++kills) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::uint64_t steps = last + 1;; ++steps) {
        if (!keep_checkpoint(at(steps), tiny_spec(), folder_.path(), 3)) ::_exit(1);
      }
    }
    ASSERT_GT(child, 0);
    while (found_steps() == last) ::usleep(100);
    ::usleep(random.below(5'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    const FoundCheckpoint found = find();
    ASSERT_TRUE(found.checkpoint);
    EXPECT_TRUE(found.newer.empty());
    EXPECT_GT(found.checkpoint->trainer.steps, last);
    last = found.checkpoint->trainer.steps;
    EXPECT_TRUE(load_checkpoint(place(0), tiny_spec()));
  }
}

}  // namespace
}  // namespace senet
