#include "train_bridge/thread_team.hpp"

#include <algorithm>
#include <cassert>

namespace senet {

ThreadTeam::ThreadTeam(std::size_t members) : turn_(static_cast<std::ptrdiff_t>(members)) {
  assert(members >= 1);
  others_.reserve(members - 1);
  try {
    for (std::size_t i = 1; i < members; ++i) {
      others_.emplace_back([this, i] { serve(i); });
    }
  } catch (...) {
    // Those that began must not wait for those that could not.
    for (std::size_t i = others_.size(); i < members; ++i) turn_.arrive_and_drop();
    throw;
  }
}

ThreadTeam::~ThreadTeam() {
  work_ = nullptr;
  turn_.arrive_and_wait();
}

void ThreadTeam::run(absl::FunctionRef<void(std::size_t)> work) {
  work_ = &work;
  turn_.arrive_and_wait();
  work(0);
  turn_.arrive_and_wait();
}

Share ThreadTeam::share(std::size_t size, std::size_t grain, std::size_t member) const {
  const std::size_t grains = (size + grain - 1) / grain;
  const auto begin = [&](std::size_t of) {
    return std::min(size, grains * of / members() * grain);
  };
  return {begin(member), begin(member + 1)};
}

void ThreadTeam::serve(std::size_t member) {
  for (;;) {
    turn_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(member);
    turn_.arrive_and_wait();
  }
}

}  // namespace senet
