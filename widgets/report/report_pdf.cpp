// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/report_pdf.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace runglass {
namespace {

constexpr double kInch = 96;
constexpr double kSvgWidth = 900;

// Qt writes the current time into the file; this sets the report's time instead. "D:20261122143005+00'00'" has a constant length.
void setMade(QByteArray& pdf, std::optional<TimeNs> made) {
  const auto seconds = static_cast<std::time_t>(made.value_or(0) / kNsPerSecond);
  std::tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr) return;
  char digits[32];
  if (std::strftime(digits, sizeof digits, "%Y%m%d%H%M%S", &utc) != 14) return;
  const QByteArray key = "/CreationDate (D:";
  for (qsizetype at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
    const qsizetype begin = at + key.size(), end = pdf.indexOf(')', begin);
    if (end < begin + 14) continue;
    for (qsizetype i = 0; i < 14; ++i) pdf[begin + i] = digits[i];
    // The following characters are the writer's time zone.
    for (qsizetype i = begin + 14; i < end; ++i)
      if (pdf[i] >= '0' && pdf[i] <= '9')
        pdf[i] = '0';
      else if (pdf[i] == '-')
        pdf[i] = '+';
  }
}

}  // namespace

std::string svgOf(QSizeF size, const QString& title, const std::function<void(QPainter&)>& paint) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(static_cast<int>(kInch));
  generator.setSize({static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height()))});
  generator.setViewBox(QRectF({0, 0}, size));
  generator.setTitle(title);
  QPainter painter(&generator);
  paint(painter);
  painter.end();
  return bytes.toStdString();
}

Result<QByteArray> pagesPdf(const ReportPages& pages, const QString& title, std::optional<TimeNs> made, std::stop_token stop,
                            const std::function<void(std::size_t)>& page) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    // Coordinates are fractions; charts are replayed without being scaled a second time.
    writer.setResolution(static_cast<int>(kInch));
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Runglass"));
    const QPageSize size(QSizeF(pages.paper().width / kInch, pages.paper().height / kInch), QPageSize::Inch, {}, QPageSize::ExactMatch);
    writer.setPageLayout(QPageLayout(size, QPageLayout::Portrait, {0, 0, 0, 0}));
    QPainter painter(&writer);
    for (std::size_t i = 0; i < pages.count(); ++i) {
      if (stop.stop_requested()) return Status(Code::kCancelled, "report: stopped");
      if (i > 0) writer.newPage();
      pages.paint(painter, i);
      if (page) page(i);
    }
  }
  setMade(bytes, made);
  return bytes;
}

QImage pagePicture(const ReportPages& pages, std::size_t page, double dots_per_inch) {
  const double scale = dots_per_inch / kInch;
  QImage image(static_cast<int>(std::ceil(pages.paper().width * scale)), static_cast<int>(std::ceil(pages.paper().height * scale)),
               QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  painter.scale(scale, scale);
  pages.paint(painter, page);
  return image;
}

std::string evidenceSvg(const Evidence& evidence, const Theme& theme) {
  if (evidence.empty()) return {};
  const QSizeF size(kSvgWidth, heightOf(evidence, kSvgWidth));
  return svgOf(size, evidence.title, [&](QPainter& painter) { paintEvidence(painter, QRectF({0, 0}, size), evidence, theme); });
}

}  // namespace runglass
