// SPDX-License-Identifier: Apache-2.0
// The answers of an incident page, for simulated runs and for stores with little data: every number can be recomputed in SQL.
#include "analysis/incident/incident_answer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "analysis/incident/read_proposals.h"
#include "storage/open_store.h"
#include "tests/analysis/simulated_incident.h"

namespace runglass {
namespace {

template <class Matcher>
auto English(Matcher matcher) {
  return ::testing::Field(&words::Sentence::english, matcher);
}

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

IncidentAnswer answerOf(SimulatedIncident& played, double price = 2.0) {
  auto proposals = readProposals(played.reader(), played.run(), played.findings(), {}, {});
  EXPECT_TRUE(proposals.ok() && !proposals->all.empty());
  const Incident incident = proposals->all.at(0).incident;
  auto out =
      readIncidentAnswer(played.reader(), {.run = played.run(), .incident = incident, .findings = played.findings(), .price = price}, {});
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.ok() ? std::move(*out) : IncidentAnswer();
}

// The single number of the single row; absent: an error, NULL or no row.
std::optional<double> ask(Reader& reader, const std::string& sql) {
  std::optional<double> out;
  const Status status = reader.query(sql, {.columns = [](const auto&) {},
                                           .row =
                                               [&](const std::vector<SqlValue>& row) {
                                                 if (const auto* whole = std::get_if<std::int64_t>(&row.at(0)))
                                                   out = static_cast<double>(*whole);
                                                 if (const auto* number = std::get_if<double>(&row.at(0))) out = *number;
                                                 return true;
                                               }});
  EXPECT_TRUE(status.ok()) << status.message() << "\n" << sql;
  return out;
}

template <class T>
void expectAsks(Reader& reader, const Reported<T>& reported, double within) {
  ASSERT_TRUE(reported.value) << reported.reason;
  ASSERT_NE(reported.sql, "");
  const auto asked = ask(reader, reported.sql);
  ASSERT_TRUE(asked) << reported.sql;
  EXPECT_NEAR(*asked, static_cast<double>(*reported.value), within * std::abs(static_cast<double>(*reported.value)) + 1e-9) << reported.sql;
}

TEST(IncidentAnswer, ALostGpuIsReportedWithItsCostItsTimeLineAndItsSuspect) {
  SimulatedIncident played(lostGpu());
  const IncidentAnswer out = answerOf(played);
  EXPECT_THAT(out.title.english, HasSubstr("Xid 79"));
  ASSERT_FALSE(out.suspects.empty());
  EXPECT_EQ(out.suspects[0].node, "sim-0002");
  EXPECT_EQ(out.suspects[0].rank, 9);
  EXPECT_EQ(out.impact.lost_steps.value, 20) << "of 100, saved at 80";
  EXPECT_GT(*out.impact.lost_time.value, 600 * kNsPerSecond);
  const auto entry = [](IncidentLane lane, const char* kind, const char* text) {
    return AllOf(Field(&TimelineEntry::lane, lane), Field(&TimelineEntry::kind, kind),
                 Field(&TimelineEntry::text, English(HasSubstr(text))));
  };
  EXPECT_THAT(out.timeline.entries, Contains(entry(IncidentLane::kHappened, "xid", "79")));
  EXPECT_THAT(out.timeline.entries, Contains(entry(IncidentLane::kHappened, "collective_timeout", "15 × collective timeout")));
  EXPECT_THAT(out.timeline.entries, Contains(entry(IncidentLane::kHappened, "attempt_end", "attempt 0 ends")));
  EXPECT_THAT(out.timeline.entries, Contains(entry(IncidentLane::kHappened, "attempt_start", "resumed from step 80")));
  EXPECT_THAT(out.timeline.entries, Contains(entry(IncidentLane::kKnown, "finding", "judged: hang")));
  EXPECT_THAT(out.ruled_out, Contains(Field(&RuledOut::what, English("the ranks that wait"))));
  EXPECT_THAT(out.ruled_out, Not(Contains(Field(&RuledOut::what, English(HasSubstr("hardware fault of sim-0002"))))));
  EXPECT_EQ(out.quality.ranks, 16);
  EXPECT_EQ(out.changes_reason, "it is the run's first attempt");
  EXPECT_THAT(out.environment, Contains(Field(&EnvironmentFact::key, "world size")));
  EXPECT_FALSE(out.cards.empty());
}
TEST(IncidentAnswer, ItsNumbersAreThoseOfTheSqlBesideThem) {
  SimulatedIncident played(lostGpu());
  const IncidentAnswer out = answerOf(played);
  expectAsks(played.reader(), out.impact.lost_steps, 0);
  expectAsks(played.reader(), out.impact.lost_time, 0.02);
  expectAsks(played.reader(), out.impact.gpu_hours, 0.02);
  expectAsks(played.reader(), out.impact.money, 0.02);
  expectAsks(played.reader(), out.impact.duration, 0);
  expectAsks(played.reader(), out.quality.ranks_reported, 0);
  expectAsks(played.reader(), out.quality.lost, 0);
  for (const IncidentSuspect& one : out.suspects)
    if (one.score && !one.sql.empty()) {
      EXPECT_NEAR(ask(played.reader(), one.sql).value_or(-1), *one.score, 1e-9) << one.sql;
    }
  for (const RuledOut& one : out.ruled_out)
    if (!one.sql.empty()) {
      EXPECT_TRUE(ask(played.reader(), one.sql)) << one.sql;
    }
}
TEST(IncidentAnswer, ASlowRanksMachineIsRuledOutWithNumbers) {
  SimulatedIncident played(slowRankOf(5));
  const IncidentAnswer out = answerOf(played);
  ASSERT_FALSE(out.suspects.empty());
  EXPECT_EQ(out.suspects[0].rank, 5);
  EXPECT_EQ(out.suspects[0].score_kind, "slower_ratio");
  EXPECT_NEAR(*out.suspects[0].score, 0.3, 0.1);
  EXPECT_THAT(out.ruled_out, Contains(AllOf(Field(&RuledOut::what, English(HasSubstr("SM clock of rank 5"))),
                                            Field(&RuledOut::why, English(HasSubstr("GHz against"))))));
  EXPECT_THAT(out.ruled_out, Contains(Field(&RuledOut::what, English(HasSubstr("a hardware fault of sim-0001")))));
  EXPECT_THAT(out.ruled_out, Contains(Field(&RuledOut::what, English("the other ranks"))));
  expectAsks(played.reader(), out.impact.lost_time, 0.03);
  for (const RuledOut& one : out.ruled_out)
    if (!one.sql.empty()) {
      EXPECT_TRUE(ask(played.reader(), one.sql)) << one.sql;
    }
}
TEST(IncidentAnswer, AnIncidentByHandOfARunThatSaysNothingIsAbsentWithReasons) {
  test::TempFolder folder;
  {
    auto writer = openStore(folder.file("s.rgl")).writer();
    ASSERT_TRUE(writer.ok());
    (*writer)->run({.name = "empty"});
    ASSERT_TRUE((*writer)->close().ok());
  }
  auto reader = openStore(folder.file("s.rgl")).reader();
  const auto run = (*reader)->runs()->front();
  Incident incident;
  incident.title = "something odd";
  for (const auto& range : {std::optional<TimeRange>(), std::optional<TimeRange>({0, 10}), std::optional<TimeRange>(TimeRange{}),
                            std::optional<TimeRange>({std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::max()})}) {
    incident.range = range;
    const auto out = readIncidentAnswer(**reader, {.run = run, .incident = incident, .findings = {}, .price = 1.0}, {});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ(out->title.english, "something odd");
    EXPECT_FALSE(out->impact.lost_steps.value || out->impact.lost_time.value || out->impact.money.value);
    EXPECT_NE(out->impact.lost_time.reason, "");
    EXPECT_THAT(out->suspects, IsEmpty());
    EXPECT_NE(out->suspects_reason, "");
    EXPECT_NE(out->changes_reason, "");
    EXPECT_FALSE(out->quality.ranks_reported.value || out->quality.clock_error.value);
    EXPECT_NE(out->quality.ranks_reported.reason, "");
  }
}
TEST(IncidentAnswer, AStopEndsIt) {
  SimulatedIncident played(slowRankOf(5));
  std::stop_source source;
  source.request_stop();
  const Incident incident;
  const auto out = readIncidentAnswer(
      played.reader(), {.run = played.run(), .incident = incident, .findings = played.findings(), .price = {}}, source.get_token());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace runglass
