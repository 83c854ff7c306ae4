// SPDX-License-Identifier: GPL-3.0-or-later
// ReportPages: a report laid out on paper once, painted on a PDF, a picture or a printer.
//
// Threading:  made and painted on any thread; after it is made it does not change.
// Ownership:  shares what the figures show.
// Units:      px of 1/96 inch.
// Errors:     none: what could not be drawn says why.
// Cost:       one layout of every text.
#pragma once

#include <QPicture>
#include <vector>

#include "analysis/report/report_document.h"
#include "widgets/evidence/evidence.h"
#include "widgets/report/page_flow.h"

namespace runglass {

// A chart as the GUI thread drew it.
struct DrawnChart {
  QPicture picture;         // light, as paper is
  std::string light, dark;  // SVG
  QSizeF size;
};

// What belongs to the figures and charts of a document, in their order; fewer: the rest is told in words.
struct ReportFigures {
  std::vector<Evidence> evidence;
  std::vector<DrawnChart> charts;
};

class ReportPages {
 public:
  ReportPages(const report::ReportDocument& document, const ReportFigures& figures, const Paper& paper);
  std::size_t count() const { return m_flow.pages(); }
  const Paper& paper() const { return m_flow.paper(); }
  // One page from 0; the painter is scaled so that a px is 1/96 inch.
  void paint(QPainter& painter, std::size_t page) const;

 private:
  PageFlow m_flow;
  QString m_title, m_run, m_foot;
};

}  // namespace runglass
