// Runs a fuzz target on a corpus, then on mutations of it.
//
//   fuzz_NAME [-runs=N] [-max_total_time=SECONDS] [-timeout=SECONDS] [-seed=N] [-keep=FOLDER]
//             FILE_OR_FOLDER...
//
// In a build with coverage (the preset `fuzz`), inputs that reach new code are added to the corpus
// in memory and written to FOLDER. An input that crashes the program or runs longer than -timeout
// (default 60 seconds) is written to the file crash-NAME. The targets use libFuzzer's interface, so
// libFuzzer can run them too.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
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

// Defined if AddressSanitizer is linked in: it calls the callback before it ends the program.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
// UndefinedBehaviorSanitizer's runtime has no callback, so it must end the program with a signal.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1"; }

namespace senet {
namespace {

// The current input, for the signal handlers.
const std::string* running = nullptr;
std::string crash_file;

// Uses only system calls, so it is safe in a signal handler.
void say(std::string_view text) {
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, text.data(), text.size());
}

void keep_input() {
  if (running == nullptr) return;
  const int file = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const bool is_kept =
      ::write(file, running->data(), running->size()) == static_cast<ssize_t>(running->size());
  say(is_kept ? "fuzz: the input is in the file " : "fuzz: the input cannot be written to ");
  say(crash_file);
  say("\n");
}

void keep_input_and_end(int signal) {
  if (signal == SIGALRM) say("fuzz: this input takes too long\n");
  keep_input();
  // The signal itself ends the program, once this returns.
  ::signal(signal == SIGALRM ? SIGABRT : signal, SIG_DFL);
  ::raise(signal == SIGALRM ? SIGABRT : signal);
}

// Installs handlers that keep the input on every signal that ends the program. They use their own
// stack, because the signal may be caused by a stack overflow.
void catch_ends() {
  static std::array<std::byte, 1 << 16> stack;
  const stack_t handlers{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&handlers, nullptr);
  struct sigaction keeping {};
  keeping.sa_handler = keep_input_and_end;
  keeping.sa_flags = SA_ONSTACK;
  std::vector<int> signals = {SIGABRT, SIGALRM};
  if (__sanitizer_set_death_callback != nullptr) {
    // AddressSanitizer handles the other signals itself and reports more about them.
    __sanitizer_set_death_callback(keep_input);
  } else {
    signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
  }
  for (const int signal : signals) ::sigaction(signal, &keeping, nullptr);
}

struct Arguments {
  std::uint64_t runs = 0;  // mutations; 0: limited by time only
  double seconds = 0;
  std::uint64_t seed = 1;
  unsigned timeout = 60;  // maximum seconds for one input
  std::string keep;       // folder for inputs that reach new code; empty: none
};

// Returns whether the input reached new code.
bool run(const std::string& input, const Arguments& arguments) {
  // A copy of exact size, so that sanitizers detect reads past its end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  running = &input;
  ::alarm(arguments.timeout);
  begin_reaching();
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  ::alarm(0);
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
  const auto keep_going = [&](std::uint64_t done) {
    if (arguments.seconds == 0) return done < arguments.runs;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
    return time.count() < arguments.seconds && (arguments.runs == 0 || done < arguments.runs);
  };
  FuzzMutator mutator(corpus, arguments.seed);
  std::uint64_t done = 0;
  for (; keep_going(done); ++done) {
    std::string input = mutator.next();
    if (!run(input, arguments)) continue;
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
    } else if (argument.starts_with("-timeout=")) {
      arguments.timeout = static_cast<unsigned>(std::stoul(value));
    } else if (argument.starts_with("-max_total_time=")) {
      arguments.seconds = std::stod(value);
    } else if (argument.starts_with("-keep=")) {
      arguments.keep = value;
    } else {
      read_inputs(argument, corpus);
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "fuzz: no corpus: pass its files or folders as arguments\n");
    return 2;
  }
  const std::string name = std::filesystem::path(argv[0]).filename();
  crash_file = "crash-" + name;
  catch_ends();

  const std::size_t known = corpus.size();
  for (const std::string& input : corpus) run(input, arguments);
  const std::uint64_t done = mutate(corpus, arguments);
  std::printf("%s: %zu inputs of the corpus and %llu mutations, no failure", name.c_str(), known,
              static_cast<unsigned long long>(done));
  if (places_reached() > 0) {
    std::printf("; %u code locations reached, %zu new inputs kept", places_reached(),
                corpus.size() - known);
  }
  std::printf("\n");
  return 0;
}

}  // namespace
}  // namespace senet

int main(int argc, char** argv) { return senet::fuzz(argc, argv); }
