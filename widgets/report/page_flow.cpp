// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/page_flow.h"

namespace runglass {

void PageFlow::breakPages() {
  m_pages.assign(1, {});
  double y = 0;
  for (std::size_t i = 0; i < m_pieces.size();) {
    // The height of the pieces that stay together, as long as one page can hold them.
    double needed = 0;
    std::size_t end = i;
    do {
      needed += m_pieces[end].height + (end == i && y == 0 ? 0 : m_pieces[end].before);
    } while (m_pieces[end++].keep_with_next && end < m_pieces.size());
    if (y > 0 && y + needed > bodyHeight()) m_pages.emplace_back(), y = 0;
    for (; i < end; ++i) {
      const Piece& piece = m_pieces[i];
      if (y > 0 && y + piece.before + piece.height > bodyHeight()) m_pages.emplace_back(), y = 0;
      if (y == 0 && piece.head) {
        m_pages.back().push_back({piece.head.get(), y});
        y += piece.head->height;
      } else if (y > 0) {
        y += piece.before;
      }
      m_pages.back().push_back({&piece, y});
      y += piece.height;
    }
  }
}

void PageFlow::paint(QPainter& painter, std::size_t page) const {
  for (const Placed& placed : m_pages[page])
    if (placed.piece->paint) placed.piece->paint(painter, {kPageMargin, kPageMargin + kPageHead + placed.y});
}

}  // namespace runglass
