// Matrix products in register tiles. Included by one source file per instruction set: see
// kernels_vectors.hpp.
#pragma once

#include "nn/kernels_vectors.hpp"

namespace senet {
namespace {

/// Products of rows with packed weights.
///   kLanes      floats in a vector register
///   kMaxRows    rows of the largest register tile
///   kRegisters  vector registers of the processor
template <int kLanes, int kMaxRows, int kRegisters>
struct LinearKernel : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::add_square, Base::all, Base::kVectors, Base::load, Base::load_partial,
      Base::multiply_add, Base::store, Base::store_partial;
  using typename Base::Partial;
  using typename Base::Vector;

  /// One register tile: kRows rows by kPanels panels, kept in registers over all inputs.
  template <int kRows, int kPanels, bool kAdd>
  [[gnu::noinline]] static void tile(const LinearPass& pass, std::size_t row, std::size_t panel) {
    constexpr int kWide = kPanels * kVectors;
    const std::size_t inputs = pass.inputs;
    const std::size_t panel_size = inputs * kPanel;
    const float* in = pass.in + row * pass.in_stride;
    const float* weight = pass.panels + panel * panel_size;
    const float* bias = pass.bias + panel * kPanel;

    Vector sum[kRows][kWide];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) sum[r][v] = load(bias + v * kLanes);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < inputs; ++k) {
      Vector column[kWide];
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        column[v] = load(weight + static_cast<std::size_t>(v / kVectors) * panel_size + k * kPanel +
                         static_cast<std::size_t>(v % kVectors) * kLanes);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Vector value = all(in[static_cast<std::size_t>(r) * pass.in_stride + k]);
#pragma GCC unroll 16
        for (int v = 0; v < kWide; ++v) multiply_add(sum[r][v], value, column[v]);
      }
    }

    float* out = pass.out + row * pass.out_stride + panel * kPanel;
    float* squares = pass.squares + row * kPanel;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, out += pass.out_stride, squares += kPanel) {
      Partial square = panel == 0 ? Partial{} : load_partial(squares);
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        Vector y = sum[r][v];
        if constexpr (kAdd) y += load(out + v * kLanes);
        store(out + v * kLanes, y);
        add_square(square, v % kVectors, y);
      }
      store_partial(squares, square);
    }
  }

  using Tile = void (*)(const LinearPass& pass, std::size_t row, std::size_t panel);

  /// Sums, one row of weights and one input must be in registers together; a single row takes its
  /// weights straight from memory.
  static constexpr bool fits(int rows, int panels) {
    const int sums = rows * panels * kVectors;
    return sums + (rows == 1 ? kVectors : panels * kVectors) + 1 <= kRegisters;
  }

  /// The tile of `rows` by 1, 2, 4 or 8 panels; null where the registers do not suffice.
  template <bool kAdd, int kRows = 1>
  static Tile find_tile(std::size_t rows, std::size_t panels) {
    if constexpr (kRows <= kMaxRows) {
      if (rows != kRows) return find_tile<kAdd, kRows + 1>(rows, panels);
      if constexpr (fits(kRows, 8)) {
        if (panels == 8) return &tile<kRows, 8, kAdd>;
      }
      if constexpr (fits(kRows, 4)) {
        if (panels == 4) return &tile<kRows, 4, kAdd>;
      }
      if constexpr (fits(kRows, 2)) {
        if (panels == 2) return &tile<kRows, 2, kAdd>;
      }
      if (panels == 1) return &tile<kRows, 1, kAdd>;
    }
    return nullptr;
  }

  /// Splits the rows into tiles as even as can be, so that no batch size leaves a thin one; each
  /// group of panels stays in the first-level cache while all row tiles pass over it.
  template <bool kAdd>
  static void linear(const LinearPass& pass, std::size_t rows) {
    if (rows == 0) return;
    const std::size_t tiles = (rows + kMaxRows - 1) / kMaxRows;
    const std::size_t low = rows / tiles, high_tiles = rows % tiles;
    std::size_t panel = 0;
    for (std::size_t group = 8; group >= 1; group /= 2) {
      const Tile low_tile = find_tile<kAdd>(low, group);
      const Tile high_tile = high_tiles == 0 ? low_tile : find_tile<kAdd>(low + 1, group);
      if (low_tile == nullptr || high_tile == nullptr) continue;
      for (; panel + group <= pass.panel_count; panel += group) {
        std::size_t row = 0;
        for (std::size_t i = 0; i < high_tiles; ++i, row += low + 1) high_tile(pass, row, panel);
        for (; row < rows; row += low) low_tile(pass, row, panel);
      }
    }
  }
};

}  // namespace
}  // namespace senet
