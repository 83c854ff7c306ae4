// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl import --prometheus` and `serve --prometheus` against Debian's Prometheus and VictoriaMetrics, fed by an exporter of ours
// and prometheus-node-exporter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/http_client.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/debian_program.h"
#include "tests/support/fake_dcgm_exporter.h"
#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::debianProgram;
using test::waitUntil;
using testing::HasSubstr;
using testing::IsSupersetOf;

class RealServer : public CtlFixture, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (debianProgram(GetParam()).empty() || debianProgram("prometheus-node-exporter").empty())
      GTEST_SKIP() << "no " << GetParam() << " or prometheus-node-exporter; ./dev test fetches them";
    m_node_exporter.emplace(
        std::vector<std::string>{debianProgram("prometheus-node-exporter"), "--web.listen-address=" + m_node_port.address()}, "/dev/null");
    std::ofstream(m_folder.file("scrape.yml")) << "global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n"
                                                  "  - job_name: dcgm\n    static_configs: [{targets: ['"
                                               << m_exporter.address()
                                               << "']}]\n  - job_name: node\n    scrape_interval: 1s\n    scrape_timeout: 1s\n"
                                                  "    static_configs: [{targets: ['"
                                               << m_node_port.address() << "']}]\n";
    startServer();
  }
  void startServer() {
    const std::string data = m_folder.file("data"), config = m_folder.file("scrape.yml");
    if (std::string(GetParam()) == "prometheus")
      m_server.emplace(std::vector<std::string>{debianProgram("prometheus"), "--config.file=" + config, "--storage.tsdb.path=" + data,
                                                "--web.listen-address=" + m_port.address()},
                       "/dev/null");
    else
      m_server.emplace(
          std::vector<std::string>{debianProgram("victoria-metrics"), "-promscrape.config=" + config, "-storageDataPath=" + data,
                                   "-httpListenAddr=" + m_port.address(), "-search.latencyOffset=0s"},
          "/dev/null");
  }
  void startHub(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RG_BIN_DIR "/runglassctl");
    m_hub.emplace(test::runnable(std::move(arguments)), m_hub_log);
  }
  void waitForScrapes(std::int64_t more) {
    const std::int64_t until = m_exporter.scrapes() + more;
    ASSERT_TRUE(waitUntil([&] { return m_exporter.scrapes() >= until; })) << GetParam() << " does not scrape";
  }
  Outcome import(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"import", "--out", m_store, "--prometheus", "http://" + m_port.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ctl(arguments);
  }
  // Imports until a scrape that has happened is in the store: a server may show its newest samples later.
  void importUntil(std::int64_t scrape) {
    ASSERT_TRUE(waitUntil([&] {
      const Outcome outcome = import();
      const auto stored = values("gpu_memory_used_bytes", "GPU-0");
      return outcome.exit == 0 && !stored.empty() && stored.back() >= scrape;
    })) << import().err;
  }
  // Of a device's series in order of time; memory as the number of the scrape.
  std::vector<std::int64_t> values(const std::string& metric, const std::string& uuid) {
    std::vector<std::int64_t> all;
    std::stringstream lines(query("SELECT x.value FROM series s, sample(s.series_id) x WHERE s.metric = '" + metric +
                                  "' AND s.device_uuid = '" + uuid + "' ORDER BY x.time_ns")
                                .out);
    std::string line;
    std::getline(lines, line);
    const double unit = metric == "gpu_memory_used_bytes" ? 1 << 20 : 1;
    while (std::getline(lines, line)) all.push_back(std::llround(std::stod(line) / unit));
    return all;
  }

  test::FakeDcgmExporter m_exporter;
  const test::ReservedPort m_node_port, m_port;
  const std::string m_hub_log = m_folder.file("hub.log");
  std::optional<Program> m_node_exporter, m_server, m_hub;
};

TEST_P(RealServer, EveryExposedValueIsInTheStoreOnceAcrossAKilledServerAndRepeatedImports) {
  waitForScrapes(15);
  importUntil(m_exporter.scrapes());
  const std::vector<std::int64_t> before = values("gpu_memory_used_bytes", "GPU-0");
  waitForScrapes(5);
  m_server.reset();  // SIGKILL
  const std::int64_t killed = m_exporter.scrapes();
  startServer();
  waitForScrapes(10);
  importUntil(m_exporter.scrapes());
  ASSERT_EQ(import().exit, 0);

  for (const char* uuid : {"GPU-0", "GPU-1"}) {
    const auto memory = values("gpu_memory_used_bytes", uuid), energy = values("energy_joules", uuid);
    EXPECT_EQ(memory, energy) << "both are the number of the scrape";
    // Nothing is doubled; only scrapes that the killed server had not written to its disk may be missing.
    std::set<std::int64_t> missing;
    for (std::int64_t n = memory.front(); n <= memory.back(); ++n) missing.insert(n);
    for (const std::int64_t n : memory) EXPECT_EQ(missing.erase(n), 1U) << n;
    for (const std::int64_t n : missing) {
      EXPECT_GT(n, before.back()) << "imported before the server was killed";
      EXPECT_LE(n, killed);
    }
  }
  EXPECT_THAT(query("SELECT kind FROM series WHERE metric = 'energy_joules' LIMIT 1").out, HasSubstr("counter"));
  EXPECT_THAT(query("SELECT DISTINCT node FROM series").out, HasSubstr("gpu-01"));
}

TEST_P(RealServer, ARecordingHubHasEverySampleOnceAcrossAKilledServerAndItsOwnKill) {
  const std::vector<std::string> serve{
      "serve", "--store", m_store, "--listen", "127.0.0.1:0", "--prometheus", "http://" + m_port.address(), "--prometheus-interval", "0.3"};
  // A server may show its newest samples later, and the hub commits once a second.
  const auto recorded = [&](std::int64_t scrape) {
    const auto stored = values("gpu_memory_used_bytes", "GPU-1");
    return !stored.empty() && stored.back() >= scrape;
  };
  const auto waitUntilRecorded = [&] {
    waitForScrapes(5);
    const std::int64_t newest = m_exporter.scrapes();
    ASSERT_TRUE(waitUntil([&] { return recorded(newest); })) << contentOf(m_hub_log);
  };
  startHub(serve);
  waitUntilRecorded();
  m_server.reset();  // SIGKILL
  ASSERT_TRUE(waitUntil([&] { return query("SELECT code FROM ingest_issue").out.find("prometheus.unavailable") != std::string::npos; }));
  EXPECT_THAT(ctl({"status", "--store", m_store}).out, HasSubstr("prometheus.unavailable"));
  startServer();
  waitUntilRecorded();
  m_hub.reset();  // SIGKILL
  waitForScrapes(10);
  startHub(serve);
  waitUntilRecorded();
  m_hub->signal(SIGTERM);
  EXPECT_EQ(m_hub->wait(), 0) << contentOf(m_hub_log);

  // The store has all that the server has, up to the newest sample recorded.
  const auto memory = values("gpu_memory_used_bytes", "GPU-1"), energy = values("energy_joules", "GPU-1");
  EXPECT_EQ(memory, energy);
  EXPECT_EQ(std::set<std::int64_t>(memory.begin(), memory.end()).size(), memory.size()) << "nothing twice";
  m_store = m_folder.file("imported.rgl");
  ASSERT_EQ(import().exit, 0);
  std::vector<std::int64_t> served = values("gpu_memory_used_bytes", "GPU-1");
  std::erase_if(served, [&](std::int64_t scrape) { return scrape < memory.front() || scrape > memory.back(); });
  EXPECT_THAT(memory, IsSupersetOf(served)) << "nothing is missing";
}

TEST_P(RealServer, TheHostsMetricsAreThoseOfNodeExporter) {
  HttpClient client;
  std::string page;
  ASSERT_TRUE(waitUntil([&] {
    if (const auto answer = client.request({.url = "http://" + m_node_port.address() + "/metrics"}); answer.ok()) page = answer->body;
    return !page.empty();
  }));
  // VictoriaMetrics shows parts of a scrape; where the host's name is not among them, nothing names the machine but its address.
  ASSERT_TRUE(waitUntil([&] {
    const auto answer = client.request({.url = "http://" + m_port.address() + "/api/v1/query?query=node_uname_info"});
    return answer.ok() && answer->body.find("nodename") != std::string::npos;
  }));
  const auto has = [&] {
    return import().exit == 0 && query("SELECT metric FROM series").out.find("node_boot_time_seconds") != std::string::npos;
  };
  ASSERT_TRUE(waitUntil(has)) << import().err;
  for (const std::string metric : {"node_memory_MemTotal_bytes", "node_boot_time_seconds"}) {
    const double exposed = std::stod(page.substr(page.find("\n" + metric + " ") + metric.size() + 2, 40));
    std::stringstream lines(query("SELECT x.value FROM series s, sample(s.series_id) x WHERE s.metric = '" + metric + "'").out);
    std::string line;
    std::getline(lines, line);
    std::size_t checked = 0;
    for (; std::getline(lines, line); ++checked) EXPECT_EQ(std::stod(line), exposed) << metric;
    EXPECT_GE(checked, 1U) << metric;
  }
  const std::string nodes = query("SELECT node FROM series WHERE metric = 'node_load1'").out;
  std::array<char, 256> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  EXPECT_THAT(nodes, HasSubstr(name.data())) << "the name of node_uname_info, not the address";
  EXPECT_THAT(query("SELECT count(*) FROM series WHERE metric LIKE 'go_%'").out, HasSubstr("\n0\n"));
}

TEST_P(RealServer, SelectorsNodesAndWindowsLimitTheImport) {
  waitForScrapes(10);
  importUntil(5);
  EXPECT_EQ(import({"--match", "{job=\"dcgm\"}", "--nodes", "gpu-[01-02]", "--run", "night"}).exit, 0);
  EXPECT_THAT(query("SELECT name FROM run").out, HasSubstr("night"));
  EXPECT_THAT(query("SELECT code, detail FROM ingest_issue").out, HasSubstr("prometheus.silent_node,gpu-02"));
  m_store = m_folder.file("other.rgl");
  expectFails(import({"--nodes", "gpu-77"}), "of these nodes");
  expectFails(import({"--from", "2020-01-01T00:00:00Z", "--to", "2020-01-01T01:00:00Z"}), "from 2020-01-01");
  EXPECT_FALSE(std::filesystem::exists(m_store)) << "nothing was found, so that no store is made";
  expectFails(import({"--match", "{job=dcgm}"}), "HTTP 4");
}

// As scontrol prints it with TZ=UTC.
std::string utc(TimeNs time) {
  const std::time_t seconds = time / kNsPerSecond;
  std::array<char, 32> text{};
  std::tm broken{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &broken));
  return text.data();
}

TEST_P(RealServer, TwoJobsOneAfterTheOtherOnAGpuAreRunsOfTheirOwn) {
  waitForScrapes(25);
  importUntil(m_exporter.scrapes());
  std::filesystem::remove(m_store);
  // Of the last seconds; the jobs have GPU 1, then both GPUs.
  const TimeNs change = wallNow() / kNsPerSecond * kNsPerSecond - 2 * kNsPerSecond;
  const auto job = [&](const std::string& id, TimeNs from, TimeNs to, const std::string& gpus) {
    std::ofstream(m_folder.file("job" + id)) << "JobId=" << id
                                             << " JobName=train\n   JobState=COMPLETED Reason=None\n   ExitCode=0:0\n   SubmitTime="
                                             << utc(from - 60 * kNsPerSecond) << "\n   StartTime=" << utc(from) << " EndTime=" << utc(to)
                                             << "\n   NodeList=gpu-01\n     Nodes=gpu-01 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:" << gpus << ")\n";
  };
  job("7", change - 2 * kNsPerSecond, change, "1");
  job("8", change, change + 2 * kNsPerSecond, "0-1");
  const std::string scontrol = m_folder.file("scontrol");
  std::ofstream(scontrol) << "#!/bin/sh\ncat " << m_folder.file("job") << "$4\n";
  std::ofstream(m_folder.file("sacct")) << "#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n";
  for (const std::string& script : {scontrol, m_folder.file("sacct")})
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ::setenv("PATH", (m_folder.path() + ":" + std::getenv("PATH")).c_str(), 1);

  ASSERT_EQ(import({"--slurm", "7"}).exit, 0) << contentOf(m_folder.file("stderr"));
  EXPECT_TRUE(values("gpu_memory_used_bytes", "GPU-0").empty()) << "not a GPU of the job";
  const auto first = values("gpu_memory_used_bytes", "GPU-1");
  ASSERT_FALSE(first.empty());
  EXPECT_THAT(query("SELECT min(first_ns) >= " + std::to_string(change - 2 * kNsPerSecond) + " AND max(last_ns) < " +
                    std::to_string(change) + " AS inside FROM series WHERE device_uuid = 'GPU-1'")
                  .out,
              HasSubstr("\n1\n"));
  ASSERT_EQ(import({"--slurm", "8"}).exit, 0);
  ASSERT_EQ(import({"--slurm", "7"}).exit, 0);
  const auto both = values("gpu_memory_used_bytes", "GPU-1");
  EXPECT_GT(both.size(), first.size());
  EXPECT_EQ(std::set<std::int64_t>(both.begin(), both.end()).size(), both.size()) << "nothing twice";
  const std::string ranks = query("SELECT r.name, k.rank, k.device_uuid FROM rank k JOIN run r USING (run_id) ORDER BY r.name, k.rank").out;
  EXPECT_THAT(ranks, HasSubstr("train-7,0,GPU-1\ntrain-8,0,GPU-0\ntrain-8,1,GPU-1\n"));
  expectFails(ctl({"import", "--store", m_store, "--slurm", "9"}), "Slurm accounting storage is disabled");
}

INSTANTIATE_TEST_SUITE_P(Servers, RealServer, ::testing::Values("prometheus", "victoria-metrics"),
                         [](const auto& server) { return std::string(server.param) == "prometheus" ? "Prometheus" : "VictoriaMetrics"; });

class ImportOptionsOfServices : public CtlFixture {};

TEST_F(ImportOptionsOfServices, AWrongOptionIsNamedAndNoStoreIsMade) {
  const test::ReservedPort nobody;
  expectFails(ctl({"import", "--store", m_store, "--prometheus", "http://" + nobody.address()}),
              "prometheus: GET http://" + nobody.address());
  expectFails(ctl({"import", "--store", m_store, "--prometheus", "http://a:b@prom"}), "belong into the access file");
  expectFails(
      ctl({"import", "--store", m_store, "--prometheus", "http://p", "--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z"}),
      "--from must be before --to");
  EXPECT_EQ(ctl({"import", "--store", m_store}).exit, 2);
  EXPECT_EQ(ctl({"import", "--store", m_store, "--prometheus", "http://p", "--nodes", "a-[3-1]"}).exit, 2);
  EXPECT_EQ(ctl({"import", "--store", m_store, "--prometheus", "http://p", "--from", "yesterday"}).exit, 2);
  EXPECT_FALSE(std::filesystem::exists(m_store));
}

}  // namespace
}  // namespace runglass
