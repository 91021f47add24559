#include "nn/kernels.hpp"

namespace senet {

const Kernels* runnable_kernels(std::size_t number) {
#if defined(__x86_64__)
  // These also check that the operating system saves the registers.
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (vnni && avx2 && number-- == 0) return &kVnniKernels;
  if (avx512 && avx2 && number-- == 0) return &kAvx512Kernels;
  if (avx2 && number-- == 0) return &kAvx2Kernels;
#endif
  return number == 0 ? &kPortableKernels : nullptr;
}

const Kernels& best_kernels() { return *runnable_kernels(0); }

}  // namespace senet
