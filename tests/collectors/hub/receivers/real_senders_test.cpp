// SPDX-License-Identifier: Apache-2.0
// Debian's prometheus and vmagent scrape a page of ours and send it to `runglassctl serve --receive`, which is killed meanwhile: every
// value that the page ever had is stored once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "storage/open_store.h"
#include "tests/support/debian_program.h"
#include "tests/support/http_server.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::debianProgram;
using testing::IsEmpty;
using testing::SizeIs;

class RealSenders : public testing::Test {
 protected:
  std::unique_ptr<test::Process> serve() {
    auto hub = std::make_unique<test::Process>(
        std::vector<std::string>{"runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0", "--receive", m_receive.address()});
    (void)hub->line();
    EXPECT_EQ(hub->line(), "receiving on " + m_receive.address());
    return hub;
  }
  std::vector<double> values(const std::string& metric) {
    const auto reader = openStore(m_store).reader();
    std::vector<double> out;
    if (!reader.ok()) return out;
    for (const Series& series : (*reader)->series({.metric = metric}).value()) {
      const std::vector<double> of_series = (*reader)->samples(series.id, {}).value().value;
      out.insert(out.end(), of_series.begin(), of_series.end());
    }
    return out;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(m_folder.file(name)) << text; }
  std::string log() const {
    std::stringstream text;
    text << std::ifstream(m_folder.file("log")).rdbuf();
    return text.str();
  }
  std::string scrapes() const {
    return "scrape_configs:\n  - job_name: page\n    static_configs:\n      - targets: ['" + m_page.address() + "']\n";
  }
  // Kills the hub three times while the sender works, and compares.
  void killAndCompare() {
    auto hub = serve();
    for (int kills = 0; kills < 3; ++kills) {
      const std::int64_t reached = m_scrapes + 5;
      ASSERT_TRUE(test::waitUntil([&] { return m_scrapes > reached; })) << log();
      ASSERT_EQ(hub->end(SIGKILL), -SIGKILL);
      ASSERT_TRUE(test::waitUntil([&] { return m_scrapes > reached + 3; })) << "the sender has more while the hub is away";
      hub = serve();
    }
    const auto last = static_cast<double>(m_scrapes + 5);
    EXPECT_TRUE(test::waitUntil([&] {
      // A sender with several connections may send what is older later.
      const std::vector<double> now = values("page_scrapes_total");
      return !now.empty() && now.back() >= last && now.back() - now.front() + 1 == static_cast<double>(now.size());
    })) << log();
    ASSERT_EQ(hub->end(SIGTERM), 0);
    const auto reader = openStore(m_store).reader().value();
    EXPECT_THAT(reader->verify().value(), IsEmpty());
    EXPECT_THAT(reader->issues().value(), IsEmpty());
    const std::vector<double> stored = values("page_scrapes_total");
    ASSERT_GE(stored.size(), 30U);
    for (std::size_t i = 1; i < stored.size(); ++i) ASSERT_EQ(stored[i], stored[i - 1] + 1) << "lost, or stored twice";
    EXPECT_THAT(values("page_halves"), SizeIs(stored.size()));
    EXPECT_EQ(values("page_halves").front(), stored.front() / 2);
    EXPECT_EQ(values("gpu_memory_used_bytes").front(), 1'024.0 * (1 << 20));
    EXPECT_EQ(reader->series({.metric = "page_scrapes_total"}).value().at(0).key.kind, SeriesKind::kCounter);
    EXPECT_THAT(reader->series({.metric = "page_scrapes_total"}).value().at(0).key.source, testing::StartsWith("page 127.0.0.1:"));
  }

  test::TempFolder m_folder;
  const std::string m_store = m_folder.file("s.rgl");
  const test::ReservedPort m_receive, m_own;
  std::atomic<std::int64_t> m_scrapes = 0;
  test::HttpServer m_page{[this](const std::string&, const test::HttpServer::Connection& to) {
    const std::int64_t n = m_scrapes++;
    return to.answer("# TYPE page_scrapes_total counter\npage_scrapes_total " + std::to_string(n) +
                     "\n# TYPE page_halves gauge\npage_halves{why=\"a \\\"quoted\\\" label\"} " +
                     std::to_string(static_cast<double>(n) / 2) +
                     "\nDCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"gpu-01\"} 1024\n");
  }};
};

TEST_F(RealSenders, PrometheusLosesAndDoublesNothingWhileTheHubIsKilled) {
  const std::string program = debianProgram("prometheus");
  if (program.empty()) GTEST_SKIP() << "no prometheus; ./dev test fetches it";
  write("prometheus.yml", "global:\n  scrape_interval: 100ms\n  scrape_timeout: 100ms\n" + scrapes() + "remote_write:\n  - url: http://" +
                              m_receive.address() +
                              "/api/v1/write\n    queue_config: {min_backoff: 30ms, max_backoff: 200ms, batch_send_deadline: 100ms, "
                              "retry_on_http_429: true}\n");
  const Program prometheus({program, "--config.file=" + m_folder.file("prometheus.yml"), "--storage.tsdb.path=" + m_folder.file("tsdb"),
                            "--web.listen-address=" + m_own.address()},
                           m_folder.file("log"));
  killAndCompare();
}

TEST_F(RealSenders, VmagentLosesAndDoublesNothingWhileTheHubIsKilled) {
  const std::string program = debianProgram("vmagent");
  if (program.empty()) GTEST_SKIP() << "no vmagent; ./dev test fetches it";
  write("scrape.yml", "global:\n  scrape_interval: 100ms\n" + scrapes());
  const Program vmagent({program, "-promscrape.config=" + m_folder.file("scrape.yml"), "-remoteWrite.flushInterval=100ms",
                         "-remoteWrite.url=http://" + m_receive.address() + "/api/v1/write",
                         "-remoteWrite.tmpDataPath=" + m_folder.file("queue"), "-httpListenAddr=" + m_own.address()},
                        m_folder.file("log"));
  killAndCompare();
}

}  // namespace
}  // namespace runglass
