// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

class DeleteCommand : public CtlFixture {};

TEST_F(DeleteCommand, PreviewsDeletesAndLeavesASoundStore) {
  makeSampleStore(m_store);
  const auto preview = ctl({"delete", "--store", m_store, "--run", "pretrain", "--dry-run", "--json"});
  ASSERT_EQ(preview.exit, 0) << preview.err;
  const auto would = nlohmann::json::parse(preview.out);
  EXPECT_EQ(would["dry_run"], true);
  EXPECT_EQ(would["runs"], nlohmann::json::array({"pretrain"}));
  EXPECT_EQ(would["rows"]["attempt"], 2);
  EXPECT_EQ(query("SELECT count(*) AS n FROM attempt").out, "n\n2\n");
  const auto deleted = ctl({"delete", m_store, "--run", "pretrain"});
  ASSERT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_THAT(deleted.out, HasSubstr("deleted 1 run"));
  EXPECT_EQ(query("SELECT count(*) AS n FROM attempt").out, "n\n0\n");
  EXPECT_EQ(ctl({"compact", "--store", m_store, "--json"}).exit, 0);
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(DeleteCommand, WrongUsageIsSaid) {
  makeSampleStore(m_store);
  EXPECT_EQ(ctl({"delete", "--store", m_store}).exit, 2);
  EXPECT_EQ(ctl({"delete", "--store", m_store, "--run", "1", "--before", "2026-01-01"}).exit, 2);
  EXPECT_EQ(ctl({"delete", "--store", m_store, "--before", "yesterday"}).exit, 2);
  EXPECT_EQ(ctl({"delete", "--store", m_store, "--before", "2026-13-01"}).exit, 2);
  expectFails(ctl({"delete", "--store", m_store, "--run", "nothing"}), "nothing");
  EXPECT_EQ(query("SELECT count(*) AS n FROM attempt").out, "n\n2\n");
}

TEST_F(DeleteCommand, AStoreThatIsWrittenIsOnlyPreviewed) {
  makeSampleStore(m_store);
  auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(ctl({"delete", "--store", m_store, "--run", "1", "--dry-run"}).exit, 0);
  expectFails(ctl({"delete", "--store", m_store, "--run", "1"}), "another process writes it");
  expectFails(ctl({"compact", "--store", m_store}), "another process writes it");
}

}  // namespace
}  // namespace runglass
