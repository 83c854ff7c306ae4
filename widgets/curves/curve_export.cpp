// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/curve_export.h"

#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <array>
#include <charconv>

#include "model/series_extent.h"
#include "widgets/charts/plot_widget.h"

namespace runglass {
namespace {

constexpr int kVectorPrimitives = 5'000;
constexpr double kImageScale = 300.0 / 96.0;

Status cannotWrite(const QSaveFile& file) {
  return {Code::kPermissionDenied, "export: " + file.fileName().toStdString() + ": " + file.errorString().toStdString()};
}

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void append(std::string& line, std::int64_t value) {
  std::array<char, 24> digits{};
  line.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// Writes one curve's rows; `head` is their common prefix.
class RowWriter {
 public:
  RowWriter(QSaveFile& file, std::string head) : m_file(file), m_head(std::move(head)) {}
  bool row(std::optional<std::int64_t> step, std::optional<TimeNs> time, double value) {
    m_line += m_head;
    if (step) append(m_line, *step);
    m_line += ',';
    if (time) append(m_line, *time);
    m_line += ',';
    m_line += fullNumber(value).toStdString();
    m_line += "\r\n";
    ++m_rows;
    return m_line.size() < kFlushBytes || flush();
  }
  bool flush() {
    const bool good = m_file.write(m_line.data(), static_cast<qint64>(m_line.size())) == static_cast<qint64>(m_line.size());
    m_line.clear();
    return good;
  }
  std::int64_t rows() const { return m_rows; }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 18;
  QSaveFile& m_file;
  const std::string m_head;
  std::string m_line;
  std::int64_t m_rows = 0;
};

std::string rowHead(const CardQuestion& question, const CurveTag& tag, const CurveSeries& member) {
  const SeriesKey& key = member.series.key;
  std::string head;
  if (member.run != CurveCatalog::kNoRun) {
    head += csvField(question.catalog->runs[member.run].run.name) + ',' + std::to_string(member.attempt);
  } else {
    head += ',';
  }
  head += ',' + csvField(key.source) + ',' + (key.rank ? std::to_string(*key.rank) : std::string()) + ',';
  head += csvField(member.name.toStdString()) + ',' + csvField(tag.metric) + ',' + csvField(tag.unit) + ',';
  return head;
}

std::int64_t shiftOf(const CardQuestion& question, const CurveSeries& member) {
  if (question.axis != CurveAxis::kRelative) return 0;
  if (member.run == CurveCatalog::kNoRun) return member.series.first_time.value_or(0);
  return question.catalog->runs[member.run].begin.value_or(0);
}

Status writeMember(Reader& reader, const CardQuestion& question, const CurveTag& tag, const CurveSeries& member, RowWriter& out, bool& good,
                   const std::stop_token& stop) {
  const std::int64_t shift = shiftOf(question, member), x0 = question.x0 + shift, x1 = question.x1 + shift;
  if (!tag.scalar) {
    if (question.axis == CurveAxis::kStep) return {};
    RG_ASSIGN(const SampleColumns samples, reader.samples(member.series.id, {x0, x1}, stop));
    if (samples.summarised > 0)
      return {Code::kFailedPrecondition, "cannot export " + tag.metric + " of " + member.name.toStdString() + ": of " +
                                             std::to_string(samples.summarised) +
                                             " samples in this range only summaries are here; select a later range, or "
                                             "export where the samples are"};
    for (std::size_t i = 0; i < samples.size() && good; ++i) good = out.row(std::nullopt, samples.time[i], samples.value[i]);
    return {};
  }
  const bool by_step = question.axis == CurveAxis::kStep;
  RG_ASSIGN(const ScalarColumns points,
            reader.scalars(member.series.id, by_step ? x0 : member.series.first_x, by_step ? x1 : endOf(member.series), stop));
  for (std::size_t i = 0; i < points.size() && good; ++i) {
    const std::optional<TimeNs> time = i < points.time.size() ? std::optional(points.time[i]) : std::nullopt;
    if (!by_step && (!time || *time < x0 || *time >= x1)) continue;
    good = out.row(points.step[i], time, points.value[i]);
  }
  return {};
}

}  // namespace

Status writePicture(const PlotWidget& plot, const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return cannotWrite(file);
  const QRect whole(QPoint(0, 0), plot.size());
  const auto picture = [&] {
    QImage image(plot.size() * kImageScale, QImage::Format_RGB32);
    QPainter painter(&image);
    painter.scale(kImageScale, kImageScale);
    plot.paintVector(painter, whole);
    return image;
  };
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setOutputDevice(&file);
    svg.setSize(plot.size());
    svg.setViewBox(whole);
    svg.setTitle(QStringLiteral("runglass"));
    QPainter painter(&svg);
    if (plot.primitives() > kVectorPrimitives)
      painter.drawImage(whole, picture());
    else
      plot.paintVector(painter, whole);
  } else if (!picture().save(&file, "PNG")) {
    return cannotWrite(file);
  }
  return file.commit() ? Status() : cannotWrite(file);
}

Result<std::int64_t> writeCsv(Reader& reader, const CardQuestion& question, const QString& path, std::stop_token stop) {
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return cannotWrite(file);
  file.write("run,attempt,source,rank,curve,tag,unit,step,time_ns,value\r\n");
  std::int64_t rows = 0;
  for (const std::size_t index : question.members) {
    const CurveSeries& member = tag.members.at(index);
    RowWriter out(file, rowHead(question, tag, member));
    bool good = true;
    if (const Status status = writeMember(reader, question, tag, member, out, good, stop); !status.ok()) return status;
    if (!good || !out.flush()) return cannotWrite(file);
    rows += out.rows();
  }
  if (!file.commit()) return cannotWrite(file);
  return rows;
}

}  // namespace runglass
