// Short runs of senet selfplay in a temporary folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/temporary_folder.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {

using Arguments = std::vector<std::string>;

class TinyRun : public testing::Test {
 protected:
  std::filesystem::path run() const { return folder_ / "run"; }

  static Arguments with(Arguments first, const Arguments& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }
  /// Arguments for a new run that plays fast, trains early and saves often. Options in `more` with
  /// a value take the place of those that are here.
  Arguments tiny(const Arguments& more) const {
    Arguments all = {"--run",
                     run().string(),
                     "--game",
                     "tic_tac_toe",
                     "--width",
                     "16",
                     "--blocks",
                     "1",
                     "--workers",
                     "2",
                     "--lanes",
                     "8",
                     "--visits",
                     "8",
                     "--begin-after",
                     "50",
                     "--train-batch",
                     "32",
                     "--steps-per-iteration",
                     "5",
                     "--checkpoint-seconds",
                     "0.02"};
    for (const std::string& word : more) {
      const auto here = std::ranges::find(all, word);
      if (word.starts_with("--") && here != all.end()) all.erase(here, here + 2);
    }
    return with(with({"selfplay", "--quiet"}, all), more);
  }
  Arguments resume(const Arguments& more = {}) const {
    return with({"selfplay", "--run", run().string(), "--resume", "--quiet"}, more);
  }

  static NetworkSpec spec() {
    NetworkSpec tiny = reference_spec<TicTacToe>();
    tiny.width = 16;
    tiny.blocks = 1;
    return tiny;
  }
  Checkpoint checkpoint() const {
    const Result<Checkpoint> loaded = load_checkpoint(run() / "checkpoint.safetensors", spec());
    EXPECT_TRUE(loaded) << loaded.error().reason();
    return loaded ? *loaded : Checkpoint{};
  }

  const TemporaryFolder folder_;
};

}  // namespace senet
