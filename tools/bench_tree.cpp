#include "tools/bench_tree.hpp"

#include "tools/bench_tree_of.hpp"

namespace senet {
namespace {

struct OwnTrees {
  template <Game G>
  using TreeOf = Tree<G>;
  static constexpr std::string_view kSuffix = "";
};

}  // namespace

Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings) {
  return prepare_tree_of<OwnTrees>(game, settings);
}

}  // namespace senet
