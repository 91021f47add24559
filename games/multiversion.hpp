// Function multiversioning: compiles a function for several instruction sets. The loader chooses
// the best version when the program starts.
#pragma once

// Put this before a function whose loops profit from AVX2, FMA or AVX-512: a binary built for
// baseline x86-64 then uses them on CPUs that have them. It is a macro because the attribute exists
// only on this architecture. It is also empty under ThreadSanitizer, whose runtime is not
// initialised yet when the loader chooses.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define SENET_MULTIVERSION [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define SENET_MULTIVERSION
#endif
