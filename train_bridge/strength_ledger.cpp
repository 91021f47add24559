#include "train_bridge/strength_ledger.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "games/json.hpp"
#include "nn/network.hpp"

namespace senet {
namespace {

std::string_view name_of(Sprt::Decision decision) {
  constexpr std::string_view kNames[] = {"none", "H0", "H1"};
  return kNames[static_cast<std::size_t>(decision)];
}

/// Without the digits that only rounding errors leave.
Json number(double value) {
  return std::isfinite(value) ? Json(std::round(value * 1e6) / 1e6) : Json();
}

void add_difference(Json& line, const std::string& name, const StrengthDifference& difference) {
  line[name] = number(difference.value);
  line[name + "_low"] = number(difference.interval.low);
  line[name + "_high"] = number(difference.interval.high);
}

/// What add_difference() wrote; none if a number is missing or the interval is not one.
std::optional<StrengthDifference> difference_in(const Json& line, const std::string& name) {
  const auto real = [&line](const std::string& key) {
    const auto at = line.find(key);
    return at != line.end() && at->is_number() ? at->get<double>()
                                               : std::numeric_limits<double>::quiet_NaN();
  };
  const StrengthDifference found{real(name), {real(name + "_low"), real(name + "_high")}};
  const bool is_interval = found.interval.low <= found.value && found.value <= found.interval.high;
  return is_interval ? std::optional(found) : std::nullopt;
}

/// A number that counts networks; none if it is another.
std::optional<std::uint64_t> count_in(const Json& line, const std::string& name) {
  const auto at = line.find(name);
  if (at == line.end() || !at->is_number_unsigned()) return std::nullopt;
  return at->get<std::uint64_t>();
}

}  // namespace

std::string first_line(const AnyGame& game, double time, const LearnProgress& learned,
                       const RatedNetwork& network) {
  Json line = {{"time", time},
               {"games", learned.games},
               {"steps", learned.steps},
               {"network", network.number},
               {"id", id_text(network.id)},
               {"unit", unit_name(game)},
               {"accepted", true}};
  add_difference(line, "rating", network.rating);
  return json_text(line);
}

std::string match_line(const AnyGame& game, double time, const LearnProgress& learned,
                       const RatedMatch& match) {
  Json line = {{"time", time},
               {"games", learned.games},
               {"steps", learned.steps},
               {"network", match.network.number},
               {"id", id_text(match.network.id)},
               {"best", match.best.number},
               {"best_id", id_text(match.best.id)},
               {"tested_pairs", match.tested_pairs},
               {"sprt", name_of(match.decision)},
               {"accepted", match.is_accepted()},
               {"pairs", match.sum.games / 2},
               {"wins", match.sum.wins},
               {"draws", match.sum.draws},
               {"losses", match.sum.losses},
               {"unit", unit_name(game)}};
  add_difference(line, "difference", match.difference);
  add_difference(line, "rating", match.best_after().rating);
  line["seconds"] = number(match.seconds);
  line["cpu_seconds"] = number(match.cpu_seconds);
  return json_text(line);
}

std::string grades_line(double time, const RatedNetwork& network,
                        const std::vector<Metric>& grades) {
  Json line = {{"time", time}, {"network", network.number}, {"id", id_text(network.id)}};
  for (const Metric& metric : grades) {
    Json grade = {
        {"case", metric.subject}, {"metric", metric.name}, {"value", number(metric.value)}};
    if (metric.interval) {
      grade["low"] = number(metric.interval->low);
      grade["high"] = number(metric.interval->high);
    }
    grade["unit"] = metric.unit;
    line["grades"].push_back(std::move(grade));
  }
  return json_text(line);
}

Result<LedgerState> read_ledger(const std::filesystem::path& file, std::uint64_t best) {
  LedgerState state;
  const auto read = for_each_line(file.string(), [&](std::string_view text) -> Result<void> {
    const Json line = parse_json(text);
    if (line.is_object() && line.contains("grades") && !line.contains("accepted")) return {};
    const auto accepted = line.find("accepted");
    const bool is_whole = line.is_object() && accepted != line.end() && accepted->is_boolean();
    const bool is_new = is_whole && accepted->get<bool>();
    const std::string* const id = find_string(line, is_new ? "id" : "best_id");
    const auto of = count_in(line, is_new ? "network" : "best");
    const auto rating = difference_in(line, "rating");
    if (!is_whole || id == nullptr || !of || !rating) {
      ++state.damaged;
      return {};
    }
    const auto time = line.find("time");
    if (time != line.end() && time->is_number()) state.time = time->get<double>();
    if (const auto match = difference_in(line, "difference")) state.match = match;
    if (*id == id_text(best)) state.best = {*of, best, *rating};
    return {};
  });
  if (!read) return read.error();
  return state;
}

}  // namespace senet
