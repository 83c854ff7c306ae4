// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/ranking_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/ranking/roll_up.h"
#include "widgets/core/units.h"
#include "widgets/ranking/ranking_words.h"

namespace runglass {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// A dimension in which all ranks have the same coordinate carries no information.
struct Dimension {
  QChar letter;
  std::optional<std::int32_t> Rank::*at;
};
std::vector<Dimension> dimensionsOf(const std::vector<Rank>& ranks) {
  std::vector<Dimension> varying;
  for (const Dimension& d : {Dimension{u'd', &Rank::dp}, {u'p', &Rank::pp}, {u't', &Rank::tp}, {u'c', &Rank::cp}, {u'e', &Rank::ep}})
    if (std::ranges::any_of(ranks, [&](const Rank& rank) { return rank.*d.at != ranks.front().*d.at; })) varying.push_back(d);
  return varying;
}

QString coordinatesOf(const Rank& place, const std::vector<Dimension>& dimensions) {
  QStringList parts;
  for (const Dimension& d : dimensions)
    if (place.*d.at) parts << d.letter + QString::number(*(place.*d.at));
  return parts.join(u' ');
}

// The number that colours a place: relative to its peers, or its share of votes.
float heatOf(const RankedRow& row) {
  if (row.slower) return static_cast<float>(*row.slower);
  return row.score ? static_cast<float>(*row.score) : kNothing;
}

class DataMaker {
 public:
  explicit DataMaker(RankingData& data) : m_data(data) {}

  void make() {
    m_data.heat.steps = m_data.ranking.relative.steps;
    const auto dimensions = dimensionsOf(m_data.ranking.places);
    for (const RankedRow& ranked : m_data.ranking.rows) addRow(ranked, dimensions);
    std::ranges::sort(m_data.heat.rows, {}, &HeatCells::Row::rank);
    m_data.heat.scale = heatScale(m_data.heat);
    m_data.heat.beyond = exceedsScale(m_data.heat);
    rollUpAll();
    makeWorkers();
    makeHosts();
  }

 private:
  void addRow(const RankedRow& ranked, const std::vector<Dimension>& dimensions) {
    RankRow row{.ranked = ranked,
                .score = {},
                .name = QString::number(ranked.place.rank),
                .node = {},
                .coordinates = {},
                .slowest_part = {},
                .members = 1,
                .standing_out = ranked.stands_out ? 1 : 0,
                .spark = {}};
    row.score.rank = ranked.place.rank;
    row.node = m_data.nodeName(ranked.place.node);
    row.coordinates = coordinatesOf(ranked.place, dimensions);
    if (ranked.relative_row) {
      RankScore& score = m_data.ranking.relative.ranks[*ranked.relative_row];
      const std::size_t count = std::min(kSparkSteps, score.ratio.size());
      row.spark.assign(score.ratio.end() - static_cast<std::ptrdiff_t>(count), score.ratio.end());
      row.slowest_part = slowestPartText(m_data.ranking.relative, score);
      m_data.heat.rows.push_back({score.rank, std::move(score.ratio)});
      score.ratio.clear();
      row.score = score;
    }
    m_data.rows.push_back(std::move(row));
  }

  void rollUpAll() {
    const Ranking& ranking = m_data.ranking;
    const auto node_of = [&](const RankedRow& row) -> const Node* {
      const auto node = ranking.nodes.find(row.place.node);
      return node == ranking.nodes.end() ? nullptr : &node->second;
    };
    using NameOf = std::function<std::string(const RankedRow&)>;
    const std::array<NameOf, kRankLevels - 1> names = {
        NameOf([&](const RankedRow& row) {
          const Node* node = node_of(row);
          if (!row.place.device || node == nullptr) return std::string();
          const auto local =
              row.place.local_rank ? " GPU " + std::to_string(*row.place.local_rank) : " device " + std::to_string(row.place.device.value);
          return node->name + local;
        }),
        NameOf([&](const RankedRow& row) { return node_of(row) != nullptr ? node_of(row)->name : std::string(); }),
        NameOf([&](const RankedRow& row) { return node_of(row) != nullptr ? node_of(row)->rack : std::string(); }),
        NameOf([&](const RankedRow& row) { return node_of(row) != nullptr ? node_of(row)->fabric_switch : std::string(); })};
    for (std::size_t level = 0; level < names.size(); ++level)
      for (const RolledRow& rolled : rollUp(ranking.rows, &ranking.suspects, names[level])) {
        // rows and ranking.rows have one order.
        RankRow row = m_data.rows[rolled.worst];
        row.name = screenText(rolled.name, 80);
        row.members = static_cast<int>(rolled.members.size());
        row.standing_out = static_cast<int>(rolled.standing_out);
        row.ranked.gpu_hours_per_day = rolled.gpu_hours_per_day;
        m_data.rolled[level].push_back(std::move(row));
      }
  }

  struct Place {
    std::size_t row, column;
    const RankedRow* ranked;
  };

  void fill(PlaceCells& cells, const std::vector<Place>& places) const {
    const auto columns = static_cast<std::size_t>(cells.columns.size()), rows = static_cast<std::size_t>(cells.rows.size());
    for (std::size_t row = 0; row < rows; ++row)
      cells.heat.rows.push_back({static_cast<std::int32_t>(row), std::vector<float>(columns, kNothing)});
    for (std::size_t column = 0; column < columns; ++column) cells.heat.steps.push_back(static_cast<std::int64_t>(column));
    cells.rank.assign(rows * columns, -1);
    for (const Place& place : places) {
      float& value = cells.heat.rows[place.row].ratio[place.column];
      std::int32_t& rank = cells.rank[place.row * columns + place.column];
      const float mine = heatOf(*place.ranked);
      if (rank >= 0 && (std::isnan(mine) || mine <= value)) continue;
      value = mine, rank = place.ranked->place.rank;
    }
    cells.shares = m_data.ranking.kind == ScoreKind::kWaitVote;
    cells.heat.scale = cells.shares ? 1 : heatScale(cells.heat);
    cells.heat.beyond = exceedsScale(cells.heat);
    cells.unit = m_data.ranking.kind == ScoreKind::kWhatIf     ? RankingText::tr("how much longer the run takes with it as recorded")
                 : m_data.ranking.kind == ScoreKind::kWaitVote ? RankingText::tr("of its collectives, in which it waited least")
                                                               : RankingText::tr("to peers' median; plain: ± 2 %");
  }

  void makeWorkers() {
    std::map<std::int32_t, std::size_t> replicas, stages;
    for (const RankedRow& row : m_data.ranking.rows)
      if (row.place.dp && row.place.pp) replicas[*row.place.dp] = 0, stages[*row.place.pp] = 0;
    if (replicas.size() * stages.size() < 2) return;
    PlaceCells& cells = m_data.workers;
    cells.title = RankingText::tr("DP across, PP down: the slowest rank of each worker");
    for (auto& [dp, index] : replicas)
      index = static_cast<std::size_t>(cells.columns.size()), cells.columns << QStringLiteral("DP %1").arg(dp);
    for (auto& [pp, index] : stages) index = static_cast<std::size_t>(cells.rows.size()), cells.rows << QStringLiteral("PP %1").arg(pp);
    std::vector<Place> places;
    for (const RankedRow& row : m_data.ranking.rows)
      if (row.place.dp && row.place.pp) places.push_back({stages.at(*row.place.pp), replicas.at(*row.place.dp), &row});
    fill(cells, places);
  }

  void makeHosts() {
    std::map<std::string, std::vector<const RankedRow*>> hosts;
    for (const RankedRow& row : m_data.ranking.rows)
      if (const auto node = m_data.ranking.nodes.find(row.place.node); node != m_data.ranking.nodes.end())
        hosts[node->second.name].push_back(&row);
    if (hosts.empty()) return;
    PlaceCells& cells = m_data.hosts;
    cells.title = RankingText::tr("hosts down, their GPUs across");
    std::vector<Place> places;
    std::size_t widest = 0;
    for (auto& [name, rows] : hosts) {
      std::ranges::sort(rows, {}, [](const RankedRow* row) { return std::pair(row->place.local_rank.value_or(0), row->place.rank); });
      for (std::size_t i = 0; i < rows.size(); ++i) places.push_back({static_cast<std::size_t>(cells.rows.size()), i, rows[i]});
      widest = std::max(widest, rows.size());
      cells.rows << screenText(name, 40);
    }
    for (std::size_t i = 0; i < widest; ++i) cells.columns << QStringLiteral("GPU %1").arg(i);
    fill(cells, places);
  }

  RankingData& m_data;
};

}  // namespace

const RankRow* RankingData::find(std::int32_t rank) const {
  const auto found = std::ranges::find_if(rows, [rank](const RankRow& row) { return row.score.rank == rank; });
  return found == rows.end() ? nullptr : &*found;
}

std::optional<TimeRange> RankingData::timeOf(std::int64_t step) const {
  const auto at = std::ranges::lower_bound(ranking.relative.steps, step);
  if (at == ranking.relative.steps.end() || *at != step) return std::nullopt;
  return ranking.when[static_cast<std::size_t>(at - ranking.relative.steps.begin())];
}

QString RankingData::nodeName(NodeId node) const {
  const auto found = ranking.nodes.find(node);
  return found == ranking.nodes.end() ? QString() : screenText(found->second.name, 80);
}

Result<RankingData> readRanking(Reader& reader, RankingMemory& memory, const std::stop_token& stop) {
  RankingData data;
  {
    const MutexLock lock(memory.one_at_a_time);
    RG_ASSIGN(data.ranking, memory.feed.read(reader, nullptr, stop));
  }
  if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
  DataMaker(data).make();
  return data;
}

Result<RankingData> readRanking(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop) {
  RankingMemory memory(run, attempt);
  return readRanking(reader, memory, stop);
}

}  // namespace runglass
