// SPDX-License-Identifier: GPL-3.0-or-later
// A report's pages as a PDF with vector figures, embedded fonts and clickable links; its figures as SVG; its pages as images.
//
// Threading:  any thread.
// Units:      px of 1/96 inch; dots per inch for images.
// Errors:     CANCELLED when `stop` fires.
// Cost:       the painting of every page.
#pragma once

#include <QByteArray>
#include <QImage>
#include <functional>
#include <optional>
#include <stop_token>

#include "model/result.h"
#include "widgets/report/report_pages.h"

namespace runglass {

// The same pages and `made` give the same bytes. `page` is called after each page.
Result<QByteArray> pagesPdf(const ReportPages& pages, const QString& title, std::optional<TimeNs> made, std::stop_token stop,
                            const std::function<void(std::size_t)>& page = {});
QImage pagePicture(const ReportPages& pages, std::size_t page, double dots_per_inch);
// Text stays text.
std::string evidenceSvg(const Evidence& evidence, const Theme& theme);
std::string svgOf(QSizeF size, const QString& title, const std::function<void(QPainter&)>& paint);

}  // namespace runglass
