// Where the games of a run start.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/exam.hpp"
#include "games/random_moves.hpp"
#include "selfplay/hard_positions.hpp"
#include "selfplay/start_settings.hpp"
#include "senet/game.hpp"

namespace senet {

/// The start positions of self-play games. Any thread may draw.
template <Game G>
class Starts {
 public:
  /// All games start with `game`.
  explicit Starts(const G& game) : game_(game) {}

  /// Reads the files. Fails when a source cannot be read or does not suit the game, whose start is
  /// `game`; the reason begins with the setting's name.
  static Result<Starts> make(const StartSettings& settings, const G& game) {
    Starts starts(game);
    starts.most_moves_ = settings.scramble_moves;
    Result<std::vector<StartSource>> sources = read_sources(settings.sources);
    if (!sources) return sources.error();
    for (const StartSource& source : *sources) {
      std::vector<G> positions;
      if (source.kind == StartSource::Kind::kScrambles && !senet::has_scrambles(game)) {
        return fail("starts: " + std::string(game_name(game)) + " has no scrambles");
      }
      if (source.kind == StartSource::Kind::kFile) {
        if (const auto read = read_positions(source.file, game, positions); !read) {
          return read.error();
        }
      }
      starts.positions_.push_back(std::move(positions));
    }
    starts.sources_ = std::move(*sources);
    return starts;
  }

  /// The source of hard positions, which outlives the object; null: there are none.
  void take_from(HardPositions* hard) { hard_ = hard; }

  /// The game's own start.
  const G& game() const { return game_; }

  /// Draws a start; scrambles have at most `most_moves` moves. `draws`: start_draws(). While there
  /// are no hard positions, the other sources take their place, or else the game's own start.
  G draw(Random draws, std::uint32_t most_moves) const {
    if (sources_.empty()) return game_;
    std::size_t source = draw_source(sources_, draws);
    if (is_hard(source)) {
      if (const std::optional<G> position = hard_position()) return *position;
      if (sources_.size() == 1) return game_;
      source = draws.pick(sources_.size(),
                          [&](std::size_t i) { return is_hard(i) ? 0 : sources_[i].share; });
    }
    const std::vector<G>& positions = positions_[source];
    switch (sources_[source].kind) {
      case StartSource::Kind::kScrambles:
        return scrambled(draws, std::min(most_moves, most_moves_));
      case StartSource::Kind::kFile:
        return positions[draws.below(static_cast<std::uint32_t>(positions.size()))];
      case StartSource::Kind::kGame:
      case StartSource::Kind::kHard:
        break;
    }
    return game_;
  }

 private:
  bool is_hard(std::size_t source) const {
    return sources_[source].kind == StartSource::Kind::kHard;
  }
  std::optional<G> hard_position() const {
    if (hard_ == nullptr) return std::nullopt;
    const std::optional<std::string> text = hard_->take();
    if (!text) return std::nullopt;
    const Result<G> position = read_state(game_, *text);
    return position ? std::optional(*position) : std::nullopt;
  }

  static Result<void> read_positions(const std::string& file, const G& game,
                                     std::vector<G>& positions) {
    const auto read = for_each_line(file, [&](std::string_view line) -> Result<void> {
      Result<G> position = read_state(game, line);
      if (!position) return position.error();
      if (position->turn() == Turn::kOver) return fail("the game is over there");
      positions.push_back(*position);
      return {};
    });
    if (!read) return fail("starts: " + read.error().reason());
    if (positions.empty()) return fail("starts: " + file + ": no positions");
    return {};
  }

  // A walk of 1 to `most` random moves that does not return to where it has been.
  G scrambled(Random& random, std::uint32_t most) const {
    if constexpr (ScrambledGame<G>) {
      G state = game_.solved();
      std::vector<std::uint64_t> seen = {state.as_start().key()};
      const std::uint32_t moves = 1 + random.below(std::max(most, 1u));
      ActionList<G::kMaxLegal> legal;
      for (std::uint32_t i = 0; i < moves; ++i) {
        legal.clear();
        state.legal(legal);
        G next = state;
        // A position without a way on is unlikely; the walk then crosses itself.
        for (std::uint32_t tries = 0; tries < 100; ++tries) {
          next = state;
          next.play(draw_one(legal, random));
          if (std::ranges::find(seen, next.as_start().key()) == seen.end()) break;
        }
        state = next.as_start();
        seen.push_back(state.key());
      }
      return state.turn() == Turn::kOver ? game_ : state;
    }
    return game_;
  }

  G game_;
  std::vector<StartSource> sources_;
  std::vector<std::vector<G>> positions_;  // [sources] of a file, at least one
  std::uint32_t most_moves_ = 0;
  HardPositions* hard_ = nullptr;
};

}  // namespace senet
