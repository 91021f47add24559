// Runs a fuzz target: a corpus as it is, then mutations of it.
//
//   fuzz_NAME [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-keep=FOLDER] FILE_OR_FOLDER...
//
// In a build with coverage (the preset `fuzz`) inputs that reach new code join the corpus in
// memory, and are written to FOLDER. An input that ends the program is left in the file crash-NAME.
// The targets are written for libFuzzer's interface, so that it can drive them too.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_mutator.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/reached_code.hpp"

// AddressSanitizer's, where it is linked in: called before it ends the program.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace senet {
namespace {

// What runs now, for the handlers of the signals that it may end in.
const std::string* running = nullptr;
std::string crash_file;

void keep_input() {
  if (running == nullptr) return;
  std::ofstream(crash_file, std::ios::binary) << *running;
  std::fprintf(stderr, "fuzz: the input is in the file %s\n", crash_file.c_str());
}

void keep_input_and_end(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Arguments {
  std::uint64_t runs = 0;  // mutations; 0: by time alone
  double seconds = 0;
  std::uint64_t seed = 1;
  std::string keep;  // where inputs that reach new code are written; empty: nowhere
};

// True when the input reached new code.
bool run(const std::string& input) {
  // A copy of its own, so that reading past its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  running = &input;
  begin_reaching();
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  running = nullptr;
  return reached_new_code();
}

void read_inputs(const std::filesystem::path& path, std::vector<std::string>& inputs) {
  if (std::filesystem::is_directory(path)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry);
    std::ranges::sort(files);
    for (const auto& file : files) read_inputs(file, inputs);
    return;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    std::fprintf(stderr, "fuzz: %s cannot be read\n", path.c_str());
    std::exit(2);
  }
  inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

void keep(const std::string& input, const Arguments& arguments, std::size_t number) {
  if (arguments.keep.empty()) return;
  const std::string name = std::to_string(arguments.seed) + "-" + std::to_string(number);
  std::ofstream(std::filesystem::path(arguments.keep) / name, std::ios::binary) << input;
}

std::uint64_t mutate(std::vector<std::string>& corpus, const Arguments& arguments) {
  const auto began = std::chrono::steady_clock::now();
  const auto goes_on = [&](std::uint64_t done) {
    if (arguments.seconds == 0) return done < arguments.runs;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
    return time.count() < arguments.seconds && (arguments.runs == 0 || done < arguments.runs);
  };
  FuzzMutator mutator(corpus, arguments.seed);
  std::uint64_t done = 0;
  for (; goes_on(done); ++done) {
    std::string input = mutator.next();
    if (!run(input)) continue;
    keep(input, arguments, corpus.size());
    corpus.push_back(std::move(input));
  }
  return done;
}

int fuzz(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> corpus;
  for (const std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
    const std::string value(argument.substr(argument.find('=') + 1));
    if (argument.starts_with("-runs=")) {
      arguments.runs = std::stoull(value);
    } else if (argument.starts_with("-seed=")) {
      arguments.seed = std::stoull(value);
    } else if (argument.starts_with("-max_total_time=")) {
      arguments.seconds = std::stod(value);
    } else if (argument.starts_with("-keep=")) {
      arguments.keep = value;
    } else {
      read_inputs(argument, corpus);
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "fuzz: name the files or folders of a corpus\n");
    return 2;
  }
  const std::string name = std::filesystem::path(argv[0]).filename();
  crash_file = "crash-" + name;
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  std::signal(SIGABRT, keep_input_and_end);

  const std::size_t known = corpus.size();
  for (const std::string& input : corpus) run(input);
  const std::uint64_t done = mutate(corpus, arguments);
  std::printf("%s: %zu inputs of the corpus and %llu mutations, no finding", name.c_str(), known,
              static_cast<unsigned long long>(done));
  if (places_reached() > 0) {
    std::printf("; %u places of the code reached, %zu inputs found on the way", places_reached(),
                corpus.size() - known);
  }
  std::printf("\n");
  return 0;
}

}  // namespace
}  // namespace senet

int main(int argc, char** argv) { return senet::fuzz(argc, argv); }
