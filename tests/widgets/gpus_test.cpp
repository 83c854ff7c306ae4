// SPDX-License-Identifier: GPL-3.0-or-later
// The GPU view for devices that report, are silent, lost, odd or absent.
#include <gtest/gtest.h>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {
namespace {

constexpr TimeNs kEnd = 1'790'000'000'000'000'000;
constexpr int kNodes = 4, kGpus = 8;

// Four hosts of eight GPUs, 60 s of power, ranks in the opposite order of the racks, and a simulator's agent without devices.
class GpusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = openStore(m_folder.file("s.rgl")).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    m_writer->node({.uuid = "simulator", .name = "simulator", .state = NodeState::kAlive, .last_heard = kEnd});
    m_run = m_writer->run({.name = "train", .state = RunState::kRunning, .start = kEnd - 60 * kNsPerSecond});
    m_attempt = m_writer->attempt({.run = m_run, .layout = {.world = kNodes * kGpus}});
    for (int n = 0; n < kNodes; ++n) {
      const std::string name = "n" + std::to_string(n);
      m_nodes[n] =
          m_writer->node({.uuid = name, .name = name, .rack = "r" + std::to_string(n), .state = NodeState::kAlive, .last_heard = kEnd});
      for (int g = 0; g < kGpus; ++g) {
        m_gpus[n][g] =
            m_writer->device({.uuid = name + "/gpu" + std::to_string(g), .node = m_nodes[n], .index = g, .kind = "gpu", .model = "H100"});
        m_writer->rank({.attempt = m_attempt, .rank = (kNodes - 1 - n) * kGpus + g, .node = m_nodes[n], .device = m_gpus[n][g]});
      }
    }
  }
  void power(int n, int g, DurNs silent_for, double watts = 600) {
    const SeriesId series = m_writer->series({.node = m_nodes[n], .device = m_gpus[n][g], .metric = "power_watts", .unit = "watts"});
    for (int s = 60; s >= 0; --s) m_writer->sample(series, kEnd - silent_for - s * kNsPerSecond, watts);
  }
  void powerEverywhere() {
    for (int n = 0; n < kNodes; ++n)
      for (int g = 0; g < kGpus; ++g) power(n, g, 0);
  }
  GpuData read(GpuQuestion question) {
    EXPECT_TRUE(m_writer->flush().ok());
    auto reader = openStore(m_folder.file("s.rgl")).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    auto data = readGpus(**reader, question, {});
    EXPECT_TRUE(data.ok()) << data.status().message();
    return data.ok() ? std::move(*data) : GpuData{};
  }
  static const GpuCell& cellOf(const GpuData& data, DeviceId device) {
    for (const HostColumn& host : data.hosts)
      for (const GpuCell& cell : host.cells)
        if (cell.device == device) return cell;
    static const GpuCell kNone;
    return kNone;
  }

  test::TempFolder m_folder;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
  NodeId m_nodes[kNodes];
  DeviceId m_gpus[kNodes][kGpus];
};

TEST_F(GpusTest, CountsDevicesAndNotTheAgentsOfASimulator) {
  powerEverywhere();
  const GpuData data = read({.now = kEnd + kNsPerSecond});
  EXPECT_EQ(data.total, kNodes * kGpus);
  EXPECT_EQ(data.hosts.size(), static_cast<std::size_t>(kNodes));
  EXPECT_TRUE(data.live);
  EXPECT_EQ(data.sentence, "32 GPUs, all reporting.");
  EXPECT_EQ(data.severity, Severity::kInfo);
}

TEST_F(GpusTest, SilenceInALiveRunIsStaleThenLostAndNeverTheLastValue) {
  powerEverywhere();
  m_writer->device({.uuid = "late", .node = m_nodes[0], .index = 8, .kind = "gpu"});
  const GpuData now = read({.now = kEnd + 2 * kNsPerSecond});
  EXPECT_EQ(now.counts.at(CellGroup::kHeard), 32);
  EXPECT_EQ(now.counts.at(CellGroup::kAbsent), 1) << "a device that said nothing is absent";
  EXPECT_FALSE(now.hosts.front().cells.back().value);
  EXPECT_EQ(read({.now = kEnd + 8 * kNsPerSecond}).counts.at(CellGroup::kStale), 32);
  const GpuData lost = read({.now = kEnd + 20 * kNsPerSecond});
  EXPECT_EQ(lost.counts.at(CellGroup::kLost), 32);
  EXPECT_EQ(lost.severity, Severity::kError);
  EXPECT_FALSE(lost.median) << "a median of lost devices is no median of now";
}

TEST_F(GpusTest, AFinishedRunIsShownAsItWasAtItsEnd) {
  powerEverywhere();
  m_writer->run({.name = "train", .state = RunState::kFinished, .end = kEnd});
  for (const DurNs later : {kNsPerSecond, 60 * kNsPerSecond, 40 * 86'400 * kNsPerSecond}) {
    const GpuData data = read({.now = kEnd + later});
    EXPECT_EQ(data.counts.at(CellGroup::kHeard), 32);
    EXPECT_TRUE(data.sentence.contains("As of ")) << data.sentence.toStdString();
    EXPECT_FALSE(data.live);
  }
}

TEST_F(GpusTest, AStoreThatNobodyWritesAnyMoreIsNotAClusterThatDied) {
  powerEverywhere();
  const GpuData data = read({.now = kEnd + 3'600 * kNsPerSecond});
  EXPECT_EQ(data.counts.at(CellGroup::kHeard), 32);
  EXPECT_TRUE(data.sentence.contains("As of "));
  m_writer->node({.uuid = "n1", .state = NodeState::kLost});
  EXPECT_EQ(read({.now = kEnd + 3'600 * kNsPerSecond}).counts.at(CellGroup::kLost), kGpus) << "what the hub saw dying stays dead";
}

TEST_F(GpusTest, TheOutlierIsNamedAndItsHostChosen) {
  powerEverywhere();
  const SeriesId series = m_writer->series({.node = m_nodes[2], .device = m_gpus[2][5], .metric = "power_watts", .unit = "watts"});
  for (int s = 0; s < 60; ++s) m_writer->sample(series, kEnd - s * kNsPerSecond + 1, 0);  // now half of its samples
  const GpuData data = read({.now = kEnd + kNsPerSecond});
  EXPECT_EQ(data.chosen, m_nodes[2]);
  EXPECT_TRUE(data.sentence.contains("n2 GPU 5")) << data.sentence.toStdString();
  EXPECT_NEAR(cellOf(data, m_gpus[2][5]).deviation.value(), -0.5, 0.01) << "of the mean of a minute";
  EXPECT_EQ(cellOf(data, m_gpus[2][5]).rank, "13");
  EXPECT_EQ(data.detail.rows.size(), static_cast<std::size_t>(kGpus));
  ASSERT_EQ(data.detail.columns.size(), 2U) << "columns without any value are left out";
}

// A replica without its hub: for a past moment each device has a block, and a single sample of it belongs to another moment.
TEST_F(GpusTest, OfSummariesMeansAreComparedAndNobodyIsSilentWithinThem) {
  for (int n = 0; n < kNodes; ++n)
    for (int g = 0; g < kGpus; ++g) {
      const TimeNs begin = kEnd - (70 + g) * kNsPerSecond;
      const bool dip = n == 2 && g == 5;
      const Bin block{.x0 = begin,
                      .x1 = begin + 63 * kNsPerSecond,
                      .first = dip ? 200. : 600.,
                      .last = 600,
                      .min = 200,
                      .max = 610,
                      .sum = 64 * 590.,
                      .count = 64};
      const SeriesId series = m_writer->series({.node = m_nodes[n], .device = m_gpus[n][g], .metric = "power_watts", .unit = "watts"});
      m_writer->summaries(series, {.from = begin, .blocks = {block}, .next = {}});
    }
  ASSERT_TRUE(m_writer->flush().ok());
  const TimeNs moment = kEnd - 20 * kNsPerSecond;
  const auto whole = openStore(m_folder.file("s.rgl")).reader();
  ASSERT_TRUE(whole.ok());
  const auto then = readerAt(**whole, moment);
  const auto data = readGpus({*then, **whole}, {.now = moment}, {});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->sentence, "32 GPUs, all reporting.");
  EXPECT_EQ(data->median, 590);
}

// Two of four hosts wait for the others at this moment.
TEST_F(GpusTest, WhereManyStandOutNoneOfThemIsNamed) {
  for (int n = 0; n < kNodes; ++n)
    for (int g = 0; g < kGpus; ++g) power(n, g, 0, n == 1 || (n == 2 && g < 2) ? 300 + g : 600);
  const GpuData data = read({.now = kEnd + kNsPerSecond});
  EXPECT_EQ(
      data.sentence,
      QStringLiteral("32 GPUs, all reporting. 10 are more than 10%1% below their peers in power ÷ limit; no single one is an outlier.")
          .arg(QChar(kThinSpace)));
}

TEST_F(GpusTest, BadgesAndFactsThatDiffer) {
  powerEverywhere();
  for (int n = 0; n < kNodes; ++n)
    for (int g = 0; g < kGpus; ++g)
      m_writer->event({.time = kEnd - 50 * kNsPerSecond,
                       .node = m_nodes[n],
                       .device = m_gpus[n][g],
                       .kind = "device_facts",
                       .message = n == 3 && g == 0 ? R"({"driver":"550.54","ecc":true,"mig":true,"pci":"b"})"
                                                   : R"({"driver":"535.104","ecc":true,"pci":"a"})"});
  m_writer->event({.time = kEnd - 5 * kNsPerSecond,
                   .node = m_nodes[0],
                   .device = m_gpus[0][1],
                   .kind = "xid",
                   .severity = Severity::kError,
                   .code = "79"});
  const auto reasons = m_writer->series({.node = m_nodes[1], .device = m_gpus[1][1], .metric = "clock_event_reasons"});
  m_writer->sample(reasons, kEnd, 0x40 | 0x4);
  const GpuData data = read({.now = kEnd + kNsPerSecond});
  EXPECT_TRUE(cellOf(data, m_gpus[0][1]).xid);
  EXPECT_TRUE(cellOf(data, m_gpus[1][1]).throttled);
  EXPECT_TRUE(cellOf(data, m_gpus[1][1]).capped);
  EXPECT_EQ(data.counts.at(CellGroup::kXid), 1);
  EXPECT_EQ(data.counts.at(CellGroup::kThrottled), 1);
  EXPECT_EQ(data.severity, Severity::kError);
  EXPECT_TRUE(cellOf(data, m_gpus[3][0]).mig);
  EXPECT_FALSE(cellOf(data, m_gpus[0][0]).mig);
  EXPECT_EQ(data.counts.at(CellGroup::kMig), 1);
  EXPECT_EQ(data.chosen, m_nodes[0]);
  EXPECT_TRUE(data.detail.trouble.contains("GPU 1 Xid 79: ")) << data.detail.trouble.toStdString();
  EXPECT_TRUE(data.detail.trouble.contains("NVIDIA Xid")) << "where the meaning is from";
  ASSERT_EQ(data.facts.differences.size(), 1U);
  EXPECT_EQ(data.facts.differences[0].odd, std::vector<DeviceId>{m_gpus[3][0]});
  EXPECT_EQ(data.facts.differences[0].text, "driver: 550.54 on n3 GPU 0, 535.104 on 31");
}

TEST_F(GpusTest, OrderIsByRackOrByRank) {
  powerEverywhere();
  EXPECT_EQ(read({.now = kEnd}).hosts.front().name, "n0");
  EXPECT_EQ(read({.by_job = true, .now = kEnd}).hosts.front().name, "n3");
}

TEST_F(GpusTest, ErrorsAndLastHeardHaveScalesOfTheirOwn) {
  powerEverywhere();
  const auto ecc = m_writer->series({.node = m_nodes[1], .device = m_gpus[1][1], .metric = "ecc_uncorrected_total", .unit = "total"});
  m_writer->sample(ecc, kEnd, 1);
  const GpuData errors = read({.metric = 7, .now = kEnd});
  EXPECT_EQ(cellOf(errors, m_gpus[1][1]).deviation, 1);
  EXPECT_FALSE(cellOf(errors, m_gpus[0][0]).value) << "no counter is not no errors";
  const GpuData heard = read({.metric = 8, .now = kEnd + 3 * kNsPerSecond});
  EXPECT_DOUBLE_EQ(cellOf(heard, m_gpus[0][0]).deviation.value(), 0.5);
  EXPECT_EQ(cellOf(heard, m_gpus[0][0]).shade, 0) << "one missed heartbeat is none";
  EXPECT_EQ(cellOf(errors, m_gpus[1][1]).shade, 1);
}

TEST_F(GpusTest, TheHostSaysWhenAMountIsFullAndHowFreshPowerIs) {
  powerEverywhere();
  const auto put = [&](const char* metric, const char* labels, DeviceId device, TimeNs time, double value) {
    m_writer->sample(m_writer->series({.node = m_nodes[0], .device = device, .metric = metric, .labels = labels}), time, value);
  };
  constexpr double kHour = 3600.0 * kNsPerSecond;
  const char* const ckpt = R"({"mount":"/ckpt"})";
  const char* const logs = R"({"mount":"/logs"})";
  put("mount_free_bytes", ckpt, {}, kEnd, 2e9);
  put("mount_time_to_full_ns", ckpt, {}, kEnd, 3 * kHour);
  put("mount_free_bytes", logs, {}, kEnd, 2e9);
  put("mount_time_to_full_ns", logs, {}, kEnd - kNsPerSecond, 2 * kHour);
  put("power_refresh_ns", "", m_gpus[0][2], kEnd, 1e8);
  const GpuData data = read({.node = m_nodes[0], .now = kEnd});
  QString line = data.detail.host_line;
  for (const char16_t space : {u'\u00A0', u'\u2009', u'\u202F'}) line.replace(QChar(space), QLatin1Char(' '));
  EXPECT_TRUE(line.contains(QStringLiteral("/ckpt 1.86 GiB free, full in 3 h 00"))) << line.toStdString();
  EXPECT_FALSE(line.contains(QStringLiteral("full in 2 h"))) << "it stopped filling";
  EXPECT_TRUE(
      std::ranges::any_of(data.detail.columns, [](const DetailColumn& column) { return column.title.startsWith("Power refresh"); }));
}

}  // namespace
}  // namespace runglass
