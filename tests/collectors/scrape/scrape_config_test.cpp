// SPDX-License-Identifier: Apache-2.0
#include "collectors/scrape/scrape_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::Not;

class ScrapeConfig : public testing::Test {
 protected:
  Result<std::vector<ScrapeTarget>> read(const std::string& toml) const {
    std::ofstream(dir.file("s.toml")) << toml;
    return readScrapeConfig(dir.file("s.toml"));
  }
  std::string errorOf(const std::string& toml) const {
    const auto targets = read(toml);
    return targets.ok() ? "" : targets.status().message();
  }
  test::TempFolder dir;
};

TEST_F(ScrapeConfig, TargetsTakeWhatTheDefaultsSayUnlessTheySayOtherwise) {
  const auto targets = read(R"(
[defaults]
interval_s = 5
timeout_s = 2
most_series = 100
[[target]]
job = "node"
urls = ["n1:9100", "https://n2:9100/other"]
[[target]]
job = "dcgm"
node = "n1"
urls = ["http://n1:9400/metrics"]
interval_s = 0.5
)");
  ASSERT_TRUE(targets.ok()) << targets.status().message();
  ASSERT_EQ(targets->size(), 3U);
  EXPECT_EQ((*targets)[0].url, "http://n1:9100/metrics");
  EXPECT_EQ((*targets)[0].interval, 5 * kNsPerSecond);
  EXPECT_EQ((*targets)[0].timeout, 2 * kNsPerSecond);
  EXPECT_EQ((*targets)[0].most_series, 100);
  EXPECT_EQ((*targets)[1].url, "https://n2:9100/other");
  EXPECT_EQ((*targets)[2].node, "n1");
  EXPECT_LT((*targets)[2].timeout, 500 * kNsPerMs);
}

TEST_F(ScrapeConfig, ExportersOfOneJobOnOneMachineAreDistinguished) {
  const auto targets =
      read("[[target]]\njob=\"j\"\nurls=[\"n1:1\", \"n1:2\", \"n2:1\", \"http://u:secret@n3:1/p?a\", \"http://n3:1/p?b\"]\n");
  ASSERT_TRUE(targets.ok()) << targets.status().message();
  std::vector<std::string> sources;
  for (const ScrapeTarget& target : *targets) sources.push_back(target.source);
  EXPECT_THAT(sources, testing::ElementsAre("j n1:1/metrics", "j n1:2/metrics", "j", "j n3:1/p", "j n3:1/p #2"));
}

TEST_F(ScrapeConfig, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(errorOf(""), HasSubstr("no [[target]]"));
  EXPECT_THAT(errorOf("[[target]]\njob = \n"), HasSubstr("s.toml: line 2: "));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\"]\ninterval=5\n"), HasSubstr("line 4: unknown key 'interval'"));
  EXPECT_THAT(errorOf("scrape=1\n"), HasSubstr("line 1: unknown key 'scrape'"));
  EXPECT_THAT(errorOf("[[target]]\nurls=[\"n:1\"]\n"), HasSubstr("line 1: a target has a job"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\n"), HasSubstr("a target has urls"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[5]\n"), HasSubstr("line 3: urls is a list of texts"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"ftp://n\"]\n"), HasSubstr("not an http or https address"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"http:///x\"]\n"), HasSubstr("without a host"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\\r\\nX: y\"]\n"), HasSubstr("no blanks"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\",\"n:1\"]\n"), HasSubstr("already scraped"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nnode=\"a\"\nurls=[\"n:1\",\"n:2\"]\n"), HasSubstr("several urls"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\"]\ninterval_s=5\ntimeout_s=5\n"), HasSubstr("less than interval_s"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\"]\ninterval_s=0\n"), HasSubstr("line 4: not a number of seconds"));
  EXPECT_THAT(errorOf("[[target]]\njob=\"j\"\nurls=[\"n:1\"]\nmost_series=0\n"), HasSubstr("most_series"));
  EXPECT_FALSE(readScrapeConfig(dir.file("none.toml")).ok());
}

TEST_F(ScrapeConfig, ATokenFileThatOthersMayReadIsRefused) {
  std::ofstream(dir.file("token")) << "secret-token\n";
  const std::string toml = "[[target]]\njob=\"j\"\nurls=[\"n:1\"]\ntoken_file=\"" + dir.file("token") + "\"\n";
  ASSERT_EQ(::chmod(dir.file("token").c_str(), 0644), 0);
  EXPECT_THAT(errorOf(toml), testing::AllOf(HasSubstr("line 4: token_file "), HasSubstr("chmod 600"), Not(HasSubstr("secret-token"))));
  ASSERT_EQ(::chmod(dir.file("token").c_str(), 0600), 0);
  EXPECT_EQ(read(toml)->front().token, "secret-token");
}

TEST(HostOf, IsWhatStandsBetweenSchemeAndPort) {
  EXPECT_EQ(hostOf("http://n1:9100/metrics"), "n1");
  EXPECT_EQ(hostOf("http://u:p@n1/x@y"), "n1");
  EXPECT_EQ(hostOf("http://[::1]:9100/"), "::1");
  EXPECT_EQ(hostOf("http:///x"), "");
}

}  // namespace
}  // namespace runglass
