// SPDX-License-Identifier: GPL-3.0-or-later
// Findings, ranking, report, status and views name the same slow ranks with the same percentage, or none of them names any.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "analysis/engine/analysis.h"
#include "analysis/report/read_report.h"
#include "collectors/sim/simulator.h"
#include "storage/writer.h"
#include "tests/support/emulated.h"
#include "tests/support/printed_percent.h"
#include "tests/support/program.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/devices/gpu_data.h"
#include "widgets/devices/gpu_words.h"
#include "widgets/overview/overview_data.h"
#include "widgets/ranking/ranking_data.h"
#include "widgets/ranking/ranking_words.h"
#include "widgets/timeline/row_list.h"
#include "widgets/timeline/timeline_data.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimeNs kPlaysStart = 1'790'000'000LL * kNsPerSecond;
constexpr std::int64_t kSteps = 160;

struct Scene {
  const char* name;
  std::int32_t tp = 1, pp = 1, dp = 32, gpus_per_node = 8;
  const char* fault = "";
  sim::Target target = {};
  std::int64_t first_step = 40, last_step = kSteps - 1;
  double strength = 1;
  std::set<std::int32_t> slow = {};  // the ranks that all must name; for a node those that it has
  friend void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }
};

sim::Target rankNo(std::int32_t rank) { return {.kind = sim::Target::Kind::kRank, .index = rank, .nic = {}}; }

using Named = std::map<std::int32_t, std::string>;  // slow ranks, and the percentage printed with each

std::string percent(double ratio) { return plainNumbers(formatPercent(ratio).toStdString()); }
std::string plain(const QString& text) { return plainNumbers(text.toStdString()); }

// The percentage in a text, without its sign.
std::string percentIn(const std::string& text) {
  std::smatch match;
  return std::regex_search(text, match, std::regex("[0-9.]+ %")) ? match.str() : text;
}

class SlowVerdicts : public ::testing::TestWithParam<Scene> {
 protected:
  void SetUp() override {
    const Scene& scene = GetParam();
    sim::Scenario s;
    s.name = "scene", s.seed = 5, s.steps = kSteps, s.step_seconds = 2;
    s.tp = scene.tp, s.pp = scene.pp, s.dp = scene.dp;
    s.gpus_per_node = scene.gpus_per_node, s.nodes = s.world() / scene.gpus_per_node;
    s.metrics_hertz = 0.1, s.noise_ratio = 0.01, s.spans = sim::SpanDetail::kNone;
    if (scene.fault[0] != '\0')
      s.faults = {{.kind = scene.fault,
                   .target = scene.target,
                   .first_step = scene.first_step,
                   .last_step = scene.last_step,
                   .strength = scene.strength,
                   .xid = {}}};
    auto writer = m_store.writer().value();
    const Status played = sim::play(s, *writer, {.start = kPlaysStart, .speed = 0});
    ASSERT_TRUE(played.ok()) << played.message();
    ASSERT_TRUE(writer->close().ok());
    m_reader = m_store.reader().value();
    m_run = m_reader->runs()->front();
  }

  void analyze() {
    std::vector<Finding> findings;
    for (const AnalysisEntry& entry : analyses())
      for (const Finding& one : entry.make()->look({.reader = *m_reader, .run = m_run.id, .now = {}, .stop = {}}).value())
        findings.push_back(one);
    m_reader.reset();
    auto writer = m_store.writer().value();
    for (Finding& one : findings) one.run = m_run.id, writer->finding(one);
    ASSERT_TRUE(writer->close().ok());
    m_reader = m_store.reader().value();
  }

  Named ofRanking() {
    const RankingData data = readRanking(*m_reader, m_run.id, {}, {}).value();
    m_sentence = plain(rankingSentence(data, TimeStyle::kUtc));
    Named out;
    for (const RankRow& row : data.rows)
      if (row.ranked.stands_out) out[row.ranked.place.rank] = percent(row.ranked.slower.value_or(-1));
    return out;
  }
  Named ofReport(const Named& ranking) {
    const report::ReportDocument document = report::readReport(*m_reader, {.run = m_run.id, .summary = {}}, {}).value();
    Named out;
    for (const report::Table* table : report::tablesOf(document))
      if (table->name == "ranking")
        for (const auto& row : table->rows)
          if (const auto rank = static_cast<std::int32_t>(std::get<std::int64_t>(row[0].value)); ranking.contains(rank))
            out[rank] = percent(std::get<double>(row[3].value));
    return out;
  }
  Named ofStatus() {
    const std::string answer = m_store.file("status.json");
    (void)Program(test::runnable({RG_BIN_DIR "/runglassctl", "status", "--store", m_store.path(), "--json"}), answer).wait();
    std::ifstream file(answer);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    std::filesystem::remove(answer);
    Named out;
    for (const auto& one : json["run"]["slow_ranks"]) out[one["rank"]] = percent(one["score"]);
    return out;
  }
  Named ofTimeline() {
    auto catalog = std::make_shared<TimelineCatalog>(readTimelineCatalog(*m_reader, m_run.id, {}, {}, {}).value());
    RowList rows;
    rows.setCatalog(catalog);
    rows.setChoice(RowChoice::kAll);
    Named out;
    for (const TimelineRow& row : rows.rows())
      if (row.kind == RowKind::kRank && !row.brief.isEmpty()) out[row.rank] = percentIn(plain(row.brief));
    return out;
  }
  Named ofGpus() {
    const GpuData data = readGpus(*m_reader, {.run = m_run.id, .now = m_run.end.value_or(kPlaysStart)}, {}).value();
    Named out;
    for (const HostColumn& host : data.hosts)
      for (const GpuCell& cell : host.cells)
        if (data.metric == kWorkMetric && cell.shade > 0) out[cell.rank_number.value_or(-1)] = percentIn(plain(deviationText(cell)));
    return out;
  }
  // The overview names the worst one, the topology that and the number of the others.
  std::string ofOverview() {
    const OverviewData data = readOverview(*m_reader, {.run = m_run.id, .axis = XAxis::kStep}, {}).value();
    const std::string title = plain(data.plots->panels.back().title), between = " · slowest: ";
    const auto at = title.find(between);
    return at == std::string::npos ? "" : title.substr(at + between.size());
  }
  std::string ofTopology() {
    return plain(readTopology(*m_reader, {.run = m_run.id, .attempt = {}, .value = {}, .named = {}, .previous = {}}, {}).value().headline);
  }

  void expectOneVerdict() {
    const Named named = ofRanking();
    std::set<std::int32_t> ranks;
    for (const auto& [rank, text] : named) ranks.insert(rank);
    EXPECT_EQ(ranks, GetParam().slow) << m_sentence;
    EXPECT_EQ(ofReport(named), named);
    EXPECT_EQ(ofTimeline(), named);
    EXPECT_EQ(ofGpus(), named);
    const Named status = ofStatus();
    EXPECT_EQ(status.size(), std::min<std::size_t>(named.size(), 4)) << "it lists four";
    for (const auto& one : status) EXPECT_THAT(named, ::testing::Contains(one));
    const std::string overview = ofOverview(), topology = ofTopology();
    if (named.empty()) {
      EXPECT_EQ(overview, "");
      EXPECT_THAT(topology, Not(::testing::StartsWith("Rank ")));
      EXPECT_THAT(m_sentence, ::testing::AnyOf(HasSubstr("No rank deviates"), HasSubstr("No rank is slower now"),
                                               HasSubstr("No single rank is slower"), HasSubstr("Too few peers")));
      return;
    }
    EXPECT_THAT(m_sentence, Not(HasSubstr("No ")));
    std::smatch match;
    ASSERT_TRUE(std::regex_match(overview, match, std::regex(R"(rank ([0-9]+) \+(.*))"))) << overview;
    const std::int32_t worst = std::stoi(match[1]);
    EXPECT_EQ(named.at(worst), match[2]);
    EXPECT_THAT(topology, ::testing::StartsWith("Rank " + std::to_string(worst) + " works " + named.at(worst) + " longer"));
    if (named.size() > 1) EXPECT_THAT(topology, HasSubstr("; " + std::to_string(named.size() - 1) + " more by at least"));
  }

  TempStore m_store;
  std::unique_ptr<Reader> m_reader;
  runglass::Run m_run;
  std::string m_sentence;
};

TEST_P(SlowVerdicts, AreOneBeforeAndAfterAnAnalysis) {
  {
    SCOPED_TRACE("not analysed");
    expectOneVerdict();
  }
  analyze();
  {
    SCOPED_TRACE("analysed");
    expectOneVerdict();
  }
  const Named named = ofRanking();
  for (const Finding& finding : m_reader->findings(m_run.id).value()) {
    if (finding.kind == "slow_rank" && named.contains(finding.rank.value()))
      EXPECT_THAT(plainNumbers(finding.summary), HasSubstr("(+" + named.at(finding.rank.value()) + ")"));
    if (finding.kind == "stage_imbalance") {
      const std::string share = percentIn(finding.summary.substr(finding.summary.find("(+")));
      EXPECT_THAT(ofTopology(), HasSubstr(" works " + share + " longer than the other stages"));
    }
  }
  if (GetParam().slow.size() == 1)
    EXPECT_THAT(m_reader->findings(m_run.id).value(), ::testing::Contains(::testing::Field(&Finding::kind, "slow_rank")));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, SlowVerdicts,
    ::testing::Values(
        Scene{.name = "SlowRank8", .fault = "slow_rank", .target = rankNo(13), .strength = 1.08, .slow = {13}},
        Scene{.name = "SlowRank4", .fault = "slow_rank", .target = rankNo(13), .strength = 1.04},
        Scene{.name = "SlowNode",
              .fault = "slow_node",
              .target = {.kind = sim::Target::Kind::kNode, .index = 2, .nic = {}},
              .strength = 1.08,
              .slow = {16, 17, 18, 19, 20, 21, 22, 23}},
        Scene{.name = "SlowStage",
              .tp = 2,
              .pp = 2,
              .dp = 8,
              .fault = "stage_imbalance",
              .target = {.kind = sim::Target::Kind::kStage, .index = 1, .nic = {}},
              .first_step = 0,
              .strength = 1.08},
        Scene{.name = "Blip", .fault = "slow_rank", .target = rankNo(13), .first_step = 60, .last_step = 69, .strength = 1.3},
        Scene{.name = "Ended", .fault = "slow_rank", .target = rankNo(13), .first_step = 20, .last_step = 105, .strength = 1.08},
        Scene{.name = "Calm"},
        Scene{.name = "FewRanks", .dp = 2, .gpus_per_node = 1, .fault = "slow_rank", .target = rankNo(1), .strength = 1.3},
        Scene{.name = "OneRank", .dp = 1, .gpus_per_node = 1, .fault = "slow_rank", .target = rankNo(0), .strength = 1.3}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace runglass
