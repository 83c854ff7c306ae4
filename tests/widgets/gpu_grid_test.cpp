// SPDX-License-Identifier: GPL-3.0-or-later
// The GPU grid: a healthy fleet is neutral, only an outlier is shaded, a GPU with an open finding is outlined, a click selects.
#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/devices/gpus_view.h"

namespace runglass {
namespace {

constexpr TimeNs kEnd = 1'790'000'000'000'000'000;
constexpr int kGpus = 8, kStages = 4;
constexpr DurNs kStep = 4 * kNsPerSecond;

// Hosts of eight GPUs in racks of eight, a rank on each, four pipeline stages with different work; power varies with the phases of a step.
class GpuGridTest : public ::testing::Test {
 protected:
  void TearDown() override { applyTheme(*qApp, ThemeName::kDark); }
  void record(int hosts, bool with_steps = true) {
    auto opened = openStore(m_folder.file("s.rgl")).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_run = m_writer->run({.name = "train", .state = RunState::kRunning, .start = kEnd - 25 * kStep});
    m_attempt = m_writer->attempt({.run = m_run, .start = kEnd - 25 * kStep, .layout = {.world = hosts * kGpus, .pp = kStages}});
    for (int n = 0; n < hosts; ++n) {
      const std::string name = "n" + std::to_string(1000 + n);
      m_nodes.push_back(m_writer->node(
          {.uuid = name, .name = name, .rack = "r" + std::to_string(100 + n / 8), .state = NodeState::kAlive, .last_heard = kEnd}));
      for (int g = 0; g < kGpus; ++g) {
        const std::int32_t rank = n * kGpus + g;
        m_gpus.push_back(m_writer->device(
            {.uuid = name + "/gpu" + std::to_string(g), .node = m_nodes.back(), .index = g, .kind = "gpu", .model = "H100"}));
        m_writer->rank({.attempt = m_attempt, .rank = rank, .node = m_nodes.back(), .device = m_gpus.back(), .pp = stageOf(rank)});
        const SeriesId power =
            m_writer->series({.node = m_nodes.back(), .device = m_gpus.back(), .metric = "power_watts", .unit = "watts"});
        for (int s = 70; s >= 0; --s)
          m_writer->sample(power, kEnd - s * kNsPerSecond - rank * 200'000, (s + rank) % 4 == 0 ? 220 + rank % 40 : 640 + rank % 20);
        if (with_steps) steps(rank, 0);
      }
    }
  }
  static std::int32_t stageOf(std::int32_t rank) { return rank / 2 % kStages; }
  static double noise(std::int32_t rank, std::int64_t step) { return 0.01 * std::sin(rank * 12.9898 + static_cast<double>(step) * 78.233); }
  void steps(std::int32_t rank, double slower) {
    const auto series = [&](const char* metric, const char* labels) {
      return m_writer->series(
          {.attempt = m_attempt, .rank = rank, .metric = metric, .labels = labels, .unit = "ns", .kind = SeriesKind::kScalar});
    };
    const SeriesId dur = series("step_time_ns", ""), forward = series("step_part_ns", R"({"part":"forward"})"),
                   comm = series("step_part_ns", R"({"part":"communication"})"),
                   wait = series("step_part_wait_ns", R"({"part":"communication"})");
    for (std::int64_t s = 0; s < 25; ++s) {
      const TimeNs begin = kEnd - (25 - s) * kStep;
      const double own = (2 + 0.3 * stageOf(rank)) * 1e9 * (1 + noise(rank, s)) * (1 + slower), rest = static_cast<double>(kStep) - own;
      m_writer->scalar(dur, s, begin, static_cast<double>(kStep));
      m_writer->scalar(forward, s, begin, own);
      m_writer->scalar(comm, s, begin, rest);
      m_writer->scalar(wait, s, begin, rest - 1e8);
    }
  }
  void find(std::int32_t rank, Severity severity, std::optional<TimeNs> end = {}) {
    m_writer->finding({.run = m_run,
                       .attempt = m_attempt,
                       .kind = "slow_rank",
                       .subject = "rank:" + std::to_string(rank),
                       .severity = severity,
                       .start = kEnd - 20 * kStep,
                       .end = end,
                       .first_step = 5,
                       .rank = rank,
                       .summary = "rank " + std::to_string(rank) + " is slow"});
  }
  std::shared_ptr<const GpuData> read(std::optional<std::size_t> metric = {}) {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = openStore(m_folder.file("s.rgl")).reader();
    EXPECT_TRUE(reader.ok());
    auto data = readGpus(**reader, {.metric = metric, .now = kEnd + kNsPerSecond}, {});
    EXPECT_TRUE(data.ok()) << data.status().message();
    return std::make_shared<const GpuData>(data.ok() ? std::move(*data) : GpuData{});
  }
  struct Painted {
    int shaded = 0, outlined = 0;
  };
  // Counts non-neutral cells and cells outlined by severity, from their pixels.
  Painted paint(const std::shared_ptr<const GpuData>& data, ThemeName name) {
    applyTheme(*qApp, name);
    const Theme& theme = currentTheme();
    GpuGrid grid;
    grid.resize(1'600, 400);
    grid.setData(data);
    grid.resize(1'600, grid.neededHeight(1'600));
    const QImage image = grid.grab().toImage();
    Painted out;
    for (const HostColumn& host : data->hosts)
      for (const GpuCell& cell : host.cells) {
        const QRect rect = grid.rectOf(cell.node, cell.device);
        EXPECT_TRUE(image.rect().contains(rect));
        const QColor fill = image.pixelColor(rect.topLeft() + QPoint(2, 2));
        EXPECT_EQ(fill, mix(theme.line, cell.shade > 0 ? theme.heat_worse : theme.heat_better, std::abs(cell.shade)))
            << cell.name.toStdString() << ": neither outline nor badge covers the shade";
        if (fill != theme.line) ++out.shaded;
        const QColor edge = image.pixelColor(rect.left(), rect.center().y());
        const bool ring = image.pixelColor(rect.left() + 1, rect.center().y()) == theme.ground;  // otherwise it is the shade
        if (ring && (edge == theme.warning || edge == theme.error || edge == theme.critical)) ++out.outlined;
      }
    return out;
  }

  test::TempFolder m_folder;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
  std::vector<NodeId> m_nodes;
  std::vector<DeviceId> m_gpus;
};

TEST_F(GpuGridTest, AHealthyFleetIsNeutralInOwnWork) {
  record(512);
  const auto data = read();
  EXPECT_EQ(data->metric, kWorkMetric) << "the default where ranks report their steps";
  EXPECT_EQ(data->sentence, formatCount(4'096) + QStringLiteral(" GPUs, all reporting."));
  EXPECT_EQ(data->severity, Severity::kInfo);
  for (const ThemeName theme : {ThemeName::kDark, ThemeName::kLight}) {
    const Painted painted = paint(data, theme);
    EXPECT_EQ(painted.shaded, 0);
    EXPECT_EQ(painted.outlined, 0);
  }
}

TEST_F(GpuGridTest, WithoutStepsPowerOverAMinuteIsNeutral) {
  record(64, false);
  const auto data = read();
  EXPECT_EQ(data->metric, kPowerMetric);
  EXPECT_EQ(paint(data, ThemeName::kDark).shaded, 0) << "single samples are between 220 and 660 W";
  EXPECT_TRUE(data->scale.contains("mean of 60")) << data->scale.toStdString();
}

TEST_F(GpuGridTest, ASlowRankIsShadedAloneAndOutlinedWhileItsFindingIsOpen) {
  record(64);
  steps(77, 0.3);
  const auto slow = read();
  EXPECT_EQ(paint(slow, ThemeName::kDark).shaded, 1);
  EXPECT_EQ(paint(slow, ThemeName::kDark).outlined, 0) << "no finding yet";
  EXPECT_TRUE(slow->sentence.contains("n1009 GPU 5: own work ")) << slow->sentence.toStdString();
  find(77, Severity::kWarning);
  const auto found = read();
  for (const ThemeName theme : {ThemeName::kDark, ThemeName::kLight}) {
    const Painted painted = paint(found, theme);
    EXPECT_EQ(painted.shaded, 1);
    EXPECT_EQ(painted.outlined, 1);
  }
  EXPECT_EQ(found->counts.at(CellGroup::kFinding), 1);
  EXPECT_EQ(found->chosen, m_nodes[9]);
  EXPECT_EQ(found->severity, Severity::kWarning);
  EXPECT_EQ(paint(read(kPowerMetric), ThemeName::kDark).outlined, 1) << "in every metric";
  find(77, Severity::kWarning, kEnd - kStep);
  EXPECT_EQ(paint(read(), ThemeName::kDark).outlined, 0) << "the finding is over";
}

TEST_F(GpuGridTest, TheScaleDoesNotFollowTheData) {
  record(8);
  steps(5, 0.1);
  const double alone = read()->hosts[0].cells[5].shade;
  steps(13, 3);
  const auto both = read();
  EXPECT_NEAR(both->hosts[0].cells[5].shade, alone, 0.05) << "beside a much slower rank";
  EXPECT_EQ(both->hosts[1].cells[5].shade, 1);
}

TEST_F(GpuGridTest, AFleetFitsTheRoomWhereItsCellsCanBeSmaller) {
  record(64, false);
  GpuGrid grid;
  grid.setData(read());
  EXPECT_GT(grid.neededHeight(400), 200);
  grid.setRoom(200);
  EXPECT_LE(grid.neededHeight(400), 200);
}

TEST_F(GpuGridTest, AClickSelectsTheGpuAndItsRank) {
  record(8);
  find(21, Severity::kError);
  ASSERT_TRUE(m_writer->flush().ok());
  QueryService queries([this] { return openStore(m_folder.file("s.rgl")).reader(); }, 1);
  SharedState state;
  GpusView view(ViewContext{&queries, &state, [] { return kEnd + kNsPerSecond; }}, nullptr);
  view.resize(1'280, 800);
  view.show();
  view.applyState(state.state());
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.isFinal(); }, 20'000));
  auto* grid = view.findChild<GpuGrid*>();
  ASSERT_NE(grid, nullptr);
  QTest::mouseClick(grid, Qt::LeftButton, {}, grid->rectOf(m_nodes[2], m_gpus[21]).center());
  EXPECT_EQ(state.state().selection.device, m_gpus[21]);
  EXPECT_EQ(state.state().selection.node, m_nodes[2]);
  EXPECT_EQ(state.state().selection.rank, 21);
  // Keys select the metric and return.
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.isFinal(); }, 20'000));
  auto* metric = view.findChild<QComboBox*>();
  EXPECT_EQ(metric->currentIndex(), static_cast<int>(kWorkMetric));
  QTest::keyClick(&view, Qt::Key_1);
  EXPECT_EQ(metric->currentIndex(), static_cast<int>(kPowerMetric));
  QTest::keyClick(&view, Qt::Key_W);
  EXPECT_EQ(metric->currentIndex(), static_cast<int>(kWorkMetric));
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.isFinal(); }, 20'000));
}

}  // namespace
}  // namespace runglass
