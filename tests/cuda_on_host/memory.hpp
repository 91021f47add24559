// The device's memory and the host's pinned memory.
//
//       guard page | unused | requested | rest | guard page
//                           ^ the address: a multiple of 256, as is the address of the guard page
//
// Host access to device memory is a segmentation fault, except while the device works. The first 8
// MiB and the rest are filled with 0xff (NaN); the rest must be unchanged when the block is freed.
#pragma once

#include <cstddef>
#include <map>

namespace senet::cuda_on_host {

class Memory {
 public:
  explicit Memory(std::size_t device_bytes) : device_bytes_(device_bytes) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Null when there is not enough memory.
  void* allocate_on_device(std::size_t bytes);
  void* allocate_pinned(std::size_t bytes);
  /// Later access faults. False: not the address of a block. Ends the process when bytes past the
  /// end were written.
  bool free_on_device(void* address) { return free(blocks_, address); }
  bool free_pinned(void* address) { return free(pinned_, address); }

  bool is_on_device(const void* address, std::size_t bytes) const {
    return contains(blocks_, address, bytes);
  }
  bool is_pinned(const void* address, std::size_t bytes) const {
    return contains(pinned_, address, bytes);
  }
  std::size_t device_bytes() const { return device_bytes_; }
  std::size_t free_bytes() const { return device_bytes_ - used_; }

  /// Gives access to device memory during its lifetime.
  class Open {
   public:
    explicit Open(Memory& memory) : memory_(memory) {
      if (memory_.open_++ == 0) memory_.protect(true);
    }
    ~Open() {
      if (--memory_.open_ == 0) memory_.protect(false);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    Memory& memory_;
  };

 private:
  struct Block {
    std::size_t asked;   // requested size, from the address
    std::size_t bytes;   // from the address to the guard page
    std::size_t unused;  // before the address
  };
  using Blocks = std::map<std::byte*, Block>;

  static std::byte* allocate(Blocks& blocks, std::size_t bytes);
  bool free(Blocks& blocks, void* address);
  static bool contains(const Blocks& blocks, const void* address, std::size_t bytes);
  void protect(bool open);

  Blocks blocks_, pinned_;
  std::size_t device_bytes_, used_ = 0;
  int open_ = 0;
};

}  // namespace senet::cuda_on_host
