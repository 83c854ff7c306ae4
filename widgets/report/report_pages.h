// SPDX-License-Identifier: GPL-3.0-or-later
// ReportPages: a report laid out on paper once, painted into a PDF, an image or a printer.
//
// Threading:  created and painted on any thread; immutable afterwards.
// Ownership:  shares the data of the figures.
// Units:      px of 1/96 inch.
// Errors:     none: a figure that could not be drawn is replaced by the reason.
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
  QPicture picture;         // in light colours, for paper
  std::string light, dark;  // SVG
  QSizeF size;
};

// The figures and charts of a document, in order; if there are fewer, the others are replaced by text.
struct ReportFigures {
  std::vector<Evidence> evidence;
  std::vector<DrawnChart> charts;
};

class ReportPages {
 public:
  ReportPages(const report::ReportDocument& document, const ReportFigures& figures, const Paper& paper);
  std::size_t count() const { return m_flow.pages(); }
  const Paper& paper() const { return m_flow.paper(); }
  // Paints one page (from 0); the painter is scaled so that a px is 1/96 inch.
  void paint(QPainter& painter, std::size_t page) const;

 private:
  PageFlow m_flow;
  QString m_title, m_run, m_foot;
};

}  // namespace runglass
