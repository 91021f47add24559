// When a match has shown enough: Wald's sequential test on the mean result of a pair of games.
//
// H0: a pair's mean is mean0. H1: it is mean1. After each pair, with n pairs of which the share f_i
// had the result x_i, the generalised log-likelihood ratio is
//
//   LLR = n sum_i f_i log(p1_i / p0_i),   p_i = f_i / (1 + t (x_i - mean)),
//
// where t solves sum_i p_i (x_i - mean) = 0: p is the likeliest distribution over the results that
// has that mean. The test ends when LLR <= log(beta / (1 - alpha)), H0, or LLR >= log((1 - beta) /
// alpha), H1. Results not seen yet count as a thousandth of a pair, so that both means are
// possible.
//
// The unit is the pair, whose games share opening and dice, so that nothing is assumed of how they
// depend on each other: with scores these are the five results called pentanomial. (A. Wald,
// "Sequential tests of statistical hypotheses", 1945; X. Li, J. Liu, Z. Ying, "Generalized
// sequential probability ratio test for separate families of hypotheses", 2014; M. Van den Bergh,
// "A practical introduction to the GSPRT", for p.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace senet {

struct SprtSettings {
  double mean0 = 0;     // inside the range of results, as mean1
  double mean1 = 0;     // above mean0
  double alpha = 0.05;  // chance to accept H1 where H0 is true; 0..0.5, not included
  double beta = 0.05;   // chance to accept H0 where H1 is true
};

/// The test, fed pair by pair. Once it has decided it should not be fed more.
class Sprt {
 public:
  enum class Decision : std::uint8_t { kNone, kH0, kH1 };

  /// `results`: every mean a pair can have, ascending.
  Sprt(std::vector<double> results, const SprtSettings& settings);

  /// Adds a pair with this mean, one of `results`.
  void add(double pair_mean);

  double log_likelihood_ratio() const { return ratio_; }
  double lower_bound() const { return lower_; }
  double upper_bound() const { return upper_; }
  Decision decision() const;

 private:
  std::vector<double> results_;
  std::vector<double> counts_;
  SprtSettings settings_;
  double lower_, upper_;
  double ratio_ = 0;
};

/// The ratio above for results x_i seen counts_i times (above 0), mean0 and mean1 between the
/// least and the greatest of them.
double log_likelihood_ratio(std::span<const double> results, std::span<const double> counts,
                            double mean0, double mean1);

/// Every mean that a pair of games can have, ascending, each once, for games worth `values`, which
/// hold 0 for a draw or a cut game.
std::vector<double> pair_means(std::span<const double> values);

}  // namespace senet
