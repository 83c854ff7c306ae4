// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/curve_reading.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/statistics/median.h"
#include "model/metric_catalog.h"
#include "model/superseded.h"
#include "widgets/charts/bin_bands.h"
#include "widgets/core/label_text.h"

namespace runglass {
namespace {

constexpr std::size_t kBandColumns = 400, kManySeries = 128, kManyColumns = 200;

bool within(const Bin& bin, const CurveRange& range) { return bin.x1 > range.x0 && bin.x0 < range.x1; }

void count(const PlotCurve& curve, bool old, const CurveRange& range, CurvesRead& out) {
  for (const Bin& bin : *curve.bins) {
    if (!within(bin, range)) continue;
    (old ? out.superseded : out.points) += bin.count + bin.nan_count;
    if (old) continue;
    out.not_finite += bin.nan_count;
    if (bin.count == 0) continue;
    if (std::isfinite(bin.min)) out.least = std::min(out.least.value_or(bin.min), bin.min);
    if (std::isfinite(bin.max)) out.most = std::max(out.most.value_or(bin.max), bin.max);
    if (!out.first) out.first = bin.first;
    out.last = bin.last;
  }
}

std::optional<double> meanOf(const std::vector<Bin>& bins, const CurveRange& range) {
  double sum = 0, marked_sum = 0;
  std::int64_t points = 0, marked = 0;
  for (const Bin& bin : bins) {
    if (bin.count == 0 || !std::isfinite(bin.sum)) continue;
    sum += bin.sum, points += bin.count;
    if (range.mark && isWithin(bin, *range.mark)) marked_sum += bin.sum, marked += bin.count;
  }
  if (marked > 0) return marked_sum / static_cast<double>(marked);
  return points == 0 ? std::nullopt : std::optional(sum / static_cast<double>(points));
}

QString labelOf(const std::string& labels) {
  const QString text = labelText(labels);
  return text.isEmpty() ? screenText(labels, 40) : text;
}

Axis axisOf(const Series& series, const CurveRange& range) {
  return range.axis == CurveAxis::kTime && series.key.kind == SeriesKind::kScalar ? Axis::kTime : Axis::kX;
}

// Equal for all readings that must have equal edges.
std::size_t columnsOf(std::size_t members, const CurveRange& range) {
  const auto most = static_cast<std::int64_t>(members > kManySeries ? kManyColumns : kBandColumns);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(std::min<std::int64_t>(range.columns, range.x1 - range.x0), 1, most));
}

// Names that distinguish the members.
std::vector<QString> namesOf(const EvidenceSubject& subject, const std::vector<const Series*>& members) {
  std::set<AttemptId> attempts;
  std::set<std::optional<std::int32_t>> ranks;
  std::set<NodeId> nodes;
  std::set<DeviceId> devices;
  std::set<std::string> labels;
  for (const Series* one : members) labels.insert(one->key.labels);
  for (const Series* one : members)
    attempts.insert(one->key.attempt), ranks.insert(one->key.rank), nodes.insert(one->key.node), devices.insert(one->key.device);
  std::vector<QString> names;
  for (const Series* one : members) {
    QStringList parts;
    const auto attempt = std::ranges::find(subject.attempts, one->key.attempt, &Attempt::id);
    if (attempts.size() > 1 && attempt != subject.attempts.end()) parts << QObject::tr("attempt %1").arg(attempt->number);
    if (one->key.rank && ranks.size() > 1) parts << QObject::tr("rank %1").arg(*one->key.rank);
    if (one->key.node && nodes.size() > 1) parts << subject.nodeName(one->key.node);
    const auto device = std::ranges::find(subject.devices, one->key.device, &Device::id);
    if (device != subject.devices.end() && device->index && devices.size() > 1) parts << QObject::tr("GPU %1").arg(*device->index);
    if (labels.size() > 1) parts << labelOf(one->key.labels);
    names.push_back(parts.isEmpty() ? screenText(one->key.metric, 60) : parts.join(u' '));
  }
  return names;
}

}  // namespace

QString metricTitle(std::string_view metric) {
  const MetricInfo* info = findMetric(metric);
  return info != nullptr ? QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size())) : screenText(metric, 80);
}

Result<CurvesRead> readLines(Reader& reader, const EvidenceSubject& subject, const std::vector<const Series*>& members,
                             const CurveRange& range, double smoothing, const std::stop_token& stop) {
  CurvesRead out;
  if (members.empty() || range.x1 <= range.x0) return out;
  auto catalog = std::make_shared<CurveCatalog>();
  catalog->runs.push_back({subject.run, {}, subject.run.start});
  CurveTag& tag = catalog->tags.emplace_back();
  tag.metric = members.front()->key.metric, tag.unit = members.front()->key.unit;
  tag.scalar = members.front()->key.kind == SeriesKind::kScalar;
  const auto superseded = supersededFrom(subject.series);
  const auto names = namesOf(subject, members);
  CardQuestion question{.catalog = catalog, .x0 = range.x0, .x1 = range.x1, .pixels = static_cast<std::size_t>(range.columns)};
  question.axis = range.axis, question.smoothing = smoothing;
  for (std::size_t i = 0; i < std::min(members.size(), kMaxCurves); ++i) {
    CurveSeries member{.series = *members[i], .run = 0, .attempt = 0, .superseded_from = std::nullopt, .name = names[i]};
    if (const auto from = superseded.find(members[i]->id); from != superseded.end()) member.superseded_from = from->second;
    tag.members.push_back(std::move(member));
    question.members.push_back(i);
    question.colors.push_back(i);
  }
  for (std::size_t part = 0; part < partsOf(question); ++part) {
    RG_ASSIGN(CardPart read, readCardPart(reader, question, part, stop));
    out.without_axis += read.without_axis;
    for (std::size_t i = 0; i < read.curves.size(); ++i)
      for (PlotCurve& curve : read.curves[i]) {
        // Read with a margin around the window: data only in the margin is not in the picture.
        if (std::ranges::none_of(*curve.bins, [&](const Bin& bin) { return within(bin, range); })) continue;
        count(curve, curve.faint, range, out);
        out.inks.push_back({curve.faint ? CurveRole::kOld : CurveRole::kSeries, part + i * partsOf(question)});
        out.curves.push_back(std::move(curve));
      }
  }
  return out;
}

std::optional<double> meanWithin(const std::vector<Bin>& bins, std::int64_t x0, std::int64_t x1) {
  double sum = 0;
  std::int64_t points = 0;
  for (const Bin& bin : bins)
    if (bin.count > 0 && std::isfinite(bin.sum) && isWithin(bin, {x0, x1})) sum += bin.sum, points += bin.count;
  return points == 0 ? std::nullopt : std::optional(sum / static_cast<double>(points));
}

Result<MeansRead> readMeans(Reader& reader, const EvidenceSubject& subject, const std::vector<const Series*>& members,
                            const CurveRange& range, const std::stop_token& stop) {
  MeansRead out;
  const auto names = namesOf(subject, members);
  std::vector<PlotCurve> lines;
  for (std::size_t i = 0; i < members.size(); ++i) {
    RG_ASSIGN(std::vector<Bin> bins,
              reader.bins(members[i]->id, axisOf(*members[i], range), range.x0, range.x1, columnsOf(0, range), stop));
    for (const Bin& bin : bins) out.points += bin.count + bin.nan_count;
    if (out.bins.size() == bins.size())
      for (std::size_t b = 0; b < bins.size(); ++b)
        if (bins[b].count > 0) out.bins[b].sum = (out.bins[b].count > 0 ? out.bins[b].sum : 0) + bins[b].sum;
    widenBand(out.bins, bins);
    lines.push_back({.name = names[i], .ink = {}, .bins = meansOf(std::move(bins)), .smooth = {}, .gaps = true});
  }
  if (out.points == 0) return out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out.curves.push_back(std::move(lines[i])), out.inks.push_back({members.size() == 1 ? CurveRole::kSubject : CurveRole::kSeries, i});
  out.curves.push_back({.name = {}, .ink = {}, .bins = std::make_shared<const std::vector<Bin>>(out.bins), .smooth = {}, .gaps = true});
  out.inks.push_back({CurveRole::kReach, 0});
  return out;
}

Result<BandRead> readBand(Reader& reader, const std::vector<const Series*>& members, const Series* chosen, const CurveRange& range,
                          const std::stop_token& stop) {
  BandRead out;
  const std::size_t columns = columnsOf(members.size(), range);
  std::vector<SharedBins> peers;
  std::vector<double> means;
  std::vector<Bin> reach;
  SharedBins own;
  for (const Series* one : members) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "read evidence: superseded");
    RG_ASSIGN(std::vector<Bin> bins, reader.bins(one->id, axisOf(*one, range), range.x0, range.x1, columns, stop));
    const auto mean = meanOf(bins, range);
    if (!mean) continue;
    ++out.heard;
    widenBand(reach, bins);
    for (const Bin& bin : bins)
      if (bin.count > 0 && std::isfinite(bin.min) && std::isfinite(bin.max))
        out.least = std::min(out.least.value_or(bin.min), bin.min), out.most = std::max(out.most.value_or(bin.max), bin.max);
    if (one == chosen) {
      out.chosen = mean;
      own = meansOf(std::move(bins));
      continue;
    }
    means.push_back(*mean);
    peers.push_back(std::make_shared<const std::vector<Bin>>(std::move(bins)));
  }
  out.median = median(means);
  const auto add = [&](const QString& name, SharedBins bins, CurveRole role) {
    out.curves.push_back({.name = name, .ink = {}, .bins = std::move(bins), .smooth = {}, .gaps = true});
    out.inks.push_back({role, 0});
  };
  // The subject first: if a narrow legend drops an entry, it is the range.
  if (own) add({}, own, CurveRole::kSubject);
  if (!peers.empty()) add(chosen != nullptr ? QObject::tr("peers' median") : QObject::tr("median"), medianOf(peers), CurveRole::kCompared);
  if (out.heard > 1)
    add(QObject::tr("min–max of %1").arg(formatCount(static_cast<std::int64_t>(out.heard))),
        std::make_shared<const std::vector<Bin>>(std::move(reach)), CurveRole::kReach);
  return out;
}

}  // namespace runglass
