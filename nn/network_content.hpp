// What a Network owns: its spec and where its parameters live (a vector, or a mapped file).
#pragma once

#include <span>
#include <vector>

#include "nn/mapped_file.hpp"
#include "nn/network.hpp"

namespace senet {

/// Internal to nn/: built by Network's constructor, load_network and read_network.
struct Network::Content {
  NetworkSpec spec;
  std::vector<float> storage;         // empty when the parameters are used where the file is mapped
  MappedFile file;                    // unmapped when the parameters are in `storage`
  std::span<const float> parameters;  // into one of the two
  std::uint64_t id = 0;               // content_id(spec, parameters)
};

/// XXH3 (64 bits) of the parameters' bytes, seeded with the XXH3 of the spec as text.
std::uint64_t content_id(const NetworkSpec& spec, std::span<const float> parameters);

}  // namespace senet
