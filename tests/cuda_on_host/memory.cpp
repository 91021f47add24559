#include "tests/cuda_on_host/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "nn/aligned_vector.hpp"

namespace senet::cuda_on_host {
namespace {

constexpr std::size_t kPage = 4096, kAlignment = 256;

}  // namespace

std::byte* Memory::allocate(Blocks& blocks, std::size_t bytes) {
  const std::size_t wanted = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  const std::size_t pages = round_up(wanted, kPage);
  void* const mapped = mmap(nullptr, pages + 2 * kPage, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(mapped) + kPage;
  mprotect(first, pages, PROT_READ | PROT_WRITE);
  std::byte* const address = first + (pages - wanted);
  // Fills only the beginning of large blocks, to limit the host memory used.
  std::memset(address, 0xff, std::min(wanted, std::size_t{8} << 20));
  std::memset(address + bytes, 0xff, wanted - bytes);
  blocks.emplace(address, Block{bytes, wanted, pages - wanted});
  return address;
}

void* Memory::allocate_on_device(std::size_t bytes) {
  if (bytes > free_bytes()) return nullptr;
  std::byte* const address = allocate(blocks_, bytes);
  if (address == nullptr) return nullptr;
  const Block& block = blocks_.at(address);
  used_ += block.bytes;
  if (open_ == 0) mprotect(address - block.unused, block.unused + block.bytes, PROT_NONE);
  return address;
}

void* Memory::allocate_pinned(std::size_t bytes) { return allocate(pinned_, bytes); }

bool Memory::free(Blocks& blocks, void* address) {
  const auto found = blocks.find(static_cast<std::byte*>(address));
  if (found == blocks.end()) return false;
  const Block& block = found->second;
  mprotect(found->first - block.unused, block.unused + block.bytes, PROT_READ);
  for (std::size_t i = block.asked; i < block.bytes; ++i) {
    if (found->first[i] == std::byte{0xff}) continue;
    std::fprintf(stderr, "CUDA on the host: written %zu bytes past %zu bytes of memory\n",
                 i - block.asked, block.asked);
    std::abort();
  }
  // Stays mapped without access rights, so that later use faults.
  mmap(found->first - block.unused, block.unused + block.bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (&blocks == &blocks_) used_ -= block.bytes;
  blocks.erase(found);
  return true;
}

bool Memory::contains(const Blocks& blocks, const void* address, std::size_t bytes) {
  auto* const at = static_cast<std::byte*>(const_cast<void*>(address));
  auto found = blocks.upper_bound(at);
  if (found == blocks.begin()) return false;
  --found;
  const auto offset = static_cast<std::size_t>(at - found->first);
  return offset <= found->second.asked && bytes <= found->second.asked - offset;
}

void Memory::protect(bool open) {
  for (const auto& [address, block] : blocks_) {
    mprotect(address - block.unused, block.unused + block.bytes,
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

}  // namespace senet::cuda_on_host
