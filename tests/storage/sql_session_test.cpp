// SPDX-License-Identifier: Apache-2.0
// The SQL layer alone: a Reader with fixed values replaces the store, the rg_* tables are filled by the test.
#include "storage/sql/sql_session.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "model/pair_group.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Only the functions that the virtual tables call.
class ValueReader : public Reader {
 public:
  std::vector<Run> all_runs;
  std::vector<Attempt> all_attempts;
  std::vector<Series> all_series;
  std::vector<Track> all_tracks;
  std::map<SeriesId, SampleColumns> sample_data;
  std::map<SeriesId, ScalarColumns> scalar_data;
  std::map<TrackId, SpanColumns> span_data;
  int scalar_reads = 0, span_reads = 0, piece_reads = 0;

  std::uint64_t generation() override { return 1; }
  Result<StoreInfo> info() override { return StoreInfo{}; }
  Result<StoreUsage> usage(std::stop_token) override { return StoreUsage{}; }
  Result<std::vector<Node>> nodes() override { return std::vector<Node>{}; }
  Result<std::vector<Device>> devices() override { return std::vector<Device>{}; }
  Result<std::vector<Run>> runs() override { return all_runs; }
  Result<std::vector<Attempt>> attempts(RunId run) override {
    std::vector<Attempt> found;
    for (const auto& attempt : all_attempts)
      if (attempt.run == run) found.push_back(attempt);
    return found;
  }
  Result<Run> run(RunId) override { return Status(Code::kUnimplemented, "not asked here"); }
  Result<Attempt> attempt(AttemptId) override { return Status(Code::kUnimplemented, "not asked here"); }
  Result<std::vector<Rank>> ranks(AttemptId) override { return std::vector<Rank>{}; }
  Result<std::vector<Fact>> facts(AttemptId) override { return std::vector<Fact>{}; }
  Result<std::optional<DurNs>> clockError(NodeId, TimeNs) override { return std::optional<DurNs>(); }
  Result<std::optional<DurNs>> clockError(AttemptId, std::int32_t, TimeNs) override { return std::optional<DurNs>(); }
  Result<std::optional<ClockAlignment>> alignment(AttemptId) override { return std::optional<ClockAlignment>(); }
  Result<std::unique_ptr<Reader>> unaligned() override { return Status(Code::kUnimplemented, "no alignment here"); }
  Result<std::vector<CommGroup>> groups(AttemptId) override { return std::vector<CommGroup>{}; }
  Result<std::vector<Checkpoint>> checkpoints(RunId) override { return std::vector<Checkpoint>{}; }
  Result<std::vector<Progress>> progress(RunId) override { return std::vector<Progress>{}; }
  Result<std::vector<Series>> series(const SeriesFilter&) override { return all_series; }
  Result<std::vector<Event>> events(const EventFilter&) override { return std::vector<Event>{}; }
  Result<std::vector<LogLine>> logs(const EventFilter&) override { return std::vector<LogLine>{}; }
  Result<LogPage> searchLogs(const RowQuery&, std::stop_token) override { return LogPage{}; }
  Result<EventPage> searchEvents(const RowQuery&, std::stop_token) override { return EventPage{}; }
  Result<LogContext> logContext(std::int64_t, std::size_t, std::size_t, std::stop_token) override { return LogContext{}; }
  Result<RowDensity> rowDensity(const RowQuery&, std::size_t, std::stop_token) override { return RowDensity{}; }
  Result<std::vector<Issue>> issues() override { return std::vector<Issue>{}; }
  Result<std::vector<Label>> labels(RunId) override { return std::vector<Label>{}; }
  Result<std::vector<Capture>> captures(RunId, TimeRange, CaptureTexts) override { return std::vector<Capture>{}; }
  Result<std::vector<Finding>> findings(std::optional<RunId>) override { return std::vector<Finding>{}; }
  Result<std::vector<Finding>> publishedFindings(std::optional<RunId>) override { return std::vector<Finding>{}; }
  Result<std::vector<Incident>> incidents(std::optional<RunId>) override { return std::vector<Incident>{}; }
  Result<Incident> incident(std::string_view) override { return Status(Code::kNotFound, "none"); }
  Result<std::vector<Note>> notes(RunId) override { return std::vector<Note>{}; }
  Result<std::vector<Alert>> alerts(std::size_t) override { return std::vector<Alert>{}; }
  Result<std::vector<Snooze>> snoozes() override { return std::vector<Snooze>{}; }
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token) override {
    SampleColumns found;
    const auto& all = sample_data[series];
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.time[i] < range.t0 || all.time[i] >= range.t1) continue;
      found.time.push_back(all.time[i]);
      found.value.push_back(all.value[i]);
    }
    return found;
  }
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token) override {
    ++scalar_reads;
    ScalarColumns found;
    const auto& all = scalar_data[series];
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.step[i] < step0 || all.step[i] >= step1) continue;
      found.step.push_back(all.step[i]);
      if (!all.time.empty()) found.time.push_back(all.time[i]);
      found.value.push_back(all.value[i]);
    }
    return found;
  }
  Result<std::vector<Bin>> bins(SeriesId, Axis, std::int64_t x0, std::int64_t x1, std::size_t bins, std::stop_token) override {
    std::vector<Bin> made(bins);
    for (std::size_t i = 0; i < bins; ++i) {
      made[i].x0 = x0 + (x1 - x0) * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(bins);
      made[i].x1 = x0 + (x1 - x0) * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(bins);
    }
    made[0] = {made[0].x0, made[0].x1, 1, 2, 1, 3, 6, 3, 1};
    return made;
  }
  Result<std::vector<Bin>> summaries(SeriesId, TimeRange) override { return std::vector<Bin>{}; }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId>) override { return std::vector<LatestSample>{}; }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId>, TimeNs, std::stop_token) override {
    return std::vector<LatestSample>{};
  }
  Result<std::vector<Track>> tracks(AttemptId attempt) override {
    std::vector<Track> found;
    for (const auto& track : all_tracks)
      if (track.key.attempt == attempt) found.push_back(track);
    return found;
  }
  Result<std::optional<TimeRange>> spanExtent(RunId) override { return std::optional<TimeRange>(); }
  Result<SpanPicture> spanPicture(std::span<const TrackId>, TimeRange, DurNs, std::stop_token) override { return SpanPicture{}; }
  Result<SpanColumns> spans(TrackId track, TimeRange, std::stop_token) override {
    ++span_reads;
    return span_data[track];
  }
  // A track's spans are one piece.
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override {
    ++piece_reads;
    for (const auto& [track, spans] : span_data) {
      if (spans.size() == 0 || span < spans.id.front() || span > spans.id.back()) continue;
      StoredSpans piece{.track = track, .first = spans.id.front(), .end = spans.id.back() + 1, .spans = {}};
      if (spans.start.front() < range.t1) piece.spans = spans;
      return piece;
    }
    return StoredSpans{};
  }
  Status query(std::string_view, const SqlSink&, std::stop_token) override { return {Code::kUnimplemented, "not asked"}; }
  Result<std::vector<std::string>> verify(std::stop_token) override { return std::vector<std::string>{}; }
};

class SqlSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::set<std::filesystem::path> scripts;
    for (const auto& entry : std::filesystem::directory_iterator(RG_SOURCE_DIR "/storage/schema"))
      if (entry.path().extension() == ".sql") scripts.insert(entry.path());
    for (const auto& script : scripts) {
      std::stringstream text;
      text << std::ifstream(script).rdbuf();
      execute(text.str());
    }
    execute(
        "INSERT INTO rg_run VALUES(1,'u1','first',0,2,100,900,'nano',0);"
        "INSERT INTO rg_attempt(attempt_id,run_id,number,key,world_size,tp_size) VALUES(10,1,0,'a',8,0),(11,1,1,'b',16,2);"
        "INSERT INTO rg_node VALUES(5,'nu','node-a','','',1,77);"
        "INSERT INTO rg_fact VALUES(10,5,-1,'argv','train.py');"
        "INSERT INTO rg_issue VALUES('clock.future','agent',3,NULL,NULL,'');");
    m_reader.all_runs = {{.id = {1}, .name = "first"}};
    m_reader.all_attempts = {{.id = {10}, .run = {1}, .number = 0}, {.id = {11}, .run = {1}, .number = 1}};
    scalarSeries(1, {.attempt = {10}, .metric = "loss", .kind = SeriesKind::kScalar}, {1, 2, 3, 4}, {8, 7, 6, 5}, {100, kAbsent, 300, 400});
    scalarSeries(2, {.attempt = {11}, .metric = "loss", .kind = SeriesKind::kScalar}, {3, 4}, {6.5, std::nan("")}, {});
    m_reader.all_series.push_back({.id = {3}, .key = {.node = {5}, .metric = "power_watts"}, .sample_count = 3});
    m_reader.sample_data[{3}] = {{10, 20, 30}, {1.5, -0.0, INFINITY}};
  }
  void execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
    char* why = nullptr;
    sqlite3_exec(db, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(db);
  }
  void scalarSeries(std::uint64_t id, SeriesKey key, std::vector<std::int64_t> step, std::vector<double> value, std::vector<TimeNs> time) {
    m_reader.all_series.push_back({.id = {id},
                                   .key = std::move(key),
                                   .run = {1},
                                   .sample_count = static_cast<std::int64_t>(step.size()),
                                   .first_x = step.front(),
                                   .last_x = step.back()});
    m_reader.scalar_data[{id}] = {std::move(step), std::move(time), std::move(value)};
  }
  SqlSession& session() {
    if (!m_session) {
      auto opened = SqlSession::open(m_path, false, m_reader, nullptr);
      EXPECT_TRUE(opened.ok()) << opened.status().message();
      m_session = std::move(opened).value();
    }
    return *m_session;
  }
  // Rows as "a|b|c"; a failure as its message.
  std::vector<std::string> rows(std::string_view sql, std::stop_token stop = {}) {
    std::vector<std::string> found;
    m_status = session().query(sql, sinkInto(found), std::move(stop));
    if (!m_status.ok()) found.push_back(m_status.message());
    return found;
  }

  const test::TempFolder m_folder;
  const std::string m_path = m_folder.file("s.rgl");
  ValueReader m_reader;
  std::unique_ptr<SqlSession> m_session;
  Status m_status;
};

TEST_F(SqlSessionTest, ScalarHidesSupersededPointsAndScalarAllMarksThem) {
  EXPECT_THAT(rows("SELECT attempt, step, value, time_ns FROM scalar WHERE tag = 'loss' ORDER BY attempt, step"),
              ElementsAre("0|1|8|100", "0|2|7|NULL", "1|3|6.5|NULL", "1|4|NULL|NULL"));
  EXPECT_THAT(rows("SELECT attempt, step, superseded FROM scalar_all ORDER BY attempt, step"),
              ElementsAre("0|1|0", "0|2|0", "0|3|1", "0|4|1", "1|3|0", "1|4|0"));
}

TEST_F(SqlSessionTest, PushedConstraintsReadOnlyTheSeriesTheyName) {
  EXPECT_THAT(rows("SELECT count(*) FROM scalar_all WHERE series_id = 2"), ElementsAre("2"));
  EXPECT_EQ(m_reader.scalar_reads, 1);
  EXPECT_THAT(rows("SELECT step FROM scalar_all WHERE run_id = 1 AND attempt = 0 AND step > 1 AND step <= 3"), ElementsAre("2", "3"));
  EXPECT_THAT(rows("SELECT count(*) FROM scalar_all WHERE tag = 'LOSS' COLLATE NOCASE"), ElementsAre("6"));
  EXPECT_THAT(rows("SELECT count(*) FROM scalar_all WHERE step < 'text'"), ElementsAre("6"));
  EXPECT_THAT(rows("SELECT count(*) FROM scalar_all WHERE run_id = NULL"), ElementsAre("0"));
}

TEST_F(SqlSessionTest, SampleTakesItsArgumentsAlsoFromAJoin) {
  EXPECT_THAT(rows("SELECT time_ns, value FROM sample(3)"), ElementsAre("10|1.5", "20|-0", "30|inf"));
  EXPECT_THAT(rows("SELECT time_ns FROM sample(3, 10, 30)"), ElementsAre("10", "20"));
  EXPECT_THAT(rows("SELECT x.id, count(*) FROM (SELECT 3 AS id) x, sample(x.id) GROUP BY 1"), ElementsAre("3|3"));
  EXPECT_THAT(rows("SELECT time_ns FROM sample(3) WHERE time_ns >= 20 AND time_ns < 30"), ElementsAre("20"));
  EXPECT_THAT(rows("SELECT time_ns, value FROM sample(1)"), ElementsAre("100|8", "NULL|7", "300|6", "400|5"));
  EXPECT_THAT(rows("SELECT time_ns FROM sample(1, 0, 400)"), ElementsAre("100", "300"));
}

TEST_F(SqlSessionTest, MissingOrUnknownArgumentsSayWhatToWrite) {
  EXPECT_THAT(rows("SELECT * FROM sample"), ElementsAre(HasSubstr("sample(series_id [, t0_ns, t1_ns])")));
  EXPECT_THAT(rows("SELECT * FROM sample(99)"), ElementsAre(HasSubstr("series 99: there is no such series")));
  EXPECT_THAT(rows("SELECT * FROM bin(3, 0, 10)"), ElementsAre(HasSubstr("bin(series_id, t0_ns, t1_ns, bins)")));
  EXPECT_THAT(rows("SELECT * FROM bin(3, 0, 10, 0)"), ElementsAre(HasSubstr("must be 1 to")));
}

TEST_F(SqlSessionTest, BinGivesEveryBinAndNullsForEmptyOnes) {
  EXPECT_THAT(rows("SELECT t0_ns, t1_ns, first, last, min, max, sum, count, nan_count FROM bin(3, 0, 30, 2)"),
              ElementsAre("0|15|1|2|1|3|6|3|1", "15|30|NULL|NULL|NULL|NULL|NULL|0|0"));
}

TEST_F(SqlSessionTest, StepsAndTheirPartsComeFromTheirSeriesAndCompanions) {
  const auto scalar = SeriesKind::kScalar;
  scalarSeries(20, {.attempt = {11}, .rank = 2, .metric = "step_time_ns", .kind = scalar}, {5, 6}, {1000, 2000}, {50, 60});
  scalarSeries(21, {.attempt = {11}, .rank = 2, .metric = "step_phase", .kind = scalar}, {6}, {2}, {});
  scalarSeries(22, {.attempt = {11}, .rank = 2, .metric = "step_part_ns", .labels = R"({"part":"forward"})", .kind = scalar}, {5, 6},
               {7, 8}, {});
  scalarSeries(23, {.attempt = {11}, .rank = 2, .metric = "step_part_wait_ns", .labels = R"({"part":"forward"})", .kind = scalar}, {5}, {3},
               {});
  EXPECT_THAT(rows("SELECT * FROM step"), ElementsAre("1|1|2|5|50|1000|NULL|0", "1|1|2|6|60|2000|steady|0"));
  EXPECT_THAT(rows("SELECT * FROM step_part"), ElementsAre("1|1|2|5|forward|7|3|0", "1|1|2|6|forward|8|NULL|0"));
}

TEST_F(SqlSessionTest, StepTimesThatALogPrintsAreStepsWhereNobodyRecordsAny) {
  const auto scalar = SeriesKind::kScalar;
  const SeriesKey logged = {
      .attempt = {11}, .metric = "elapsed time per iteration", .labels = R"({"canonical":"step_time_ns"})", .unit = "ns", .kind = scalar};
  scalarSeries(20, logged, {10, 20}, {1000, 2000}, {5000, kAbsent});
  EXPECT_THAT(rows("SELECT rank, step, start_ns, dur_ns FROM step"), ElementsAre("NULL|10|4000|1000", "NULL|20|NULL|2000"));
  scalarSeries(21, {.attempt = {11}, .rank = 0, .metric = "step_time_ns", .kind = scalar}, {1}, {7}, {9});
  EXPECT_THAT(rows("SELECT rank, step FROM step"), ElementsAre("0|1"));
}

TEST_F(SqlSessionTest, SpansCarryTheirTrackAndKeepAbsentColumnsNull) {
  m_reader.all_tracks = {{.id = {4}, .key = {.attempt = {11}, .rank = 1, .kind = "gpu_stream", .name = "s7"}, .run = {1}}};
  execute("INSERT INTO rg_track VALUES(4, 11, 1, 'gpu_stream', 's7', NULL)");
  SpanColumns spans;
  spans.id = {900, 901};
  spans.start = {10, 20};
  spans.dur = {5, kAbsent};
  spans.name = {0, 1};
  spans.category = {SpanCategory::kCompute, SpanCategory::kComm};
  spans.step = {kAbsent, 3};
  spans.names = {"gemm", "allreduce"};
  m_reader.span_data[{4}] = spans;
  EXPECT_THAT(rows("SELECT s.span_id, s.attempt, s.rank, s.category, s.name, s.start_ns, s.dur_ns, s.depth, s.step, s.bytes, s.args "
                   "FROM span s JOIN track t USING(track_id) WHERE t.kind='gpu_stream'"),
              ElementsAre("900|1|1|compute|gemm|10|5|0|NULL|NULL|NULL", "901|1|1|comm|allreduce|20|NULL|0|3|NULL|NULL"));
  EXPECT_THAT(rows("SELECT coalesce(sum(dur_ns),0) FROM span_in(0, 100)"), ElementsAre("5"));
}

// A rank that launched two kernels; its thread is one piece, its stream another.
void launchTwo(ValueReader& reader) {
  reader.all_tracks = {{.id = {4}, .key = {.attempt = {11}, .rank = 1, .kind = "thread", .name = "main"}, .run = {1}},
                       {.id = {5}, .key = {.attempt = {11}, .rank = 1, .kind = "gpu_stream", .name = "s7"}, .run = {1}}};
  SpanColumns spans;
  spans.id = {4096, 4097};
  spans.start = {10, 20};
  spans.dur = {5, 5};
  spans.name = {0, 0};
  spans.category = {SpanCategory::kRuntime, SpanCategory::kRuntime};
  spans.correlation = {71, 72};
  spans.names = {"cudaLaunchKernel"};
  reader.span_data[{4}] = spans;
  spans.id = {8192, 8193};
  spans.category = {SpanCategory::kCompute, SpanCategory::kCompute};
  spans.names = {"gemm"};
  reader.span_data[{5}] = spans;
}

// The spans that the trainer's library records for a send and its receive, whatever their names.
TEST_F(SqlSessionTest, AnArrowLeadsFromTheSenderOfAPairToItsReceiver) {
  launchTwo(m_reader);
  const std::int64_t pair = pairGroup({1, 0});
  SpanColumns spans = m_reader.span_data[{4}];
  spans.category = {SpanCategory::kComm, SpanCategory::kComm};
  spans.correlation.clear();
  spans.names = {"to_stage_0"};
  spans.group = {pair, pair}, spans.seq = {6, 7};
  m_reader.span_data[{4}] = spans;
  m_reader.all_tracks[1].key.rank = 0;
  spans.id = {8192, 8193}, spans.start = {5, 15};
  spans.names = {"from_stage_1"};
  spans.seq = {7, 8};
  m_reader.span_data[{5}] = spans;
  EXPECT_THAT(rows("SELECT kind, from_span, to_span FROM flow"), ElementsAre("p2p|4097|8192"));
}

TEST_F(SqlSessionTest, AJoinOfArrowsWithTheirSpansReadsEachPieceOnceInWhateverOrderItIsWritten) {
  launchTwo(m_reader);
  for (const char* from : {"flow f JOIN span a ON a.span_id = f.from_span JOIN span b ON b.span_id = f.to_span",
                           "span a JOIN span b JOIN flow f ON f.to_span = b.span_id AND f.from_span = a.span_id",
                           "span b JOIN flow f ON f.to_span = b.span_id LEFT JOIN span a ON a.span_id = f.from_span"}) {
    m_reader.piece_reads = m_reader.span_reads = 0;
    const std::string sql = std::string("SELECT a.name, b.name, a.rank, b.start_ns FROM ") + from + " WHERE f.kind = 'launch'";
    EXPECT_THAT(rows(sql), ElementsAre("cudaLaunchKernel|gemm|1|10", "cudaLaunchKernel|gemm|1|20")) << from;
    EXPECT_EQ(m_reader.piece_reads, 2) << from;
    EXPECT_EQ(m_reader.span_reads, 2) << from << ": the tracks are read for the arrows alone";
    for (const std::string& step : rows("EXPLAIN QUERY PLAN " + sql)) {
      if (step.find("|SCAN f ") != std::string::npos) continue;
      EXPECT_THAT(step, HasSubstr("VIRTUAL TABLE INDEX 0:0,2;")) << from;
    }
  }
  m_reader.piece_reads = m_reader.span_reads = 0;
  EXPECT_THAT(rows("SELECT (SELECT name FROM span WHERE span_id = f.from_span) FROM flow f"),
              ElementsAre("cudaLaunchKernel", "cudaLaunchKernel"));
  EXPECT_EQ(m_reader.piece_reads, 1) << "a piece outlives the cursor that read it";
}

TEST_F(SqlSessionTest, ASpanIdIsComparedAsSqlComparesIt) {
  launchTwo(m_reader);
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = 4097"), ElementsAre("4097"));
  EXPECT_EQ(m_reader.span_reads, 0);
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id IN (8193, 4096, 5, -1, NULL)"), UnorderedElementsAre("4096", "8193"));
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = '4097'"), ElementsAre("4097"));
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = 4097.0"), ElementsAre("4097"));
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = 4097.5"), IsEmpty());
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = NULL"), IsEmpty());
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = 4097 AND span_id = 4096"), IsEmpty());
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id = 4097 AND track_id = 5"), IsEmpty());
  EXPECT_THAT(rows("SELECT span_id FROM span WHERE span_id > 4096 AND span_id < 8193"), ElementsAre("4097", "8192"));
  EXPECT_THAT(rows("SELECT span_id FROM span_in(0, 10) WHERE span_id = 4096"), IsEmpty());
}

TEST_F(SqlSessionTest, KeepsThePiecesUsedLastAndNotMoreThanItsBudget) {
  launchTwo(m_reader);
  m_reader.all_tracks.push_back({.id = {6}, .key = {.attempt = {11}, .rank = 1, .kind = "thread", .name = "b"}, .run = {1}});
  for (const std::uint64_t track : {4, 5, 6}) {
    SpanColumns& spans = m_reader.span_data[{track}];
    spans = {};
    spans.id = {static_cast<std::int64_t>(track) * 4096};
    spans.start = {1}, spans.dur = {1}, spans.name = {0}, spans.category = {SpanCategory::kOther}, spans.names = {"x"};
    spans.args = {std::string(std::size_t{30} << 20, 'x')};  // two of them fit
  }
  EXPECT_THAT(
      rows("WITH o(at, track) AS (VALUES (1, 4), (2, 5), (3, 4), (4, 6), (5, 4), (6, 5)) SELECT s.track_id FROM o CROSS JOIN span s "
           "ON s.span_id = o.track * 4096"),
      ElementsAre("4", "5", "4", "6", "4", "5"));
  EXPECT_EQ(m_reader.piece_reads, 4) << "4, 5, 6 in 5's place, 5 again";
}

TEST_F(SqlSessionTest, ViewsNameThingsAndKeepUnknownSizesNull) {
  EXPECT_THAT(rows("SELECT name, time_domain, state, world_size, tp_size, pp_size FROM run"), ElementsAre("first|utc|finished|16|2|NULL"));
  EXPECT_THAT(rows("SELECT attempt, world_size, tp_size FROM attempt ORDER BY 1"), ElementsAre("0|8|NULL", "1|16|2"));
  EXPECT_THAT(rows("SELECT node, rank, value FROM attempt_fact"), ElementsAre("node-a|NULL|train.py"));
  EXPECT_THAT(rows("SELECT node, rack, state, last_heard_ns FROM node"), ElementsAre("node-a|NULL|alive|77"));
}

TEST_F(SqlSessionTest, EveryRelationOfTheContractCanBeSelected) {
  for (const char* relation : {"run",      "attempt",    "attempt_fact", "checkpoint", "rank",     "node",  "device", "series",
                               "scalar",   "scalar_all", "step",         "step_part",  "progress", "track", "span",   "event",
                               "log_line", "finding",    "incident",     "comm_group", "flow",     "note",  "label",  "ingest_issue"}) {
    rows(std::string("SELECT * FROM ") + relation);
    EXPECT_TRUE(m_status.ok()) << m_status.message();
  }
}

TEST_F(SqlSessionTest, RefusesEverythingThatIsNotReading) {
  for (const char* sql : {"DELETE FROM rg_run", "UPDATE rg_run SET name='x'", "INSERT INTO rg_meta VALUES('a','b')", "DROP TABLE rg_run",
                          "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "ATTACH '/tmp/other.db' AS o", "PRAGMA journal_mode=DELETE",
                          "PRAGMA writable_schema=ON", "VACUUM", "VACUUM INTO '/tmp/rg_copy.rgl'", "BEGIN", "REINDEX", "ANALYZE",
                          "SELECT load_extension('x')", "PRAGMA query_only=OFF", "DROP VIEW run"}) {
    rows(sql);
    EXPECT_EQ(m_status.code(), Code::kPermissionDenied) << sql << ": " << m_status.message();
  }
  EXPECT_THAT(rows("SELECT count(*) FROM rg_run"), ElementsAre("1"));
}

TEST_F(SqlSessionTest, TakesOneStatementOnly) {
  EXPECT_THAT(rows("SELECT 1; SELECT 2"), ElementsAre(HasSubstr("one statement at a time")));
  EXPECT_THAT(rows("  -- nothing\n"), ElementsAre(HasSubstr("there is no SQL statement")));
  EXPECT_THAT(rows("SELECT 1; -- done\n ;"), ElementsAre("1"));
  EXPECT_THAT(rows("SELEC 1"), ElementsAre(HasSubstr("syntax error")));
}

// Computed by hand: for 1, 2, 4, 8, 16 the position of p is 4 p / 100 values from the first; mean 6.2, squares 148.8, divided by 4.
TEST_F(SqlSessionTest, PercentileMedianAndStddevAreExact) {
  constexpr std::string_view kOf = " FROM (SELECT column1 AS x FROM (VALUES (8),(1.0),(16),(2),(4)))";
  const auto of = [&](std::string_view what) { return rows("SELECT " + std::string(what) + std::string(kOf)); };
  EXPECT_THAT(of("percentile(x, 0), percentile(x, 25), percentile(x, 50), percentile(x, 100)"), ElementsAre("1|2|4|16"));
  EXPECT_THAT(of("percentile(x, 90), percentile(x, 12.5)"), ElementsAre("12.8|1.5"));
  EXPECT_THAT(of("median(x), abs(stddev(x) - sqrt(148.8 / 4)) < 1e-15, typeof(median(x))"), ElementsAre("4|1|real"));
  EXPECT_THAT(rows("SELECT median(column1), stddev(column1) FROM (VALUES (1), (3))"), ElementsAre("2|1.41421"));
  // The deviation of times in ns is not lost because of their size.
  EXPECT_THAT(rows("SELECT stddev(column1) FROM (VALUES (1.75e18 + 512), (1.75e18 + 1024), (1.75e18 + 1536))"), ElementsAre("512"));
  EXPECT_THAT(rows("SELECT rank, median(value), percentile(value, 100) FROM (SELECT column1 AS rank, column2 AS value FROM "
                   "(VALUES (0, 3), (1, 5), (0, 9), (1, 7))) GROUP BY rank ORDER BY rank"),
              ElementsAre("0|6|9", "1|6|7"));
}

TEST_F(SqlSessionTest, StatisticsLeaveOutAbsentValuesAndNan) {
  EXPECT_THAT(rows("SELECT percentile(value, 90), median(value), stddev(value) FROM scalar WHERE 0"), ElementsAre("NULL|NULL|NULL"));
  EXPECT_THAT(rows("SELECT percentile(7, 90), median(7), stddev(7)"), ElementsAre("7|7|NULL"));
  EXPECT_THAT(rows("SELECT median(column1), stddev(column1) FROM (VALUES (NULL), (NULL))"), ElementsAre("NULL|NULL"));
  EXPECT_THAT(rows("SELECT median(column1), stddev(column1) FROM (VALUES (NULL), (1), (3), (NULL))"), ElementsAre("2|1.41421"));
  // The second attempt's loss is 6.5, then NaN.
  EXPECT_THAT(rows("SELECT median(value), stddev(value), count(*) FROM scalar WHERE attempt = 1"), ElementsAre("6.5|NULL|2"));
  EXPECT_THAT(rows("SELECT median(value), percentile(value, 100), stddev(value) FROM sample(3)"), ElementsAre("1.5|inf|NULL"));
}

TEST_F(SqlSessionTest, StatisticsSayWhatTheyCannotTake) {
  EXPECT_THAT(rows("SELECT median('slow')"), ElementsAre(HasSubstr("median(): a value is not a number")));
  EXPECT_THAT(rows("SELECT stddev(X'00')"), ElementsAre(HasSubstr("stddev(): a value is not a number")));
  EXPECT_THAT(rows("SELECT percentile(1, 101)"), ElementsAre(HasSubstr("percentile(): p is not between 0 and 100")));
  EXPECT_THAT(rows("SELECT percentile(1, NULL)"), ElementsAre(HasSubstr("percentile(): p is NULL")));
  EXPECT_THAT(rows("SELECT percentile(column1, column1) FROM (VALUES (1), (2))"), ElementsAre(HasSubstr("p is not the same in all rows")));
  EXPECT_THAT(rows("SELECT median('2'), 1"), ElementsAre("2|1"));  // numeric text, as in facts
}

TEST_F(SqlSessionTest, AnEndlessQueryStopsWhenItsTokenDoes) {
  std::stop_source source;
  std::int64_t seen = 0;
  Reader::SqlSink sink;
  sink.row = [&](const std::vector<SqlValue>&) {
    if (++seen == 1000) source.request_stop();
    return true;
  };
  const auto status =
      session().query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n", sink, source.get_token());
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_GE(seen, 1000);
  // And the session still works.
  EXPECT_THAT(rows("SELECT 1"), ElementsAre("1"));
}

TEST_F(SqlSessionTest, RowsStreamAndTheSinkMayStop) {
  std::int64_t seen = 0;
  Reader::SqlSink sink;
  sink.row = [&](const std::vector<SqlValue>&) { return ++seen < 10; };
  EXPECT_TRUE(session().query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n", sink, {}).ok());
  EXPECT_EQ(seen, 10);
}

TEST_F(SqlSessionTest, RefusesAFileWithTriggersViewsOrForeignTables) {
  execute("CREATE TABLE sample(series_id, value)");
  auto opened = SqlSession::open(m_path, false, m_reader, nullptr);
  EXPECT_EQ(opened.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(opened.status().message(), HasSubstr("table sample"));
  execute("DROP TABLE sample; CREATE VIEW rg_v AS SELECT 1");
  opened = SqlSession::open(m_path, false, m_reader, nullptr);
  EXPECT_THAT(opened.status().message(), HasSubstr("view rg_v"));
}

}  // namespace
}  // namespace runglass
