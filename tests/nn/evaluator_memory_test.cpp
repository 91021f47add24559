// Forward passes must not allocate, grow or make system calls.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

#include "nn/evaluator.hpp"
#include "tests/nn/counted_malloc.hpp"
#include "tests/nn/random_rows.hpp"

namespace senet {
namespace {

NetworkSpec small_spec() {
  NetworkSpec spec;
  spec.game = "test";
  spec.features = 18;
  spec.policy_logits = 9;
  spec.outcomes = 3;
  spec.width = 16;
  spec.blocks = 1;
  spec.policy_layers = 0;
  spec.value_layers = 0;
  return spec;
}

constexpr std::size_t kMaxRows = 20;
constexpr std::size_t kBatchSizes[] = {1, 2, 3, 8, 13, 20};

/// An evaluator and batches of several sizes, all built in advance.
class Prepared {
 public:
  explicit Prepared(const char* kind)
      : evaluator_(std::move(*make_evaluator(*value_of<EvaluatorKind>(kind), first_, kMaxRows))) {
    Random random(1, 0, 0, Purpose::kTest);
    for (const std::size_t rows : kBatchSizes) {
      std::vector<Question> questions;
      for (std::size_t row = 0; row < rows; ++row) {
        questions.push_back(random_question(small_spec(), 6, row % 3 == 0 ? 9 : 2, random));
      }
      asked_.push_back(std::make_unique<Asked>(small_spec(), std::move(questions)));
    }
    second_.packed();
    second_.packed<ByteProduct>();
    forward_all();  // build everything that is created on first use
  }

  Evaluator& evaluator() { return *evaluator_; }
  Batch& batch(std::size_t i) { return asked_[i % asked_.size()]->batch(); }
  void forward_all() {
    for (const auto& asked : asked_) evaluator_->forward(asked->batch());
  }
  const Weights& other_weights() const { return second_; }

 private:
  const Weights first_{untidy_network(small_spec(), 1)}, second_{untidy_network(small_spec(), 2)};
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<std::unique_ptr<Asked>> asked_;
};

/// Bytes in use in the C library's heap.
std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::size_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident;
}

class OwnEvaluator : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnEvaluator, AllocatesNothingAfterConstruction) {
  if (allocations() < 0) GTEST_SKIP() << "allocations are not counted in this build";
  Prepared prepared(GetParam());
  const long before = allocations();
  for (int i = 0; i < 10; ++i) prepared.forward_all();
  prepared.evaluator().load(prepared.other_weights());
  prepared.forward_all();
  EXPECT_EQ(allocations() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(All, OwnEvaluator, ::testing::Values("fused", "reference", "hash"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(CountedMalloc, Counts) {
  if (allocations() < 0) GTEST_SKIP() << "allocations are not counted in this build";
  const long before = allocations();
  std::vector<std::unique_ptr<int>> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(std::make_unique<int>(i));
  EXPECT_GE(allocations() - before, 100);
}

TEST(OneDnnEvaluator, AllocatesTheSameEveryTimeAndKeepsNothing) {
  // oneDNN itself allocates for each product it executes. Our code adds nothing: the number of
  // allocations depends only on the number of products and is the same in every pass.
  if (allocations() < 0) GTEST_SKIP() << "allocations are not counted in this build";
  Prepared prepared("onednn");
  for (std::size_t i = 0; i < std::size(kBatchSizes); ++i) {
    long first = -1;
    const std::size_t in_use = heap_in_use();
    for (int pass = 0; pass < 50; ++pass) {
      const long before = allocations();
      prepared.evaluator().forward(prepared.batch(i));
      const long now = allocations() - before;
      if (pass == 0) first = now;
      ASSERT_EQ(now, first) << kBatchSizes[i] << " rows, pass " << pass;
    }
    EXPECT_EQ(heap_in_use(), in_use);
    RecordProperty("allocations_of_" + std::to_string(kBatchSizes[i]) + "_rows",
                   static_cast<int>(first));
    // Two Linears in the block and the policy's output: at most ten allocations each.
    EXPECT_LE(first, 3 * 10);
  }
}

class EveryEvaluator : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryEvaluator, AMillionPassesLeaveMemoryFlat) {
  Prepared prepared(GetParam());
  // Mostly a single row and at times another size: growing and shrinking must not allocate either.
  const auto pass = [&](int number) {
    const auto size = static_cast<std::size_t>(number % 64 == 0 ? number / 64 : 0);
    prepared.evaluator().forward(prepared.batch(size));
  };
  for (int i = 0; i < 1000; ++i) pass(i);
  // In this order, because reading the resident size leaves a small block in malloc's cache.
  const std::size_t resident = resident_pages();
  const std::size_t heap = heap_in_use();
  // A sanitizer manages memory itself: there, this only lets it check the passes.
  const bool counted = allocations() >= 0;
  for (int left = counted ? 1'000'000 : 20'000; left > 0; --left) pass(left);
  if (!counted) return;
  EXPECT_EQ(heap_in_use(), heap);
  EXPECT_LE(resident_pages(), resident + 16);
}

/// Makes every system call of this process except exit_group fatal.
bool forbid_system_calls() {
#if defined(__x86_64__)
  constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
  constexpr std::uint32_t kMachine = 0;
#endif
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, arch)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 2, kMachine},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, __NR_exit_group},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter = {std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum class Ended { kWell, kKilled, kUnsupported };

/// Runs `work` in a child process without system calls.
Ended run_without_system(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!forbid_system_calls()) ::_exit(2);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return Ended::kKilled;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ended::kWell : Ended::kUnsupported;
}

TEST_P(EveryEvaluator, CallsTheSystemForNothing) {
  if (allocations() < 0) GTEST_SKIP() << "the sanitizer makes system calls";
  const Ended forbidden = run_without_system([] { ::syscall(SYS_getppid); });
  if (forbidden == Ended::kUnsupported) GTEST_SKIP() << "no seccomp here";
  ASSERT_EQ(forbidden, Ended::kKilled);  // the filter works
  Prepared prepared(GetParam());
  EXPECT_EQ(run_without_system([&] {
              for (int i = 0; i < 1000; ++i) prepared.forward_all();
            }),
            Ended::kWell);
}

// The engine's memory bounds depend on these numbers.
TEST_P(EveryEvaluator, TakesNoMoreThanItSays) {
  if (allocations() < 0) GTEST_SKIP() << "the sanitizer manages memory";
  // Otherwise a large block is mapped and counts as whole pages.
  ASSERT_EQ(::mallopt(M_MMAP_THRESHOLD, 32 << 20), 1);
  const EvaluatorKind kind = *value_of<EvaluatorKind>(GetParam());
  for (const std::uint32_t width : {16u, 128u, 200u}) {
    for (const std::size_t rows : {1, 32, 256}) {
      NetworkSpec spec = small_spec();
      spec.width = width;
      spec.features = 344;
      spec.policy_logits = 676;
      spec.policy_layers = 2;
      spec.value_layers = 1;
      const Weights weights(initial_network(spec, 1));
      const std::size_t before = heap_in_use();
      const auto evaluator = make_evaluator(kind, weights, rows);
      ASSERT_TRUE(evaluator);
      const std::size_t taken = heap_in_use() - before;
      const std::size_t said = evaluator_bytes(kind, spec, rows) + shared_bytes(kind, spec);
      // A few hundred bytes per layer for lists and the heap's overhead.
      const std::size_t slack = 1024 + 512 * LayerPlan(spec).layers.size();
      EXPECT_LE(taken, said + slack) << "width " << width << ", rows " << rows;
      // Nor much less, except for oneDNN, whose code is not in this heap.
      const std::size_t least = kind == EvaluatorKind::kOneDnn ? said / 20 : said / 10 * 9;
      EXPECT_GE(taken + 1024, least) << "width " << width << ", rows " << rows;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryEvaluator,
                         ::testing::Values("fused", "int8", "onednn", "reference", "hash"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace senet
