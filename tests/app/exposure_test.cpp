// SPDX-License-Identifier: GPL-3.0-or-later
// What the shipped programs expose: ports on the loopback interface only, and no secret in messages, stores and exports.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/app/ctl_fixture.h"
#include "tests/support/program.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Local addresses of the process's sockets that accept connections or datagrams from anyone, from /proc: "0100007F:1B9E".
std::vector<std::string> openTo(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", error))
    if (const std::string target = fs::read_symlink(entry.path(), error); target.starts_with("socket:["))
      inodes.insert(target.substr(8, target.size() - 9));
  std::vector<std::string> found;
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"}) {
    std::ifstream lines("/proc/" + std::to_string(pid) + "/net/" + table);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream columns(line);
      std::string number, local, remote, state, queues, timer, retries, uid, timeout, inode;
      columns >> number >> local >> remote >> state >> queues >> timer >> retries >> uid >> timeout >> inode;
      const bool tcp = table[0] == 't';
      if (inodes.contains(inode) && (tcp ? state == "0A" : remote.ends_with(":0000"))) found.push_back(local);
    }
  }
  return found;
}

bool isLoopback(const std::string& address) {
  return address.starts_with("0100007F:") || address.starts_with("00000000000000000000000001000000:") ||
         address.starts_with("0000000000000000FFFF00000100007F:");
}

class Exposure : public CtlFixture {
 protected:
  static void expectLoopback(pid_t pid, std::size_t ports, const char* program) {
    const std::vector<std::string> open = openTo(pid);
    EXPECT_GE(open.size(), ports) << program;
    for (const std::string& address : open) EXPECT_TRUE(isLoopback(address)) << program << " listens on " << address;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(m_folder.file(name)) << text;
    ::chmod(m_folder.file(name).c_str(), 0600);
  }
  static int stop(Program& program) {
    program.signal(SIGTERM);
    const int status = program.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool holds(const std::string& sql) { return query("SELECT count(*) > 0 AS n FROM " + sql).out == "n\n1\n"; }
  bool waitFor(const std::string& sql) {
    return test::waitUntil([&] { return holds(sql); });
  }
};

TEST_F(Exposure, PortsAreOfTheLoopbackAlone) {
  const int everywhere = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::listen(everywhere, 1), 0);
  ASSERT_EQ(openTo(::getpid()).size(), 1U) << "the search finds no ports";
  ASSERT_FALSE(isLoopback(openTo(::getpid())[0]));
  ::close(everywhere);

  write("scrape.toml", "[[target]]\njob = \"node\"\nurls = [\"127.0.0.1:1\"]\n");
  const std::string log = m_folder.file("hub.log"), ctl_program = RG_BIN_DIR "/runglassctl";
  Program hub({ctl_program, "serve", "--store", m_store, "--scrape", m_folder.file("scrape.toml")}, log);
  ASSERT_TRUE(test::waitUntil([&] { return contentOf(log).find('\n') != std::string::npos; }));
  if (contentOf(log).find("Address already in use") != std::string::npos)
    GTEST_SKIP() << "another program has the default port: " << contentOf(log);
  const std::string address = hubAddress(log);
  expectLoopback(hub.pid(), 1, "serve");

  Program agent({RG_BIN_DIR "/runglass-agent", "--hub", address, "--state-dir", m_folder.file("agent")}, m_folder.file("agent.log"));
  Program replica({ctl_program, "follow", "--from", address, "--store", m_folder.file("replica.rgl")}, m_folder.file("replica.log"));
  ASSERT_TRUE(test::waitUntil([&] { return fs::exists(m_folder.file("replica.rgl")); })) << contentOf(m_folder.file("replica.log"));
  ASSERT_TRUE(waitFor("series")) << contentOf(m_folder.file("agent.log"));
  expectLoopback(agent.pid(), 0, "runglass-agent");
  expectLoopback(replica.pid(), 0, "follow");
  expectLoopback(hub.pid(), 1, "serve with an agent and a replica");
  EXPECT_EQ(stop(hub), 0);
}

TEST_F(Exposure, TheConsolesPortIsOfTheLoopbackAlone) {
  const std::string console = RG_BIN_DIR "/runglass";
  if (!fs::exists(console)) GTEST_SKIP() << "this build has no console";
  Program window({console, m_folder.file("live.rgl"), "--live"}, m_folder.file("console.log"),
                 {{"QT_QPA_PLATFORM", "offscreen"}, {"HOME", m_folder.path()}, {"XDG_CONFIG_HOME", m_folder.path()}});
  EXPECT_TRUE(test::waitUntil([&] { return !openTo(window.pid()).empty(); })) << contentOf(m_folder.file("console.log"));
  expectLoopback(window.pid(), 1, "runglass --live");
}

// A trainer with a secret in its command line, environment and addresses.
constexpr const char* kTrainer = R"(
import os, sys, time
sys.path.insert(0, os.environ["RG_PYTHON"])
import runglass as rg
assert rg.init(run="canaries")
rg.fact("db_password", "canary-fact")
rg.fact("data", "https://ada:canary-fact-url@data.example/x")
for n in range(3):
    with rg.step(n):
        pass
while not os.path.exists(os.environ["DONE"]):
    time.sleep(0.05)
)";

TEST_F(Exposure, NoSecretIsPrintedStoredOrExported) {
  fs::create_directory(m_folder.file("rings"));
  write("train.py", kTrainer);
  write("tokens", "canary-token-0123456789abcdef0123456789\n");
  write("wrong", "canary-wrong-0123456789abcdef0123456789\n");
  write("scrape-token", "canary-scrape\n");
  write("scrape.toml",
        "[[target]]\njob = \"node\"\nnode = \"x\"\nurls = [\"http://ada:canary-url@127.0.0.1:1/metrics?token=canary-query\"]\n"
        "interval_s = 0.1\ntoken_file = \"" +
            m_folder.file("scrape-token") + "\"\n");
  write("alerts.toml",
        "[target.pager]\nwebhook = \"https://ada:canary-hook@127.0.0.1:1/canary-path?key=canary-key\"\nheaders = [\"Authorization: "
        "Bearer canary-header\"]\n[[rule]]\nname = \"all\"\nevent = \"scrape_target_down\"\nto = [\"pager\"]\n");
  write("agent.toml", "[source.host]\nenabled = false\n[source.kernel_log]\nenabled = false\n[source.client]\ndirs = [\"" +
                          m_folder.file("rings") + "\"]\n");
  write("none.toml", "[source.client]\nenabled = false\n");  // a ring is read by one agent
  const std::string log = m_folder.file("hub.log");
  Program hub({RG_BIN_DIR "/runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0", "--token-file", m_folder.file("tokens"),
               "--scrape", m_folder.file("scrape.toml"), "--alerts", m_folder.file("alerts.toml")},
              log);
  const std::string address = hubAddress(log);
  {
    const std::vector<std::pair<std::string, std::string>> secrets = {{"RUNGLASS_DIR", m_folder.file("rings")},
                                                                      {"RUNGLASS_LIB", RG_CLIENT},
                                                                      {"RG_PYTHON", RG_SOURCE_DIR "/collectors/client/python"},
                                                                      {"DONE", m_folder.file("done")},
                                                                      {"WANDB_API_KEY", "canary-wandb"},
                                                                      {"NCCL_SECRET", "canary-nccl"},
                                                                      {"TORCH_AUTH", "canary-torch"},
                                                                      {"TORCH_MIRROR", "https://ada:canary-mirror@mirror.example/"},
                                                                      {"MASTER_ADDR", "127.0.0.1"}};
    Program trainer(
        {"python3", m_folder.file("train.py"), "--api-key", "canary-argv", "--hub_token=canary-equals", "--password", "canary-password",
         "--data", "https://ada:canary-argv-url@data.example/set?token=canary-argv-query", "DB=postgres://ada:canary-db@db/x"},
        m_folder.file("trainer.log"), secrets);
    Program agent({RG_BIN_DIR "/runglass-agent", "--hub", address, "--config", m_folder.file("agent.toml"), "--state-dir",
                   m_folder.file("agent"), "--token-file", m_folder.file("tokens")},
                  m_folder.file("agent.log"), secrets);
    Program refused({RG_BIN_DIR "/runglass-agent", "--hub", address, "--config", m_folder.file("none.toml"), "--state-dir",
                     m_folder.file("agent2"), "--token-file", m_folder.file("wrong")},
                    m_folder.file("agent2.log"));
    EXPECT_TRUE(waitFor("attempt_fact WHERE key = 'data'"))
        << contentOf(m_folder.file("trainer.log")) << contentOf(m_folder.file("agent.log"));
    EXPECT_TRUE(waitFor("event WHERE kind = 'scrape_target_down'"));
    EXPECT_TRUE(waitFor("alert"));
    EXPECT_TRUE(test::waitUntil([&] { return contentOf(m_folder.file("agent2.log")).find('\n') != std::string::npos; }));
    std::ofstream(m_folder.file("done")).close();
    EXPECT_EQ(stop(agent), 0);
  }
  EXPECT_EQ(stop(hub), 0);

  std::map<std::string, std::string> texts;
  for (const char* name : {"hub.log", "agent.log", "agent2.log", "trainer.log", "s.rgl"}) texts[name] = contentOf(m_folder.file(name));
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"export", "--run", "canaries", "--csv", m_folder.file("csv")},
                                             {"export", "--run", "canaries", "--to", m_folder.file("copy.rgl")},
                                             {"info"},
                                             {"status"},
                                             {"analyze"},
                                             {"logbook", "--run", "canaries"},
                                             {"alert", "list"}}) {
    std::vector<std::string> words = command;
    words.insert(words.begin() + (command[0] == "alert" ? 2 : 1), {"--store", m_store});
    const Outcome done = ctl(words);
    EXPECT_EQ(done.exit, 0) << command[0] << ": " << done.err;
    texts[command[0]] += done.out + done.err;
  }
  for (const auto& file : fs::directory_iterator(m_folder.file("csv"))) texts[file.path().filename()] = contentOf(file.path());
  texts["copy.rgl"] = contentOf(m_folder.file("copy.rgl"));
  EXPECT_THAT(texts["attempt_fact.csv"], HasSubstr("--api-key ***"));
  EXPECT_THAT(texts["attempt_fact.csv"], HasSubstr("data.example"));
  EXPECT_THAT(texts["agent2.log"], HasSubstr("token"));
  for (const auto& [name, text] : texts)
    for (std::size_t at = text.find("canary-"); at != std::string::npos; at = text.find("canary-", at + 1))
      ADD_FAILURE() << name << ": " << text.substr(at, 30);
}

}  // namespace
}  // namespace runglass
