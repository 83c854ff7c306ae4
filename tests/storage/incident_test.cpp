// SPDX-License-Identifier: Apache-2.0
// Incidents in a store: stored completely, changed only based on the newest version, exported with the data that they need.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <limits>

#include "model/time_ranges.h"
#include "storage/maintain/incident_ranges.h"
#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
constexpr DurNs kHour = 3600 * kNsPerSecond;

std::string whyNot(const Status& status) { return status.ok() ? "" : status.message(); }

IncidentEdit someIncident(const std::string& uuid = "u-1") {
  IncidentEdit edit{.run_uuid = "run-uuid-1", .attempt = 1, .incident = {}};
  Incident& one = edit.incident;
  one.uuid = uuid, one.title = "Loss went up after a restart";
  one.state = IncidentState::kMitigated, one.severity = Severity::kError;
  one.range = TimeRange{kStoreStart + 5, kStoreStart + 900};
  one.cause = "gpu_memory", one.summary = "HBM row remap on node-a", one.notes = "# what we did\n- drained *node-a*";
  one.findings = {1, 77};
  one.evidence = {{.kind = "loss", .title = "Loss", .caption = "the spike", .range = TimeRange{kStoreStart, kHighest}, .select = "step=10"},
                  {.kind = "log", .title = "last words", .caption = "", .range = std::nullopt, .select = "rank=1"}};
  return edit;
}

class IncidentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    m_ids = makeSampleStore(m_store);
    m_writer = writer();
  }
  std::unique_ptr<Writer> writer() {
    auto opened = openStore(m_store).writer();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::unique_ptr<Reader> reader() {
    auto opened = openStore(m_store).reader();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  Incident stored(const std::string& uuid = "u-1") {
    const auto found = reader()->incident(uuid);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : Incident{};
  }
  // An edit based on the current version of the incident.
  IncidentEdit changed(const std::string& title) {
    IncidentEdit edit = someIncident();
    edit.incident.updated = stored().updated;
    edit.incident.title = title;
    return edit;
  }
  // Queries the file directly.
  std::vector<std::string> rows(const std::string& sql) {
    auto db = sqlite::Connection::open(m_store, sqlite::OpenMode::kReadOnly);
    std::vector<std::string> lines;
    auto statement = db->prepare(sql);
    EXPECT_TRUE(statement.ok()) << statement.status().message();
    while (statement.ok() && *statement->step()) {
      std::string line;
      for (int i = 0; i < statement->columnCount(); ++i) line += (i ? "|" : "") + std::string(statement->text(i));
      lines.push_back(line);
    }
    return lines;
  }

  test::TempFolder m_folder;
  std::string m_store = m_folder.file("s.rgl");
  SampleStoreIds m_ids;
  std::unique_ptr<Writer> m_writer;
};

TEST_F(IncidentTest, ComesBackAsItWasMadeAndIsARelation) {
  const auto early = reader();
  const auto generation = early->generation();
  ASSERT_EQ(whyNot(m_writer->edit(someIncident())), "");
  EXPECT_GT(early->generation(), generation);
  const Incident found = stored();
  Incident made = someIncident().incident;
  made.id = found.id, made.run = m_ids.run, made.attempt = m_ids.second;
  made.created = found.created, made.updated = found.updated;
  EXPECT_TRUE(found == made);
  EXPECT_TRUE(found.created.has_value() && found.updated.has_value());
  EXPECT_THAT(*reader()->incidents(m_ids.run), SizeIs(1));
  EXPECT_THAT(*reader()->incidents(std::nullopt), SizeIs(1));
  EXPECT_THAT(*reader()->incidents(RunId{99}), IsEmpty());
  EXPECT_EQ(reader()->incident("nobody").status().code(), Code::kNotFound);
  EXPECT_THAT(sqlRows(*reader(),
                      "SELECT title, state, end_ns - start_ns, findings, incident_uuid, attempt, severity, cause, reason, "
                      "json_array_length(evidence), evidence ->> '$[0].start_ns', evidence ->> '$[0].end_ns' FROM incident"),
              ElementsAre("Loss went up after a restart|mitigated|895|[1,77]|u-1|1|error|gpu_memory|NULL|2|1700000000000000000|NULL"));
  EXPECT_THAT(*reader()->verify({}), IsEmpty());
}

TEST_F(IncidentTest, AnEditThatIsMadeTwiceIsMadeOnce) {
  ASSERT_EQ(whyNot(m_writer->edit(someIncident())), "");
  const Incident before = stored();
  ASSERT_EQ(whyNot(m_writer->edit(someIncident())), "");
  EXPECT_TRUE(stored() == before);
  const IncidentEdit change = changed("another title");
  ASSERT_EQ(whyNot(m_writer->edit(change)), "");
  const Incident after = stored();
  ASSERT_EQ(whyNot(m_writer->edit(change)), "") << "as it is already";
  EXPECT_TRUE(stored() == after);
  EXPECT_EQ(after.created, before.created);
  EXPECT_GT(*after.updated, *before.updated);
  IncidentEdit gone = changed("another title");
  gone.remove = true;
  ASSERT_EQ(whyNot(m_writer->edit(gone)), "");
  ASSERT_EQ(whyNot(m_writer->edit(gone)), "");
  EXPECT_THAT(*reader()->incidents(std::nullopt), IsEmpty());
}

TEST_F(IncidentTest, AnEditOfAnOlderOneIsRefusedAndOverwritesNothing) {
  ASSERT_EQ(whyNot(m_writer->edit(someIncident())), "");
  const IncidentEdit ada = changed("as ada says"), bob = changed("as bob says");
  ASSERT_EQ(whyNot(m_writer->edit(ada)), "");
  const Status refused = m_writer->edit(bob);
  EXPECT_EQ(refused.code(), Code::kAborted);
  EXPECT_THAT(refused.message(), HasSubstr("was changed at"));
  IncidentEdit drop = bob;
  drop.remove = true;
  EXPECT_EQ(m_writer->edit(drop).code(), Code::kAborted);
  IncidentEdit unread = someIncident();
  unread.incident.title = "made anew";
  EXPECT_EQ(m_writer->edit(unread).code(), Code::kAborted) << "the uuid is taken";
  EXPECT_EQ(stored().title, "as ada says");
  IncidentEdit gone = changed("as ada says");
  gone.remove = true;
  ASSERT_EQ(whyNot(m_writer->edit(gone)), "");
  EXPECT_THAT(whyNot(m_writer->edit(bob)), HasSubstr("deleted since"));
}

TEST_F(IncidentTest, WhatNoStoreMayTakeIsRefusedWithTheReasonAndLeavesNothing) {
  const auto refused = [&](auto change) {
    IncidentEdit edit = someIncident();
    change(edit);
    const Status status = m_writer->edit(edit);
    EXPECT_FALSE(status.ok());
    return whyNot(status);
  };
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.uuid.clear(); }), HasSubstr("no uuid"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.title.clear(); }), HasSubstr("no title"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.title = std::string(kMaxIncidentTitle + 1, 'x'); }), HasSubstr("title: 513 bytes"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.notes = std::string(kMaxEditText + 1, 'x'); }), HasSubstr("notes: 65537 bytes"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.summary = "\xff"; }), HasSubstr("UTF-8"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.evidence[1].title = std::string("a\0b", 3); }), HasSubstr("zero byte"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.evidence[0].kind.clear(); }), HasSubstr("no kind"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.findings.resize(kMaxIncidentFindings + 1); }), HasSubstr("1001 findings"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.evidence.resize(kMaxIncidentCards + 1); }), HasSubstr("201 cards"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.range = TimeRange{5, 5}; }), HasSubstr("range is empty"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.range = TimeRange{}; }), HasSubstr("no beginning"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.cause = "gremlins"; }), HasSubstr("taxonomy"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.state = IncidentState::kDismissed; }), HasSubstr("without a reason"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.incident.state = static_cast<IncidentState>(9); }), HasSubstr("no such state"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.run_uuid = "nobody"; }), HasSubstr("run nobody"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.run_uuid.clear(); }), HasSubstr("names no run"));
  EXPECT_THAT(refused([](IncidentEdit& e) { e.attempt = 7; }), HasSubstr("attempt 7"));
  EXPECT_THAT(*reader()->incidents(std::nullopt), IsEmpty());
  EXPECT_THAT(rows("SELECT * FROM rg_pin"), IsEmpty());
}

TEST_F(IncidentTest, HostileTextComesBackByteForByte) {
  IncidentEdit edit = someIncident();
  const std::string text =
      "'); DROP TABLE rg_incident;--\"},{\"kind\":\"x\" \\u0000 \x01\x1b[31m <script> \xe2\x80\xae [](javascript:0)\n=cmd()";
  edit.incident.title = edit.incident.summary = edit.incident.notes = edit.incident.reason = text;
  edit.incident.evidence = {{.kind = text, .title = text, .caption = text, .range = TimeRange{-5, 7}, .select = text}};
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  const Incident found = stored();
  EXPECT_EQ(found.notes, text);
  EXPECT_TRUE(found.evidence == edit.incident.evidence);
  EXPECT_THAT(*reader()->verify({}), IsEmpty());
}

TEST_F(IncidentTest, ADamagedListIsNamedAndTheRestIsReadable) {
  ASSERT_EQ(whyNot(m_writer->edit(someIncident())), "");
  ASSERT_EQ(whyNot(m_writer->edit(someIncident("u-2"))), "");
  ASSERT_EQ(whyNot(m_writer->close()), "");
  m_writer.reset();
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(db, "UPDATE rg_incident SET evidence = '[{', findings = '[1,\"a\",{},2]' WHERE uuid = 'u-1'", nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(db);
  const auto open = reader();
  EXPECT_THAT(*open->incidents(std::nullopt), SizeIs(2));
  const Incident found = *open->incident("u-1");
  EXPECT_THAT(found.evidence, IsEmpty());
  EXPECT_THAT(found.findings, ElementsAre(1, 2));
  EXPECT_THAT(*open->issues(), SizeIs(2)) << "the sample store's own, and the damage";
  EXPECT_THAT(*open->verify({}), ElementsAre(HasSubstr("incident 1")));
}

TEST_F(IncidentTest, PinsMoveWithItAndGoWithIt) {
  m_writer->pin({1, 2}, "by hand");
  ASSERT_EQ(whyNot(m_writer->flush()), "");
  const auto pins = [&] { return rows("SELECT t0_ns, t1_ns FROM rg_pin WHERE incident_id IS NOT NULL ORDER BY t0_ns"); };
  const auto expected = [](TimeNs t0, TimeNs t1) {
    return std::to_string(t0 - kIncidentMargin) + "|" + std::to_string(t1 + kIncidentMargin);
  };
  IncidentEdit edit = someIncident();
  edit.incident.evidence.clear();
  edit.incident.range = TimeRange{kHour, 2 * kHour};
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  EXPECT_THAT(pins(), ElementsAre(expected(kHour, 2 * kHour)));
  edit.incident.evidence = {{.kind = "device", .title = "", .caption = "", .range = TimeRange{5 * kHour, 6 * kHour}, .select = ""},
                            {.kind = "device", .title = "", .caption = "", .range = TimeRange{2 * kHour, 3 * kHour}, .select = ""}};
  edit.incident.updated = stored().updated;
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  EXPECT_THAT(pins(), ElementsAre(expected(kHour, 3 * kHour), expected(5 * kHour, 6 * kHour)));
  edit.incident.state = IncidentState::kDismissed, edit.incident.reason = "a planned test";
  edit.incident.updated = stored().updated;
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  EXPECT_THAT(pins(), IsEmpty());
  edit.incident.state = IncidentState::kOpen;
  edit.incident.updated = stored().updated;
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  EXPECT_THAT(pins(), SizeIs(2));
  edit.incident.updated = stored().updated;
  edit.remove = true;
  ASSERT_EQ(whyNot(m_writer->edit(edit)), "");
  EXPECT_THAT(pins(), IsEmpty());
  EXPECT_THAT(rows("SELECT reason FROM rg_pin"), ElementsAre("by hand"));
}

TEST(PinnedRanges, OneThatIsNotOverPinsAllThatComesOnlyWhileItIsOpen) {
  Incident incident;
  incident.range = TimeRange{kHour, kHighest};
  incident.updated = 3 * kHour;
  EXPECT_EQ(pinnedRanges(incident), (std::vector<TimeRange>{{kHour - kIncidentMargin, kHighest}}));
  incident.state = IncidentState::kResolved;
  EXPECT_EQ(pinnedRanges(incident), (std::vector<TimeRange>{{kHour - kIncidentMargin, 3 * kHour + kIncidentMargin}}));
  incident.range = TimeRange{std::numeric_limits<TimeNs>::min() + 1, std::numeric_limits<TimeNs>::min() + 9};
  EXPECT_EQ(pinnedRanges(incident)[0].t0, std::numeric_limits<TimeNs>::min());
}

// A node's power over 17 hours, one sample per second; an incident covers about one minute in the middle.
TEST(IncidentRetention, KeepsEverySampleOfItsWindowUntilItIsDismissed) {
  const test::TempFolder folder;
  const std::string path = folder.file("s.rgl");
  constexpr std::int64_t kSamples = 60'000;
  auto opened = openStore(path).writer();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const std::unique_ptr<Writer> writer = std::move(*opened);
  (void)writer->run({.uuid = "run-uuid-1", .name = "run"});
  const NodeId node = writer->node({.uuid = "m", .name = "n"});
  const SeriesId power = writer->series({.node = node, .metric = "power_watts"});
  for (std::int64_t i = 0; i < kSamples; ++i) writer->sample(power, kStoreStart + i * kNsPerSecond, 1);
  ASSERT_EQ(whyNot(writer->flush()), "");
  const TimeRange window{kStoreStart + 30'000 * kNsPerSecond, kStoreStart + 30'060 * kNsPerSecond};
  IncidentEdit edit = someIncident();
  edit.attempt.reset();
  edit.incident.evidence.clear();
  edit.incident.range = window;
  ASSERT_EQ(whyNot(writer->edit(edit)), "");
  const auto samplesIn = [&](TimeRange range) { return (*openStore(path).reader())->samples(power, range)->size(); };
  ASSERT_TRUE(writer->applyRetention({}, kStoreStart + 200 * kHour).ok());
  EXPECT_LT(samplesIn({}), std::size_t{20'000});
  EXPECT_EQ(samplesIn(widened(window, kIncidentMargin)), 180U);
  edit.incident.updated = (*openStore(path).reader())->incident("u-1")->updated;
  edit.incident.state = IncidentState::kDismissed, edit.incident.reason = "nothing";
  ASSERT_EQ(whyNot(writer->edit(edit)), "");
  ASSERT_TRUE(writer->applyRetention({}, kStoreStart + 200 * kHour).ok());
  EXPECT_EQ(samplesIn(widened(window, kIncidentMargin)), 0U);
  EXPECT_THAT(*(*openStore(path).reader())->verify({}), IsEmpty());
}

// A node with power over 17 hours, a rank with loss and spans over the same time, events and log lines every minute.
class IncidentExport : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSeconds = 20'000;
  static TimeNs at(std::int64_t second) { return kStoreStart + second * kNsPerSecond; }
  void SetUp() override {
    auto opened = openStore(m_from).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    Writer& writer = **opened;
    m_run = writer.run({.uuid = "run-uuid-1", .name = "run", .start = at(0), .end = at(kSeconds)});
    const NodeId node = writer.node({.uuid = "m", .name = "n"});
    const AttemptId attempt = writer.attempt({.run = m_run, .key = "0", .start = at(0)});
    writer.rank({.attempt = attempt, .rank = 0, .node = node});
    const SeriesId power = writer.series({.node = node, .metric = "power_watts"});
    const SeriesId loss = writer.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
    const TrackId track = writer.track({.attempt = attempt, .rank = 0, .kind = "thread", .name = "main"});
    SpanColumns spans;
    spans.names = {"step"};
    for (std::int64_t i = 0; i < kSeconds; ++i) {
      writer.sample(power, at(i), 1);
      writer.scalar(loss, i, at(i), 2);
      if (i % 10) continue;
      spans.start.push_back(at(i)), spans.dur.push_back(9 * kNsPerSecond), spans.name.push_back(0);
      spans.category.push_back(SpanCategory::kCompute);
    }
    // One span that covers all of the run: it is copied once, whatever is copied.
    spans.start.push_back(at(0)), spans.dur.push_back(kSeconds * kNsPerSecond), spans.name.push_back(0);
    spans.category.push_back(SpanCategory::kCompute);
    writer.spans(track, spans);
    for (std::int64_t i = 0; i < kSeconds; i += 60) {
      writer.event({.time = at(i), .attempt = attempt, .kind = "tick", .message = "t"});
      writer.log({.time = at(i), .attempt = attempt, .stream = "stdout", .text = "line"});
    }
    for (const char* kind : {"hang", "slow_rank", "stall"})
      writer.finding(
          {.run = m_run, .attempt = attempt, .kind = kind, .subject = "run", .start = at(9000), .summary = kind, .evidence = "{}"});
    ASSERT_EQ(whyNot(writer.flush()), "");
    IncidentEdit edit = someIncident();
    edit.attempt = 0;
    edit.incident.range = TimeRange{at(10'000), at(10'060)};
    edit.incident.findings = {2, 999};
    edit.incident.evidence = {{.kind = "loss", .title = "", .caption = "", .range = TimeRange{at(5'000), at(15'000)}, .select = ""},
                              {.kind = "timeline", .title = "", .caption = "", .range = TimeRange{at(300), at(400)}, .select = ""}};
    ASSERT_EQ(whyNot(writer.edit(edit)), "");
    IncidentEdit other = someIncident("u-2");
    other.attempt = 0;
    other.incident.range = TimeRange{at(10'030), at(10'040)};
    other.incident.evidence.clear();
    other.incident.findings = {1, 3};
    ASSERT_EQ(whyNot(writer.edit(other)), "");
    other.incident.uuid = "u-3";
    other.incident.range = TimeRange{at(18'000), at(18'040)};
    ASSERT_EQ(whyNot(writer.edit(other)), "");
    ASSERT_EQ(whyNot(writer.close()), "");
  }
  std::vector<std::string> copied(std::string_view sql) {
    const auto opened = openStore(m_to).reader();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? sqlRows(**opened, sql) : std::vector<std::string>{};
  }

  test::TempFolder m_folder;
  std::string m_from = m_folder.file("from.rgl"), m_to = m_folder.file("to.rgl");
  RunId m_run;
};

TEST_F(IncidentExport, TakesWhatItNeedsAndNoMoreAndSaysWhatItIsAbout) {
  ASSERT_EQ(whyNot(exportIncident(m_from, "u-1", 20 * kNsPerSecond, m_to)), "");
  const auto opened = openStore(m_to).reader();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ((*opened)->info()->incident, "u-1");
  EXPECT_THAT(*(*opened)->verify({}), IsEmpty());
  const auto incidents = (*opened)->incidents(std::nullopt);
  ASSERT_THAT(*incidents, SizeIs(1));
  const Incident& one = incidents->front();
  EXPECT_EQ(one.notes, someIncident().incident.notes);
  EXPECT_EQ(one.created, (*openStore(m_from).reader())->incident("u-1")->created);
  const auto findings = (*opened)->findings(std::nullopt);
  ASSERT_THAT(*findings, SizeIs(1));
  EXPECT_EQ(findings->front().kind, "slow_rank");
  EXPECT_THAT(one.findings, ElementsAre(findings->front().id)) << "as the new store numbers it; 999 is nobody";
  EXPECT_THAT(copied("SELECT count(*), min(time_ns) FROM series s, sample(s.series_id) p WHERE metric = 'power_watts'"),
              ElementsAre("100|" + std::to_string(at(9'980))));
  EXPECT_THAT(copied("SELECT count(*) FROM scalar_all"), ElementsAre("10040"));
  EXPECT_THAT(copied("SELECT count(*) FROM span WHERE dur_ns < 10000000000"), ElementsAre("24")) << "10 of the incident and 14 of the card";
  EXPECT_THAT(copied("SELECT count(*) FROM span WHERE dur_ns > 10000000000"), ElementsAre("1"));
  EXPECT_THAT(copied("SELECT count(*) FROM event"), ElementsAre("1"));
  EXPECT_THAT(copied("SELECT count(*) FROM log_line"), ElementsAre("1"));
}

TEST_F(IncidentExport, ASliceOfARunBringsItsIncidentsWithTheirFindingsAndPins) {
  ASSERT_EQ(whyNot(exportRun(m_from, m_run, {at(9'000), at(12'000)}, m_to)), "");
  const auto opened = openStore(m_to).reader();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ((*opened)->info()->incident, "") << "it is about no incident";
  EXPECT_EQ((*opened)->incident("u-1")->findings.size(), 1U);
  EXPECT_EQ((*opened)->incident("u-2")->findings.size(), 2U);
  EXPECT_EQ((*opened)->incident("u-3").status().code(), Code::kNotFound) << "it lies elsewhere";
  auto db = sqlite::Connection::open(m_to, sqlite::OpenMode::kReadOnly);
  EXPECT_EQ(*db->queryInt64("SELECT count(*) FROM rg_pin JOIN rg_incident USING(incident_id)"), 3);
}

TEST_F(IncidentExport, OneWithoutATimeTakesThatOfItsFindingsOrElseTheRun) {
  {
    auto opened = openStore(m_from).writer();
    IncidentEdit edit = someIncident("u-4");
    edit.attempt.reset();
    edit.incident.range.reset();
    edit.incident.evidence.clear();
    edit.incident.findings = {1};
    ASSERT_EQ(whyNot((*opened)->edit(edit)), "");
    edit.incident.uuid = "u-5";
    edit.incident.findings.clear();
    ASSERT_EQ(whyNot((*opened)->edit(edit)), "");
    ASSERT_EQ(whyNot((*opened)->close()), "");
  }
  ASSERT_EQ(whyNot(exportIncident(m_from, "u-4", 60 * kNsPerSecond, m_to)), "");
  EXPECT_THAT(copied("SELECT count(*) FROM scalar_all"), ElementsAre("121"));
  m_to = m_folder.file("all.rgl");
  ASSERT_EQ(whyNot(exportIncident(m_from, "u-5", 60 * kNsPerSecond, m_to)), "");
  EXPECT_THAT(copied("SELECT count(*) FROM scalar_all"), ElementsAre(std::to_string(kSeconds)));
  EXPECT_EQ(exportIncident(m_from, "nobody", 0, m_folder.file("none.rgl")).code(), Code::kNotFound);
  EXPECT_EQ(exportIncident(m_from, "u-1", 0, m_to).code(), Code::kAlreadyExists);
  EXPECT_FALSE(std::filesystem::exists(m_folder.file("none.rgl")));
}

}  // namespace
}  // namespace runglass
