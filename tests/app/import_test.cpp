// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl import` as users call it: repeated, on grown files, on folders, on invalid files, and killed in the middle.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/crc32c.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

template <class T>
std::string bytesOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string record(const std::string& data) {
  const auto masked = [](std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U; };
  const std::string length = bytesOf<std::uint64_t>(data.size());
  return length + bytesOf(masked(crc32c(length))) + data + bytesOf(masked(crc32c(data)));
}

// "loss" is 1.5 a step; other tags are noise that does not compress.
float valueAt(const std::string& tag, int step) {
  if (tag == "loss") return 1.5F * static_cast<float>(step);
  return static_cast<float>((crc32c(tag) ^ static_cast<std::uint32_t>(step) * 2654435761U) * 747796405U) * 1e-6F;
}

// Scalar events of one tag, steps [first, last).
std::string events(const std::string& tag, int first, int last) {
  std::string file;
  for (int step = first; step < last; ++step) {
    const std::string value = std::string("\x0A") + static_cast<char>(tag.size()) + tag + '\x15' + bytesOf(valueAt(tag, step));
    std::string number;
    auto left = static_cast<unsigned>(step);
    for (; left >= 0x80; left >>= 7) number += static_cast<char>(left | 0x80);
    number += static_cast<char>(left);
    file += record('\x09' + bytesOf(1.7e9 + step) + '\x10' + number + '\x2A' + static_cast<char>(value.size() + 2) + '\x0A' +
                   static_cast<char>(value.size()) + value);
  }
  return file;
}
std::string version() { return record('\x09' + bytesOf(1.7e9) + "\x1A\x0D" + "brain.Event:2"); }

std::string nanoGpt(int first, int last) {
  std::string log;
  for (int i = first; i < last; ++i)
    log += "iter " + std::to_string(i) + ": loss " + std::to_string(5.0 / (i + 1)) + ", time 135.11ms, mfu 17.50%\n";
  return log;
}

class ImportTest : public CtlFixture {
 protected:
  void put(const std::string& name, const std::string& content, std::ios::openmode mode = std::ios::trunc) {
    fs::create_directories(fs::path(m_folder.file(name)).parent_path());
    std::ofstream(m_folder.file(name), std::ios::binary | mode) << content;
  }
  Outcome import(const std::string& name, const std::string& run = "") {
    std::vector<std::string> words = {"import", "--store", m_store, "--json", m_folder.file(name)};
    if (!run.empty()) words.insert(words.end(), {"--run", run});
    return ctl(words);
  }
  // points of the only file, or of all
  static std::int64_t pointsOf(const Outcome& outcome) {
    std::int64_t points = 0;
    const Json all = Json::parse(outcome.out);
    for (const auto& file : all["files"]) points += file["points"].get<std::int64_t>();
    return points;
  }
  std::string count(const std::string& from) { return query("SELECT count(*) AS n FROM " + from).out.substr(2); }
};

TEST_F(ImportTest, OfOnlyMissingFilesLeavesNoStore) {
  const Outcome outcome = ctl({"import", "--store", m_store, "--json", m_folder.file("none"), m_folder.file("no.log")});
  expectFails(outcome, "2 of 2 files failed, the first: no such file or folder: " + m_folder.file("none"));
  EXPECT_EQ(Json::parse(outcome.out)["files"][1]["status"], "failed");
  for (const auto& entry : fs::directory_iterator(m_folder.file("")))
    EXPECT_FALSE(entry.path().filename().string().starts_with("s.rgl")) << entry.path();
  put("there.log", nanoGpt(0, 3));
  expectFails(ctl({"import", "--store", m_store, m_folder.file("none"), m_folder.file("there.log")}), "1 of 2 files failed");
  EXPECT_TRUE(fs::exists(m_store)) << "what could be read is stored";
}

TEST_F(ImportTest, PrintsTheJsonThatScriptsRead) {
  put("run/events.out.tfevents.1", version() + events("loss", 0, 50));
  const auto outcome = import("run");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["files"].size(), 1U);
  EXPECT_EQ(json["run_id"], json["files"][0]["run_id"]);
  EXPECT_EQ(json["runs"], Json::array({json["run_id"]}));
  const Json& file = json["files"][0];
  EXPECT_EQ(file["kind"], "tfevents");
  EXPECT_EQ(file["status"], "ok");
  EXPECT_EQ(file["points"], 50);
  EXPECT_EQ(file["spans"], 0);
  EXPECT_EQ(file["issues"], Json::array());
  EXPECT_THAT(file["path"].get<std::string>(), HasSubstr("events.out.tfevents.1"));
  EXPECT_EQ(query("SELECT name FROM run").out, "name\nrun\n");
  EXPECT_EQ(query("SELECT step, value FROM scalar WHERE step = 49").out, "step,value\n49,73.5\n");
}

TEST_F(ImportTest, AgainAddsNothing) {
  put("run/events.out.tfevents.1", version() + events("loss", 0, 50));
  put("train.log", nanoGpt(0, 40));
  for (const char* name : {"run", "train.log"}) {
    ASSERT_GT(pointsOf(import(name)), 0);
    const std::string before = count("scalar_all");
    const auto again = import(name);
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(pointsOf(again), 0);
    EXPECT_THAT(Json::parse(again.out)["files"][0]["reason"].get<std::string>(), HasSubstr("nothing new"));
    EXPECT_EQ(count("scalar_all"), before);
  }
}

// Both files are smaller than the prefix that identifies a file.
TEST_F(ImportTest, AGrownFileAddsWhatIsNew) {
  put("run/events.out.tfevents.1", version() + events("loss", 0, 10));
  put("train.log", nanoGpt(0, 10));
  ASSERT_EQ(pointsOf(import("run")), 10);
  const std::int64_t log_points = pointsOf(import("train.log"));
  put("run/events.out.tfevents.1", events("loss", 10, 15), std::ios::app);
  put("train.log", nanoGpt(10, 15), std::ios::app);
  EXPECT_EQ(pointsOf(import("run")), 5);
  EXPECT_EQ(pointsOf(import("train.log")), log_points / 2);
  EXPECT_EQ(query("SELECT count(*) AS n, min(step) AS a, max(step) AS b FROM scalar_all WHERE tag = 'loss'").out, "n,a,b\n30,0,14\n");
  EXPECT_EQ(count("run"), "2\n");
}

TEST_F(ImportTest, ARecordThatIsStillBeingWrittenIsTakenWhenItIsWhole) {
  const std::string whole = version() + events("loss", 0, 20);
  put("e.tfevents", whole.substr(0, whole.size() - 7));
  const Json first = Json::parse(import("e.tfevents").out)["files"][0];
  EXPECT_EQ(first["status"], "partial");
  EXPECT_EQ(first["points"], 19);
  EXPECT_EQ(first["issues"], Json::parse(R"([{"code":"import.truncated","count":1}])"));
  put("e.tfevents", whole);
  EXPECT_EQ(pointsOf(import("e.tfevents")), 1);
}

TEST_F(ImportTest, EveryFolderOfEventFilesIsARun) {
  put("all/a/events.out.tfevents.1", version() + events("loss", 0, 5));
  put("all/a/eval/events.out.tfevents.1", version() + events("loss", 0, 3));
  put("all/b/events.out.tfevents.1", version() + events("loss", 0, 4));
  ASSERT_EQ(import("all").exit, 0);
  EXPECT_EQ(query("SELECT r.name, s.source, count(*) AS n FROM scalar s JOIN run r USING (run_id) GROUP BY 1, 2 ORDER BY 1, 2").out,
            "name,source,n\na,\"\",5\na,eval,3\nb,\"\",4\n");
}

TEST_F(ImportTest, TracesOfRanksInOneFolderAreOneRun) {
  const auto trace = [](const std::string& info) {
    return R"({"schemaVersion": 1, "baseTimeNanoseconds": 1759300074000000000, )" + info +
           R"("traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]})";
  };
  put("all/profile/step100_rank0.json", trace(""));
  put("all/profile/step100_rank1.json", trace(""));
  put("all/profile/other.json", trace(""));
  put("all/tb/node1_11.1700000000.pt.trace.json", trace(R"("distributedInfo": {"rank": 0}, )"));
  put("all/tb/node1_12.1700000001.pt.trace.json", trace(R"("distributedInfo": {"rank": 1}, )"));
  ASSERT_EQ(import("all").exit, 0);
  EXPECT_EQ(query("SELECT r.name, count(DISTINCT t.rank) AS ranks, count(*) AS spans FROM run r JOIN track t USING (run_id) JOIN span s "
                  "USING (track_id) GROUP BY 1 ORDER BY 1")
                .out,
            "name,ranks,spans\nother,0,1\nstep100,2,2\ntb,2,2\n");
  EXPECT_EQ(import("all").exit, 0);
  EXPECT_EQ(count("span"), "5\n") << "again adds nothing";
}

TEST_F(ImportTest, DumpsOfRanksInOneFolderAreOneRun) {
  const std::string dump =
      R"({"version": "2.9", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [{"process_group": )"
      R"(["0", "default_pg"], "profiling_name": "nccl:all_reduce", "collective_seq_id": 5, "time_created_ns": 1758580155801340263}]})";
  for (const char* name : {"hang1/_dump_0", "hang1/_dump_1", "hang2/_dump_0", "hang2/_dump_1", "x/nccl_trace_rank_0", "x/nccl_trace_rank_1",
                           "y/job7-0.json", "y/job7-1.json"})
    put(std::string("all/") + name, dump);
  const std::string sql =
      "SELECT r.name, count(DISTINCT t.rank) AS ranks, count(DISTINCT s.span_id) AS spans, count(DISTINCT t.attempt) AS attempts, "
      "count(DISTINCT g.group_id) AS groups, sum(s.dur_ns) AS dur FROM run r JOIN comm_group g USING (run_id) JOIN track t USING (run_id) "
      "JOIN span s USING (track_id) GROUP BY 1 ORDER BY 1";
  const std::string expected = "name,ranks,spans,attempts,groups,dur\nhang1,2,2,1,1,\nhang2,2,2,1,1,\njob7,2,2,1,1,\nnccl_trace,2,2,1,1,\n";
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(import("all").exit, 0);
    EXPECT_EQ(query(sql).out, expected) << "again adds nothing";
  }
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(ImportTest, TimelinesOfRanksTakeTheirNamesFromTheFilesBesideThem) {
  // One compute kernel of code 1, 7 µs from 1758580155 s on; see the importer's own tests.
  const std::string trace("\x0A\x0D\x10\x01\x18\xC0\xC9\xCA\xCB\xB5\xED\x8F\x03\x20\x07", 15);
  for (const char rank : {'0', '1'}) {
    const std::string name = std::string("all/job7/0000") + rank + "-00002.timeline";
    put(name, trace + (rank == '0' ? "" : std::string("\x20\x01", 2)));
    put(name + ".meta", "1,xpu_timer_mm_rank" + std::string(1, rank) + "\nxpu_timer_host_trace,GC\n");
  }
  const auto outcome = import("all");
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(query("SELECT r.name, t.rank, s.name AS span, s.dur_ns FROM run r JOIN track t USING (run_id) JOIN span s USING (track_id) "
                  "ORDER BY t.rank")
                .out,
            "name,rank,span,dur_ns\njob7,0,mm_rank0,7000\njob7,1,mm_rank1,7000\n");
}

TEST_F(ImportTest, LogsOfNcclInspectorGrowAndAreOneRunPerFolder) {
  const auto lines = [](int rank, int first, int last) {
    std::string log;
    for (int sn = first; sn < last; ++sn)
      log += R"({"header":{"id":"0xabc","rank":)" + std::to_string(rank) + R"(,"n_ranks":2,"nnodes":1},"metadata":{)" +
             R"("inspector_output_format_version":"v4.0","dump_timestamp_us":1748030377748202,"hostname":"n1","pid":7},"coll_perf":{)" +
             R"("coll":"AllReduce","coll_sn":)" + std::to_string(sn) + R"(,"coll_exec_time_us":10,"coll_busbw_gbs":1.5}})" + "\n";
    return log;
  };
  put("all/job9/n1-pid7.log", lines(0, 0, 5));
  put("all/job9/n1-pid8.log", lines(1, 0, 5));
  EXPECT_EQ(pointsOf(import("all")), 20);
  put("all/job9/n1-pid8.log", lines(1, 5, 8), std::ios::app);
  EXPECT_EQ(pointsOf(import("all")), 6);
  EXPECT_EQ(query("SELECT r.name, s.rank, count(*) AS n, max(s.step) AS last FROM scalar s JOIN run r USING (run_id) WHERE "
                  "s.tag = 'coll_busbw_gbs' GROUP BY 1, 2 ORDER BY 2")
                .out,
            "name,rank,n,last\njob9,0,5,4\njob9,1,8,7\n");
}

TEST_F(ImportTest, ATraceThatTellsItsClockAndRankBehindItsEventsIsReadTheSameWhetherTheEndCanBeSeenFirstOrNot) {
  const std::string events =
      R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5.5, "dur": 2,)"
      R"("args": {"note": "\"baseTimeNanoseconds\": 1, \"distributedInfo\": {\"rank\": 9}"}}],)";
  const std::string end =
      R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 4, "odd": "}"}, "baseTimeNanoseconds": 1759300074000000000})";
  put("plain/a.json", events + "\n" + end);
  // More data after the events than is examined first.
  put("long/b.json", events + R"("filler": ")" + std::string(400'000, 'x') + "\"," + end);
  ASSERT_EQ(import("plain").exit, 0);
  ASSERT_EQ(import("long").exit, 0);
  EXPECT_EQ(query("SELECT t.rank, s.start_ns FROM span s JOIN track t USING (track_id) ORDER BY s.span_id").out,
            "rank,start_ns\n3,1759300074000005500\n3,1759300074000005500\n");
}

TEST_F(ImportTest, ArrowsLeadFromLaunchesToKernelsAndBetweenTheRanksOfACollective) {
  const auto trace = [](int rank, int start) {
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank) +
           R"(, "world_size": 2, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]}, "baseTimeNanoseconds": 1759300074000000000, "traceEvents": [)" +
           R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 1, "dur": 1, "args": {"correlation": 5}},)" +
           R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": )" + std::to_string(start) +
           R"(, "dur": 4, "args": {"correlation": 5, "Process Group Name": "0", "Seq": 12}}]})";
  };
  put("t/rank0.json", trace(0, 30));
  put("t/rank1.json", trace(1, 20));
  ASSERT_EQ(import("t").exit, 0);
  EXPECT_EQ(
      query(
          "SELECT f.kind, count(*) AS n, a.name AS first, b.name AS second, sum(b.start_ns - a.start_ns) AS ns FROM flow f JOIN span a ON "
          "a.span_id = f.from_span JOIN span b ON b.span_id = f.to_span GROUP BY 1 ORDER BY 1")
          .out,
      "kind,n,first,second,ns\ncollective,1,ncclDevKernel_AllReduce,ncclDevKernel_AllReduce,10000\n"
      "launch,2,cudaLaunchKernel,ncclDevKernel_AllReduce,48000\n");
}

// As PyTorch's profiler writes them: operators that prepare the forward one have its number, and an engine operator encloses the backward
// one.
TEST_F(ImportTest, ArrowsLeadFromForwardToBackwardOperators) {
  const auto op = [](const char* name, int tid, int start, int dur, int sequence, int forward_thread) {
    return R"(,{"ph": "X", "cat": "cpu_op", "pid": 9, "name": ")" + std::string(name) + R"(", "tid": )" + std::to_string(tid) +
           R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(dur) + R"(, "args": {"Fwd thread id": )" +
           std::to_string(forward_thread) + R"(, "Sequence number": )" + std::to_string(sequence) + "}}";
  };
  put("t.json", R"({"schemaVersion": 1, "baseTimeNanoseconds": 1759300074000000000, "traceEvents": [{})" + op("aten::to", 1, 1, 2, 7, 0) +
                    op("aten::mse_loss", 1, 4, 5, 7, 0) + op("aten::add", 1, 12, 2, 8, 0) + op("engine: MseLossBackward0", 2, 30, 9, 7, 1) +
                    op("MseLossBackward0", 2, 31, 7, 7, 1) + op("MseLossBackward0", 2, 60, 7, 7, 1) + op("aten::to", 1, 70, 2, 7, 0) +
                    op("LostBackward0", 2, 80, 5, 9, 1) + op("aten::none", 1, 90, 1, -1, 0) + "]}");
  ASSERT_EQ(import("t.json").exit, 0);
  EXPECT_EQ(query("SELECT f.kind, a.name AS first, b.name AS second, b.start_ns - a.start_ns AS ns FROM flow f JOIN span a ON "
                  "a.span_id = f.from_span JOIN span b ON b.span_id = f.to_span ORDER BY 4")
                .out,
            "kind,first,second,ns\nfwd_bwd,aten::mse_loss,MseLossBackward0,27000\nfwd_bwd,aten::mse_loss,MseLossBackward0,56000\n");
}

TEST_F(ImportTest, OverlappingSpansComeOutOfAnExportedTraceNestedOnThreadsOfTheirOwn) {
  put("t.json",
      R"({"traceEvents":[{"ph":"X","pid":1,"tid":2,"name":"a","ts":1.001,"dur":10},{"ph":"X","pid":1,"tid":2,"name":"b","ts":5,"dur":10},)"
      R"({"ph":"X","pid":1,"tid":2,"name":"c","ts":6,"dur":1.5},{"ph":"X","pid":1,"tid":2,"name":"d","ts":30,"dur":1},{}]})");
  const Outcome imported = import("t.json");
  ASSERT_EQ(imported.exit, 0);
  EXPECT_EQ(Json::parse(imported.out)["files"][0]["status"], "ok") << "the empty object only spares a comma";
  const std::string exported = m_folder.file("out.json");
  const Outcome outcome = ctl({"export", "--store", m_store, "--run", "1", "--chrome-trace", exported});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> threads;
  const Json trace = Json::parse(contentOf(exported));
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X")
      threads[{event["pid"], event["tid"]}].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
  EXPECT_EQ(threads.size(), 2U);
  for (const auto& [thread, spans] : threads)
    for (const auto& a : spans)
      for (const auto& b : spans)
        EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second) << "neither apart nor one inside the other";
  EXPECT_EQ(query("SELECT count(*) AS n, sum(dur_ns) AS dur FROM span").out, "n,dur\n4,22500\n");
}

TEST_F(ImportTest, AFolderOfStragglerAnalysisIsOneRunAndItsExtrasSayWhyTheyAreLeftOut) {
  const std::string timeline =
      R"([{"name":"forward-compute","pid":1,"tid":5,"ts":1,"dur":2,"ph":"X","args":{"step":3,"mb_id":0,"seq_id":0}},)"
      R"({"name":"thread_name","pid":1,"tid":5,"ph":"M","args":{"name":"PP rank 0, TP rank 0, compute"}},)"
      R"({"name":"process_name","pid":1,"ph":"M","args":{"name":"DP rank [1]"}}])";
  put("job/timeline-J.json", timeline);
  put("job/ideal-timeline-J.json", timeline);
  put("job/meta-J.yaml", "dp_size: 2\ndsp_size: 1\npp_size: 1\ntp_size: 1\nworld_size: 2\n");
  put("job/ms-J.json", R"({"tori": 1, "tideal": 1})");
  put("job/mw-J.json", R"({"tori": 1, "tideal": 1})");
  put("job/result-J.json", R"({"job_meta": {}, "step_t_base": {}})");
  put("job/trace-J.parquet", "PAR1");
  const Outcome done = import("job");
  ASSERT_EQ(done.exit, 0) << done.err;
  int skipped = 0;
  const Json report = Json::parse(done.out);
  for (const Json& file : report["files"]) {
    if (file["status"] != "skipped") continue;
    ++skipped;
    EXPECT_EQ(file["kind"], "straggler_analysis");
    EXPECT_NE(file["reason"], "");
  }
  EXPECT_EQ(skipped, 6);
  EXPECT_EQ(query("SELECT world_size, dp_size, time_domain FROM run").out, "world_size,dp_size,time_domain\n2,2,relative\n");
  EXPECT_EQ(query("SELECT r.rank, dp, pp, cp, step, microbatch, dur_ns FROM span JOIN rank r USING (run_id)").out,
            "rank,dp,pp,cp,step,microbatch,dur_ns\n1,1,0,0,3,0,2000\n");
  EXPECT_EQ(import("job").exit, 0);
  EXPECT_EQ(count("span"), "1\n");
}

TEST_F(ImportTest, TimesOfAnotherClockAreKeptOutOfARunAndWhatHasNoTimesLeavesItsClockAlone) {
  put("iso.log", "2026-03-02T10:00:00,000000+00:00 NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.\n");
  put("boot.log", "[  100.000000] NVRM: Xid (PCI:0000:9b:00): 13, pid=1, Graphics Exception\n");
  put("plain.log", nanoGpt(0, 30));
  ASSERT_EQ(import("iso.log", "job").exit, 0);
  const Outcome boot = import("boot.log", "job");
  EXPECT_EQ(boot.exit, 1);
  EXPECT_THAT(boot.out, testing::HasSubstr("import it without --run"));
  EXPECT_EQ(query("SELECT count(*) AS n FROM event").out, "n\n1\n");
  ASSERT_EQ(import("plain.log", "job").exit, 0);
  EXPECT_EQ(query("SELECT name, time_domain FROM run").out, "name,time_domain\njob,utc\n");
  EXPECT_EQ(import("boot.log").exit, 0) << "on its own it is a run of its own";
  EXPECT_EQ(query("SELECT time_domain FROM run WHERE name = 'boot'").out, "time_domain\nrelative\n");
}

TEST_F(ImportTest, OneBadFileDoesNotKeepTheOthersOut) {
  put("all/cut.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48", 12));
  put("all/empty.log", "");
  put("all/good.log", nanoGpt(0, 10));
  put("all/noise.bin", std::string("\x00\x01\xff\xfe\x80 noise", 11));
  put("all/trainer_state.json", R"({"global_step": 2, "log_history": [{"loss": 1.5, "step": 1, "epoch": 0.1}, {"loss": 1.)");
  ASSERT_EQ(::mkfifo(m_folder.file("all/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink(".", m_folder.file("all/loop").c_str()), 0);
  const auto outcome = import("all");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  const Json all = Json::parse(outcome.out);
  std::map<std::string, Json> files;
  for (const Json& file : all["files"]) files[fs::path(file["path"].get<std::string>()).filename()] = file;
  EXPECT_EQ(files.size(), 5U) << outcome.out;
  EXPECT_EQ(files["good.log"]["status"], "ok");
  EXPECT_EQ(files["empty.log"]["status"], "skipped");
  EXPECT_EQ(files["noise.bin"]["status"], "skipped");
  EXPECT_EQ(files["cut.gz"]["status"], "failed");
  EXPECT_THAT(files["cut.gz"]["reason"].get<std::string>(), HasSubstr("cut.gz"));
  EXPECT_EQ(files["trainer_state.json"]["status"], "partial");
  EXPECT_EQ(files["trainer_state.json"]["points"], 2);
  EXPECT_THAT(files["trainer_state.json"]["reason"].get<std::string>(), HasSubstr("JSON"));
  EXPECT_EQ(count("run"), "2\n");
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

// A job that writes to the same file name again: its curve must not be mixed with that of the previous job.
TEST_F(ImportTest, AnotherFileAtAnOldPathIsAnotherRun) {
  put("train.log", nanoGpt(0, 10));
  ASSERT_EQ(import("train.log").exit, 0);
  put("train.log", "seed 7\n" + nanoGpt(0, 6));
  const auto second = Json::parse(import("train.log").out);
  put("train.log", nanoGpt(6, 8), std::ios::app);
  const auto grown = Json::parse(import("train.log").out);
  EXPECT_EQ(second["run_id"], grown["run_id"]);
  EXPECT_EQ(query("SELECT count(DISTINCT run_id) AS runs, count(*) AS n, count(DISTINCT run_id || '/' || step) AS apart FROM scalar_all "
                  "WHERE tag = 'loss'")
                .out,
            "runs,n,apart\n2,18,18\n");
  const std::string named = m_folder.file("named.rgl");
  for (const char* head : {"seed 1\n", "seed 2\n"}) {
    put("train.log", head + nanoGpt(0, 5));
    ASSERT_EQ(ctl({"import", "--store", named, "--run", "mine", m_folder.file("train.log")}).exit, 0);
  }
  EXPECT_EQ(ctl({"query", "--store", named, "--format", "csv", "SELECT run_id, count(*) AS n FROM attempt"}).out, "run_id,n\n1,2\n");
}

TEST_F(ImportTest, AnUnreadableFileAndFolderAreNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  put("all/good.log", nanoGpt(0, 3));
  put("all/closed.log", nanoGpt(0, 3));
  put("all/shut/x.log", nanoGpt(0, 3));
  fs::permissions(m_folder.file("all/closed.log"), fs::perms::none);
  fs::permissions(m_folder.file("all/shut"), fs::perms::none);
  const auto outcome = import("all");
  fs::permissions(m_folder.file("all/shut"), fs::perms::owner_all);
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.out, HasSubstr("closed.log: Permission denied"));
  EXPECT_THAT(outcome.out, HasSubstr("all/shut"));
  EXPECT_EQ(count("run"), "1\n");
}

TEST_F(ImportTest, WhatIsNoFileIsRefusedInOneLine) {
  ASSERT_EQ(::mkfifo(m_folder.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("loop2", m_folder.file("loop1").c_str()), 0);
  ASSERT_EQ(::symlink("loop1", m_folder.file("loop2").c_str()), 0);
  for (const std::string& path : {m_folder.file("pipe"), m_folder.file("loop1"), m_folder.file("missing"), std::string("/dev/zero")})
    expectFails(ctl({"import", "--store", m_store, path}), path);
}

TEST_F(ImportTest, ALogWithAHoleOfZerosAtItsBeginningIsRead) {
  put("train.log", std::string(20'000, '\0') + nanoGpt(0, 10));
  const auto outcome = import("train.log");
  EXPECT_EQ(query("SELECT min(step) AS a, max(step) AS b FROM scalar WHERE tag = 'loss'").out, "a,b\n0,9\n") << outcome.out;
  // Larger than the prefix that identifies a file, and cut in the middle, as after a crash.
  put("cut.log", std::string(3 << 20, '\0') + nanoGpt(0, 10) + "iter 10: los" + std::string(4096, '\0') + nanoGpt(20, 22));
  EXPECT_EQ(pointsOf(import("cut.log")), 3 * 12);
}

TEST_F(ImportTest, NamesAndErrorsCannotSteerTheTerminal) {
  put("evil\x1b[31m\nname.log", nanoGpt(0, 3));
  const auto outcome = ctl({"import", "--store", m_store, m_folder.file("evil\x1b[31m\nname.log")});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(query("SELECT name FROM run").out, Not(HasSubstr("\x1b")));
  const auto failed = ctl({"import", "--store", m_store, m_folder.file("no\x1b[2Jsuch\nfile")});
  EXPECT_EQ(std::count(failed.err.begin(), failed.err.end(), '\n'), 1) << failed.err;
  EXPECT_THAT(failed.err, Not(HasSubstr("\x1b")));
}

TEST_F(ImportTest, KilledAtAnyMomentAndDoneAgainEverythingIsThereOnce) {
  constexpr int kFiles = 12, kSteps = 4'000;
  for (int i = 0; i < kFiles; ++i) put("all/r" + std::to_string(i) + "/events.out.tfevents.1", version() + events("loss", 0, kSteps));
  int killed = 0, status = 0;
  for (const int pause_ms : {2, 5, 9, 15, 25}) {
    const pid_t child = start({"import", "--store", m_store, m_folder.file("all")});
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
  }
  // Once more when the first of its files are in the store.
  const pid_t child = start({"import", "--store", m_store, m_folder.file("all")});
  EXPECT_TRUE(test::waitUntil([&] { return query("SELECT count(*) > 0 AS some FROM scalar_all").out == "some\n1\n"; }));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_GT(killed, 0) << "no import was interrupted";
  const auto last = import("all");
  ASSERT_EQ(last.exit, 0) << last.err;
  EXPECT_EQ(query("SELECT count(*) AS n, count(DISTINCT run_id) AS runs FROM scalar_all").out,
            "n,runs\n" + std::to_string(kFiles * kSteps) + "," + std::to_string(kFiles) + "\n");
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(ImportTest, AFullDiskLosesNothingThatWasStored) {
  put("first.log", nanoGpt(0, 100));
  ASSERT_EQ(import("first.log").exit, 0);
  const std::string before = count("scalar_all");
  std::string many = version();
  for (int tag = 0; tag < 60; ++tag) many += events("metric_" + std::to_string(tag), 0, 3'000);
  put("big.tfevents", many);
  // The file size limit simulates a full disk: for SQLite, it is a failed write.
  const auto outcome = [&] {
    const std::string command = "ulimit -f 100; trap '' XFSZ; " RG_BIN_DIR "/runglassctl import --store " + m_store + " " +
                                m_folder.file("big.tfevents") + " > /dev/null 2> " + m_folder.file("stderr");
    return WEXITSTATUS(std::system(("bash -c \"" + command + "\"").c_str()));
  }();
  EXPECT_EQ(outcome, 1);
  const std::string error = contentOf(m_folder.file("stderr"));
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  EXPECT_THAT(error, HasSubstr("s.rgl"));
  EXPECT_EQ(count("scalar_all"), before);
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
  EXPECT_EQ(pointsOf(import("big.tfevents")), 180'000);
}

}  // namespace
}  // namespace runglass
