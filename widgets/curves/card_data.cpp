// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/card_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::size_t kWarmUpBins = 256;
constexpr double kForgotten = 20;  // a point's weight is down to e^-20 after this many time constants

// How a member's own x maps to the axis.
struct Placement {
  Axis axis = Axis::kX;
  std::int64_t offset = 0;  // own x = axis x + offset
};

std::optional<Placement> placementOf(const CurveCatalog& catalog, const CurveTag& tag, const CurveSeries& member, CurveAxis axis) {
  if (axis == CurveAxis::kStep) return tag.scalar ? std::optional(Placement{}) : std::nullopt;
  if (!member.series.first_time || !member.series.last_time) return std::nullopt;
  Placement place{tag.scalar ? Axis::kTime : Axis::kX, 0};
  if (axis == CurveAxis::kRelative)
    place.offset = member.run == CurveCatalog::kNoRun ? *member.series.first_time : catalog.runs[member.run].begin.value_or(0);
  return place;
}

Bin pointBin(std::int64_t x, double value) {
  const bool nan = std::isnan(value);
  return {x, x == INT64_MAX ? x : x + 1, value, value, value, value, value, nan ? 0 : 1, nan ? 1 : 0};
}

// Every point of a short series, as bins of one. Absent: some of its data is stored only as summaries.
Result<std::optional<std::vector<Bin>>> readPoints(Reader& reader, const CurveSeries& member, bool scalar, Axis axis, std::int64_t x0,
                                                   std::int64_t x1, const std::stop_token& stop) {
  std::vector<Bin> bins;
  if (!scalar) {
    RG_ASSIGN(const SampleColumns samples, reader.samples(member.series.id, {x0, x1}, stop));
    if (samples.summarised > 0) return std::optional<std::vector<Bin>>();
    bins.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) bins.push_back(pointBin(samples.time[i], samples.value[i]));
    return std::optional(std::move(bins));
  }
  const bool by_step = axis == Axis::kX;
  RG_ASSIGN(const ScalarColumns points,
            reader.scalars(member.series.id, by_step ? x0 : member.series.first_x, by_step ? x1 : endOf(member.series), stop));
  bins.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (by_step)
      bins.push_back(pointBin(points.step[i], points.value[i]));
    else if (i < points.time.size() && points.time[i] >= x0 && points.time[i] < x1)
      bins.push_back(pointBin(points.time[i], points.value[i]));
  }
  if (!std::ranges::is_sorted(bins, {}, &Bin::x0)) std::ranges::stable_sort(bins, {}, &Bin::x0);
  return std::optional(std::move(bins));
}

struct OneCurve {
  std::vector<Bin> bins, smooth;
  double bin_width = 0;
};

class CurveReader {
 public:
  CurveReader(Reader& reader, const CardQuestion& question, const CurveTag& tag, const CurveSeries& member, Placement place,
              std::stop_token stop)
      : m_reader(reader), m_question(question), m_tag(tag), m_member(member), m_place(place), m_stop(std::move(stop)) {
    const Series& series = member.series;
    m_first = place.axis == Axis::kX ? series.first_x : *series.first_time;
    m_last = place.axis == Axis::kX ? series.last_x : *series.last_time;
  }

  // Range in the member's own x.
  Result<OneCurve> read(std::int64_t covered0, std::int64_t covered1) {
    OneCurve curve;
    const std::int64_t from = std::max(covered0 + m_place.offset, m_first), to = std::min(covered1 + m_place.offset, m_last + 1);
    if (from >= to) return curve;
    const double density = static_cast<double>(perPixel() * m_question.pixels) / static_cast<double>(m_question.x1 - m_question.x0);
    const auto wanted = static_cast<std::size_t>(std::clamp(std::ceil(density * static_cast<double>(to - from)), 1.0, 1e6));
    std::optional<std::vector<Bin>> points;
    if (expected(from, to) <= 2 * wanted) {
      RG_ASSIGN(points, readPoints(m_reader, m_member, m_tag.scalar, m_place.axis, from, to, m_stop));
    }
    if (points) {
      curve.bins = std::move(*points);
    } else {
      RG_ASSIGN(curve.bins, m_reader.bins(m_member.series.id, m_place.axis, from, to, wanted, m_stop));
      curve.bin_width = static_cast<double>(to - from) / static_cast<double>(wanted);
      std::erase_if(curve.bins, [](const Bin& bin) { return bin.count == 0 && bin.nan_count == 0; });
    }
    if (m_question.smoothing > 0) {
      RG_ASSIGN(curve.smooth, smooth(curve.bins, from));
    }
    for (std::vector<Bin>* bins : {&curve.bins, &curve.smooth})
      for (Bin& bin : *bins) bin.x0 -= m_place.offset, bin.x1 -= m_place.offset;
    return curve;
  }

 private:
  std::size_t perPixel() const { return m_question.members.size() > kFewCurves ? kBinsPerPixelMany : kBinsPerPixelFew; }
  std::size_t expected(std::int64_t from, std::int64_t to) const {
    const auto all = static_cast<double>(m_member.series.sample_count);
    // Points by time come from a read of all steps, so all of them count.
    if (m_tag.scalar && m_place.axis == Axis::kTime) return static_cast<std::size_t>(all);
    return static_cast<std::size_t>(all * static_cast<double>(to - from) / (static_cast<double>(m_last - m_first) + 1));
  }

  // The average does not restart at the window's edge: earlier data warms it up.
  Result<std::vector<Bin>> smooth(const std::vector<Bin>& bins, std::int64_t from) {
    std::vector<Bin> warm;
    if (from > m_first) {
      const double spacing = (static_cast<double>(m_last - m_first) + 1) / static_cast<double>(m_member.series.sample_count);
      const double reach = std::min(kForgotten / (1 - m_question.smoothing) * spacing, static_cast<double>(from - m_first));
      const std::int64_t begin = from - std::max<std::int64_t>(1, static_cast<std::int64_t>(reach));
      RG_ASSIGN(warm, m_reader.bins(m_member.series.id, m_place.axis, begin, from, kWarmUpBins, m_stop));
    }
    const auto skipped = static_cast<std::ptrdiff_t>(warm.size());
    warm.insert(warm.end(), bins.begin(), bins.end());
    std::vector<Bin> smooth = smoothed(warm, m_question.smoothing);
    smooth.erase(smooth.begin(), smooth.begin() + skipped);
    return smooth;
  }

  Reader& m_reader;
  const CardQuestion& m_question;
  const CurveTag& m_tag;
  const CurveSeries& m_member;
  const Placement m_place;
  const std::stop_token m_stop;
  std::int64_t m_first = 0, m_last = 0;
};

// Where on the axis the superseded branch starts.
Result<std::optional<std::int64_t>> branchAt(Reader& reader, const CurveSeries& member, Placement place, const std::stop_token& stop) {
  if (!member.superseded_from) return std::optional<std::int64_t>{};
  if (place.axis == Axis::kX) return member.superseded_from;
  constexpr std::int64_t kNearSteps = 10'000;
  const std::int64_t step = *member.superseded_from;
  RG_ASSIGN(const ScalarColumns next, reader.scalars(member.series.id, step, step + kNearSteps, stop));
  if (next.time.empty()) return std::optional<std::int64_t>{};
  return std::optional(next.time.front() - place.offset);
}

std::pair<std::vector<Bin>, std::vector<Bin>> split(std::vector<Bin> bins, std::int64_t at) {
  const auto cut = std::lower_bound(bins.begin(), bins.end(), at, [](const Bin& bin, std::int64_t x) { return bin.x0 < x; });
  std::vector<Bin> after(cut, bins.end());
  bins.erase(cut, bins.end());
  return {std::move(bins), std::move(after)};
}

SharedBins share(std::vector<Bin> bins) { return std::make_shared<const std::vector<Bin>>(std::move(bins)); }

QString emptyText(const CardQuestion& question, const CurveTag& tag, std::size_t without) {
  if (question.members.empty()) return CurveText::tr("No curve of this tag is ticked.");
  if (without < question.members.size()) return CurveText::tr("No point in this window.");
  if (!tag.scalar) return CurveText::tr("This metric has times and no steps: choose the axis \"time\".");
  return CurveText::tr("The source recorded no times: choose the axis \"step\".");
}

// Margin around the window, so that panning has pixels at once: one window on either side, half of one if there are many curves.
XRange coveredBy(const CardQuestion& question) {
  const std::int64_t span = question.x1 - question.x0, room = question.members.size() > kFewCurves ? span / 2 : span;
  return {question.x0 < INT64_MIN + room ? INT64_MIN : question.x0 - room, question.x1 > INT64_MAX - room ? INT64_MAX : question.x1 + room};
}

}  // namespace

QColor curveColor(const Theme& theme, std::size_t index) {
  const QColor base = theme.series[index % theme.series.size()];
  const std::size_t round = index / theme.series.size();
  if (round == 0) return base;
  const double share = round <= 2 ? 0.35 : 0.55;
  return mix(base, round % 2 == 1 ? theme.text : theme.muted, share);
}

std::optional<XRange> extentOf(const CurveCatalog& catalog, const CurveTag& tag, const CurveSeries& member, CurveAxis axis) {
  const auto place = placementOf(catalog, tag, member, axis);
  if (!place) return std::nullopt;
  const Series& series = member.series;
  if (place->axis == Axis::kX) return XRange{series.first_x - place->offset, series.last_x - place->offset + 1};
  return XRange{*series.first_time - place->offset, *series.last_time - place->offset + 1};
}

std::optional<CurvePlace> placeOn(const CardQuestion& question, SeriesId series, std::int64_t x) {
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  const auto member = std::ranges::find(tag.members, series, [](const CurveSeries& one) { return one.series.id; });
  if (member == tag.members.end()) return std::nullopt;
  const auto place = placementOf(*question.catalog, tag, *member, question.axis);
  if (!place) return std::nullopt;
  const SeriesKey& key = member->series.key;
  CurvePlace out{
      .selection = {.run = member->series.run, .attempt = key.attempt, .rank = key.rank, .node = key.node, .device = key.device}};
  if (question.axis == CurveAxis::kStep)
    out.selection.step = x;
  else
    out.time = x + place->offset;
  return out;
}

Result<CardPart> readCardPart(Reader& reader, const CardQuestion& question, std::size_t part, std::stop_token stop) {
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  const XRange covered = coveredBy(question);
  CardPart out;
  for (std::size_t i = part; i < question.members.size(); i += partsOf(question)) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "read curves: superseded");
    std::vector<PlotCurve>& curves = out.curves.emplace_back();
    const CurveSeries& member = tag.members.at(question.members[i]);
    const auto place = placementOf(*question.catalog, tag, member, question.axis);
    if (!place) {
      ++out.without_axis;
      continue;
    }
    RG_ASSIGN(OneCurve one, CurveReader(reader, question, tag, member, *place, stop).read(covered.x0, covered.x1));
    out.bin_width = std::max(out.bin_width, one.bin_width);
    RG_ASSIGN(const auto branch, branchAt(reader, member, *place, stop));
    PlotCurve curve{.name = member.name, .ink = {curveColor, question.colors.at(i)}, .gaps = !tag.scalar, .series = member.series.id};
    if (branch) {
      auto [kept, old] = split(std::move(one.bins), *branch);
      one.bins = std::move(kept);
      one.smooth = split(std::move(one.smooth), *branch).first;
      if (!old.empty())
        curves.push_back({.name = member.name, .ink = curve.ink, .bins = share(std::move(old)), .faint = true, .series = member.series.id});
    }
    if (one.bins.empty()) continue;
    curve.bins = share(std::move(one.bins));
    if (question.smoothing > 0) curve.smooth = share(std::move(one.smooth));
    curves.push_back(std::move(curve));
  }
  return out;
}

Result<CardMarks> readCardMarks(Reader& reader, const CardQuestion& question, std::stop_token stop) {
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  CardMarks marks;
  if (!question.spikes || !tag.scalar) return marks;
  for (const std::size_t index : question.members) {
    const CurveSeries& member = tag.members.at(index);
    const auto place = placementOf(*question.catalog, tag, member, question.axis);
    if (!place) continue;
    const SpikePlace where{.axis = question.axis == CurveAxis::kStep ? XAxis::kStep : XAxis::kTime,
                           .offset = place->offset,
                           .name = question.members.size() > 1 ? member.name : QString()};
    if (question.rules.own) {
      RG_ASSIGN(const CardMarks own, readSpikeMarks(reader, *question.spikes, member.series, member.superseded_from, where, stop));
      marks.insert(marks.end(), own.begin(), own.end());
    }
    if (question.rules.published == std::array<bool, 6>{} || !isLoss(member.series)) continue;
    RG_ASSIGN(const SharedRules rules, question.rule_cache->rules(reader, member.series, member.superseded_from, monotonicNow(), stop));
    for (std::size_t i = 0; i < question.rules.published.size(); ++i)
      if (question.rules.published[i]) std::ranges::copy(ruleMarks(*rules, i, where), std::back_inserter(marks));
  }
  std::ranges::stable_sort(marks, {}, &PanelMark::x);
  return marks;
}

CardData joinCard(const CardQuestion& question, const std::vector<std::shared_ptr<const CardPart>>& parts) {
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  const XRange covered = coveredBy(question);
  CardData card;
  card.covered0 = covered.x0;
  card.covered1 = covered.x1;
  auto plot = std::make_shared<PlotData>();
  plot->axis = question.axis == CurveAxis::kStep ? XAxis::kStep : XAxis::kTime;
  plot->style = question.axis == CurveAxis::kRelative ? TimeStyle::kRelative : question.style;
  PlotPanel panel{.title = tag.title, .unit = tag.unit, .log = question.log, .robust = question.robust};
  for (const auto& part : parts) {
    card.bin_width = std::max(card.bin_width, part->bin_width);
    card.without_axis += part->without_axis;
  }
  for (std::size_t i = 0; i < question.members.size(); ++i)
    for (const PlotCurve& curve : parts[i % parts.size()]->curves[i / parts.size()]) panel.curves.push_back(curve);
  panel.empty = emptyText(question, tag, card.without_axis);
  plot->panels.push_back(std::move(panel));
  card.plot = std::move(plot);
  return card;
}

}  // namespace runglass
