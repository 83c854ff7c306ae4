// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "collectors/agent/agent.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::HasSubstr;

class AgentConfig : public testing::Test {
 protected:
  Result<AgentOptions> read(const std::string& toml) {
    std::ofstream(dir.file("agent.toml")) << toml;
    return readAgentConfig(dir.file("agent.toml"));
  }
  test::TempFolder dir;
};

TEST_F(AgentConfig, TakesItsValuesFromTheFile) {
  std::ofstream(dir.file("token")) << "0123456789abcdef\n";
  std::filesystem::permissions(dir.file("token"), std::filesystem::perms::owner_read);
  const auto options = read("hub = 'h:1'\n[agent]\nspool_mib = 7\nseal_ms = 20\ntoken_file = '" + dir.file("token") +
                            "'\n[node]\nname = 'n9'\nrack = 'r1'\n[source.host]\nenabled = false\n");
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->link.hub, "h:1");
  EXPECT_EQ(options->link.token_file, dir.file("token"));
  EXPECT_EQ(options->outbox.spool_bytes, 7U << 20);
  EXPECT_EQ(options->seal_every, 20 * kNsPerMs);
  EXPECT_EQ(options->node.name, "n9");
  for (const SourceEntry& entry : options->sources) EXPECT_NE(entry.name, "host");
}

TEST_F(AgentConfig, NamesTheLineOfASyntaxError) {
  const auto options = read("hub = 'h:1'\n[agent\n");
  ASSERT_FALSE(options.ok());
  EXPECT_THAT(options.status().message(), HasSubstr("line 2"));
}

TEST_F(AgentConfig, RefusesKeysAndSourcesThatDoNotExist) {
  EXPECT_THAT(read("[agent]\nspool_mb = 1\n").status().message(), HasSubstr("'spool_mb'"));
  EXPECT_THAT(read("[source.gpus]\n").status().message(), HasSubstr("'gpus'"));
  EXPECT_THAT(read("[agent]\nspool_mib = -1\n").status().message(), HasSubstr("agent.spool_mib"));
}

TEST_F(AgentConfig, CarriesOutTheOrdersThatItNamesAndAllOfThemWithoutAWord) {
  EXPECT_FALSE(read("hub = 'h:1'\n")->orders.has_value());
  const auto some = read("[orders]\nallow = ['trace_steps', 'keep_recent']\n");
  ASSERT_TRUE(some.ok()) << some.status().message();
  EXPECT_THAT(*some->orders, testing::ElementsAre(OrderKind::kTraceSteps, OrderKind::kKeepRecent));
  EXPECT_THAT(*read("[orders]\nallow = []\n")->orders, testing::IsEmpty());
  EXPECT_THAT(read("[orders]\nallow = ['reboot']\n").status().message(), HasSubstr("no order 'reboot'"));
  EXPECT_THAT(read("[orders]\nallow = [7]\n").status().message(), HasSubstr("no order ''"));
  EXPECT_THAT(read("[orders]\nallow = true\n").status().message(), HasSubstr("a list of names"));
  EXPECT_THAT(read("[orders]\ndeny = []\n").status().message(), HasSubstr("'deny'"));
}

}  // namespace
}  // namespace runglass
