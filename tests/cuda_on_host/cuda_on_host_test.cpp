// The simulated device does what CUDA guarantees, and does not tolerate reliance on anything else.
// Runs in the default order, "late".
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "games/random.hpp"
#include "tests/cuda_on_host/device.hpp"
#include "tests/cuda_on_host/device_code.hpp"
#include "tests/train_bridge/host_device.hpp"
#include "train_bridge/cuda/cuda_device.cuh"

namespace senet {
namespace {

void upload(CudaBuffer<float>& to, PinnedBuffer<float>& from, cudaStream_t stream) {
  ASSERT_EQ(cudaMemcpyAsync(to.data(), from.data(), to.size() * sizeof(float),
                            cudaMemcpyHostToDevice, stream),
            cudaSuccess);
}
void download(PinnedBuffer<float>& to, CudaBuffer<float>& from, cudaStream_t stream) {
  ASSERT_EQ(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(float),
                            cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
}
void wait(cudaStream_t stream) { ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess); }

template <class Body>
__global__ void in_every_lane(Body body) {
  body(WarpGroup{});
}
template <class Body>
void run_warp(const Body& body) {
  const CudaStream stream;
  void* arguments[] = {const_cast<Body*>(&body)};
  ASSERT_EQ(cudaLaunchKernel(&in_every_lane<Body>, dim3(1), dim3(32), arguments, 0, stream.get()),
            cudaSuccess);
  wait(stream.get());
}

/// A segmentation fault, which AddressSanitizer turns into an exit code.
bool faulted(int status) {
  return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
         (WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

// ---- Streams ------------------------------------------------------------------------------------

TEST(CudaOnHost, DoesNothingBeforeSomebodyWaits) {
  CudaBuffer<float> memory(1);
  PinnedBuffer<float> in(1), out(1);
  *in.data() = 7;
  *out.data() = 0;
  const CudaStream stream;
  upload(memory, in, stream.get());
  download(out, memory, stream.get());
  EXPECT_EQ(*out.data(), 0);
  *in.data() = 8;  // before the upload was done
  wait(stream.get());
  EXPECT_EQ(*out.data(), 8);
}

TEST(CudaOnHost, StreamsAreOrderedByEventsOnly) {
  CudaBuffer<float> memory(1);
  PinnedBuffer<float> in(1), out(1);
  *in.data() = 7;
  const CudaStream first, second;
  download(out, memory, second.get());
  wait(second.get());
  EXPECT_TRUE(std::isnan(*out.data())) << "not even zeroed: the default stream does that";
  wait(nullptr);

  upload(memory, in, first.get());
  download(out, memory, second.get());
  wait(second.get());
  EXPECT_EQ(*out.data(), 0);
  CudaEvent uploaded;
  uploaded.record(first.get());
  uploaded.hold(second.get());
  download(out, memory, second.get());
  wait(second.get());
  EXPECT_EQ(*out.data(), 7);

  *in.data() = 9;
  upload(memory, in, first.get());
  uploaded.wait();  // waits only for work enqueued before the record
  download(out, memory, second.get());
  wait(second.get());
  EXPECT_EQ(*out.data(), 7);
}

TEST(CudaOnHost, AnEventMayEndBeforeItsTime) {
  CudaBuffer<float> memory(1);
  PinnedBuffer<float> in(1), out(1);
  *in.data() = 3;
  wait(nullptr);
  const CudaStream first, second;
  upload(memory, in, first.get());
  {
    CudaEvent uploaded;
    uploaded.record(first.get());
    uploaded.hold(second.get());
  }
  download(out, memory, second.get());
  wait(second.get());
  EXPECT_EQ(*out.data(), 3);
}

TEST(CudaOnHost, ALostDeviceStaysLost) {
  CudaBuffer<float> memory(1);
  PinnedBuffer<float> in(1), out(1);
  *out.data() = 0;
  wait(nullptr);
  upload(memory, in, nullptr);
  download(out, memory, nullptr);
  cuda_on_host::the_device().lose();
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
    EXPECT_THROW(CudaBuffer<float>(1), CudaError);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  }
  EXPECT_EQ(*out.data(), 0) << "dropped work is never done";
  cuda_on_host::the_device().is_lost = false;
}

// ---- Recordings ---------------------------------------------------------------------------------

class CudaOnHostRecording : public testing::Test {
 protected:
  CudaOnHostRecording() { wait(nullptr); }
  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }
  cudaError_t end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(stream_.get(), &graph);
    graph_.reset(graph);
    return status;
  }
  /// Makes later work of the other stream depend on the earlier work of this one.
  void fork() {
    event_.record(stream_.get());
    event_.hold(other_.get());
  }
  void join() {
    joined_.record(other_.get());
    joined_.hold(stream_.get());
  }
  using Runnable = CudaHandle<cudaGraphExec_t, cudaGraphExecDestroy>;
  Runnable runnable() const {
    return made<Runnable>("a recording", [this](cudaGraphExec_t* to) {
      return cudaGraphInstantiate(to, graph_.get(), 0);
    });
  }

  CudaStream stream_, other_;
  CudaEvent event_, joined_;
  CudaBuffer<float> memory_{1};
  PinnedBuffer<float> in_{1}, out_{1};
  CudaHandle<cudaGraph_t, cudaGraphDestroy> graph_;
};

TEST_F(CudaOnHostRecording, IsReplayed) {
  *in_.data() = 1;
  *out_.data() = 0;
  begin();
  upload(memory_, in_, stream_.get());
  fork();
  download(out_, memory_, other_.get());
  join();
  ASSERT_EQ(end(), cudaSuccess);
  wait(stream_.get());
  EXPECT_EQ(*out_.data(), 0) << "recorded, not executed";
  const Runnable recording = runnable();
  for (const float value : {5.0f, 6.0f}) {
    *in_.data() = value;
    ASSERT_EQ(cudaGraphLaunch(recording.get(), stream_.get()), cudaSuccess);
    wait(stream_.get());
    EXPECT_EQ(*out_.data(), value);
  }
}

TEST_F(CudaOnHostRecording, MayEndBeforeItWasReplayed) {
  *in_.data() = 5;
  begin();
  upload(memory_, in_, stream_.get());
  download(out_, memory_, stream_.get());
  ASSERT_EQ(end(), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(runnable().get(), stream_.get()), cudaSuccess);
  wait(stream_.get());
  EXPECT_EQ(*out_.data(), 5);
}

// Both streams are joined at the end of the recording, but nothing orders the download after the
// upload.
TEST_F(CudaOnHostRecording, DoesTheLastThingFirstWhereNothingForbidsIt) {
  *in_.data() = 5;
  begin();
  fork();
  upload(memory_, in_, stream_.get());
  download(out_, memory_, other_.get());
  join();
  ASSERT_EQ(end(), cudaSuccess);
  const Runnable recording = runnable();
  ASSERT_EQ(cudaGraphLaunch(recording.get(), stream_.get()), cudaSuccess);
  wait(stream_.get());
  EXPECT_EQ(*out_.data(), 0);
}

TEST_F(CudaOnHostRecording, FailsWhenAStreamIsLeftBehind) {
  begin();
  upload(memory_, in_, stream_.get());
  fork();
  download(out_, memory_, other_.get());
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
  // Neither stream is recording any more.
  begin();
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(CudaOnHostRecording, IsRuinedByWhatMayWaitForTheDevice) {
  void* memory = nullptr;
  begin();
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_EQ(cudaStreamSynchronize(stream_.get()), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CudaOnHostRecording, KnowsNothingOfWhatIsNotRecorded) {
  event_.record(other_.get());
  begin();
  EXPECT_THROW(event_.hold(stream_.get()), CudaError);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);

  begin();
  joined_.record(stream_.get());
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_THROW(joined_.wait(), CudaError);
  EXPECT_THROW(joined_.hold(other_.get()), CudaError);

  float unpinned = 0;
  begin();
  EXPECT_EQ(cudaMemcpyAsync(&unpinned, memory_.data(), 4, cudaMemcpyDeviceToHost, stream_.get()),
            cudaErrorInvalidValue);
  end();
}

// ---- Warps --------------------------------------------------------------------------------------

TEST(CudaOnHostWarp, LanesTellEachOther) {
  std::vector<double> sums(32), largest(32);
  std::vector<std::uint16_t> reported(32);
  run_warp([&](const WarpGroup& group) {
    const auto mine = static_cast<double>(group.lane());
    sums[group.lane()] = group.sum(mine);
    largest[group.lane()] = group.largest(mine * mine);
    reported[group.lane()] = group.broadcast(static_cast<std::uint16_t>(group.lane() + 100), 5);
  });
  EXPECT_EQ(sums, std::vector<double>(32, 496));
  EXPECT_EQ(largest, std::vector<double>(32, 961));
  EXPECT_EQ(reported, std::vector<std::uint16_t>(32, 105));
}

TEST(CudaOnHostWarp, WritesAreSeenAfterAMeeting) {
  std::vector<int> values(32), seen(32), too_early(32);
  run_warp([&](const WarpGroup& group) {
    const std::size_t lane = group.lane(), neighbour = (lane + 31) % 32;
    values[lane] = static_cast<int>(lane);
    too_early[lane] = values[neighbour];
    group.meet();
    seen[lane] = values[neighbour];
  });
  for (int lane = 1; lane < 32; ++lane) {
    EXPECT_EQ(too_early[static_cast<std::size_t>(lane)], 0);
    EXPECT_EQ(seen[static_cast<std::size_t>(lane)], lane - 1);
  }
}

TEST(CudaOnHostWarpDeath, ALaneThatDoesNotComeIsMissed) {
  EXPECT_DEATH(run_warp([](const WarpGroup& group) {
                 if (group.lane() < 20) group.meet();
               }),
               "20 lanes of a warp meet, and the others never will");
  EXPECT_DEATH(run_warp([](const WarpGroup& group) {
                 if (group.lane() < 20) {
                   group.meet();
                 } else {
                   group.broadcast(1, 0);
                 }
               }),
               "each for another reason");
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(CudaOnHostMemoryDeath, IsOutOfTheHostsReach) {
  CudaBuffer<float> memory(1);
  wait(nullptr);
  EXPECT_EXIT(*memory.data() = 1, faulted, "");
}

TEST(CudaOnHostMemoryDeath, EndsWhereItEnds) {
  CudaBuffer<float> memory(64);  // exactly 256 bytes, no padding
  const auto at = [&memory](std::size_t place) {
    run_warp([place, values = memory.data()](const WarpGroup&) { values[place] = 1; });
  };
  at(63);
  EXPECT_EXIT(at(64), faulted, "");
  float* gone = nullptr;
  {
    CudaBuffer<float> short_lived(1);
    gone = short_lived.data();
  }
  EXPECT_EXIT(run_warp([gone](const WarpGroup&) { *gone = 1; }), faulted, "");
}

TEST(CudaOnHostMemoryDeath, KnowsWhoWroteBehindItsEnd) {
  EXPECT_DEATH(
      {
        CudaBuffer<float> memory(3);
        run_warp([values = memory.data()](const WarpGroup&) { values[4] = 1; });
      },
      "written 4 bytes past 12 bytes of memory");
}

TEST(CudaOnHostMemoryDeath, PinnedMemoryIsGoneWhenItIsFreed) {
  CudaBuffer<float> memory(1);
  const CudaStream stream;
  wait(nullptr);
  EXPECT_EXIT(
      {
        {
          PinnedBuffer<float> in(1);
          upload(memory, in, stream.get());
        }
        wait(stream.get());
      },
      faulted, "");
}

TEST(CudaOnHostMemory, CopiesAreRefusedWhereTheyDoNotFit) {
  CudaBuffer<float> memory(64);
  std::vector<float> host(65);
  const auto copy = [&](const void* from, std::size_t bytes) {
    return cudaMemcpyAsync(memory.data(), from, bytes, cudaMemcpyHostToDevice, nullptr);
  };
  EXPECT_EQ(copy(host.data(), 256), cudaSuccess);
  EXPECT_EQ(copy(host.data(), 260), cudaErrorInvalidValue);
  EXPECT_EQ(copy(memory.data(), 4), cudaErrorInvalidValue);
  wait(nullptr);
}

TEST(CudaOnHostMemory, HasAnEnd) {
  std::size_t free = 0, total = 0, after = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_LE(free, total);
  void* large = nullptr;
  ASSERT_EQ(cudaMalloc(&large, free / 2), cudaSuccess);
  EXPECT_THROW(CudaBuffer<std::byte>(free / 2 + 1), CudaError);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_LE(after, free / 2);
  ASSERT_EQ(cudaFree(large), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(after, free);
}

TEST(CudaOnHost, RefusesGridsThatCudaRefuses) {
  const auto launched = [](dim3 grid, dim3 block) {
    const auto nothing = [](const WarpGroup&) {};
    void* arguments[] = {const_cast<void*>(static_cast<const void*>(&nothing))};
    return cudaLaunchKernel(&in_every_lane<decltype(nothing)>, grid, block, arguments, 0, nullptr);
  };
  EXPECT_EQ(launched(dim3(1), dim3(256)), cudaSuccess);
  EXPECT_EQ(launched(dim3(0), dim3(256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(dim3(1), dim3(2048)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(dim3(1, 65536), dim3(256)), cudaErrorInvalidConfiguration);
  wait(nullptr);
}

// ---- Products -----------------------------------------------------------------------------------

struct ProductCase {
  bool left_transposed, right_transposed, add;
};

class CudaOnHostProduct : public testing::TestWithParam<ProductCase> {};
INSTANTIATE_TEST_SUITE_P(All, CudaOnHostProduct,
                         testing::Values(ProductCase{false, false, false},
                                         ProductCase{true, false, true},
                                         ProductCase{false, true, true},
                                         ProductCase{true, true, false}));

// The conversion of row-major products to the column-major library in cuda_products.cu, compared
// with plain loops.
TEST_P(CudaOnHostProduct, IsThatOfTheHost) {
  constexpr std::size_t kRows = 5, kInner = 7, kColumns = 3, kStride = 12;
  const auto [left_transposed, right_transposed, add] = GetParam();
  Random random(1, 0, 0, Purpose::kTest);
  const auto values = [&random](std::size_t rows) {
    std::vector<float> drawn(rows * kStride);
    for (float& value : drawn) value = random.normal();
    return drawn;
  };
  const auto side = [](const float* data, std::size_t rows, std::size_t columns, bool transposed) {
    return transposed ? Matrix<const float>{data, columns, rows, kStride}
                      : Matrix<const float>{data, rows, columns, kStride};
  };
  const auto product = [&](const float* left, const float* right, float* result) {
    return Product<float, float>{side(left, kRows, kInner, left_transposed),
                                 left_transposed,
                                 side(right, kInner, kColumns, right_transposed),
                                 right_transposed,
                                 {result, kRows, kColumns, kStride},
                                 add};
  };
  const std::vector<float> left = values(kInner), right = values(kInner);
  std::vector<float> expected = values(kRows);

  CudaDevice device(false);
  CudaBuffer<float> on_device[] = {CudaBuffer<float>(left.size()), CudaBuffer<float>(right.size()),
                                   CudaBuffer<float>(expected.size())};
  wait(nullptr);
  device.to_device(std::span(left), on_device[0]);
  device.to_device(std::span(right), on_device[1]);
  device.to_device(std::span(std::as_const(expected)), on_device[2]);
  device.multiply(product(on_device[0].data(), on_device[1].data(), on_device[2].data()));
  std::vector<float> found(expected.size());
  device.to_host(on_device[2], std::span(found));
  HostDevice().multiply(product(left.data(), right.data(), expected.data()));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

// The second of four algorithms is the fastest of those that round as the first one does.
TEST(CudaOnHostProducts, TheFastestWithTheSameBitsIsChosenOnce) {
  cuda_on_host::Device& the_device = cuda_on_host::the_device();
  constexpr std::size_t kSize = 32, kInner = 100;
  Random random(1, 0, 0, Purpose::kTest);
  std::vector<float> values(kSize * kInner);
  for (float& value : values) value = random.normal();
  const auto result_of = [&](std::uint64_t algorithms) {
    the_device.settings.algorithms = algorithms;
    CudaDevice device(false);
    CudaBuffer<float> factor(values.size()), result(kSize * kSize);
    wait(nullptr);
    device.to_device(std::span(std::as_const(values)), factor);
    const Matrix<const float> matrix{factor.data(), kSize, kInner, kInner};
    const Product<float, float> product{
        matrix, false, matrix, true, {result.data(), kSize, kSize, kSize}, false};
    device.multiply(product);
    std::vector<float> found(result.size());
    device.to_host(result, std::span(found));
    const auto before = the_device.products;
    device.multiply(product);  // chooses no more
    device.wait();
    auto expected = before;
    ++expected[algorithms == 1 ? 0 : 1];
    EXPECT_EQ(the_device.products, expected);
    return found;
  };
  const auto first = result_of(1);
  EXPECT_EQ(the_device.products[2], 0u);
  EXPECT_EQ(result_of(4), first);
  EXPECT_GT(the_device.products[2], 0u) << "the third was tried";
  the_device.settings.algorithms = 1;
}

// Two streams of a device may run products at the same time, each in its own workspace.
TEST(CudaOnHostProducts, AreNotRecordedSideBySideInOneWorkspace) {
  CudaDevice device(false);
  CudaBuffer<float> memory(1024);
  const auto multiply = [&](std::size_t result) {
    const Matrix<const float> factor{memory.data(), 4, 4, 8};
    device.multiply(Product<float, float>{
        factor, false, factor, false, {memory.data() + result, 4, 4, 8}, false});
  };
  const auto record = [&](bool two_lanes) {
    EXPECT_EQ(cudaStreamBeginCapture(device.stream(), cudaStreamCaptureModeThreadLocal),
              cudaSuccess);
    if (two_lanes) {
      const CudaDevice::Token token = device.aside([&] { multiply(256); });
      multiply(512);
      device.await(token);
    } else {
      multiply(256);
      multiply(512);
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(device.stream(), &graph);
    const CudaHandle<cudaGraph_t, cudaGraphDestroy> owned(graph);
    return status;
  };
  EXPECT_EQ(record(true), cudaSuccess);
  EXPECT_EQ(record(false), cudaSuccess);
  CUgraph_st graph;
  graph.nodes.push_back({{}, cudaGraphNodeTypeKernel, memory.data(), {}});
  graph.nodes.push_back({{}, cudaGraphNodeTypeKernel, memory.data(), {0}});
  EXPECT_FALSE(graph.shares_a_workspace());
  graph.nodes.push_back({{}, cudaGraphNodeTypeKernel, memory.data(), {0}});
  EXPECT_TRUE(graph.shares_a_workspace());
}

TEST(CudaOnHostProducts, AreRefusedWhereCublasltMayNotHaveThem) {
  CudaDevice device(false);
  CudaBuffer<float> memory(1024);
  const auto matrix = [&](std::size_t offset, std::size_t rows, std::size_t columns) {
    return Matrix<const float>{memory.data() + offset, rows, columns, 8};
  };
  const Matrix<float> result{memory.data() + 512, 4, 4, 8};
  const auto multiply = [&](Matrix<const float> left, Matrix<const float> right) {
    device.multiply(Product<float, float>{left, false, right, false, result, false});
  };
  EXPECT_NO_THROW(multiply(matrix(0, 4, 4), matrix(256, 4, 4)));
  EXPECT_THROW(multiply(matrix(1, 4, 4), matrix(256, 4, 4)), CudaError) << "not aligned";
  EXPECT_THROW(multiply(matrix(0, 4, 4), matrix(256, 5, 4)), CudaError) << "sizes";
  EXPECT_THROW(multiply(matrix(0, 4, 9), matrix(256, 9, 4)), CudaError) << "rows overlap";
  const Matrix<const float> too_long{memory.data() + 960, 4, 4, 32};
  EXPECT_THROW(multiply(matrix(0, 4, 4), too_long), CudaError) << "past the end";
  EXPECT_THROW(multiply(matrix(0, 4, 4), matrix(512, 4, 4)), CudaError) << "into a factor";
  device.wait();
}

}  // namespace
}  // namespace senet
