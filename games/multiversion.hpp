// One loop, compiled for several instruction sets, the best one chosen when the program starts.
#pragma once

// Put before a function whose loops profit from AVX2 and FMA: a binary built for any x86-64 then
// still uses them where they exist. A macro because the attribute is spelled per architecture and
// must vanish elsewhere; under ThreadSanitizer it vanishes too, since its runtime is not up yet
// when the loader chooses.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define SENET_MULTIVERSION [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define SENET_MULTIVERSION
#endif
