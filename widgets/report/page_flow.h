// SPDX-License-Identifier: GPL-3.0-or-later
// PageFlow: pieces of a document, one below the other, broken into pages. A piece is never cut.
//
// Threading:  paint() on the thread that owns the painter.
// Ownership:  pieces own their content.
// Units:      px of 1/96 inch, as the evidence is painted.
// Errors:     none: the creator of a piece scales it if it is higher than a page.
// Cost:       O(pieces).
#pragma once

#include <QPainter>
#include <functional>
#include <memory>
#include <vector>

namespace runglass {

struct Piece {
  double height = 0;
  double before = 0;            // space above; none at the top of a page
  bool keep_with_next = false;  // not the last on a page
  std::function<void(QPainter&, QPointF)> paint;
  std::shared_ptr<const Piece> head;  // repeated above it if it starts a page
};

struct Paper {
  const char* name;
  double width, height;  // px of 1/96 inch
};
inline constexpr Paper kA4{"a4", 210 / 25.4 * 96, 297 / 25.4 * 96};
inline constexpr Paper kLetter{"letter", 816, 1056};
inline constexpr double kPageMargin = 18 / 25.4 * 96;
inline constexpr double kPageHead = 22, kPageFoot = 26;  // with their lines, within the page's body

class PageFlow {
 public:
  explicit PageFlow(const Paper& paper) : m_paper(paper) {}
  const Paper& paper() const { return m_paper; }
  double width() const { return m_paper.width - 2 * kPageMargin; }
  double bodyHeight() const { return m_paper.height - 2 * kPageMargin - kPageHead - kPageFoot; }

  void add(Piece piece) { m_pieces.push_back(std::move(piece)); }
  // Call after the last add().
  void breakPages();
  std::size_t pages() const { return m_pages.size(); }
  // Paints a page (from 0) without its header and footer.
  void paint(QPainter& painter, std::size_t page) const;

 private:
  struct Placed {
    const Piece* piece;
    double y;
  };
  Paper m_paper;
  std::vector<Piece> m_pieces;
  std::vector<std::vector<Placed>> m_pages;
};

}  // namespace runglass
