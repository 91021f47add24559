# Cross-compiles for 64-bit Arm on Debian and runs the tests under qemu-user (preset "arm64").
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Without "-L /usr/aarch64-linux-gnu": the loader in that folder is older than the C library of the
# arm64 packages, which programs load, and with that pair every new thread hangs.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
add_compile_definitions(SENET_EMULATED)  # tests/effort.hpp
