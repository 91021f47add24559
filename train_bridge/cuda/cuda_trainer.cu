#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "train_bridge/cuda/cuda_device.cuh"
#include "train_bridge/cuda/cuda_replay.cuh"
#include "train_bridge/cuda/cuda_trainer.hpp"
#include "train_bridge/device/batch_view.hpp"
#include "train_bridge/device/device_step.hpp"

namespace senet {
namespace {

/// Good steps after which the loss scale of half precision doubles (Micikevicius et al. 2018).
constexpr std::uint32_t kScalePatience = 2000;

/// One of two buffers for a batch and its report: one is filled and sent while the device trains on
/// the other.
struct Slot {
  explicit Slot(std::size_t bytes) : host(bytes), device(bytes), report(1) {}
  PinnedBuffer<std::byte> host;
  CudaBuffer<std::byte> device;
  PinnedBuffer<OptimizerState<float>> report;
  CudaEvent sent, done;
  bool has_run = false, is_reported = false;  // since restore(); report returned
  std::optional<CudaRecording> recording;
};

template <class Operand>
class CudaTrainer final : public DeviceTrainer {
 public:
  CudaTrainer(const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings,
              bool tf32, double flop_per_second)
      : shape_(shape),
        flop_per_second_(flop_per_second),
        device_(tf32),
        step_(device_, start.spec(), shape, settings,
              std::is_same_v<Operand, __half> ? kScalePatience : 0),
        slots_{Slot(packed_bytes(shape)), Slot(packed_bytes(shape))} {
    // Buffers are zeroed on the default stream, which our streams do not wait for.
    check(cudaStreamSynchronize(nullptr), "memory on the device");
    step_.restore(initial_state(start.parameters()));
  }
  ~CudaTrainer() override {
    cudaDeviceSynchronize();  // a running step may read buffers that are freed now
  }

  std::string_view name() const override { return "cuda"; }
  StepCost step_cost() const override { return {kernels_, flop_per_second_}; }

  Result<void> warm_up() override {
    return guarded([&] {
      const TrainerState before = step_.state();
      // Run once without recording, so that libraries load everything they load on first use.
      TrainBatch empty(shape_);
      empty.add([](FeatureRow&) {});
      for (Slot& slot : slots_) {
        send(slot, pack(empty, 0.0f, slot.host.values()));
        record_or_run(slot);
        device_.wait();
      }
      step_.restore(before);
      for (Slot& slot : slots_) {
        slot.recording.emplace(device_.stream(), [&] { record_or_run(slot); });
      }
      kernels_ = slots_[0].recording->kernels();
    });
  }

  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    return guarded(
        [&] { return start_step(pack(batch, learning_rate, next_slot().host.values())); });
  }

  Result<void> keep_replay(const ReplayRoom& room) override {
    if (slots_[0].recording) return fail("the step was already recorded without a replay");
    return guarded([&] {
      replay_.emplace(shape_, room);
      check(cudaStreamSynchronize(nullptr), "memory on the device");
    });
  }

  bool keeps_samples() const override { return replay_.has_value(); }

  Result<void> keep(std::uint32_t place, const TrainBatch& images) override {
    return guarded([&] { replay_->add(place, images, uploads_.get(), last_slot().done); });
  }

  Result<std::optional<StepReport>> step_kept(std::span<const DrawnSample> drawn,
                                              float learning_rate) override {
    return guarded([&]() -> std::optional<StepReport> {
      replay_->send(uploads_.get(), last_slot().done);
      const auto bytes = replay_->pack(drawn, learning_rate, next_slot().host.values());
      if (!bytes) return std::nullopt;
      return start_step(*bytes);
    });
  }

  Result<TrainerState> state() const override {
    return guarded([&] { return step_.state(); });
  }

  Result<void> restore(const TrainerState& state) override {
    return guarded([&] {
      step_.restore(state);
      for (Slot& slot : slots_) slot.has_run = false;
    });
  }

 private:
  template <class Use>
  static Result<std::invoke_result_t<Use>> guarded(Use&& use) {
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Use>>) {
        use();
        return {};
      } else {
        return use();
      }
    } catch (const CudaError& error) {
      cudaGetLastError();  // otherwise the next kernel of this process would report it
      return fail(error.what());
    }
  }

  Slot& next_slot() { return slots_[next_ % slots_.size()]; }
  /// The other slot, of the step that was started last.
  Slot& last_slot() { return slots_[(next_ + 1) % slots_.size()]; }

  /// Sends the first `bytes` of the next slot and starts its step; returns a report.
  StepReport start_step(std::size_t bytes) {
    Slot& slot = next_slot();
    Slot& before = last_slot();
    ++next_;
    send(slot, bytes);
    if (slot.recording) {
      slot.recording->run(device_.stream());
    } else {
      record_or_run(slot);
    }
    slot.done.record(device_.stream());
    slot.has_run = true;
    slot.is_reported = false;
    // The device runs this step while the host draws and packs the next batch.
    return finish(before.has_run ? before : slot);
  }

  /// One transfer, on the upload stream; the step waits for it on the device.
  void send(Slot& slot, std::size_t bytes) {
    check(cudaMemcpyAsync(slot.device.data(), slot.host.data(), bytes, cudaMemcpyHostToDevice,
                          uploads_.get()),
          "an upload");
    slot.sent.record(uploads_.get());
    slot.sent.hold(device_.stream());
  }

  void record_or_run(Slot& slot) {
    step_.run(BatchView{slot.device.data(), replay_ ? replay_->data() : nullptr});
    check(cudaMemcpyAsync(slot.report.data(), step_.optimizer_on_device(),
                          sizeof(OptimizerState<float>), cudaMemcpyDeviceToHost, device_.stream()),
          "a report");
  }

  /// Waits for this slot's step. Reports a skipped step only once.
  static StepReport finish(Slot& slot) {
    slot.done.wait();
    const OptimizerState<float>& reported = *slot.report.data();
    const bool is_news = !std::exchange(slot.is_reported, true);
    return {.policy_loss = reported.policy_loss,
            .value_loss = reported.value_loss,
            .gradient_norm = reported.gradient_norm,
            .skipped = is_news && reported.skipped != 0};
  }

  TrainBatch::Shape shape_;
  double flop_per_second_;
  std::size_t kernels_ = 0;  // of a recorded step
  // mutable: const functions use them only to enqueue copies on the stream.
  mutable CudaDevice device_;
  mutable DeviceStep<CudaDevice, float, Operand> step_;
  CudaStream uploads_;
  std::array<Slot, 2> slots_;
  std::size_t next_ = 0;
  std::optional<CudaReplay> replay_;
};

Result<cudaDeviceProp> find_device() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    return fail(std::string("no CUDA device is usable: ") + cudaGetErrorString(status));
  }
  if (count == 0) return fail("no CUDA device was found");
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess) {
    return fail(std::string("the CUDA device does not respond: ") + cudaGetErrorString(status));
  }
  if (properties.major * 10 + properties.minor < 75) {
    return fail(std::string(properties.name) + " has compute capability " +
                std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                ": at least 7.5 is required");
  }
  return properties;
}

/// Dense roofline of the first device at its maximum clock.
double flop_per_second(const cudaDeviceProp& properties, Precision precision) {
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "the device's clock");
  return flop_per_clock(precision, properties.major * 10 + properties.minor) *
         properties.multiProcessorCount * kilohertz * 1e3;
}

Result<std::unique_ptr<DeviceTrainer>> make_trainer(const Network& start,
                                                    const TrainBatch::Shape& shape,
                                                    const TrainerSettings& settings,
                                                    Precision precision,
                                                    CudaTrainerReport* report) {
  const auto properties = find_device();
  if (!properties) return properties.error();
  std::string why;
  precision = precision_for(precision, properties->major * 10 + properties->minor, why);
  try {
    const std::size_t before = free_memory();
    const double speed = flop_per_second(*properties, precision);
    std::unique_ptr<DeviceTrainer> trainer;
    if (precision == Precision::kBfloat16) {
      trainer = std::make_unique<CudaTrainer<__nv_bfloat16>>(start, shape, settings, false, speed);
    } else if (precision == Precision::kHalf) {
      trainer = std::make_unique<CudaTrainer<__half>>(start, shape, settings, false, speed);
    } else {
      trainer = std::make_unique<CudaTrainer<float>>(start, shape, settings,
                                                     precision == Precision::kTf32, speed);
    }
    if (report != nullptr) {
      const std::size_t after = free_memory();  // other processes may allocate and free memory too
      *report = {properties->name, precision, why, before > after ? before - after : 0};
    }
    return trainer;
  } catch (const CudaError& error) {
    cudaGetLastError();
    return fail(std::string(properties->name) + ": " + error.what());
  }
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const CudaModule senet_cuda_module = {kCudaModuleVersion, &make_trainer};

}  // namespace senet
