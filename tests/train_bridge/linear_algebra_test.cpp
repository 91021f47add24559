// Matrix products on packed factors, against plain sums.
#include "train_bridge/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "games/random.hpp"
#include "train_bridge/row_kernels.hpp"

namespace senet {
namespace {

template <class Real>
class LinearAlgebra : public testing::Test {
 protected:
  AlignedVector<Real> random_values(std::size_t count) {
    AlignedVector<Real> values(count);
    for (Real& value : values) value = random_.normal();
    return values;
  }
  void check(std::size_t rows, std::size_t inner, std::size_t columns) {
    const auto left = random_values(rows * (inner + 2)), matrix = random_values(inner * columns);
    const auto row = random_values(columns);
    AlignedVector<Real> transposed(matrix.size());
    RowKernels<Real>::transpose(matrix.data(), columns, inner, transposed.data());
    const std::size_t padded = round_up(columns, kPanel);
    PackedMatrix<Real> packed(inner, columns, rows);
    for (const std::size_t stride : {columns, padded, padded + 64}) {
      for (const bool add : {false, true}) {
        if (add) {
          packed.pack({matrix.data(), inner, columns, columns}, false, row.data());
        } else {
          packed.pack({transposed.data(), columns, inner, inner}, true, row.data());
        }
        const auto before = random_values(rows * stride);
        AlignedVector<Real> result = before;
        packed.multiply({left.data(), rows, inner, inner + 2},
                        {result.data(), rows, columns, stride}, add);
        for (std::size_t at = 0; at < result.size(); ++at) {
          const std::size_t r = at / stride, c = at % stride;
          if (c >= padded) {
            ASSERT_EQ(result[at], before[at]);
          }
          if (c >= columns) continue;
          double sum = row[c] + (add ? static_cast<double>(before[at]) : 0.0);
          for (std::size_t i = 0; i < inner; ++i) {
            sum += static_cast<double>(left[r * (inner + 2) + i]) *
                   static_cast<double>(matrix[i * columns + c]);
          }
          ASSERT_NEAR(result[at], sum, 1e-4);
        }
      }
    }
  }

  Random random_{1, 2, 3, Purpose::kTest};
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LinearAlgebra, Reals);

constexpr std::size_t kSizes[] = {1, 5, 16, 33, 64};

// Every combination of sizes, whole panels and others, in results with and without gaps.
TYPED_TEST(LinearAlgebra, ProductsArePlainSums) {
  for (const std::size_t rows : kSizes) {
    for (const std::size_t inner : kSizes) {
      for (const std::size_t columns : kSizes) this->check(rows, inner, columns);
    }
  }
}

// A row that is not finite changes its own row of the result only.
TYPED_TEST(LinearAlgebra, ProductsPropagateWhatIsNotFinite) {
  using Real = TypeParam;
  auto left = this->random_values(2 * 8);
  left[3] = std::numeric_limits<Real>::quiet_NaN();
  const auto matrix = this->random_values(8 * 5);
  PackedMatrix<Real> packed(8, 5, 2);
  packed.pack({matrix.data(), 8, 5, 5}, false);
  std::vector<Real> result(2 * 5);
  packed.multiply({left.data(), 2, 8, 8}, {result.data(), 2, 5, 5}, false);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(std::isnan(result[i]));
    EXPECT_TRUE(std::isfinite(result[5 + i]));
  }
}

TYPED_TEST(LinearAlgebra, TransposesAnySize) {
  using Real = TypeParam;
  for (const std::size_t rows : kSizes) {
    for (const std::size_t columns : kSizes) {
      const auto input = this->random_values(columns * rows);
      std::vector<Real> output(rows * columns + 1, 7);
      RowKernels<Real>::transpose(input.data(), rows, columns, output.data());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_EQ(output[r * columns + c], input[c * rows + r]);
        }
      }
      EXPECT_EQ(output.back(), 7);
    }
  }
}

}  // namespace
}  // namespace senet
