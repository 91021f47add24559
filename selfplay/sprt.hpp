// When to stop a match: Wald's sequential test on the mean result of a pair of games.
//
// H0: the mean of a pair is mean0. H1: it is mean1. After each of n pairs, of which a share f_i had
// the result x_i, the generalised log-likelihood ratio is
//
//   LLR = n sum_i f_i log(p1_i / p0_i),   p_i = f_i / (1 + t (x_i - mean)),
//
// where t solves sum_i p_i (x_i - mean) = 0: p is the maximum-likelihood distribution over the
// results that has that mean. The test accepts H0 when LLR <= log(beta / (1 - alpha)), and H1 when
// LLR >= log((1 - beta) / alpha). Results not seen yet count as a thousandth of a pair, so that
// both means are possible.
//
// The unit is the pair, because its games share opening and dice: the test assumes nothing about
// how they depend on each other. With scores, the five possible results are known as pentanomial.
// (A. Wald, "Sequential tests of statistical hypotheses", 1945; X. Li, J. Liu, Z. Ying,
// "Generalized sequential probability ratio test for separate families of hypotheses", 2014; M. Van
// den Bergh, "A practical introduction to the GSPRT", for p.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace senet {

struct SprtSettings {
  double mean0 = 0;     // strictly inside the range of results, as is mean1
  double mean1 = 0;     // above mean0
  double alpha = 0.05;  // probability of accepting H1 when H0 is true; in (0, 0.5)
  double beta = 0.05;   // probability of accepting H0 when H1 is true
};

/// The test. Takes one pair at a time; add none after it has decided.
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

/// The ratio above for results x_i seen counts_i times (above 0); mean0 and mean1 lie between the
/// smallest and the largest result.
double log_likelihood_ratio(std::span<const double> results, std::span<const double> counts,
                            double mean0, double mean1);

/// The possible means of a pair of games, ascending and distinct, for games worth `values`, which
/// include 0 for a draw or a cut game.
std::vector<double> pair_means(std::span<const double> values);

}  // namespace senet
