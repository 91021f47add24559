// Positions written as text.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "senet/game.hpp"

namespace senet {

template <Game G>
G position(std::string_view text) {
  const Result<G> state = G::from_text(text);
  EXPECT_TRUE(state.has_value()) << state.error().reason();
  return state.value_or(G{});
}

template <Game G>
void expect_refused(std::string_view text, std::string_view reason) {
  const Result<G> state = G::from_text(text);
  ASSERT_FALSE(state.has_value()) << text;
  EXPECT_NE(state.error().reason().find(reason), std::string::npos) << state.error().reason();
}

}  // namespace senet
