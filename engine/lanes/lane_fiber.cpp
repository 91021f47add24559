#include "engine/lanes/lane_fiber.hpp"

#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/protected_fixedsize_stack.hpp>
#include <utility>

namespace senet {

using boost::fibers::context;

struct LaneFiber::Fiber {
  context* self = nullptr;
  boost::fibers::fiber fiber = {};
};

LaneFiber::LaneFiber(std::function<void(LaneFiber&)> body) : fiber_(std::make_unique<Fiber>()) {
  fiber_->fiber = boost::fibers::fiber(boost::fibers::launch::dispatch, std::allocator_arg,
                                       boost::fibers::protected_fixedsize_stack(kStackBytes),
                                       [this, body = std::move(body)] {
                                         fiber_->self = context::active();
                                         try {
                                           if (wait(LaneState::kBlocked)) body(*this);
                                         } catch (const std::exception&) {
                                           thrown_ = std::current_exception();
                                         }
                                         state_ = LaneState::kFinished;
                                       });
}

LaneFiber::~LaneFiber() {
  abandoned_ = true;
  if (state_ != LaneState::kFinished) run();
  fiber_->fiber.join();
}

LaneState LaneFiber::resume() {
  run();
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return state_;
}

void LaneFiber::run() {
  context::active()->schedule(fiber_->self);
  boost::this_fiber::yield();
}

bool LaneFiber::wait(LaneState state) {
  state_ = state;
  fiber_->self->suspend();
  return !abandoned_;
}

}  // namespace senet
