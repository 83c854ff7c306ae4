// SPDX-License-Identifier: Apache-2.0
// Rule files: their content, and the error for every mistake.
#include "collectors/hub/alerts/alert_rules.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(AlertRules, AWholeFileIsRead) {
  const auto read = parseAlertRules(R"(
repeat_after = "4h"
rearm_after = "10m"
most_per_hour = 5
price_per_gpu_hour = 2.5
currency = "EUR"
[target.pager]
webhook = "https://example.org/hook"
headers = ["Authorization: Bearer x"]
timeout = "3s"
[target.mail]
command = ["/usr/bin/mail", "-s", "runglass"]
[[rule]]
name = "standstill"
finding = ["stall", "hang"]
severity = "error"
to = "pager"
[[rule]]
name = "hot"
metric = "temperature_celsius"
above = 90
clear = 85
for = "60s"
severity = "warning"
[[rule]]
name = "silent exporter"
metric = "power_watts"
absent = true
for = "2m"
to = []
[[rule]]
name = "lost"
event = "node_lost"
for = "1m"
[deadman]
url = "http://127.0.0.1/alive"
method = "POST"
every = "30s"
)",
                                    "f.toml");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->repeat_after, 4 * 3600 * kNsPerSecond);
  EXPECT_EQ(read->rearm_after, 600 * kNsPerSecond);
  EXPECT_EQ(read->price_per_gpu_hour, 2.5);
  ASSERT_THAT(read->targets, SizeIs(2));
  ASSERT_THAT(read->rules, SizeIs(4));
  EXPECT_THAT(read->rules[0].findings, ElementsAre("stall", "hang"));
  EXPECT_EQ(read->rules[0].at_least, Severity::kError);
  EXPECT_THAT(read->rules[0].to, ElementsAre("pager"));
  EXPECT_EQ(read->rules[1].metric->clear, 85);
  EXPECT_THAT(read->rules[1].to, ElementsAre("mail", "pager"));
  EXPECT_THAT(read->rules[2].to, IsEmpty());
  EXPECT_EQ(read->rules[3].hold, 60 * kNsPerSecond);
  EXPECT_EQ(read->deadman->every, 30 * kNsPerSecond);
}

TEST(AlertRules, AFileWithTargetsOnlyHasTheUsualRules) {
  const auto read = parseAlertRules("[target.pager]\nwebhook = \"http://127.0.0.1:1/\"\n", "f.toml");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_THAT(read->rules, SizeIs(defaultAlerts(false).rules.size()));
  EXPECT_THAT(read->rules[1].to, ElementsAre("pager"));
}

TEST(AlertRules, EveryMistakeIsNamed) {
  const std::string target = "[target.t]\ncommand = [\"true\"]\n";
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"rule = 3 3", "line 1"},
      {"retries = 3", "has no key 'retries'"},
      {"repeat_after = \"soon\"", "repeat_after must be a duration"},
      {"repeat_after = \"5s\"", "1m or more"},
      {"most_per_hour = 0", "1..1000"},
      {"[target.t]\n", "exactly one of command, webhook, otlp and desktop"},
      {"[target.t]\nwebhook = \"ftp://x\"", "webhook must begin with http://"},
      {"[target.t]\notlp = \"127.0.0.1:4318\"", "otlp must begin with http://"},
      {"[target.t]\nwebhook = \"http://x\"\notlp = \"http://x\"", "exactly one of command, webhook, otlp and desktop"},
      {"[target.t]\nwebhook = \"http://x\"\nheaders = [\"a\\nb: c\"]", "one line"},
      {"[target.t]\ncommand = [\"true\"]\ntimeout = \"1h\"", "at most 5m"},
      {target + "[[rule]]\nfinding = \"hang\"", "needs a name"},
      {target + "[[rule]]\nname = \"a\"", "exactly one of finding, event and metric"},
      {target + "[[rule]]\nname = \"a\"\nfinding = \"hang\"\nto = [\"nobody\"]", "no target 'nobody'"},
      {target + "[[rule]]\nname = \"a\"\nfinding = \"hang\"\nseverity = \"bad\"", "severity is one of"},
      {target + "[[rule]]\nname = \"a\"\nfinding = \"hang\"\n[[rule]]\nname = \"a\"\nfinding = \"stall\"", "two of this name"},
      {target + "[[rule]]\nname = \"a\"\nevent = \"xid\"\nfor = \"5m\"", "for is allowed with"},
      {target + "[[rule]]\nname = \"a\"\nmetric = \"m\"", "exactly one of above, below and absent"},
      {target + "[[rule]]\nname = \"a\"\nmetric = \"m\"\nabove = 5\nclear = 6", "good side"},
      {target + "[[rule]]\nname = \"a\"\nmetric = \"m\"\nbelow = 5\nclear = 4", "good side"},
      {target + "[[rule]]\nname = \"a\"\nmetric = \"m\"\nabsent = true", "how long"},
      {target + "[[rule]]\nname = \"a\"\nmetric = \"m\"\nabove = nan", "must be a number"},
      {"[deadman]\n", "a file or a url"},
      {"[deadman]\nfile = \"/x\"\nevery = \"0s\"", "1s or more"},
  };
  for (const auto& [text, words] : mistakes) {
    const auto read = parseAlertRules(text, "f.toml");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(read.status().message(), HasSubstr(words)) << text;
    EXPECT_THAT(read.status().message(), HasSubstr("f.toml"));
  }
  EXPECT_FALSE(readAlertRules("/nowhere/alerts.toml").ok());
}

TEST(AlertRules, AFileWithSecretsIsItsOwnersAlone) {
  const test::TempFolder dir;
  const std::string path = dir.file("alerts.toml");
  const std::string rule = "[[rule]]\nname = \"a\"\nevent = \"xid\"\n";
  const auto read = [&](const std::string& text, mode_t mode) {
    std::ofstream(path) << text + rule;
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return readAlertRules(path).status();
  };
  for (const std::string secret : {"[target.t]\nwebhook = \"https://hooks.example/services/KEY\"\n",
                                   "[target.t]\nwebhook = \"http://127.0.0.1:9/x\"\nheaders = [\"Authorization: Bearer x\"]\n",
                                   "[deadman]\nurl = \"https://hc.example/UUID\"\n"}) {
    const Status refused = read(secret, 0640);
    EXPECT_EQ(refused.code(), Code::kPermissionDenied) << secret;
    EXPECT_THAT(refused.message(), HasSubstr("chmod 600"));
    EXPECT_TRUE(read(secret, 0600).ok()) << read(secret, 0600).message();
  }
  EXPECT_TRUE(read("[target.t]\ncommand = [\"/bin/true\"]\n", 0644).ok()) << "no secret in it";
}

}  // namespace
}  // namespace runglass
