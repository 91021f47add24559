// Settings of runs that take seconds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "train_bridge/run_config.hpp"

namespace senet {

/// Gives the settings of these names their values; expects that they are accepted.
inline void set_all(RunConfig& config,
                    const std::vector<std::pair<const char*, const char*>>& settings) {
  for (const auto& [name, value] : settings) {
    const Result<void> applied = apply_setting(config, name, value);
    EXPECT_TRUE(applied) << applied.error().reason();
  }
}

/// A small network, short searches, and training that begins early and publishes often.
inline void make_tiny(RunConfig& config) {
  set_all(config, {{"width", "16"},
                   {"blocks", "1"},
                   {"workers", "2"},
                   {"lanes", "4"},
                   {"visits", "4"},
                   {"fast-visits", "4"},
                   {"begin-after", "50"},
                   {"train-batch", "32"},
                   {"steps-per-iteration", "5"}});
}

}  // namespace senet
