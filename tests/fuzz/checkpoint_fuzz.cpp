// Any bytes as a checkpoint of a run.
#include <cmath>
#include <span>

#include "tests/fuzz/fuzz_file.hpp"
#include "train_bridge/checkpoint.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  static const FuzzFile file;
  file.set(std::as_bytes(std::span(data, size)));
  const Result<NetworkSpec> spec = checkpoint_spec(file.path());
  if (!spec) {
    promise(!load_checkpoint(file.path(), NetworkSpec{}), "no checkpoint lacks its shape");
    return 0;
  }
  const Result<Checkpoint> loaded = load_checkpoint(file.path(), *spec);
  if (!loaded) return 0;
  for (const StateTensor& tensor : kStateTensors) {
    const AlignedVector<float>& values = loaded->trainer.*tensor.values;
    promise(values.size() == parameter_count(*spec), "every tensor is of the network's shape");
    promise(values.size() * sizeof(float) <= size, "what is read was in the file");
    for (const float value : values) promise(std::isfinite(value), "values are finite");
  }
  promise(std::isfinite(loaded->owed_steps) && loaded->owed_steps >= 0, "steps can be owed");
  promise(loaded->first_open <= loaded->next_game, "open games were begun");
  // Its run and no other continues from it.
  promise(load_checkpoint(file.path(), *spec, loaded->run_id).has_value(), "it is of its run");
  promise(loaded->run_id == 0 || !load_checkpoint(file.path(), *spec, loaded->run_id ^ 1),
          "it is of no other run");
  return 0;
}
