// Any text as the config.json of a run.
#include <span>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "train_bridge/run_config.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  static const FuzzFile file;
  file.set(std::as_bytes(std::span(data, size)));
  const Result<std::uint64_t> run_id = run_id_in(file.path());
  const Result<RunConfig> config = load_config(file.path());
  if (!config) {
    promise(config.error().reason().find('\n') == std::string::npos, "an error is one line");
    return 0;
  }
  promise(run_id.has_value(), "settings that can be read have a readable id");
  const std::string text = config_text(*config);
  file.set(std::as_bytes(std::span(text)));
  const Result<RunConfig> again = load_config(file.path());
  promise(again.has_value(), "settings that were read can be written and read");
  promise(changed_settings(*config, *again).empty(), "... and are the same");
  promise(config_text(*again) == text, "each setting has one text");
  return 0;
}
