// senet.Records: the training samples of a record log as arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/native/arrays.hpp"
#include "python/native/env_table.hpp"
#include "python/native/module.hpp"
#include "python/native/record_table.hpp"
#include "selfplay/game_log.hpp"

namespace senet::python {
namespace {

using namespace nb::literals;

/// How a part of a sample is written.
enum class Form : std::uint8_t { kNone, kSparse, kDense };
constexpr std::array<Named<Form>, 3> names_of(std::type_identity<Form>) {
  return {{{"none", Form::kNone}, {"sparse", Form::kSparse}, {"dense", Form::kDense}}};
}
Form form_of(const char* name, const std::string& text) {
  const auto form = value_of<Form>(text);
  if (!form) raise_value_error(std::string(name) + ": it must be one of sparse, dense, none");
  return *form;
}

/// The columns of the samples read so far; a sample is a row of each.
struct Columns {
  std::vector<std::uint64_t> game_number, network;
  std::vector<std::uint32_t> turn;
  std::vector<std::int8_t> player;
  std::vector<float> root_value, result, target;
  std::vector<std::uint16_t> feature_index, feature_count;
  std::vector<float> feature_value, features;
  std::vector<std::uint64_t> visit_begin{0};
  std::vector<std::uint16_t> visit_action;
  std::vector<std::uint32_t> visit_count;
  std::vector<float> policy;
  std::vector<std::string> text;
};

/// What a call of read() writes.
struct Wanted {
  SampleSettings samples;
  Form features, policy;
  bool text;
};

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::uint64_t position)
      : file_(file), reader_(value_or_raise(GameLogReader::open(file, position))) {
    if (reader_.game().empty()) raise_value_error(file.string() + ": its header is damaged");
    game_ = &game_named(reader_.game());
    table_ = &table_for<RecordTable>(*game_);
    env_ = &table_for<EnvTable>(*game_);
    shape_ = env_->shape(*game_, 1);
  }

  const AnyGame& game() const { return *game_; }
  std::uint64_t position() const {
    const OneUser::Use use(user_);
    return reader_.position();
  }
  std::uint64_t skipped_bytes() const {
    const OneUser::Use use(user_);
    return reader_.skipped_bytes();
  }
  std::uint64_t undecodable_records() const {
    const OneUser::Use use(user_);
    return reader_.undecodable().count;
  }

  nb::dict read(std::optional<std::uint64_t> games, const std::optional<std::string>& mode,
                float lambda, float blunder, std::uint32_t n_step, const std::string& features,
                const std::string& policy, bool text) {
    Wanted wanted{.samples = {.lambda = lambda, .n_step = n_step, .blunder = blunder},
                  .features = form_of("features", features),
                  .policy = form_of("policy", policy),
                  .text = text};
    const auto evaluates = mode                     ? value_of<Evaluates>(*mode)
                           : game_->has_afterstates ? Evaluates::kAfterstates
                                                    : Evaluates::kPosition;
    if (!evaluates || *evaluates == Evaluates::kPlayouts) {
      raise_value_error("mode: it must be one of position, afterstates, moves");
    }
    if (*evaluates == Evaluates::kAfterstates && !game_->has_afterstates) {
      raise_value_error("mode: " + std::string(game_->name) + " has no afterstates");
    }
    wanted.samples.evaluates = *evaluates;
    value_or_raise(check_settings(wanted.samples));
    const OneUser::Use use(user_);
    if (!error_.empty()) raise_value_error(std::exchange(error_, {}));
    Columns columns;
    const std::uint64_t begin = reader_.position();
    try {
      const nb::gil_scoped_release unlocked;
      for (std::uint64_t read = 0; read < games.value_or(UINT64_MAX); ++read) {
        if (read % 256 == 255) check_signals();
        const Result<bool> there = add_next(wanted, columns);
        // What was read before the error is not lost: the next call raises it.
        if (!there) error_ = there.error().reason();
        if (!there || !*there) break;
      }
    } catch (...) {  // Ctrl-C: the next call reads the same games again
      reader_ = value_or_raise(GameLogReader::open(file_, begin));
      throw;
    }
    if (!error_.empty() && columns.turn.empty()) raise_value_error(std::exchange(error_, {}));
    return arrays(wanted, std::move(columns));
  }

 private:
  static void check_signals() {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  /// The samples of the next game. False if there is none yet.
  Result<bool> add_next(const Wanted& wanted, Columns& columns) {
    const Result<bool> there = reader_.next(record_);
    if (!there || !*there) return there;
    // for_each_sample() begins with the last turn.
    samples_.clear();
    targets_.clear();
    visits_.clear();
    const std::size_t outcomes = game_->outcome_values.size();
    const Result<void> read =
        table_->samples(*game_, record_, wanted.samples, [&](const AnySample& sample) {
          samples_.push_back(sample);
          targets_.insert(targets_.end(), sample.outcomes.begin(), sample.outcomes.end());
          visits_.insert(visits_.end(), sample.visits.begin(), sample.visits.end());
        });
    if (!read) return read.error();
    std::size_t first = 0;  // of the sample's visits
    for (AnySample& sample : samples_) {
      sample.visits = std::span(visits_).subspan(first, sample.visits.size());
      first += sample.visits.size();
    }
    for (std::size_t i = samples_.size(); i-- > 0;) {
      add(wanted, samples_[i], std::span(targets_).subspan(i * outcomes, outcomes), columns);
    }
    return true;
  }

  void add(const Wanted& wanted, const AnySample& sample, std::span<const float> target,
           Columns& columns) {
    const RecordedTurn& turn = record_.turns()[sample.turn];
    const Player player = sample.state.viewer();
    columns.game_number.push_back(record_.game_number);
    columns.turn.push_back(static_cast<std::uint32_t>(sample.turn));
    columns.player.push_back(static_cast<std::int8_t>(player));
    columns.network.push_back(turn.model == kNoModel ? 0 : record_.models[turn.model]);
    columns.root_value.push_back(!turn.has_root          ? std::numeric_limits<float>::quiet_NaN()
                                 : turn.player == player ? turn.root_value
                                                         : -turn.root_value);
    columns.result.push_back(result_for(player));
    columns.target.insert(columns.target.end(), target.begin(), target.end());
    if (wanted.text) columns.text.push_back(sample.state.text());
    add_features(wanted.features, sample.state, columns);
    add_policy(wanted.policy, sample, columns);
  }

  /// The game's result in points; of a game that was cut, the network's estimate.
  float result_for(Player player) const {
    std::vector<float> distribution(game_->outcome_values.size());
    if (record_.end() == EndKind::kCut) {
      to_distribution(record_.cut_outcomes(), distribution);
    } else {
      distribution[record_.final_outcome()] = 1;
    }
    float value = 0;
    for (std::size_t i = 0; i < distribution.size(); ++i) {
      value += distribution[i] * game_->outcome_values[i];
    }
    return player == 0 ? value : -value;
  }

  void add_features(Form form, const AnyState& state, Columns& columns) {
    if (form == Form::kNone) return;
    index_.resize(game_->most_active);
    value_.resize(game_->most_active);
    const std::size_t count = env_->encode(state.bytes(), index_, value_);
    if (form == Form::kDense) {
      const std::size_t begin = columns.features.size();
      columns.features.resize(begin + game_->features);
      for (std::size_t i = 0; i < count; ++i) columns.features[begin + index_[i]] = value_[i];
      return;
    }
    std::fill(index_.begin() + static_cast<std::ptrdiff_t>(count), index_.end(),
              static_cast<std::uint16_t>(game_->features));
    std::fill(value_.begin() + static_cast<std::ptrdiff_t>(count), value_.end(), 0.0f);
    columns.feature_index.insert(columns.feature_index.end(), index_.begin(), index_.end());
    columns.feature_value.insert(columns.feature_value.end(), value_.begin(), value_.end());
    columns.feature_count.push_back(static_cast<std::uint16_t>(count));
  }

  void add_policy(Form form, const AnySample& sample, Columns& columns) {
    if (form == Form::kSparse) {
      for (const VisitCount& visit : sample.visits) {
        columns.visit_action.push_back(visit.action);
        columns.visit_count.push_back(visit.visits);
      }
      columns.visit_begin.push_back(columns.visit_action.size());
    } else if (form == Form::kDense) {
      const std::size_t begin = columns.policy.size();
      columns.policy.resize(begin + shape_.columns);
      double sum = 0;
      for (const VisitCount& visit : sample.visits) sum += visit.visits;
      if (!shape_.columns_are_actions) sample.state.legal(legal_);
      for (const VisitCount& visit : sample.visits) {
        const std::size_t column = column_of(shape_, legal_, visit.action);
        columns.policy[begin + column] = static_cast<float>(visit.visits / sum);
      }
    }
  }

  nb::dict arrays(const Wanted& wanted, Columns columns) const {
    const std::size_t rows = columns.turn.size();
    nb::dict all;
    all["game_number"] = array_of(std::move(columns.game_number), rows);
    all["turn"] = array_of(std::move(columns.turn), rows);
    all["player"] = array_of(std::move(columns.player), rows);
    all["network"] = array_of(std::move(columns.network), rows);
    all["root_value"] = array_of(std::move(columns.root_value), rows);
    all["result"] = array_of(std::move(columns.result), rows);
    all["target"] = array_of(std::move(columns.target), rows, game_->outcome_values.size());
    if (wanted.features == Form::kSparse) {
      all["feature_index"] = array_of(std::move(columns.feature_index), rows, game_->most_active);
      all["feature_value"] = array_of(std::move(columns.feature_value), rows, game_->most_active);
      all["feature_count"] = array_of(std::move(columns.feature_count), rows);
    } else if (wanted.features == Form::kDense) {
      all["features"] = array_of(std::move(columns.features), rows, game_->features);
    }
    if (wanted.policy == Form::kSparse) {
      const std::size_t visits = columns.visit_action.size();
      all["visit_begin"] = array_of(std::move(columns.visit_begin), rows + 1);
      all["visit_action"] = array_of(std::move(columns.visit_action), visits);
      all["visit_count"] = array_of(std::move(columns.visit_count), visits);
    } else if (wanted.policy == Form::kDense) {
      all["policy"] = array_of(std::move(columns.policy), rows, shape_.columns);
    }
    if (wanted.text) all["text"] = nb::cast(columns.text);
    return all;
  }

  const std::filesystem::path file_;
  OneUser user_;
  GameLogReader reader_;
  const AnyGame* game_;
  const RecordTable* table_;
  const EnvTable* env_;
  EnvShape shape_{};
  GameRecord record_;
  std::string error_;  // raised by the next read()
  // Reused from game to game.
  std::vector<AnySample> samples_;
  std::vector<float> targets_, value_;
  std::vector<VisitCount> visits_;  // of samples_, in their order
  std::vector<std::uint16_t> index_;
  std::vector<Action> legal_;
};

}  // namespace

void bind_records(nb::module_& module) {
  nb::class_<Reader>(module, "Records",
                     R"(Reads the games of a run of `senet selfplay`.

Another process may be writing them: read() returns what has been added since the last call.

Args:
    file: the folder of the run, or one file of its log.
    position: where to begin: 0, or `position` of an earlier reader.

Raises:
    ValueError: the file is not a log of a known game.)")
      .def(
          "__init__",
          [](Reader* self, const std::filesystem::path& file, std::uint64_t position) {
            new (self) Reader(file, position);
          },
          "file"_a, "position"_a = 0)
      .def("read", &Reader::read, "games"_a = nb::none(), nb::kw_only(), "mode"_a = nb::none(),
           "lambda_"_a = 1.0f, "blunder"_a = 0.0f, "n_step"_a = 0, "features"_a = "sparse",
           "policy"_a = "sparse", "text"_a = false,
           R"(The training samples of the next games: a dictionary of new arrays.

The samples are those that senet's own trainer would learn from, n rows in the order of the games
and their turns:

    game_number    [n] u64              number of the game in its run
    turn           [n] u32              index of the turn in its game
    player         [n] i8               0 or 1: all that follows is from this player's view
    network        [n] u64              id of the network that chose the move; 0: none
    root_value     [n] f32              the search's value in points; NaN: there was no search
    result         [n] f32              the game's result in points
    target         [n, outcomes] f32    value target: TD(lambda) of search values and result, or
                                        the search's value n_step decisions on
    feature_index  [n, most_active] u16 sparse features, padded with Game.features,
    feature_value  [n, most_active] f32 ... their values, padded with 0,
    feature_count  [n] u16              ... and their number
    visit_begin    [n + 1] u64          the visits of row i are visit_begin[i] : visit_begin[i + 1]
    visit_action   [visits] u16         ... of visit_action
    visit_count    [visits] u32         ... and visit_count: the policy target. Empty after fast
                                        searches and for afterstates; for moves the one that was
                                        played, whose value is the target
    features       [n, features] f32    instead, with features="dense"
    policy         [n, columns] f32     instead, with policy="dense": shares of the visits, or 0; the
                                        columns are those of VecEnv's mask
    text           list of n            positions in the game's notation, with text=True

Args:
    games: maximum number of games. Default: all that are there.
    mode: "position" or "moves" (before searched moves) or "afterstates" (after moves; with one
        player also before the first move, and before a searched move that follows a random one,
        with the turn of that move). Default: what the game has.
    lambda_: weight of later results in the target; 1: the result alone.
    blunder, n_step: see `senet selfplay --help`.
    features, policy: "sparse", "dense" or "none".
    text: whether to write the positions' texts.

Raises:
    RuntimeError: another call is using this object.
    ValueError: a record is not a game of these rules. It is skipped; games read before it are
        returned first.)")
      .def_prop_ro(
          "game", [](const Reader& reader) { return reader.game().name; },
          "The name of the log's game.")
      .def_prop_ro("position", &Reader::position,
                   "Where the next record begins. In a file: its bytes.")
      .def_prop_ro("skipped_bytes", &Reader::skipped_bytes, "Damaged bytes skipped so far.")
      .def_prop_ro(
          "undecodable_records", &Reader::undecodable_records,
          "Intact records skipped so far that could not be decoded, as of a newer program.");
}

}  // namespace senet::python
