// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl note: on a free store, on one that a hub writes, and on one that another writer holds.
#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

class NoteTest : public CtlFixture {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
  Outcome note(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"note", "--store", m_store, "--run", "1", "--author", "ada"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ctl(arguments);
  }
  std::string notes() { return query("SELECT run_id, time_ns, author, text, note_id FROM note ORDER BY note_id").out; }
  static constexpr const char* kHead = "run_id,time_ns,author,text,note_id\n";
};

TEST_F(NoteTest, AFreeStoreTakesANoteAndIsOneFileAgain) {
  const Outcome outcome = note({"lr was halved", "--time", "17"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(note({"second"}).exit, 0);
  EXPECT_EQ(notes(), std::string(kHead) + "1,17,ada,lr was halved,1\n1,,ada,second,2\n");
  EXPECT_FALSE(std::filesystem::exists(m_store + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(lockPath(m_store)));
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(NoteTest, ARunIsNamedByItsIdItsUuidOrItsName) {
  for (const char* run : {"1", "run-uuid-1", "pretrain"})
    EXPECT_EQ(ctl({"note", "--store", m_store, "--run", run, "--author", "ada", run}).exit, 0) << run;
  EXPECT_EQ(notes(), std::string(kHead) + "1,,ada,1,1\n1,,ada,run-uuid-1,2\n1,,ada,pretrain,3\n");
  expectFails(ctl({"note", "--store", m_store, "--run", "nobody", "x"}), "no run nobody");
}

TEST_F(NoteTest, ANoteIsChangedAndRemoved) {
  ASSERT_EQ(note({"frist"}).exit, 0);
  EXPECT_EQ(note({"--id", "1", "first"}).exit, 0);
  EXPECT_EQ(notes(), std::string(kHead) + "1,,ada,first,1\n");
  EXPECT_EQ(note({"--id", "1", "--remove"}).exit, 0);
  EXPECT_EQ(notes(), kHead);
  expectFails(note({"--id", "1", "--remove"}), "no such note");
}

TEST_F(NoteTest, WrongUseIsTwoAndWhatNoStoreTakesIsOneClearLine) {
  EXPECT_EQ(note({"--remove"}).exit, 2);
  EXPECT_EQ(note({"--remove", "--id", "1", "text"}).exit, 2);
  EXPECT_EQ(note({"--time", "noon", "text"}).exit, 2);
  expectFails(note({}), "no text");
  expectFails(note({"\xff"}), "not UTF-8");
  expectFails(ctl({"note", "--store", m_folder.file("none.rgl"), "--run", "1", "x"}), "none.rgl");
  EXPECT_FALSE(std::filesystem::exists(m_folder.file("none.rgl")));
}

TEST_F(NoteTest, AHubThatHoldsTheStoreIsAsked) {
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  const Outcome outcome = note({"while it runs"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(notes(), HasSubstr("while it runs"));
  ASSERT_TRUE((*hub)->stop().ok());
  EXPECT_THAT(notes(), HasSubstr("while it runs"));
}

TEST_F(NoteTest, AHubWithATokenWantsIt) {
  const std::string tokens = m_folder.file("tokens");
  std::ofstream(tokens) << "# of the people\n0123456789abcdef\n";
  std::filesystem::permissions(tokens, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  auto hub = Hub::start(m_store, {.token_file = tokens});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  expectFails(note({"x"}), "token");
  EXPECT_EQ(note({"x", "--token-file", tokens}).exit, 0);
}

TEST_F(NoteTest, AWriterThatTakesNoEditsIsNamed) {
  const auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  expectFails(note({"x"}), "process " + std::to_string(::getpid()) + " writes it and takes no edits");
}

}  // namespace
}  // namespace runglass
