#include "python/native/vec_env.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <exception>
#include <utility>

#include "games/random.hpp"

namespace senet {
namespace {

void clear_results(const EnvArrays& arrays, std::size_t count) {
  std::fill_n(arrays.reward.data(), count, 0.0f);
  std::fill_n(arrays.done.data(), count, false);
  std::fill_n(arrays.outcome.data(), count, std::int8_t{-1});
}

}  // namespace

EnvArrays::EnvArrays(const EnvShape& shape, bool is_sparse)
    : dense(is_sparse ? 0 : shape.count * shape.features),
      indices(shape.count * shape.most_active),
      values(is_sparse ? shape.count * shape.most_active : 0),
      counts(shape.count),
      mask(shape.count * shape.columns),
      legal(shape.count * shape.most_legal),
      legal_count(shape.count),
      player(shape.count),
      reward(shape.count),
      done(shape.count),
      outcome(shape.count),
      sample(shape.count) {
  std::fill_n(legal.data(), legal.size(), kNoAction);
  if (is_sparse) {
    std::fill_n(indices.data(), indices.size(), static_cast<std::uint16_t>(shape.features));
  }
}

AnyVecEnv::AnyVecEnv(const AnyGame& game, const EnvShape& shape, const EnvOptions& options)
    : game_(game),
      options_(options),
      shape_(shape),
      arrays_(std::make_shared<EnvArrays>(shape, options.is_sparse)),
      taken_(shape.count),
      games_(shape.count),
      plies_(shape.count),
      values_(options.threads * shape.most_active) {
  assert(shape.count >= 1 && shape.count <= kMostGames);
  assert(options.threads >= 1 && options.threads <= kMostThreads);
}

ThreadTeam& AnyVecEnv::team() {
  // The other threads do not exist in a forked process. What the parent's team has there is lost.
  if (team_ != nullptr && team_process_ != ::getpid()) static_cast<void>(team_.release());
  if (team_ == nullptr) {
    team_ = std::make_unique<ThreadTeam>(options_.threads);
    team_process_ = ::getpid();
  }
  return *team_;
}

template <class Work>
void AnyVecEnv::for_all(Work&& work) {
  is_broken_ = true;  // if `work` throws
  if (options_.threads == 1) {
    work(Part{0, shape_.count, values_.data()});
    is_broken_ = false;
    return;
  }
  // Threads do not share cache lines of the arrays of bytes.
  constexpr std::size_t kGrain = 64;
  ThreadTeam& threads = team();
  std::vector<std::exception_ptr> errors(threads.members());
  threads.run([&](std::size_t member) {
    const Share share = threads.share(shape_.count, kGrain, member);
    try {
      work(Part{share.begin, share.end, values_.data() + member * shape_.most_active});
    } catch (...) {
      errors[member] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  is_broken_ = false;
}

void AnyVecEnv::start_all() {
  clear_results(*arrays_, shape_.count);
  for_all([this](const Part& part) { start(part); });
}

void AnyVecEnv::describe_all() {
  clear_results(*arrays_, shape_.count);
  for_all([this](const Part& part) { describe(part); });
}
void AnyVecEnv::reset(std::optional<std::uint64_t> seed) {
  if (seed) {
    options_.seed = *seed;
    draws_ = 0;
    std::ranges::fill(games_, 0u);
  } else if (is_new_) {
    is_new_ = false;
    return;
  } else {
    for (std::uint32_t& game : games_) ++game;
  }
  is_new_ = false;
  start_all();
}

void AnyVecEnv::step() {
  is_new_ = false;
  for_all([this](const Part& part) { play(part); });
}

void AnyVecEnv::sample() {
  constexpr std::size_t kWords = 4;  // of a block of random numbers
  const EnvArrays& arrays = *arrays_;
  const auto draw_rows = [&](std::size_t first) {
    Random block(options_.seed, draws_, static_cast<std::uint32_t>(first / kWords), Purpose::kMove);
    for (std::size_t row = first; row < std::min(first + kWords, shape_.count); ++row) {
      const auto bound = static_cast<std::uint32_t>(arrays.legal_count[row]);
      const std::uint64_t product = std::uint64_t{block.next()} * bound;
      auto drawn = static_cast<std::uint32_t>(product >> 32);
      // Rarely, the word may be one of those that would make some columns likelier (see
      // Random::below). Each row has its own stream for another.
      if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
        if (static_cast<std::uint32_t>(product) < -bound % bound) {
          drawn = Random(options_.seed, draws_, static_cast<std::uint32_t>(row), Purpose::kPlayout)
                      .below(bound);
        }
      }
      arrays.sample[row] = shape_.columns_are_actions
                               ? arrays.legal[row * shape_.most_legal + drawn]
                               : static_cast<std::int32_t>(drawn);
    }
  };
  for (std::size_t row = 0; row < shape_.count; row += kWords) draw_rows(row);
  ++draws_;
}

Result<void> AnyVecEnv::set_texts(std::span<const std::string> texts) {
  if (const Result<void> read = read_texts(texts); !read) return read.error();
  is_new_ = false;
  for (std::uint32_t& game : games_) ++game;
  std::ranges::fill(plies_, 0u);
  describe_all();
  return {};
}

Result<void> AnyVecEnv::read_states(const std::byte* from) {
  if (const Result<void> read = read_rows(from); !read) return read.error();
  is_new_ = false;
  describe_all();
  return {};
}

AnyVecEnv::Counters AnyVecEnv::counters() const {
  return {.draws = draws_, .is_new = is_new_, .games = games_, .plies = plies_};
}

Result<void> AnyVecEnv::restore(std::span<const std::string> texts, const Counters& counters) {
  if (counters.games.size() != shape_.count || counters.plies.size() != shape_.count) {
    return fail("the counters are not of this many games");
  }
  if (const Result<void> read = read_texts(texts); !read) return read.error();
  draws_ = counters.draws;
  is_new_ = counters.is_new;
  games_ = counters.games;
  plies_ = counters.plies;
  describe_all();
  return {};
}

}  // namespace senet
