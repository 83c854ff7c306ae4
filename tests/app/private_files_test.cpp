// SPDX-License-Identifier: GPL-3.0-or-later
// Files of the shipped programs are readable by their owner only, and their output moves no cursor, whatever a store contains.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/app/ctl_fixture.h"
#include "tests/support/process.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

class PrivateFiles : public CtlFixture {
 protected:
  void SetUp() override { ::umask(022); }
  static mode_t modeOf(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777U;
  }
  // Checks everything in `folder`; returns the number of files.
  static int expectPrivate(const std::string& folder) {
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const mode_t wanted = entry.is_directory() ? 0700U : 0600U;
      EXPECT_EQ(modeOf(entry.path().string()), wanted) << entry.path();
      files += entry.is_directory() ? 0 : 1;
    }
    return files;
  }
  void edit(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
};

TEST_F(PrivateFiles, OfAHubWhileItRunsAndAfterwards) {
  const std::string folder = m_folder.file("hub");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  const pid_t hub = start({"serve", "--store", folder + "/s.rgl", "--listen", "127.0.0.1:0"});
  (void)hubAddress(m_folder.file("stdout"));
  EXPECT_GE(expectPrivate(folder), 5) << "store, -wal, -shm, -lock, -ingest";
  EXPECT_TRUE(std::filesystem::exists(folder + "/s.rgl-ingest"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/s.rgl-wal"));
  ::kill(hub, SIGTERM);
  int status = 0;
  ::waitpid(hub, &status, 0);
  expectPrivate(folder);
}

TEST_F(PrivateFiles, OfAnAgentThatSpools) {
  const std::string folder = m_folder.file("state"), scenario = m_folder.file("calm.toml");
  std::ofstream(scenario)
      << "name = \"calm\"\nseed = 7\nsteps = 60\n[cluster]\nnodes = 1\ngpus_per_node = 8\ngpu = \"H100-SXM\"\nmetrics_hertz = 1\n"
         "[job]\ntp = 2\npp = 1\ndp = 4\nstep_seconds = 2.0\ntokens_per_step = 1048576\nspans = \"none\"\n";
  test::Process agent({"runglass-agent", "--hub", "127.0.0.1:1", "--state-dir", folder, "--simulate", scenario, "--speed", "max"});
  const auto spooled = [&] {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with("segment-") && entry.path().extension() == ".rgs") return true;
    return false;
  };
  EXPECT_TRUE(test::waitUntil(spooled));
  ::kill(agent.pid(), SIGSTOP);  // so that no file is removed during the check
  EXPECT_EQ(modeOf(folder), 0700U);
  EXPECT_GE(expectPrivate(folder), 2) << "the agent's identity, a segment";
}

TEST_F(PrivateFiles, OfExports) {
  makeSampleStore(m_store);
  const std::string folder = m_folder.file("out");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  for (const std::vector<std::string>& to :
       {std::vector<std::string>{"--to", folder + "/copy.rgl"}, {"--csv", folder + "/csv"}, {"--chrome-trace", folder + "/trace.json"}}) {
    const Outcome done = ctl({"export", "--store", m_store, "--run", "pretrain", to[0], to[1]});
    EXPECT_EQ(done.exit, 0) << done.err;
  }
  EXPECT_GE(expectPrivate(folder), 4);
}

TEST_F(PrivateFiles, NamesOfAStoreMoveNoCursor) {
  makeSampleStore(m_store);
  edit(
      "UPDATE rg_run SET name = 'a' || char(27) || '[2Jb' || char(155) || 'c'; UPDATE rg_issue SET source = char(27) || ']0;x' || char(7), "
      "detail = char(27) || '[31m'; UPDATE rg_event SET message = char(27) || '[31mred'");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"info", "--store", m_store},
                                                                                       {"analyze", "--store", m_store},
                                                                                       {"logbook", "--store", m_store, "--run", "1"},
                                                                                       {"status", "--store", m_store}}) {
    const Outcome said = ctl(command);
    for (const std::string& text : {said.out, said.err}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << command[0];
      EXPECT_EQ(text.find('\a'), std::string::npos) << command[0];
      EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << command[0];
    }
    if (command[0] == "info") EXPECT_THAT(said.out, HasSubstr("a [2Jb"));
  }
}

TEST_F(PrivateFiles, TimesAtTheEndsOfInt64EndNoCommand) {
  makeSampleStore(m_store);
  edit(
      "UPDATE rg_run SET start_ns = -9223372036854775808, end_ns = 9223372036854775807; UPDATE rg_attempt SET start_ns = "
      "-9223372036854775808, end_ns = 9223372036854775807; UPDATE rg_event SET time_ns = 9223372036854775807; UPDATE rg_series SET "
      "first_ns = -9223372036854775808, last_ns = 9223372036854775807; INSERT INTO rg_clock_map(node_id, session, raw_ns, offset_ns, "
      "error_ns, source) VALUES(1, 's', 1700000000000000000, 9223372036854775807, 0, 'x')");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"info", "--store", m_store},
                                             {"analyze", "--store", m_store},
                                             {"status", "--store", m_store},
                                             {"query", "--store", m_store, "SELECT count(*) FROM event"},
                                             {"query", "--store", m_store, "SELECT count(*) FROM sample(1)"}}) {
    const Outcome said = ctl(command);
    EXPECT_EQ(said.exit, 0) << command[0] << ": " << said.err;
  }
}

TEST_F(PrivateFiles, AnAgentThatIsNotKnownCannotBeForgotten) {
  makeSampleStore(m_store);
  expectFails(ctl({"agent", "forget", "--store", m_store, "n0412"}), "n0412: this store knows no agent of that uuid or node");
  EXPECT_EQ(ctl({"agent", "forget", "--store", m_store}).exit, 2);
}

}  // namespace
}  // namespace runglass
