// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped `runglass` from outside: pictures, exit codes, one-line errors, the embedded hub.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/console/place.h"
#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/storage/flip_store.h"
#include "tests/support/process.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"
#include "tests/widgets/demo_store.h"

extern char** environ;

namespace runglass {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Program {
 public:
  explicit Program(std::vector<std::string> arguments, const fs::path& dir) : m_out(dir / "stdout"), m_err(dir / "stderr") {
    arguments.insert(arguments.begin(), RG_BIN_DIR "/runglass");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, m_out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, m_err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(posix_spawn(&m_pid, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    if (m_pid > 0) {
      ::kill(m_pid, SIGKILL);
      ::waitpid(m_pid, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string out() const { return text(m_out); }
  void terminate() const { ::kill(m_pid, SIGTERM); }
  Outcome wait() {
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    m_pid = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text(m_out), text(m_err)};
  }

 private:
  static std::string text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path m_out, m_err;
  pid_t m_pid = 0;
};

class ConsoleProgram : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CONFIG_HOME", dir.c_str(), 1); }

  std::unique_ptr<Writer> recorded() const {
    auto writer = openStore(store).writer();
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    recordDemo(**writer, 1'795'211'434LL * kNsPerSecond);
    EXPECT_TRUE((*writer)->flush().ok());
    return std::move(writer).value();
  }
  Outcome run(std::vector<std::string> arguments) const { return Program(std::move(arguments), dir).wait(); }
  Outcome shoot(const std::string& view, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"screenshot", "--store", store, "--view", view, "--size", "640x480", "--out", picture()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::string picture() const { return dir / "picture.png"; }

  const test::TempFolder folder;
  const fs::path dir = folder.path();
  fs::path store = dir / "demo.rgl";
};

bool oneLine(const std::string& text) { return !text.empty() && std::ranges::count(text, '\n') == 1 && text.back() == '\n'; }

// Width and height in a PNG's header; 0 x 0 for anything else.
std::pair<int, int> pngSize(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char head[24] = {};
  file.read(reinterpret_cast<char*>(head), sizeof head);
  if (!file || std::string(head + 1, head + 4) != "PNG") return {0, 0};
  const auto number = [&](int at) { return head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3]; };
  return {number(16), number(20)};
}

TEST_F(ConsoleProgram, EveryBuiltViewBecomesAPictureWithoutADisplay) {
  ASSERT_TRUE(recorded()->close().ok());
  for (const char* view : {"watch", "runs", "overview", "gpus", "curves", "health", "findings", "alerts"}) {
    const Outcome outcome = shoot(view);
    EXPECT_EQ(outcome.code, 0) << view << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << view;
    EXPECT_EQ(pngSize(picture()), std::pair(640, 480)) << view;
    fs::remove(picture());
  }
}

TEST_F(ConsoleProgram, LightAndDarkDiffer) {
  ASSERT_TRUE(recorded()->close().ok());
  ASSERT_EQ(shoot("health", {"--theme", "light"}).code, 0);
  const auto light = fs::file_size(picture());
  ASSERT_EQ(shoot("health", {"--theme", "dark"}).code, 0);
  EXPECT_NE(light, fs::file_size(picture()));
}

TEST_F(ConsoleProgram, FollowingAHubLeavesNoRoomForAStoreOrAHubOfItsOwn) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--connect", "login1"},
                                             {"--connect", "127.0.0.1:1", store},
                                             {"--connect", "127.0.0.1:1", "--live"},
                                             {"--connect", "127.0.0.1:1", "--listen", "127.0.0.1:0"},
                                             {"--mirror", store},
                                             {"screenshot", "--view", "runs", "--out", picture()}}) {
    const Outcome outcome = run(wrong);
    EXPECT_EQ(outcome.code, 2) << wrong.back();
    EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
  }
}

TEST_F(ConsoleProgram, AHubThatCannotBeAskedIsSaidBeforeAWindowOpens) {
  const Outcome outcome = run({"--connect", "127.0.0.1:1", "--token-file", dir / "no-such-token"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("no-such-token"), std::string::npos) << outcome.err;
}

TEST_F(ConsoleProgram, AViewThatIsNotBuiltIsWrongUsageInOneLine) {
  ASSERT_TRUE(recorded()->close().ok());
  const Outcome outcome = shoot("no-such-view");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
  EXPECT_NE(outcome.err.find("no-such-view"), std::string::npos);
  EXPECT_FALSE(fs::exists(picture()));
}

TEST_F(ConsoleProgram, ATabIsAPictureOfItsOwnAndOneThatTheViewLacksIsWrongUsage) {
  ASSERT_TRUE(recorded()->close().ok());
  ASSERT_EQ(shoot("topology", {"--tab", "lattice"}).code, 0);
  const auto lattice = fs::file_size(picture());
  const Outcome step = shoot("topology", {"--tab", "step"});
  EXPECT_EQ(step.code, 0) << step.err;
  EXPECT_NE(lattice, fs::file_size(picture()));
  for (const auto& [view, tab] : {std::pair("topology", "what-if"), std::pair("runs", "step"), std::pair("watch", "step")}) {
    const Outcome outcome = shoot(view, {"--tab", tab});
    EXPECT_EQ(outcome.code, 2) << view;
    EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
    EXPECT_NE(outcome.err.find("lattice"), std::string::npos) << "says which there are: " << outcome.err;
  }
}

TEST_F(ConsoleProgram, AStoreThatIsMissingOrNoneIsOneLineThatNamesIt) {
  const Outcome missing = shoot("runs");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(oneLine(missing.err)) << missing.err;
  EXPECT_NE(missing.err.find("demo.rgl"), std::string::npos);
  std::ofstream(store) << "this is text, and long enough to be looked at as a file header of some database";
  const Outcome text = shoot("runs");
  EXPECT_EQ(text.code, 1);
  EXPECT_TRUE(oneLine(text.err)) << text.err;
}

TEST_F(ConsoleProgram, ARunOrNodeThatTheStoreDoesNotHaveIsReported) {
  ASSERT_TRUE(recorded()->close().ok());
  EXPECT_EQ(shoot("runs", {"--run", "demo"}).code, 0);
  const Outcome run = shoot("runs", {"--run", "other"});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("other"), std::string::npos);
  const Outcome node = shoot("runs", {"--select", "node=n0999"});
  EXPECT_EQ(node.code, 1);
  EXPECT_NE(node.err.find("n0999"), std::string::npos);
  EXPECT_EQ(shoot("runs", {"--select", "rank=x"}).code, 2);
  EXPECT_EQ(shoot("runs", {"--t0", "5", "--t1", "5"}).code, 2);
}

TEST_F(ConsoleProgram, AStoreThatWasExportedForAnIncidentOpensThereUnlessSomebodySaysWhere) {
  {
    const auto writer = recorded();
    Incident incident;
    incident.uuid = "i-1", incident.title = "it hangs";
    incident.run = (*writer->findRun("demo")).id;
    incident.range = TimeRange{1'700'000'100'000'000'000, 1'700'000'200'000'000'000};
    ASSERT_TRUE(writer->incident(incident).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  const auto whereTo = [this](const Place& place) {
    const auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    const auto found = placeToOpen(**reader, place);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : Place{};
  };
  EXPECT_EQ(whereTo({}).run, "") << "a store like any other";
  const std::string part = dir / "part.rgl";
  ASSERT_TRUE(exportIncident(store, "i-1", kIncidentMargin, part).ok());
  store = part;
  const Place there = whereTo({});
  EXPECT_EQ(there.view, "incidents");
  EXPECT_NE(there.run, "");
  EXPECT_EQ(there.t0, 1'700'000'100'000'000'000 - kIncidentMargin);
  EXPECT_EQ(there.t1, 1'700'000'200'000'000'000 + kIncidentMargin);
  Place gpus, run;
  gpus.view = "gpus", run.run = "demo";
  EXPECT_EQ(there.incident, "i-1");
  {
    const auto reader = openStore(store).reader();
    const auto selection = resolvePlace(**reader, there);
    ASSERT_TRUE(selection.ok()) << selection.status().message();
    EXPECT_EQ(selection->incident, "i-1");
    EXPECT_EQ(selection->run, (*reader)->runs()->front().id);
  }
  const Outcome selected = shoot("incidents", {"--select", "incident=i-1"});
  EXPECT_EQ(selected.code, 0) << selected.err;
  const Outcome unknown = shoot("incidents", {"--select", "incident=i-2"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("i-2"), std::string::npos);
  EXPECT_EQ(shoot("incidents", {"--select", "incident="}).code, 2);
  EXPECT_EQ(whereTo(gpus).view, "gpus");
  EXPECT_EQ(whereTo(gpus).t0, there.t0);
  EXPECT_FALSE(whereTo(run).t0.has_value());
  const Outcome outcome = shoot("gpus");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ConsoleProgram, APictureThatCannotBeWrittenIsReported) {
  ASSERT_TRUE(recorded()->close().ok());
  const Outcome outcome = run({"screenshot", "--store", store, "--view", "runs", "--out", dir / "no" / "p.png"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
}

TEST_F(ConsoleProgram, AStoreThatAnotherProcessWritesIsReadAlong) {
  const auto writer = recorded();
  const Outcome outcome = shoot("runs");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

std::string textOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(ConsoleProgram, AReportIsWrittenOfAStoreThatAnotherProcessWrites) {
  const auto writer = recorded();
  const Outcome outcome = run({"report", "--store", store, "--out", dir / "out", "--format", "pdf,html,md,json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4) << outcome.out;
  for (const char* ending : {"pdf", "html", "md", "json"}) {
    const fs::path file = dir / "out" / (std::string("report.") + ending);
    EXPECT_NE(outcome.out.find(file.string()), std::string::npos) << outcome.out;
    EXPECT_GT(fs::file_size(file), 500U) << ending;
  }
}

mode_t modeOf(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

TEST_F(ConsoleProgram, AReportIsItsOwnersAlone) {
  ASSERT_TRUE(recorded()->close().ok());
  ::umask(022);
  ASSERT_EQ(run({"report", "--store", store, "--out", dir / "out", "--format", "pdf,html,md,json"}).code, 0);
  EXPECT_EQ(modeOf(dir / "out"), 0700U);
  for (const char* ending : {"pdf", "html", "md", "json"})
    EXPECT_EQ(modeOf(dir / "out" / (std::string("report.") + ending)), 0600U) << ending;
}

TEST_F(ConsoleProgram, AReportOfADamagedStoreWarns) {
  ASSERT_TRUE(recorded()->close().ok());
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(store.string(), &db), SQLITE_OK);
  const char* sql = "UPDATE rg_chunk SET data = CAST(substr(data, 1, 50) || x'ff' || substr(data, 52) AS BLOB)";
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  const Outcome outcome = run({"report", "--store", store, "--out", dir / "out", "--format", "md"});
  EXPECT_NE(outcome.err.find("warning: " + store.string() + ": "), std::string::npos) << outcome.err;
}

TEST_F(ConsoleProgram, AReportOfAStoreWithADamagedTableIsMadeFromARepairedCopy) {
  makeFlipStore(store.string());
  std::size_t page = 0;
  {
    auto db = sqlite::Connection::open(store.string(), sqlite::OpenMode::kReadOnly).value();
    auto row = db.prepare("SELECT max(pageno) FROM dbstat WHERE name = 'rg_event' AND pagetype = 'leaf'").value();
    ASSERT_TRUE(row.step().value());
    page = static_cast<std::size_t>(row.int64(0));
  }
  writeFlipped(store.string(), fileContent(store.string()), ((page - 1) * kFlipPage + 1'000) * 8);
  const Outcome outcome = run({"report", "--store", store, "--out", dir / "out", "--format", "md"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: " + store.string() + ": answered from a repaired copy"), std::string::npos) << outcome.err;
  EXPECT_NE(textOf(dir / "out" / "report.md").find("runglassctl repair"), std::string::npos) << "the gap is in the report";
}

TEST_F(ConsoleProgram, AReplicaIsItsOwnersAlone) {
  test::Process hub({"runglassctl", "serve", "--store", store, "--listen", "127.0.0.1:0"});
  const std::string line = hub.line();
  ::umask(022);
  const fs::path copy = dir / "copy" / "replica.rgl";
  Program console({"--connect", line.substr(line.rfind(' ') + 1), "--mirror", copy}, dir);
  EXPECT_TRUE(test::waitUntil([&] { return fs::exists(copy.string() + "-wal"); })) << console.out();
  EXPECT_EQ(modeOf(copy.parent_path()), 0700U);
  for (const auto& entry : fs::directory_iterator(copy.parent_path())) EXPECT_EQ(modeOf(entry.path()), 0600U) << entry.path();
}

TEST_F(ConsoleProgram, AReportSaysWhatItCannotDoInALine) {
  ASSERT_TRUE(recorded()->close().ok());
  struct Case {
    std::vector<std::string> more;
    int code;
  };
  const Case cases[] = {{{"--incident", "nobody"}, 1},   {{"--finding", "999"}, 1},  {{"--run", "nobody"}, 1},
                        {{"--format", "doc"}, 2},        {{"--redact", "names"}, 2}, {{"--at", "yesterday"}, 2},
                        {{"--summary", dir / "none"}, 1}};
  for (const Case& one : cases) {
    std::vector<std::string> arguments = {"report", "--store", store, "--out", dir / "out"};
    arguments.insert(arguments.end(), one.more.begin(), one.more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, one.code) << one.more[0] << ": " << outcome.err;
    EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
    EXPECT_FALSE(fs::exists(dir / "out")) << one.more[0];
  }
}

TEST_F(ConsoleProgram, ABrowserRunsNothingOfAReport) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
  ASSERT_TRUE(recorded()->close().ok());
  std::ofstream(dir / "summary") << "</p><script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"
                                    "<svg onload=\"document.title = 'ran'\"></svg><style>body{display:none}</style>";
  ASSERT_EQ(run({"report", "--store", store, "--out", dir / "out", "--format", "html", "--summary", dir / "summary"}).code, 0);
  const std::string dom = (dir / "dom").string();
  const std::string command = "chromium --headless --no-sandbox --disable-gpu --user-data-dir=" + (dir / "profile").string() +
                              " --dump-dom file://" + (dir / "out/report.html").string() + " >" + dom + " 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string text = textOf(dom);
  EXPECT_NE(text.find("<title>Run "), std::string::npos);
  EXPECT_EQ(text.find("<title>ran"), std::string::npos);
  EXPECT_EQ(text.find("<script"), std::string::npos);
}

TEST_F(ConsoleProgram, WithoutADisplayItSaysSoInALine) {
  const std::string before = std::getenv("QT_QPA_PLATFORM") != nullptr ? std::getenv("QT_QPA_PLATFORM") : "";
  const std::string display = std::getenv("DISPLAY") != nullptr ? std::getenv("DISPLAY") : "";
  const std::string wayland = std::getenv("WAYLAND_DISPLAY") != nullptr ? std::getenv("WAYLAND_DISPLAY") : "";
  for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"}) ::unsetenv(name);
  const Outcome none = run({});
  ::setenv("DISPLAY", ":65000", 1);  // no process listens there
  const Outcome unreachable = run({});
  for (const auto& [name, value] :
       {std::pair("QT_QPA_PLATFORM", before), std::pair("DISPLAY", display), std::pair("WAYLAND_DISPLAY", wayland)})
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  for (const Outcome& outcome : {none, unreachable}) {
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
    EXPECT_NE(outcome.err.find("set DISPLAY"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("runglass screenshot"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(unreachable.err.find(":65000"), std::string::npos) << unreachable.err;
}

TEST_F(ConsoleProgram, ALiveConsoleListensAndClosesItsStoreOnSigterm) {
  Program console({store, "--live"}, dir);
  for (int i = 0; i < 2'000 && console.out().find('\n') == std::string::npos; ++i) ::poll(nullptr, 0, 10);
  EXPECT_EQ(console.out().rfind("listening on 127.0.0.1:", 0), 0u) << console.out();
  console.terminate();
  const Outcome outcome = console.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(lockPath(store)));
  EXPECT_FALSE(fs::exists(store.string() + "-wal"));
  EXPECT_TRUE(openStore(store).reader().ok());
}

TEST(Place, AMomentIsNanosecondsOrATimeWithItsZone) {
  EXPECT_EQ(parseMoment("1795211434000000001").value(), 1'795'211'434'000'000'001);
  EXPECT_EQ(parseMoment("-5").value(), -5);
  const TimeNs at = 1'763'674'987LL * kNsPerSecond;  // 2025-11-20 21:43:07 UTC
  for (const char* text : {"2025-11-20T21:43:07Z", "2025-11-20 21:43:07", "2025-11-20T22:43:07+01:00", "2025-11-20T21:43:07.000Z"})
    EXPECT_EQ(parseMoment(text).value(), at) << text;
  EXPECT_EQ(parseMoment("2025-11-20T21:43:07.250Z").value(), at + 250 * kNsPerMs);
  for (const char* text : {"", "now", "21:43", "2025-13-40T00:00:00Z", "99999-01-01T00:00:00Z"})
    EXPECT_EQ(parseMoment(text).status().code(), Code::kInvalidArgument) << text;
}

TEST(Place, SelectionsAreKeysAndValuesInAnyOrder) {
  Place place;
  ASSERT_TRUE(parseSelect("step=48210,rank=37,node=n0412,attempt=2", place).ok());
  EXPECT_EQ(place.step, 48'210);
  EXPECT_EQ(place.rank, 37);
  EXPECT_EQ(place.node, "n0412");
  EXPECT_EQ(place.attempt, 2);
  for (const char* bad : {"rank", "rank=", "rank=1x", "colour=red", "rank=99999999999", "node="})
    EXPECT_EQ(parseSelect(bad, place).code(), Code::kInvalidArgument) << bad;
  EXPECT_TRUE(parseSelect("", place).ok());
}

TEST_F(ConsoleProgram, ALinkIntoAStoreThatWasNeverOpenedHereSaysHowToOpenItAndABadOneIsWrongUsage) {
  ::setenv("XDG_CONFIG_HOME", dir.c_str(), 1);
  Outcome outcome = Program({"runglass://no-such-store/run/r?view=gpus"}, dir).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(oneLine(outcome.err)) << outcome.err;
  EXPECT_NE(outcome.err.find("runglass STORE.rgl --link"), std::string::npos) << outcome.err;
  outcome = Program({"runglass://s/run/r?t0=noon"}, dir).wait();
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  outcome = Program({"runglass://s/run/r?view=no-such-view", "--link", "runglass://s/run/r?view=no-such-view"}, dir).wait();
  EXPECT_NE(outcome.code, 0);
  ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(ConsoleProgram, ALinkLeadsToItsRunAndOnlyIntoItsStore) {
  ASSERT_TRUE(recorded()->close().ok());
  auto reader = openStore(store).reader().value();
  const std::string uuid = reader->info()->store_uuid;
  const runglass::Run first = reader->runs()->at(0);
  const auto place = placeOf({.store_uuid = uuid, .run_uuid = first.uuid, .view = "gpus", .t0 = 1, .t1 = 2, .select = "rank=3"});
  ASSERT_TRUE(place.ok()) << place.status().message();
  const auto selection = resolvePlace(*reader, *place);
  ASSERT_TRUE(selection.ok()) << selection.status().message();
  EXPECT_EQ(selection->run, first.id);
  EXPECT_EQ(selection->rank, 3);
  const auto other = resolvePlace(*reader, *placeOf({.store_uuid = "another", .run_uuid = first.uuid}));
  EXPECT_EQ(other.status().code(), Code::kNotFound);
  EXPECT_FALSE(placeOf({.store_uuid = uuid, .t0 = 2, .t1 = 2}).ok());
  EXPECT_FALSE(placeOf({.store_uuid = uuid, .select = "colour=red"}).ok());
}

}  // namespace
}  // namespace runglass
