// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/row_list.h"

#include <algorithm>

#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

constexpr std::size_t kOpenUpTo = 2;      // with at most this many ranks, all are open initially
constexpr std::size_t kSuggestUpTo = 16;  // with at most this many ranks, all are shown
constexpr int kMaxLanes = 64;
constexpr std::size_t kUnfoldedThreads = 4;

std::int32_t numberOf(const TimelineRank& rank) { return rank.rank.value_or(-1); }

RowQuestion stripOf(const TimelineRank& rank) {
  RowQuestion question{.tracks = {}, .strip = true, .host = {}};
  for (const Track& track : rank.tracks) {
    // Threads are busy all the time: next to a device they would hide it.
    if (rank.has_device && !isDeviceTrack(track.key)) continue;
    question.tracks.push_back(track.id);
    question.host.push_back(!isDeviceTrack(track.key));
  }
  return question;
}

}  // namespace

QString rankTitle(const TimelineRank& rank) {
  if (!rank.rank) return TimelineText::tr("the run");
  QString title = TimelineText::tr("rank %1").arg(*rank.rank);
  QStringList parts;
  const auto part = [&](const char* letter, const std::optional<std::int32_t>& value) {
    if (value) parts << QStringLiteral("%1%2").arg(QLatin1String(letter)).arg(*value);
  };
  part("d", rank.place.dp), part("p", rank.place.pp), part("t", rank.place.tp), part("c", rank.place.cp), part("e", rank.place.ep);
  return parts.isEmpty() ? title : title + QStringLiteral("  ") + parts.join(QLatin1Char(' '));
}

void RowList::setCatalog(std::shared_ptr<const TimelineCatalog> catalog) {
  const bool other = !m_catalog || !catalog || m_catalog->attempt.id != catalog->attempt.id;
  m_catalog = std::move(catalog);
  if (other) m_open.clear(), m_unfolded.clear(), m_pinned.clear(), m_lanes.clear();
  rebuild();
}
void RowList::setGrouping(RowGrouping grouping) { m_grouping = grouping, rebuild(); }
void RowList::setChoice(RowChoice choice) { m_choice = choice, rebuild(); }
void RowList::setPattern(const QString& pattern) {
  m_pattern = QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption);
  rebuild();
}
void RowList::setDensity(int by) {
  m_density = std::clamp(m_density + by, 0, static_cast<int>(std::size(kDensities)) - 1);
  rebuild();
}
void RowList::setSelected(std::optional<std::int32_t> rank) {
  if (m_selected == rank) return;
  m_selected = rank;
  rebuild();
}
void RowList::toggle(std::int32_t rank) {
  const auto row = std::ranges::find_if(m_rows, [rank](const TimelineRow& r) { return r.kind == RowKind::kRank && r.rank == rank; });
  m_open[rank] = row == m_rows.end() || !row->open;
  rebuild();
}
void RowList::toggle(TrackId track) {
  const auto row = std::ranges::find_if(
      m_rows, [track](const TimelineRow& r) { return r.kind == RowKind::kTrack && r.question.tracks.front() == track; });
  m_unfolded[track] = row == m_rows.end() || !row->open;
  rebuild();
}
void RowList::togglePin(std::int32_t rank) {
  if (!m_pinned.erase(rank)) m_pinned.insert(rank);
  rebuild();
}
void RowList::openAll(bool open) {
  if (!m_catalog) return;
  for (const TimelineRank& rank : m_catalog->ranks) m_open[numberOf(rank)] = open;
  rebuild();
}
bool RowList::noteLanes(const TimelinePicture& picture) {
  bool grew = false;
  for (const RowPicture& row : picture.rows) {
    if (row.question.strip || row.question.folded || row.question.tracks.empty()) continue;
    int& known = m_lanes[row.question.tracks.front()];
    const int lanes = std::min(static_cast<int>(row.lanes.size()), kMaxLanes);
    grew |= lanes > std::max(known, 1);
    known = std::max(known, lanes);
  }
  if (grew) rebuild();
  return grew;
}
void RowList::open(std::int32_t rank, TrackId track) {
  const auto row = std::ranges::find_if(m_rows, [rank](const TimelineRow& r) { return r.kind == RowKind::kRank && r.rank == rank; });
  if (row == m_rows.end() || !row->open) m_open[rank] = true;
  m_unfolded[track] = true;
  rebuild();
}
int RowList::lanesOf(TrackId track) const {
  const auto known = m_lanes.find(track);
  return known == m_lanes.end() ? 1 : std::max(known->second, 1);
}

// The slowest rank, its pipeline neighbours, a peer of the same role, and selected or pinned ranks.
bool RowList::isOfFinding(const TimelineRank& rank) const {
  return rank.rank && std::ranges::find(m_catalog->finding_ranks, *rank.rank) != m_catalog->finding_ranks.end();
}

std::vector<std::size_t> RowList::suggested() const {
  const auto& ranks = m_catalog->ranks;
  std::vector<std::size_t> all(ranks.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (m_choice == RowChoice::kAll || ranks.size() <= kSuggestUpTo) return all;
  const auto at = [&](std::optional<std::int32_t> rank) {
    return std::ranges::find_if(ranks, [&](const TimelineRank& r) { return rank && r.rank == rank; });
  };
  const auto& of_finding = m_catalog->finding_ranks;
  auto middle = at(of_finding.empty() ? m_catalog->slowest : of_finding.front());
  if (middle == ranks.end()) middle = at(m_selected);
  if (middle == ranks.end()) middle = ranks.begin();
  std::set<std::size_t> chosen{static_cast<std::size_t>(middle - ranks.begin())};
  const Rank& m = middle->place;
  std::size_t peers = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Rank& r = ranks[i].place;
    const bool same_pipeline = r.dp == m.dp && r.tp == m.tp && r.cp == m.cp && r.ep == m.ep;
    if (m.pp && r.pp && same_pipeline && std::abs(*r.pp - *m.pp) == 1) chosen.insert(i);
    if (m.pp && r.pp == m.pp && r.tp == m.tp && r.dp != m.dp && peers < 2) chosen.insert(i), ++peers;
    if (m_selected && ranks[i].rank == m_selected) chosen.insert(i);
    if (isOfFinding(ranks[i])) chosen.insert(i);
    if (m_pinned.contains(numberOf(ranks[i]))) chosen.insert(i);
  }
  // Without a layout: the first ones.
  for (std::size_t i = 0; i < ranks.size() && chosen.size() < 4; ++i) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

QString RowList::groupOf(const TimelineRank& rank) const {
  const auto named = [](const std::optional<std::int32_t>& value, const QString& with, const QString& without) {
    return value ? with.arg(*value) : without;
  };
  switch (m_grouping) {
    case RowGrouping::kNode:
      return rank.node;
    case RowGrouping::kStage:
      return named(rank.place.pp, TimelineText::tr("PP stage %1"), TimelineText::tr("no PP stage"));
    case RowGrouping::kData:
      return named(rank.place.dp, TimelineText::tr("DP rank %1"), TimelineText::tr("no DP rank"));
    case RowGrouping::kTensor:
      return named(rank.place.tp, TimelineText::tr("TP rank %1"), TimelineText::tr("no TP rank"));
    case RowGrouping::kNone:
      break;
  }
  return {};
}

void RowList::place(TimelineRow row) {
  row.y = m_height;
  m_height += row.height + kDensities[m_density].gap;
  m_rows.push_back(std::move(row));
}

// The rank that is open by default.
std::optional<std::int32_t> RowList::interesting() const {
  if (m_selected) return m_selected;
  if (m_catalog->slowest) return m_catalog->slowest;
  return m_catalog->ranks.empty() ? std::nullopt : m_catalog->ranks.front().rank;
}

void RowList::addRank(const TimelineRank& rank, bool pinned) {
  const std::int32_t number = numberOf(rank);
  const auto said = m_open.find(number);
  const bool open = said != m_open.end() ? said->second : m_catalog->ranks.size() <= kOpenUpTo || rank.rank == interesting();
  TimelineRow head{.kind = RowKind::kRank, .title = rankTitle(rank), .detail = rank.node, .question = stripOf(rank), .rank = number};
  head.open = open;
  head.pinned = pinned;
  head.height = open ? kStripHeight : kDensities[m_density].strip;
  const auto slow = rank.rank ? m_catalog->slow.find(*rank.rank) : m_catalog->slow.end();
  const bool measured = slow != m_catalog->slow.end() && slow->second;
  if (measured) {
    head.brief = formatSignedPercent(*slow->second);
    head.detail = TimelineText::tr("slow %1").arg(head.brief);
  }
  QStringList tip{head.title};
  if (!rank.node.isEmpty()) tip << TimelineText::tr("node %1").arg(rank.node);
  if (measured) tip << TimelineText::tr("slow: %1 against its peers").arg(head.brief);
  if (rank.clock_error) tip << TimelineText::tr("its clock is right to ± %1").arg(formatDuration(*rank.clock_error));
  head.tip = tip.join(u'\n');
  if (rank.tracks.empty()) head.detail = TimelineText::tr("no spans");
  place(std::move(head));
  if (!open) return;
  std::map<std::string_view, int> alike;  // tracks of a kind
  for (const Track& track : rank.tracks) ++alike[track.key.kind];
  for (const Track& track : rank.tracks) {
    TimelineRow row{.kind = RowKind::kTrack, .title = screenText(track.key.name, 80), .detail = {}, .question = {}, .rank = number};
    row.question.tracks = {track.id};
    row.pinned = pinned;
    const auto unfolded = m_unfolded.find(track.id);
    // Threads are deep and numerous: next to a device they show their outermost spans until the user unfolds them.
    row.open = unfolded != m_unfolded.end() ? unfolded->second
                                            : track.key.kind != "thread" || (!rank.has_device && rank.tracks.size() <= kUnfoldedThreads);
    row.question.folded = !row.open;
    row.height = (row.open ? lanesOf(track.id) : 1) * kLaneHeight;
    if (track.key.kind != "gpu_stream" && track.key.kind != "thread" && alike[track.key.kind] == 1)
      row.title = screenText(track.key.kind, 80);
    place(std::move(row));
  }
}

void RowList::rebuild() {
  m_rows.clear();
  m_height = m_pinned_height = m_shown_ranks = 0;
  if (!m_catalog) return;
  const auto& ranks = m_catalog->ranks;
  const auto admits = [&](const TimelineRank& rank) {
    if (m_pattern.pattern().isEmpty() || !m_pattern.isValid()) return true;
    const QString head = rankTitle(rank) + QLatin1Char(' ') + rank.node;
    if (m_pattern.match(head).hasMatch()) return true;
    return std::ranges::any_of(
        rank.tracks, [&](const Track& t) { return m_pattern.match(head + QLatin1Char(' ') + screenText(t.key.name)).hasMatch(); });
  };
  for (const TimelineMetric& metric : m_catalog->metrics) {
    TimelineRow row{.kind = RowKind::kMetric, .title = metric.title, .detail = {}, .unit = metric.unit, .question = {}, .rank = -1};
    row.question.series = metric.series;
    row.question.group = metric.group;
    row.pinned = true;
    row.height = kMetricHeight;
    place(std::move(row));
  }
  for (const TimelineRank& rank : ranks)
    if (m_pinned.contains(numberOf(rank))) addRank(rank, true), ++m_shown_ranks;
  m_pinned_height = m_height;
  std::vector<std::size_t> order;
  for (const std::size_t i : suggested())
    if (!m_pinned.contains(numberOf(ranks[i])) && admits(ranks[i])) order.push_back(i);
  if (m_choice == RowChoice::kSuggested) std::ranges::stable_partition(order, [&](std::size_t i) { return isOfFinding(ranks[i]); });
  m_shown_ranks += static_cast<int>(order.size());
  std::map<QString, std::vector<std::size_t>> groups;
  std::vector<QString> names;  // in order of their first rank
  for (const std::size_t i : order) {
    const QString group = groupOf(ranks[i]);
    if (!groups.contains(group)) names.push_back(group);
    groups[group].push_back(i);
  }
  for (const QString& name : names) {
    if (!name.isEmpty() && names.size() > 1) {
      TimelineRow row{.kind = RowKind::kGroup, .title = name, .detail = {}, .question = {}, .rank = -1};
      row.detail = groups[name].size() == 1 ? TimelineText::tr("1 rank")
                                            : TimelineText::tr("%1 ranks").arg(formatCount(static_cast<std::int64_t>(groups[name].size())));
      row.height = kGroupHeight;
      place(std::move(row));
    }
    for (const std::size_t i : groups[name]) addRank(ranks[i], false);
  }
}

}  // namespace runglass
