#include "nn/kernels.hpp"

namespace senet {
namespace {

/// Fastest first. __builtin_cpu_supports asks the operating system too whether it saves the
/// registers.
template <class Visit>
void visit_runnable(Visit visit) {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512 && avx2) visit(kAvx512Kernels);
  if (avx2) visit(kAvx2Kernels);
#endif
  visit(kPortableKernels);
}

}  // namespace

const Kernels* runnable_kernels(std::size_t number) {
  const Kernels* found = nullptr;
  visit_runnable([&](const Kernels& kernels) {
    if (number-- == 0) found = &kernels;
  });
  return found;
}

const Kernels& best_kernels() { return *runnable_kernels(0); }

}  // namespace senet
