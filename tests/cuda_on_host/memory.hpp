// The device's memory and the host's pinned memory.
//
//       guard page | unused | what was asked for | rest | guard page
//                           ^ the address: a multiple of 256, as is the address of the guard page
//
// Device memory is out of the host's reach, which ends in a segmentation fault, except while the
// device works. It begins as 0xff, not a number: the first 8 MiB of it, and the rest, which must
// still be so when it is freed.
#pragma once

#include <cstddef>
#include <map>

namespace senet::cuda_on_host {

class Memory {
 public:
  explicit Memory(std::size_t device_bytes) : device_bytes_(device_bytes) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Null when there is not as much.
  void* allocate_on_device(std::size_t bytes);
  void* allocate_pinned(std::size_t bytes);
  /// Whoever touches it later faults. False: it is not the address of any. Ends the process when
  /// somebody has written behind the end.
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

  /// While one of these lives, device memory can be read and written.
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
    std::size_t asked;   // from the address on
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
