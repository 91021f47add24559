// Each kernel of each instruction set against plain loops in double precision.
#include "nn/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "nn/evaluator_scratch.hpp"
#include "senet/game.hpp"

namespace senet {
namespace {

class EveryKernel : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (runnable_kernels(GetParam()) == nullptr) GTEST_SKIP() << "not supported by this processor";
    kernels_ = runnable_kernels(GetParam());
  }

  /// [rows, padded(columns)] with random columns and zero padding.
  AlignedFloats random_rows(std::size_t rows, std::size_t columns, float deviation = 1.0f) {
    AlignedFloats values(rows * padded(columns));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % padded(columns) < columns) values[i] = deviation * random_.normal();
    }
    return values;
  }

  static double squares_of(const AlignedFloats& squares, std::size_t row) {
    double sum = 0;
    for (std::size_t i = 0; i < kPanel; ++i) sum += squares[row * kPanel + i];
    return sum;
  }

  /// Squares of rows before a Linear.
  static AlignedFloats untouched(std::size_t count) {
    AlignedFloats squares(count);
    std::fill_n(squares.data(), count, 7.0f);
    return squares;
  }
  /// What a Linear stores for a result.
  static double stored(Then then, double result) {
    return then == Then::kRelu ? std::max(result, 0.0) : result;
  }
  static void expect_squares(Then then, const AlignedFloats& squares, std::size_t row,
                             double expected) {
    if (then == Then::kNorm) {
      EXPECT_NEAR(squares_of(squares, row) / expected, 1.0, 1e-5);
    } else {
      EXPECT_EQ(squares_of(squares, row), 7.0 * kPanel);
    }
  }

  const Kernels* kernels_ = nullptr;
  Random random_{1, 2, 3, Purpose::kTest};
};

/// A Linear, whether it adds to its output, and what follows it.
constexpr std::pair<bool, Then> kEveryUse[] = {{false, Then::kNothing}, {false, Then::kNorm},
                                               {false, Then::kRelu},    {true, Then::kNothing},
                                               {true, Then::kNorm},     {true, Then::kRelu}};

const std::vector<std::size_t> kRowCounts = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 23, 25, 48};

TEST_P(EveryKernel, Linear) {
  for (const std::size_t inputs : {16, 48, 128}) {
    for (const std::size_t outputs : {16, 32, 80, 128, 240}) {
      const AlignedFloats panels = random_rows(1, inputs * outputs);
      const AlignedFloats bias = random_rows(1, outputs);
      for (const std::size_t rows : kRowCounts) {
        SCOPED_TRACE(::testing::Message() << rows << " rows, " << inputs << " to " << outputs);
        const AlignedFloats in = random_rows(rows, inputs);
        const AlignedFloats before = random_rows(rows, outputs);
        for (const auto& [add, then] : kEveryUse) {
          AlignedFloats out(rows * outputs), squares = untouched(rows * kPanel);
          std::copy_n(before.data(), before.size(), out.data());
          (add ? kernels_->add_linear : kernels_->linear)(
              {in.data(), inputs, inputs, panels.data(), bias.data(), outputs / kPanel, out.data(),
               outputs, then, squares.data()},
              rows);
          for (std::size_t row = 0; row < rows; ++row) {
            double square = 0;
            for (std::size_t o = 0; o < outputs; ++o) {
              double sum = bias[o] + (add ? double{before[row * outputs + o]} : 0.0);
              for (std::size_t i = 0; i < inputs; ++i) {
                const float weight = panels[(o / kPanel * inputs + i) * kPanel + o % kPanel];
                sum += double{in[row * inputs + i]} * weight;
              }
              ASSERT_NEAR(out[row * outputs + o], stored(then, sum), 1e-4);
              square += sum * sum;
            }
            expect_squares(then, squares, row, square);
          }
        }
      }
    }
  }
}

TEST_P(EveryKernel, LinearLeavesOtherMemoryAlone) {
  constexpr std::size_t kWidth = 48, kStride = 64;
  const AlignedFloats panels = random_rows(1, kWidth * kWidth), bias = random_rows(1, kWidth);
  for (const std::size_t rows : kRowCounts) {
    const AlignedFloats in = random_rows(rows, kWidth);
    AlignedFloats out((rows + 1) * kStride), squares((rows + 1) * kPanel);
    std::fill_n(out.data(), out.size(), 7.0f);
    std::fill_n(squares.data(), squares.size(), 7.0f);
    kernels_->linear({in.data(), kWidth, kWidth, panels.data(), bias.data(), kWidth / kPanel,
                      out.data(), kStride, Then::kNorm, squares.data()},
                     rows);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool ours = i < rows * kStride && i % kStride < kWidth;
      ASSERT_EQ(out[i] == 7.0f, !ours) << i;
    }
    for (std::size_t i = rows * kPanel; i < squares.size(); ++i) ASSERT_EQ(squares[i], 7.0f);
  }
}

TEST_P(EveryKernel, ToBytes) {
  for (const std::size_t width : {1, 15, 16, 37, 128, 200}) {
    for (const std::size_t rows : {1, 3}) {
      const std::size_t stride = padded(width);
      AlignedFloats in = random_rows(rows, width, 5.0f);
      kernels_->relu(in.data(), in.data(), in.size());
      if (rows > 1) std::fill_n(in.data() + stride, stride, 0.0f);  // a row of zeros
      AlignedVector<std::uint8_t> bytes(in.size() + 1, 0xee);
      std::vector<float> units(rows + 1, -1.0f);
      kernels_->to_bytes({in.data(), stride, bytes.data(), units.data()}, rows);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto begin = in.begin() + static_cast<std::ptrdiff_t>(row * stride);
        const float largest = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(stride));
        EXPECT_FLOAT_EQ(units[row], largest / kMostByte);
        for (std::size_t i = row * stride; i < (row + 1) * stride; ++i) {
          ASSERT_LE(bytes[i], kMostByte);
          ASSERT_NEAR(static_cast<float>(bytes[i]) * units[row], in[i], units[row] * 0.501f);
        }
      }
      EXPECT_EQ(bytes.back(), 0xee);
      EXPECT_EQ(units.back(), -1.0f);
    }
  }
}

TEST_P(EveryKernel, ByteLinear) {
  for (const std::size_t inputs : {16, 48, 512}) {
    for (const std::size_t outputs : {16, 32, 80, 240}) {
      const std::size_t out_stride = outputs + kPanel;
      // The largest bytes too, whose products are most likely to overflow.
      const auto byte = [&](int most) { return random_.below(4) == 0 ? most : most * 2 / 3; };
      AlignedVector<std::int8_t> panels(inputs * outputs);
      for (std::int8_t& weight : panels) {
        weight = static_cast<std::int8_t>(byte(kMostByte) * (random_.below(8) == 0 ? -1 : 1));
      }
      const AlignedFloats bias = random_rows(1, outputs), weight_units = random_rows(1, outputs);
      for (const std::size_t rows : kRowCounts) {
        SCOPED_TRACE(::testing::Message() << rows << " rows, " << inputs << " to " << outputs);
        AlignedVector<std::uint8_t> in(rows * inputs);
        for (std::uint8_t& value : in) value = static_cast<std::uint8_t>(byte(kMostByte));
        const AlignedFloats units = random_rows(rows, 1), before = random_rows(rows, out_stride);
        std::vector<float> unit(rows);
        for (std::size_t row = 0; row < rows; ++row) unit[row] = units[row * kPanel];
        for (const auto& [add, then] : kEveryUse) {
          AlignedFloats out(rows * out_stride), squares = untouched(rows * kPanel);
          std::copy_n(before.data(), before.size(), out.data());
          (add ? kernels_->add_byte_linear : kernels_->byte_linear)(
              {in.data(), unit.data(), inputs, inputs, panels.data(), weight_units.data(),
               bias.data(), outputs / kPanel, out.data(), out_stride, then, squares.data()},
              rows);
          for (std::size_t row = 0; row < rows; ++row) {
            double square = 0;
            for (std::size_t o = 0; o < outputs; ++o) {
              int sum = 0;
              for (std::size_t i = 0; i < inputs; ++i) {
                sum += in[row * inputs + i] *
                       panels[(o / kPanel * inputs + i / 4 * 4) * kPanel + o % kPanel * 4 + i % 4];
              }
              const double product = double{unit[row]} * weight_units[o] * sum;
              const double y = product + bias[o] + (add ? double{before[row * out_stride + o]} : 0);
              ASSERT_NEAR(out[row * out_stride + o], stored(then, y),
                          1e-5 + 1e-6 * std::abs(product));
              square += y * y;
            }
            expect_squares(then, squares, row, square);
            for (std::size_t o = outputs; o < out_stride; ++o) {
              ASSERT_EQ(out[row * out_stride + o], before[row * out_stride + o]);
            }
          }
        }
      }
    }
  }
}

TEST_P(EveryKernel, NormReluOfCentredRows) {
  for (const std::size_t width : {1, 15, 16, 37, 128, 200}) {
    for (const std::size_t rows : kRowCounts) {
      const std::size_t stride = padded(width);
      const AlignedFloats scale = random_rows(1, width), shift = random_rows(1, width);
      AlignedFloats in = random_rows(rows, width, 3.0f);
      for (std::size_t i = 0; i < stride && rows > 2; ++i)
        in[2 * stride + i] = 0.0f;  // a constant row
      AlignedFloats squares(rows * kPanel), out(rows * stride);
      kernels_->centre(in.data(), stride, width, squares.data(), rows);
      AlignedFloats again(rows * kPanel);
      kernels_->sum_squares(in.data(), stride, again.data(), rows);
      kernels_->norm_relu(
          {in.data(), out.data(), stride, width, squares.data(), scale.data(), shift.data()}, rows);
      for (std::size_t row = 0; row < rows; ++row) {
        double mean = 0, variance = 0;
        const double count = static_cast<double>(width);
        for (std::size_t i = 0; i < width; ++i) mean += in[row * stride + i] / count;
        for (std::size_t i = 0; i < width; ++i) {
          variance += std::pow(in[row * stride + i] - mean, 2) / count;
        }
        EXPECT_NEAR(mean, 0.0, 1e-6);
        EXPECT_NEAR(squares_of(squares, row) / count, variance, 1e-5 * (1 + variance));
        EXPECT_EQ(squares_of(squares, row), squares_of(again, row));
        for (std::size_t i = 0; i < stride; ++i) {
          const double x = (in[row * stride + i] - mean) / std::sqrt(variance + 1e-5);
          const double y = i < width ? std::max(0.0, x * scale[i] + shift[i]) : 0.0;
          ASSERT_NEAR(out[row * stride + i], y, 1e-4) << "row " << row << " of " << rows;
        }
      }
    }
  }
}

TEST_P(EveryKernel, CentreTakesTheMeanAway) {
  constexpr std::size_t kRows = 3;
  for (const std::size_t width : {1, 15, 16, 37, 128}) {
    const std::size_t stride = padded(width);
    AlignedFloats rows = random_rows(kRows, width);
    for (std::size_t i = 0; i < width; ++i) {
      rows[i] = 1000.0f;  // centring makes a constant row zero
      rows[stride + i] += 50.0f;
    }
    const std::vector<float> before(rows.data(), rows.data() + rows.size());
    AlignedFloats squares(kRows * kPanel);
    kernels_->centre(rows.data(), stride, width, squares.data(), kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      double mean = 0;
      for (std::size_t i = 0; i < width; ++i)
        mean += before[row * stride + i] / static_cast<double>(width);
      for (std::size_t i = 0; i < stride; ++i) {
        const double wanted = i < width ? before[row * stride + i] - mean : 0.0;
        ASSERT_NEAR(rows[row * stride + i], wanted, 2e-4);
      }
    }
  }
}

TEST_P(EveryKernel, Relu) {
  for (const std::size_t width : {16, 48, 128}) {
    const AlignedFloats in = random_rows(1, width);
    AlignedFloats out(width + kPanel);
    out[width] = -7.0f;
    kernels_->relu(in.data(), out.data(), width);
    for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(out[i], std::max(in[i], 0.0f));
    EXPECT_EQ(out[width], -7.0f);
    kernels_->relu(out.data(), out.data(), width);  // in place
    for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(out[i], std::max(in[i], 0.0f));
  }
}

TEST_P(EveryKernel, Dots) {
  constexpr std::size_t kOutputs = 50;
  for (const std::size_t width : {16, 32, 48, 128}) {
    const AlignedFloats in = random_rows(1, width);
    AlignedFloats weight = random_rows(kOutputs + 1, width), bias = random_rows(1, kOutputs + 1);
    std::fill_n(weight.data() + kOutputs * width, width, 0.0f);  // the row of kNoLogit
    bias[kOutputs] = 0.0f;
    for (std::size_t count = 0; count < 28; ++count) {
      std::vector<std::uint16_t> wanted;
      for (std::size_t i = 0; i < count; ++i) {
        wanted.push_back(i % 5 == 2 ? kNoLogit
                                    : static_cast<std::uint16_t>(random_.below(kOutputs)));
      }
      std::vector<float> out(count + 1, 7.0f);
      kernels_->dots({in.data(), weight.data(), bias.data(), kOutputs, width, wanted.data(), count,
                      out.data()});
      for (std::size_t i = 0; i < count; ++i) {
        double sum = wanted[i] == kNoLogit ? 0.0 : double{bias[wanted[i]]};
        for (std::size_t k = 0; k < width && wanted[i] != kNoLogit; ++k) {
          sum += double{in[k]} * weight[wanted[i] * width + k];
        }
        ASSERT_NEAR(out[i], sum, 1e-4);
      }
      ASSERT_EQ(out[count], 7.0f);
    }
  }
}

TEST_P(EveryKernel, SparseLinear) {
  constexpr std::size_t kFeatures = 60;
  for (const std::size_t width : {16, 48, 112, 128, 144, 272}) {
    const AlignedFloats weight = random_rows(kFeatures, width), bias = random_rows(1, width);
    const std::vector<std::uint16_t> active = {0, 1, 60, 7, 34};
    std::vector<std::uint16_t> index;
    std::vector<float> value;
    for (std::size_t row = 0; row < active.size(); ++row) {
      for (std::size_t i = 0; i < kFeatures; ++i) {
        index.push_back(static_cast<std::uint16_t>((row + i * 7) % kFeatures));
        value.push_back(random_.normal());
      }
    }
    for (const Then then : {Then::kNothing, Then::kNorm, Then::kRelu}) {
      AlignedFloats out(active.size() * width), squares = untouched(active.size() * kPanel);
      kernels_->sparse_linear({index.data(), value.data(), active.data(), kFeatures, weight.data(),
                               bias.data(), kFeatures, width, out.data(), then, squares.data()},
                              active.size());
      for (std::size_t row = 0; row < active.size(); ++row) {
        double square = 0;
        for (std::size_t o = 0; o < width; ++o) {
          const std::size_t first = o / kSparseColumns * kSparseColumns;
          const std::size_t columns = std::min(kSparseColumns, width - first);
          double sum = bias[o];
          for (std::size_t i = row * kFeatures; i < row * kFeatures + active[row]; ++i) {
            sum += double{value[i]} * weight[first * kFeatures + index[i] * columns + o - first];
          }
          ASSERT_NEAR(out[row * width + o], stored(then, sum), 1e-4) << "row " << row;
          square += sum * sum;
        }
        expect_squares(then, squares, row, square);
      }
    }
  }
}

TEST_P(EveryKernel, ShortSparseLinear) {
  constexpr std::size_t kFeatures = 60, kEntries = 20;
  for (const std::size_t width : {16, 48, 112, 128, 144, 160, 272, 512}) {
    const std::size_t all_columns = round_up(width, kShortColumns);
    AlignedVector<std::int16_t> weight(kFeatures * all_columns);
    for (std::int16_t& w : weight) w = static_cast<std::int16_t>(random_.below(1601) - 800);
    const AlignedFloats units = random_rows(1, width), bias = random_rows(1, width);
    const std::vector<ShortCounts> counts = {{0, 0, 0, 0},  {0, 0, 20, 0}, {20, 0, 0, 0},
                                             {7, 4, 12, 1}, {0, 3, 0, 1},  {0, 0, 5, 1},
                                             {3, 0, 1, 0}};
    const std::size_t rows = counts.size();
    std::vector<std::uint16_t> changes, parts;
    std::vector<std::int16_t> shares;
    for (std::size_t i = 0; i < rows * kEntries; ++i) {
      changes.push_back(static_cast<std::uint16_t>(random_.below(kFeatures)));
      parts.push_back(static_cast<std::uint16_t>(random_.below(kFeatures)));
      shares.push_back(static_cast<std::int16_t>(random_.below(65536) - 32768));
    }
    shares[kEntries] = -32768;  // row 1 has parts
    shares[kEntries + 1] = 32767;
    for (const Then then : {Then::kNothing, Then::kNorm, Then::kRelu}) {
      AlignedFloats out(rows * width + kPanel, -1.0f), squares = untouched(rows * kPanel);
      kernels_->short_sparse_linear({changes.data(), parts.data(), shares.data(), counts.data(),
                                     kEntries, kEntries, weight.data(), units.data(), bias.data(),
                                     kFeatures, width, out.data(), then, squares.data()},
                                    rows);
      std::vector<int> wholes(width);
      for (std::size_t row = 0; row < rows; ++row) {
        double square = 0;
        for (std::size_t o = 0; o < width; ++o) {
          const std::size_t first = o / kSparseColumns * kSparseColumns;
          const std::size_t columns = std::min(kSparseColumns, all_columns - first);
          const auto weight_of = [&](std::size_t feature) {
            return int{weight[first * kFeatures + feature * columns + o - first]};
          };
          if (!counts[row].follows) wholes[o] = 0;
          std::size_t i = row * kEntries;
          for (std::size_t n = 0; n < counts[row].added; ++n) wholes[o] += weight_of(changes[i++]);
          for (std::size_t n = 0; n < counts[row].removed; ++n)
            wholes[o] -= weight_of(changes[i++]);
          int sum = wholes[o];
          for (std::size_t n = row * kEntries; n < row * kEntries + counts[row].parts; ++n) {
            sum += (weight_of(parts[n]) * shares[n] + (1 << 14)) >> 15;
          }
          ASSERT_LT(std::abs(sum), 1 << 15);
          const double wanted = double{bias[o]} + double{units[o]} * sum;
          ASSERT_NEAR(out[row * width + o], stored(then, wanted),
                      1e-6 * (1 + std::abs(double{units[o]} * sum)))
              << "row " << row;
          square += wanted * wanted;
        }
        expect_squares(then, squares, row, square);
      }
      for (std::size_t i = 0; i < kPanel; ++i) ASSERT_EQ(out[rows * width + i], -1.0f);
    }
  }
}

TEST_P(EveryKernel, Softmax) {
  for (const std::size_t count : {1, 2, 3, 6, 15, 16, 17, 100, 255}) {
    for (const float deviation : {0.0f, 0.1f, 3.0f, 40.0f, 1000.0f}) {
      AlignedFloats in(padded(count)), out(padded(count));
      std::fill_n(in.data(), in.size(), -1e30f);
      for (std::size_t i = 0; i < count; ++i) in[i] = deviation * random_.normal() - 200.0f;
      kernels_->softmax(in.data(), out.data(), count);
      const double largest = *std::max_element(in.data(), in.data() + count);
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += std::exp(in[i] - largest);
      for (std::size_t i = 0; i < count; ++i) {
        const double wanted = std::exp(in[i] - largest) / sum;
        // Values near zero may be rounded to zero.
        ASSERT_NEAR(out[i], wanted, 5e-7 * wanted + 1e-34) << i << " of " << count;
        ASSERT_TRUE(out[i] == 0.0f || std::isnormal(out[i]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Runnable, EveryKernel, ::testing::Values(0, 1, 2, 3),
                         [](const ::testing::TestParamInfo<std::size_t>& number) {
                           const Kernels* kernels = runnable_kernels(number.param);
                           return kernels == nullptr ? "none" + std::to_string(number.param)
                                                     : std::string(kernels->name);
                         });

}  // namespace
}  // namespace senet
