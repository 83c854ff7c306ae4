// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl serve --scrape` against Debian's prometheus-node-exporter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "net/http_client.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/debian_program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::waitUntil;
using testing::HasSubstr;

class ScrapeShipped : public CtlFixture {
 protected:
  ~ScrapeShipped() override {
    for (const pid_t child : m_children) {
      ::kill(child, SIGTERM);
      ::waitpid(child, nullptr, 0);
    }
  }
  void exporter(const std::string& program, const std::string& address) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int none = ::open("/dev/null", O_WRONLY);
      ::dup2(none, 1);
      ::dup2(none, 2);
      ::execl(program.c_str(), program.c_str(), ("--web.listen-address=" + address).c_str(), nullptr);
      ::_exit(127);
    }
    m_children.push_back(child);
  }
  void write(const std::string& toml) { std::ofstream(m_config) << toml; }
  void serveUntil(const std::function<bool()>& done) {
    const pid_t hub = start({"serve", "--store", m_store, "--listen", "127.0.0.1:0", "--scrape", m_config});
    EXPECT_TRUE(waitUntil(done));
    ::kill(hub, SIGTERM);
    int status = 0;
    ::waitpid(hub, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << contentOf(m_folder.file("stderr"));
  }
  bool has(const std::string& sql, const std::string& words) {
    const Outcome outcome = query(sql);
    return outcome.exit == 0 && outcome.out.find(words) != std::string::npos;
  }

  std::string m_config = m_folder.file("scrape.toml");
  std::vector<pid_t> m_children;
};

TEST_F(ScrapeShipped, WhatDebiansNodeExporterSaysIsInTheStore) {
  const std::string program = test::debianProgram("prometheus-node-exporter");
  if (program.empty()) GTEST_SKIP() << "no prometheus-node-exporter; ./dev test fetches it";
  const test::ReservedPort port;
  const std::string address = port.address();
  exporter(program, address);
  HttpClient client;
  std::string page;
  ASSERT_TRUE(waitUntil([&] {
    if (const auto answer = client.request({.url = "http://" + address + "/metrics"}); answer.ok()) page = answer->body;
    return !page.empty();
  })) << "the exporter does not answer";
  write("[[target]]\njob = \"node\"\nnode = \"n1\"\nurls = [\"" + address + "\"]\ninterval_s = 0.2\n");
  serveUntil([&] { return has("SELECT max(sample_count) >= 5 AS enough FROM series", "\n1\n"); });

  std::size_t checked = 0;
  for (const std::string metric : {"node_memory_MemTotal_bytes", "node_memory_SwapTotal_bytes", "node_boot_time_seconds"}) {
    const std::size_t at = page.find("\n" + metric + " ");
    ASSERT_NE(at, std::string::npos) << metric;
    const double exposed = std::stod(page.substr(at + metric.size() + 2, 40));
    const Outcome stored = query("SELECT x.value FROM series s, sample(s.series_id) x WHERE s.metric = '" + metric + "' AND s.node = 'n1'");
    std::stringstream lines(stored.out);
    std::string line;
    std::getline(lines, line);
    for (; std::getline(lines, line); ++checked) EXPECT_EQ(std::stod(line), exposed) << metric;
  }
  EXPECT_GE(checked, 3U * 4);
  // Every sample of the page is a series, except those about the exporter's own scrapes.
  std::stringstream lines(page);
  std::int64_t samples = 0;
  for (std::string line; std::getline(lines, line);) samples += !line.empty() && line.front() != '#' ? 1 : 0;
  const Outcome series = query("SELECT count(*) FROM series");
  EXPECT_NEAR(static_cast<double>(std::stoll(series.out.substr(series.out.find('\n') + 1))), static_cast<double>(samples), 20)
      << series.out;
  EXPECT_THAT(query("SELECT count(*) FROM ingest_issue").out, HasSubstr("\n0\n"));
  EXPECT_THAT(query("SELECT kind FROM series WHERE metric = 'node_cpu_seconds_total' LIMIT 1").out, HasSubstr("counter"));
}

TEST_F(ScrapeShipped, ATargetThatIsNotThereIsAnEventAndAnIssue) {
  const test::ReservedPort silent;
  write("[[target]]\njob = \"node\"\nnode = \"gone\"\nurls = [\"" + silent.address() + "\"]\ninterval_s = 0.1\n");
  serveUntil([&] { return has("SELECT kind FROM event", "scrape_target_down"); });
  EXPECT_THAT(query("SELECT kind, severity, node FROM event").out, HasSubstr("scrape_target_down,warning,gone"));
  EXPECT_THAT(ctl({"info", "--store", m_store}).out, HasSubstr("scrape.failed"));
}

TEST_F(ScrapeShipped, AWrongFileIsNamedWithItsLineBeforeAnythingStarts) {
  write("[[target]]\njob = \"node\"\nurls = []\n");
  expectFails(ctl({"serve", "--store", m_store, "--scrape", m_config}), "scrape.toml: line 1: a target has urls");
  EXPECT_FALSE(std::filesystem::exists(m_store));
  expectFails(ctl({"serve", "--store", m_store, "--scrape", m_folder.file("none.toml")}), "No such file");
}

}  // namespace
}  // namespace runglass
