#include <utility>

#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

class FailoverTrainer final : public Trainer {
 public:
  FailoverTrainer(std::unique_ptr<DeviceTrainer> device, const Network& start,
                  std::size_t steps_at_risk, std::function<std::unique_ptr<Trainer>()> make_spare,
                  std::function<void(const std::string&)> lost)
      : device_(std::move(device)),
        spec_(start.spec()),
        steps_at_risk_(steps_at_risk),
        make_spare_(std::move(make_spare)),
        lost_(std::move(lost)),
        known_(initial_state(start.parameters())) {}

  std::string_view name() const override { return device_ ? device_->name() : spare_->name(); }

  StepCost step_cost() const override { return device_ ? device_->step_cost() : StepCost{}; }

  void warm_up() override {
    if (device_) {
      if (const auto warm = device_->warm_up(); !warm) give_up(warm.error().reason());
    }
    if (spare_) spare_->warm_up();
  }

  StepReport step(const TrainBatch& batch, float learning_rate) override {
    if (device_) {
      if (const auto report = device_->step(batch, learning_rate)) {
        count_step();
        return *report;
      } else {
        give_up(report.error().reason());
      }
    }
    return spare_->step(batch, learning_rate);
  }

  bool keeps_samples() const override { return device_ && device_->keeps_samples(); }

  void keep(std::uint32_t place, const TrainBatch& images) override {
    if (const auto kept = device_->keep(place, images); !kept) give_up(kept.error().reason());
  }

  std::optional<StepReport> step_kept(std::span<const DrawnSample> drawn,
                                      float learning_rate) override {
    if (!keeps_samples()) return std::nullopt;
    const auto report = device_->step_kept(drawn, learning_rate);
    if (!report) {
      give_up(report.error().reason());
      return std::nullopt;
    }
    if (*report) count_step();
    return *report;
  }

  Network served(PlayWeights which) const override {
    if (device_) fetch();
    return spare_ ? spare_->served(which) : network_of(spec_, known_, which);
  }

  Result<void> check() const override {
    if (device_) fetch();
    if (!taken_over_) return taken_over_;
    return spare_ ? spare_->check() : check_state(known_, known_.weights.size());
  }

  TrainerState state() const override {
    if (device_) fetch();
    return spare_ ? spare_->state() : known_;
  }

  Result<void> restore(const TrainerState& state) override {
    if (spare_) {
      auto restored = spare_->restore(state);
      if (restored) taken_over_ = {};
      return restored;
    }
    if (auto fits = check_state(state, known_.weights.size()); !fits) return fits;
    known_ = state;
    since_fetched_ = 0;
    if (const auto restored = device_->restore(state); !restored)
      give_up(restored.error().reason());
    return {};
  }

 private:
  void count_step() {
    if (++since_fetched_ >= steps_at_risk_) fetch();
  }

  // const, because copying the state to the host does not change it.
  void fetch() const {
    if (since_fetched_ == 0) return;
    auto state = device_->state();
    if (!state) return give_up(state.error().reason());
    known_ = std::move(*state);
    since_fetched_ = 0;
  }

  void give_up(const std::string& reason) const {
    device_.reset();
    spare_ = make_spare_();
    taken_over_ = spare_->restore(known_);
    lost_(reason);
  }

  mutable std::unique_ptr<DeviceTrainer> device_;  // null after the device was lost
  mutable std::unique_ptr<Trainer> spare_;         // null until then
  NetworkSpec spec_;
  std::size_t steps_at_risk_;
  std::function<std::unique_ptr<Trainer>()> make_spare_;
  std::function<void(const std::string&)> lost_;
  mutable TrainerState known_;
  mutable Result<void> taken_over_;  // fails if the device's last state was not finite
  mutable std::size_t since_fetched_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> make_failover_trainer(
    std::unique_ptr<DeviceTrainer> device, const Network& start, std::size_t steps_at_risk,
    std::function<std::unique_ptr<Trainer>()> make_spare,
    std::function<void(const std::string& reason)> lost) {
  return std::make_unique<FailoverTrainer>(std::move(device), start, steps_at_risk,
                                           std::move(make_spare), std::move(lost));
}

}  // namespace senet
