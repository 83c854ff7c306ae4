// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/curves_data.h"

#include <algorithm>
#include <map>

#include "widgets/core/units.h"

namespace runglass {
namespace {

struct Names {
  std::map<RunId, Run> runs;
  std::map<AttemptId, std::int32_t> attempts;
  std::map<NodeId, std::string> nodes;
  std::map<DeviceId, std::string> devices;
};

Result<Names> readNames(Reader& reader) {
  Names names;
  RG_ASSIGN(const auto runs, reader.runs());
  for (const Run& run : runs) {
    names.runs[run.id] = run;
    RG_ASSIGN(const auto attempts, reader.attempts(run.id));
    for (const Attempt& attempt : attempts) names.attempts[attempt.id] = attempt.number;
  }
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Node& node : nodes) names.nodes[node.id] = node.name;
  RG_ASSIGN(const auto devices, reader.devices());
  for (const Device& device : devices) names.devices[device.id] = device.index ? "GPU " + std::to_string(*device.index) : device.uuid;
  return names;
}

// What tells a curve apart from the others of its tag.
QString curveName(const Series& series, const Names& names) {
  QStringList parts;
  if (const auto run = names.runs.find(series.run); run != names.runs.end()) parts << screenText(run->second.name, 40);
  if (!series.key.source.empty()) parts << screenText(series.key.source, 40);
  if (const auto attempt = names.attempts.find(series.key.attempt); attempt != names.attempts.end() && attempt->second > 0)
    parts << QStringLiteral("attempt %1").arg(attempt->second);
  if (series.key.rank) parts << QStringLiteral("rank %1").arg(*series.key.rank);
  if (const auto node = names.nodes.find(series.key.node); node != names.nodes.end()) parts << screenText(node->second, 40);
  if (const auto device = names.devices.find(series.key.device); device != names.devices.end()) parts << screenText(device->second, 40);
  if (series.key.kind != SeriesKind::kScalar && !series.key.labels.empty()) parts << screenText(series.key.labels, 60);
  return parts.join(QStringLiteral(" · "));
}

// Whether a series has a place on this axis at all, and its extent there; `zero` is subtracted from times on the relative axis.
std::optional<std::pair<std::int64_t, std::int64_t>> extentOf(const Series& series, CurveAxis axis, TimeNs zero) {
  if (axis == CurveAxis::kStep)
    return series.key.kind == SeriesKind::kScalar ? std::optional(std::pair(series.first_x, series.last_x + 1)) : std::nullopt;
  if (!series.first_time || !series.last_time) return std::nullopt;
  const TimeNs shift = axis == CurveAxis::kRelative ? zero : 0;
  return std::pair(*series.first_time - shift, *series.last_time - shift + 1);
}

std::string fieldText(const QString& text) {
  QString quoted = text;
  // A text cell that begins like a formula must not become one.
  if (!quoted.isEmpty() && QStringLiteral("=+-@\t\r").contains(quoted[0])) quoted.prepend(QLatin1Char('\''));
  return "\"" + quoted.replace(QLatin1Char('"'), QStringLiteral("\"\"")).toStdString() + "\"";
}

}  // namespace

Result<CurvesData> readCurves(Reader& reader, const CurvesQuestion& question, std::stop_token stop) {
  CurvesData data;
  RG_ASSIGN(const auto all, reader.series({}));
  data.all = groupByTag(all);
  RG_ASSIGN(const Names names, readNames(reader));
  std::map<RunId, TimeNs> zero;
  for (const Series& series : all)
    if (series.first_time)
      zero[series.run] = std::min(zero.contains(series.run) ? zero[series.run] : *series.first_time, *series.first_time);

  // The checked tags as they are now: series may have come since the question was asked. Nothing checked yet: the first answer chooses.
  std::vector<const CurveTag*> tags;
  for (const CurveTag& tag : data.all)
    if (std::find(question.tags.begin(), question.tags.end(), tag) != question.tags.end()) tags.push_back(&tag);

  if (question.window) {
    std::tie(data.x0, data.x1) = *question.window;
  } else {
    bool any = false;
    for (const CurveTag* tag : tags)
      for (const Series& series : tag->series)
        if (const auto extent = extentOf(series, question.axis, zero[series.run])) {
          data.x0 = any ? std::min(data.x0, extent->first) : extent->first;
          data.x1 = any ? std::max(data.x1, extent->second) : extent->second;
          any = true;
        }
    if (!any) data.x1 = data.x0 + 1;
  }
  const Theme& colours = theme(question.theme);
  auto plots = std::make_shared<PlotData>();
  plots->axis = question.axis == CurveAxis::kStep ? XAxis::kStep : XAxis::kTime;
  plots->style = question.axis == CurveAxis::kRelative ? TimeStyle::kRelative : question.style;
  const std::int64_t margin = (data.x1 - data.x0) / (question.window ? 1 : 50);
  for (const CurveTag* tag : tags) {
    PlotPanel panel{.title = tag->name,
                    .unit = tag->unit,
                    .log = question.log,
                    .robust = question.robust,
                    .smoothing = tag->scalar ? question.smoothing : 0};
    std::size_t colour = 0;
    for (const Series& series : tag->series) {
      const TimeNs shift = question.axis == CurveAxis::kRelative ? zero[series.run] : 0;
      const auto extent = extentOf(series, question.axis, zero[series.run]);
      if (!extent) continue;
      const std::int64_t from = std::max(data.x0 - margin, extent->first) + shift, to = std::min(data.x1 + margin, extent->second) + shift;
      if (to <= from) continue;
      const double share = static_cast<double>(to - from) / static_cast<double>(data.x1 - data.x0);
      const auto count = static_cast<std::size_t>(
          std::clamp(share * 2 * static_cast<double>(question.pixels), 16.0, 6.0 * static_cast<double>(question.pixels)));
      RG_ASSIGN(auto bins, reader.bins(series.id, question.axis == CurveAxis::kStep ? Axis::kX : Axis::kTime, from, to,
                                       std::min<std::size_t>(count, static_cast<std::size_t>(to - from)), stop));
      if (shift != 0)
        for (Bin& bin : bins) bin.x0 -= shift, bin.x1 -= shift;
      panel.curves.push_back({.name = curveName(series, names),
                              .color = colours.series[colour++ % colours.series.size()],
                              .bins = std::make_shared<const std::vector<Bin>>(std::move(bins)),
                              .gaps = !tag->scalar});
    }
    if (panel.curves.empty())
      panel.empty = question.axis == CurveAxis::kStep
                        ? (tag->scalar ? QString() : QStringLiteral("a metric has no steps: choose the time axis"))
                        : QStringLiteral("its source has no clock: choose the step axis");
    plots->panels.push_back(std::move(panel));
  }
  data.plots = plots;
  return data;
}

Result<QByteArray> readCsv(Reader& reader, const CurvesQuestion& question, std::stop_token stop) {
  RG_ASSIGN(const Names names, readNames(reader));
  QByteArray csv("tag,curve,step,time_ns,value\r\n");
  for (const CurveTag& tag : question.tags) {
    for (const Series& series : tag.series) {
      const std::string head = fieldText(tag.name) + "," + fieldText(curveName(series, names)) + ",";
      const auto row = [&](const std::string& step, const std::string& time, double value) {
        csv += QByteArray::fromStdString(head + step + "," + time + ",") + fullNumber(value).toUtf8() + "\r\n";
      };
      if (tag.scalar) {
        RG_ASSIGN(const auto points, reader.scalars(series.id, INT64_MIN, INT64_MAX, stop));
        for (std::size_t i = 0; i < points.size(); ++i)
          row(std::to_string(points.step[i]), points.time.empty() ? "" : std::to_string(points.time[i]), points.value[i]);
      } else {
        const TimeRange range =
            question.axis == CurveAxis::kTime && question.window ? TimeRange{question.window->first, question.window->second} : TimeRange{};
        RG_ASSIGN(const auto points, reader.samples(series.id, range, stop));
        for (std::size_t i = 0; i < points.size(); ++i) row("", std::to_string(points.time[i]), points.value[i]);
      }
    }
  }
  return csv;
}

}  // namespace runglass
