// SPDX-License-Identifier: Apache-2.0
// BarFolder: makes bars from the spans and stretches of one lane, merging those that begin in the same pixel. Internal to storage.
//
// Threading:  one thread.
// Ownership:  appends to the caller's vector.
// Units:      TimeNs; pixel in ns; busy in ns.
// Errors:     a piece wider than a pixel is never merged, so only gaps narrower than a pixel disappear.
// Cost:       about 5 ns per piece. Pieces must come in order of t0; a piece out of order becomes a bar of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// A span, or a stretch of several spans, as stored in a chunk.
struct SpanPiece {
  TimeNs t0 = 0, t1 = 0;   // t1 exclusive; the highest int64 while a span is open
  std::uint32_t name = 0;  // of the longest, an interned string
  std::uint32_t count = 0;
  SpanCategory category = SpanCategory::kOther;  // with the most busy time
  std::array<float, kSpanClassCount> busy{};     // ns
};

class BarFolder {
 public:
  static constexpr std::uint64_t kNamedPixels = 5;

  // `nameOf`: maps an interned string to its index in the picture's names.
  BarFolder(DurNs pixel, std::vector<SpanBar>& out) : m_pixel(std::max<DurNs>(pixel, 1)), m_out(out) {}

  template <class NameOf>
  Status add(const SpanPiece& piece, std::int64_t id, NameOf nameOf) {
    const std::uint64_t width = static_cast<std::uint64_t>(piece.t1) - static_cast<std::uint64_t>(piece.t0);
    const bool narrow = width <= static_cast<std::uint64_t>(m_pixel);
    if (narrow && m_open &&
        static_cast<std::uint64_t>(piece.t0) - static_cast<std::uint64_t>(m_column) < static_cast<std::uint64_t>(m_pixel)) {
      merge(piece);
      return {};
    }
    close();
    SpanBar bar{.t0 = piece.t0, .t1 = piece.t1, .id = id, .count = piece.count, .category = piece.category, .busy = piece.busy};
    if (width / kNamedPixels >= static_cast<std::uint64_t>(m_pixel)) {
      RG_ASSIGN(bar.name, nameOf(piece.name));
    }
    m_out.push_back(bar);
    m_open = narrow;
    m_pending = true;
    m_column = columnOf(piece.t0);
    m_most = *std::ranges::max_element(piece.busy);
    return {};
  }
  void finish() { close(); }

 private:
  // The start of the pixel that contains `time`.
  TimeNs columnOf(TimeNs time) const {
    const TimeNs into = time % m_pixel;
    return static_cast<TimeNs>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(into < 0 ? into + m_pixel : into));
  }
  void merge(const SpanPiece& piece) {
    SpanBar& bar = m_out.back();
    bar.t1 = std::max(bar.t1, piece.t1);
    bar.id = 0;
    bar.count += piece.count;
    const float most = *std::ranges::max_element(piece.busy);
    if (most > m_most) m_most = most, bar.category = piece.category;
    for (std::size_t c = 0; c < bar.busy.size(); ++c) bar.busy[c] += piece.busy[c];
  }
  // Converts busy ns to shares of the bar's extent.
  void close() {
    if (!m_pending) return;
    SpanBar& bar = m_out.back();
    const auto extent = static_cast<float>(static_cast<std::uint64_t>(bar.t1) - static_cast<std::uint64_t>(bar.t0));
    const float scale = extent > 0 ? 1 / extent : 0;
    for (float& share : bar.busy) share = std::min(share * scale, 1.0F);
    m_pending = m_open = false;
  }

  DurNs m_pixel;
  std::vector<SpanBar>& m_out;
  bool m_open = false, m_pending = false;
  TimeNs m_column = 0;  // start of the open bar's pixel
  float m_most = 0;
};

}  // namespace runglass
