// What a Network has: its spec and where its parameters live (a vector, a mapped file, or memory of
// somebody else).
#pragma once

#include <span>
#include <vector>

#include "nn/mapped_file.hpp"
#include "nn/network.hpp"

namespace senet {

/// Internal to nn/: built by Network's constructor, load_network, read_network and
/// borrow_network.
struct Network::Content {
  NetworkSpec spec;
  std::vector<float> storage;         // empty when the parameters are used where the file is
  MappedFile file;                    // mapped if the parameters are there
  std::span<const float> parameters;  // into one of the two, or borrowed
  std::uint64_t id = 0;               // content_id(spec, parameters)
};

/// XXH3 (64 bits) of the parameters' bytes, seeded with the XXH3 of the spec as text.
std::uint64_t content_id(const NetworkSpec& spec, std::span<const float> parameters);

}  // namespace senet
