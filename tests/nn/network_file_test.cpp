// Networks survive a round trip through a file, and every damaged file is reported as an error,
// never a crash.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "nn/network.hpp"
#include "nn/safetensors.hpp"
#include "tests/nn/random_rows.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

namespace fs = std::filesystem;

NetworkSpec tiny_spec() {
  NetworkSpec spec;
  spec.game = "test";
  spec.features = 5;
  spec.policy_logits = 4;
  spec.outcomes = 3;
  spec.width = 3;
  spec.blocks = 1;
  spec.policy_layers = 1;
  spec.value_layers = 0;
  return spec;
}

bool same_content(const Network& a, const Network& b) {
  return a.spec() == b.spec() && a.id() == b.id() &&
         std::ranges::equal(a.parameters(), b.parameters());
}

class NetworkFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(save_network(network_, file_).has_value());
    good_ = text_of(file_);
    std::uint64_t length = 0;
    std::memcpy(&length, good_.data(), sizeof length);
    json_ = good_.substr(8, length);
    data_ = good_.substr(8 + length);
  }

  /// A file with this JSON and data.
  static std::string with(const std::string& json, const std::string& data) {
    const std::uint64_t length = json.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + json + data;
  }

  /// The valid JSON with the first `from` replaced.
  std::string changed(const std::string& from, const std::string& to) const {
    std::string json = json_;
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return json.replace(at, from.size(), to);
  }

  Result<Network> load(const std::string& bytes) const {
    const fs::path file = folder_ / "damaged.safetensors";
    fs::remove(file);
    write_text(file, bytes);
    return load_network(file);
  }

  /// The error for these bytes; empty if they are a network.
  std::string reason(const std::string& bytes) const {
    const Result<Network> loaded = load(bytes);
    return loaded ? std::string() : loaded.error().reason();
  }

  void expect_reason(const std::string& bytes, std::initializer_list<const char*> words) const {
    const std::string said = reason(bytes);
    EXPECT_NE(said.find("damaged.safetensors"), std::string::npos) << said;
    for (const char* word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "good.safetensors";
  const Network network_ = untidy_network(tiny_spec(), 5);
  std::string good_, json_, data_;
};

TEST_F(NetworkFile, RoundTrip) {
  const Result<Network> loaded = load_network(file_);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().reason();
  EXPECT_TRUE(same_content(*loaded, network_));
  const fs::path again = folder_ / "again.safetensors";
  ASSERT_TRUE(save_network(*loaded, again).has_value());
  EXPECT_EQ(text_of(again), good_);
}

// The numbers that the first files lacked are only written if they matter.
TEST_F(NetworkFile, OfAnyShape) {
  for (const char* name : {"value_width", "norm", "policy_head", "dueling"}) {
    EXPECT_EQ(json_.find("\"" + std::string(name) + "\":"), std::string::npos) << name;
  }
  NetworkSpec spec = tiny_spec();
  spec.norm = false;
  spec.policy_head = false;
  spec.value_layers = 2;
  spec.value_width = 7;
  const Network plain = untidy_network(spec, 3);
  ASSERT_TRUE(save_network(plain, file_));
  const Result<Network> loaded = load_network(file_);
  ASSERT_TRUE(loaded) << loaded.error().reason();
  EXPECT_TRUE(same_content(*loaded, plain));
  const std::string bytes = text_of(file_);
  std::string damaged = bytes;
  damaged.replace(damaged.find("\"norm\":\"0\""), 10, "\"norm\":\"7\"");
  expect_reason(damaged, {"norm is 7: it must be 0 .. 1"});
}

TEST_F(NetworkFile, OfADuelingNetwork) {
  NetworkSpec spec = tiny_spec();
  spec.dueling = true;
  const Network dueling = untidy_network(spec, 3);
  EXPECT_NE(dueling.id(), network_.id());
  ASSERT_TRUE(save_network(dueling, file_));
  const Result<Network> loaded = load_network(file_);
  ASSERT_TRUE(loaded) << loaded.error().reason();
  EXPECT_TRUE(same_content(*loaded, dueling));
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  const auto advantages = std::ranges::find(layout, "policy.out.weight", &TensorPlace::name);
  ASSERT_NE(advantages, layout.end());
  EXPECT_EQ(advantages->rows, spec.policy_logits * spec.outcomes);
}

TEST_F(NetworkFile, RemembersWhatItLearnt) {
  EXPECT_EQ(load(good_)->spec().evaluates, std::nullopt);
  for (const Evaluates evaluates :
       {Evaluates::kPosition, Evaluates::kAfterstates, Evaluates::kMoves}) {
    NetworkSpec spec = network_.spec();
    spec.evaluates = evaluates;
    const auto parameters = network_.parameters();
    const Network reported(spec, {parameters.begin(), parameters.end()});
    EXPECT_EQ(reported.id(), network_.id());
    ASSERT_TRUE(save_network(reported, file_));
    EXPECT_EQ(load_network(file_)->spec().evaluates, evaluates);
  }
  expect_reason(with(changed("\"id\"", "\"evaluates\":\"dreams\",\"id\""), data_),
                {"__metadata__", "dreams"});
}

// Levels belong to the file, not to the content.
TEST_F(NetworkFile, RemembersItsLevels) {
  EXPECT_TRUE(network_.levels().empty());
  Network levelled = network_.clone();
  const std::vector<Level> levels = {
      {1, 9.01f, 1.5f, 629}, {22, 0.1f, 0.25f, 1075}, {256, 0, 0, 1445}};
  levelled.set_levels(levels);
  EXPECT_EQ(levelled.clone().levels(), levels);
  ASSERT_TRUE(save_network(levelled, file_));
  const auto loaded = load_network(file_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->levels(), levels);
  EXPECT_EQ(loaded->id(), network_.id());
}

TEST(Levels, MalformedOnesAreNamed) {
  const auto reason = [](const std::string& text) { return read_levels(text).error().reason(); };
  EXPECT_TRUE(read_levels("")->empty());
  EXPECT_EQ(read_levels("1 2 0.5 100,7 0 0 200")->size(), 2u);
  EXPECT_EQ(reason("1 2 3"),
            "level 1 is \"1 2 3\": it must have visits, temperature, loss and rating");
  EXPECT_EQ(reason("1 1 1 1, 0 1 1 2"),
            "level 2 is \"0 1 1 2\": the visits must be an integer from 1");
  const std::string numbers = "temperature, loss and rating must be numbers from 0";
  for (const std::string bad : {"1 -1 0 5", "1 nan 0 5", "1 1 inf 5", "1 1 1 x", "1 1  5"}) {
    EXPECT_EQ(reason(bad), "level 1 is \"" + bad + "\": " + numbers);
  }
  EXPECT_EQ(reason("1 1 1 5, 1 1 1 5"),
            "level 2 is \"1 1 1 5\": its rating must exceed the one before");
  for (const std::string bad : {"1 1 1 10001", "1 1 1 5.5", "1 1 1 1e30"}) {
    EXPECT_EQ(reason(bad), "level 1 is \"" + bad + "\": the rating must be an integer 0 .. 10000");
  }
  std::string many = "1 1 1 0";
  for (std::size_t i = 1; i <= kMaxLevels; ++i) many += ", 1 1 1 " + std::to_string(i);
  EXPECT_EQ(reason(many), "101 levels are too many (at most 100)");
}

// A mapping would end the program with SIGBUS or show other weights.
TEST_F(NetworkFile, WhatHappensToTheFileLaterIsHarmless) {
  EXPECT_EQ((good_.size() - data_.size()) % 64, 0u);
  Result<Network> loaded = load_network(file_);
  ASSERT_TRUE(loaded.has_value());
  write_text(file_, good_.substr(0, good_.size() - data_.size()) + std::string(data_.size(), 'x'));
  EXPECT_TRUE(same_content(*loaded, network_));
  fs::resize_file(file_, 0);
  EXPECT_TRUE(same_content(*loaded, network_));
  const Network moved = std::move(*loaded);
  EXPECT_TRUE(same_content(moved, network_));
  EXPECT_TRUE(same_content(moved.clone(), network_));
}

TEST_F(NetworkFile, WhatIsNoRegularFileIsRefused) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& wrong : {pipe, folder_.path()}) {
    const Result<Network> loaded = load_network(wrong);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().reason(), wrong.string() + ": is not a regular file");
  }
}

TEST_F(NetworkFile, OtherOrdersAndAlignmentsAreCopied) {
  // Tensors in reverse order and no header padding, as another program may write them.
  SafetensorsHeader header = *parse_safetensors(std::as_bytes(std::span(good_)));
  std::string data;
  std::vector<StoredTensor> reversed;
  for (auto tensor = header.tensors.rbegin(); tensor != header.tensors.rend(); ++tensor) {
    reversed.push_back(
        {tensor->name, tensor->shape, data.size(), data.size() + tensor->end - tensor->begin});
    data += data_.substr(tensor->begin, tensor->end - tensor->begin);
  }
  header.tensors = reversed;
  std::string json = write_safetensors_header(header).substr(8);
  json.erase(json.find_last_not_of(' ') + 1);
  for (int padding = 0; padding < 4; ++padding, json += ' ') {
    const Result<Network> loaded = load(with(json, data));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().reason();
    EXPECT_TRUE(same_content(*loaded, network_));
  }
}

TEST_F(NetworkFile, AFileOfAnotherProgramNeedsNoId) {
  const std::string id = "\"id\":\"" + id_text(network_.id()) + "\",";
  const Result<Network> loaded = load(with(changed(id, ""), data_));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().reason();
  EXPECT_EQ(loaded->id(), network_.id());
}

TEST_F(NetworkFile, EveryTruncationFails) {
  for (std::size_t size = 0; size < good_.size(); ++size) {
    ASSERT_FALSE(reason(good_.substr(0, size)).empty()) << size << " bytes";
  }
  expect_reason(good_ + '\0', {"belong to no tensor"});
}

TEST_F(NetworkFile, EveryFlippedBitFailsOrChangesNothing) {
  for (std::size_t i = 0; i < good_.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string bytes = good_;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      const Result<Network> loaded = load(bytes);
      ASSERT_TRUE(!loaded || same_content(*loaded, network_)) << "byte " << i << ", bit " << bit;
    }
  }
}

TEST_F(NetworkFile, HostileHeaders) {
  const auto header_of = [&](std::uint64_t length) {
    std::string bytes = good_;
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes;
  };
  expect_reason("", {"too short"});
  expect_reason(header_of(0), {"not JSON"});
  expect_reason(header_of(good_.size()), {"cut short"});
  expect_reason(header_of(std::uint64_t{1} << 40), {"too long"});
  expect_reason(header_of(std::numeric_limits<std::uint64_t>::max()), {"too long"});
  expect_reason(header_of(std::numeric_limits<std::uint64_t>::max() - 7), {"too long"});
  expect_reason(with("[]", ""), {"not a JSON object"});
  expect_reason(with("{}", ""), {"format"});
  expect_reason(with("{\"a\":", ""), {"not JSON"});
  expect_reason(with(std::string(100000, '['), ""), {"not a JSON object"});
  std::string nested = "{\"a\":";
  for (int i = 0; i < 50000; ++i) nested += "{\"a\":";
  expect_reason(with(nested, ""), {"too deep"});
  expect_reason(with("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                     "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
                     std::string(8, '\0')),
                {"twice"});
}

TEST_F(NetworkFile, HostileTensors) {
  const auto one = [&](const std::string& description) {
    return with("{\"a\":" + description + "}", std::string(16, '\0'));
  };
  expect_reason(one("1"), {"tensor a"});
  expect_reason(one("{}"), {"tensor a", "dtype"});
  expect_reason(one("{\"dtype\":\"F16\",\"shape\":[8],\"data_offsets\":[0,16]}"),
                {"tensor a", "F16"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[4]}"), {"tensor a", "data_offsets"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":4,\"data_offsets\":[0,16]}"),
                {"tensor a", "shape"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[-4],\"data_offsets\":[0,16]}"),
                {"tensor a", "shape"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[4.0],\"data_offsets\":[0,16]}"),
                {"tensor a", "shape"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,20]}"),
                {"tensor a", "0..20"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,0]}"),
                {"tensor a", "16..0"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,16]}"),
                {"tensor a", "12 bytes"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16,16]}"),
                {"data_offsets"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[4,16]}"),
                {"belong to no tensor"});
  expect_reason(
      one("{\"dtype\":\"F32\",\"shape\":[4294967296,4294967297],\"data_offsets\":[0,16]}"),
      {"tensor a", "needs more"});
  expect_reason(
      one("{\"dtype\":\"F32\",\"shape\":[18446744073709551615,4],\"data_offsets\":[0,16]}"),
      {"tensor a", "needs more"});
  expect_reason(one("{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,4],\"data_offsets\":[0,16]}"),
                {"tensor a", "shape"});
  expect_reason(with("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
                     "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
                     std::string(16, '\0')),
                {"tensor b", "overlaps"});
}

TEST_F(NetworkFile, WrongMetadata) {
  expect_reason(with(changed("senet-network-1", "senet-network-9"), data_), {"format"});
  expect_reason(with(changed("\"width\":\"3\"", "\"width\":\"three\""), data_), {"width"});
  expect_reason(with(changed("\"width\":\"3\"", "\"width\":\"03 \""), data_), {"width"});
  expect_reason(with(changed("\"width\":\"3\"", "\"width\":\"0\""), data_), {"width is 0"});
  expect_reason(with(changed("\"width\":\"3\"", "\"width\":\"16384\""), data_), {"tensor"});
  expect_reason(with(changed("\"width\":\"3\"", "\"width\":3"), data_), {"width", "not a string"});
  expect_reason(with(changed(",\"width\":\"3\"", ""), data_), {"no width"});
  expect_reason(with(changed("\"blocks\":\"1\"", "\"blocks\":\"99999999999\""), data_), {"blocks"});
  expect_reason(with(changed("\"blocks\":\"1\"", "\"blocks\":\"2\""), data_),
                {"tensor block.1.norm1.weight: missing"});
  expect_reason(with(changed("\"blocks\":\"1\"", "\"blocks\":\"0\""), data_),
                {"tensor block.0", "not part of"});
  expect_reason(with(changed("\"game\":\"test\"", "\"game\":\"\""), data_), {"game"});
  expect_reason(with(changed("\"game\":\"test\"", "\"game\":\"chess\""), data_), {"id", "damaged"});
}

TEST_F(NetworkFile, WrongTensors) {
  expect_reason(with(changed("trunk.norm.bias", "trunk.norm.bios"), data_),
                {"tensor trunk.norm.bias: missing"});
  expect_reason(with(changed("[4,3]", "[3,4]"), data_),
                {"tensor policy.out.weight", "[3, 4]", "[4, 3]"});
  expect_reason(with(changed("\"F32\"", "\"BF16\""), data_), {"tensor", "BF16"});
  std::string data = data_;
  data[7] = static_cast<char>(data[7] ^ 1);  // the second value's exponent
  expect_reason(with(json_, data), {"id", "damaged"});
}

TEST_F(NetworkFile, ValuesThatAreNotFinite) {
  const std::vector<TensorPlace> layout = parameter_layout(tiny_spec());
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const TensorPlace& place : layout) {
      std::string data = data_;
      std::memcpy(&data[(place.offset + place.size() - 1) * sizeof bad], &bad, sizeof bad);
      expect_reason(with(json_, data), {("tensor " + place.name + ":").c_str(), "not finite"});
    }
  }
}

TEST_F(NetworkFile, WhatIsNotAFile) {
  EXPECT_NE(load_network(folder_ / "none").error().reason().find("none: cannot open"),
            std::string::npos);
  EXPECT_NE(load_network(folder_.path()).error().reason().find("not a regular file"),
            std::string::npos);
}

TEST_F(NetworkFile, SavingFailsWithoutATrace) {
  const fs::path missing = folder_ / "no" / "such" / "folder.safetensors";
  EXPECT_NE(save_network(network_, missing).error().reason().find("cannot create"),
            std::string::npos);
  // A file cannot be renamed over a folder: the temporary file must be removed.
  const fs::path taken = folder_ / "taken";
  fs::create_directory(taken);
  EXPECT_NE(save_network(network_, taken).error().reason().find("taken"), std::string::npos);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 1u);
}

TEST_F(NetworkFile, OneOutputIsStillAMatrix) {
  NetworkSpec spec = tiny_spec();
  spec.outcomes = 1;
  spec.width = 1;
  const Network one = untidy_network(spec, 1);
  const fs::path file = folder_ / "one.safetensors";
  ASSERT_TRUE(save_network(one, file).has_value());
  const Result<Network> loaded = load_network(file);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().reason();
  EXPECT_TRUE(same_content(*loaded, one));
}

}  // namespace
}  // namespace senet
