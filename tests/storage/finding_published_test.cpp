// SPDX-License-Identifier: Apache-2.0
// Findings as of their time: the versions stored, and those shown at a moment.
#include <gmock/gmock.h>

#include "storage/open_store.h"
#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimeNs kBegin = 1'790'000'000LL * kNsPerSecond;
constexpr TimeNs at(std::int64_t second) { return kBegin + second * kNsPerSecond; }

class Reported : public ::testing::Test {
 protected:
  void SetUp() override {
    m_writer = m_store.writer().value();
    m_run = m_writer->run({.uuid = "r-1", .name = "pretrain", .state = RunState::kRunning, .start = at(0)});
    const AttemptId attempt = m_writer->attempt({.run = m_run, .start = at(0)});
    const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < kSteps; ++step) m_writer->scalar(loss, step, at(step), 1);
  }
  Finding slow(std::int64_t last, std::optional<TimeNs> published, Severity severity = Severity::kWarning) const {
    return {.run = m_run,
            .kind = "slow_rank",
            .subject = "rank:3",
            .severity = severity,
            .start = at(100),
            .first_step = 100,
            .last_step = last,
            .summary = "slow from step 100 to " + std::to_string(last),
            .message = R"({"id":"slow","args":{"last":)" + std::to_string(last) + "}}",
            .evidence = "{\"last\":" + std::to_string(last) + "}",
            .published = published};
  }
  void say(const Finding& finding) {
    m_writer->finding(finding);
    ASSERT_TRUE(m_writer->flush().ok());
  }
  std::unique_ptr<Reader> read() const { return m_store.reader().value(); }
  static std::vector<std::string> summaries(const std::vector<Finding>& findings) {
    std::vector<std::string> out;
    for (const Finding& one : findings) out.push_back(one.summary);
    return out;
  }
  std::vector<std::string> shownAt(TimeNs moment) const {
    const auto reader = read();
    return summaries(readerAt(*reader, moment)->findings(m_run).value());
  }

  static constexpr std::int64_t kSteps = 2'000;
  const TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
};

TEST_F(Reported, AMomentShowsTheWordsOfThenAndNothingBefore) {
  say(slow(110, at(112)));
  say(slow(140, at(141)));
  say(slow(180, at(181), Severity::kError));
  EXPECT_THAT(shownAt(at(105)), IsEmpty()) << "its trouble had begun, but nobody knew";
  EXPECT_THAT(shownAt(at(112)), ElementsAre("slow from step 100 to 110"));
  EXPECT_THAT(shownAt(at(150)), ElementsAre("slow from step 100 to 140"));
  EXPECT_THAT(shownAt(at(5'000)), ElementsAre("slow from step 100 to 180"));
  const auto reader = read();
  const Finding then = readerAt(*reader, at(150))->findings(m_run)->front();
  EXPECT_EQ(then.severity, Severity::kWarning);
  EXPECT_EQ(then.last_step, 140);
  EXPECT_EQ(then.evidence, "{\"last\":140}");
  EXPECT_EQ(then.message, R"({"id":"slow","args":{"last":140}})");
  EXPECT_EQ(then.published, at(141));
  EXPECT_EQ(then.id, reader->findings(m_run)->front().id);
}

TEST_F(Reported, RepeatedWordsAreNoNotification) {
  for (std::int64_t second = 112; second < 400; second += 30) say(slow(110, at(second)));
  EXPECT_THAT(*read()->publishedFindings(m_run), SizeIs(1));
  EXPECT_EQ(read()->findings(m_run)->front().published, at(112));
}

TEST_F(Reported, WordsThatChangeAllDayAreThinnedOutAndTheFirstTheLastAndEachStateStay) {
  constexpr std::int64_t kDay = 24 * 3600;
  for (std::int64_t second = 110; second < kDay; second += 30)
    m_writer->finding(slow(second, at(second), second == 40'010 ? Severity::kError : Severity::kWarning));
  ASSERT_TRUE(m_writer->flush().ok());
  const auto all = read()->publishedFindings(m_run).value();
  EXPECT_LT(all.size(), 150U);
  EXPECT_EQ(all.front().published, at(110));
  EXPECT_EQ(all.back().last_step, 110 + (kDay - 111) / 30 * 30);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Finding& one) { return one.severity == Severity::kError; }));
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Finding::published));
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LE(*all[i].published - *all[i - 1].published, 60 * kNsPerSecond + (*all[i].published - at(110)) / 15) << i;
}

TEST_F(Reported, WhatWasConcludedAfterwardsIsThereFromWhenItsTroubleBegan) {
  say(slow(180, {}));
  EXPECT_THAT(*read()->publishedFindings(m_run), IsEmpty());
  EXPECT_THAT(shownAt(at(99)), IsEmpty());
  EXPECT_THAT(shownAt(at(105)), ElementsAre("slow from step 100 to 180"));
}

TEST_F(Reported, WhatIsConcludedLaterDoesNotChangeWhatWasReported) {
  say(slow(140, at(141)));
  say(slow(999, {}));
  EXPECT_THAT(shownAt(at(120)), IsEmpty());
  EXPECT_THAT(shownAt(at(1'500)), ElementsAre("slow from step 100 to 140"));
  EXPECT_THAT(shownAt(at(kSteps)), ElementsAre("slow from step 100 to 999")) << "all of the run is there";
  EXPECT_FALSE(read()->findings(m_run)->front().published);
}

TEST_F(Reported, ByAClockThatIsNotTheRunsIsAsIfNobodyHadReported) {
  for (const TimeNs published : {at(50), at(1'000'000), std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()}) {
    Finding finding = slow(180, published);
    finding.first_step = published / 7;
    say(finding);
  }
  EXPECT_THAT(shownAt(at(105)), SizeIs(4));
  const auto reader = read();
  const auto shown = readerAt(*reader, at(105))->findings(m_run).value();
  for (const Finding& one : shown) EXPECT_FALSE(one.published);
  EXPECT_THAT(shownAt(at(99)), IsEmpty());
}

TEST_F(Reported, AnotherStoreGetsThemTooAndSqlShowsThem) {
  say(slow(110, at(112)));
  say(slow(140, at(141), Severity::kError));
  say(slow(999, {}));
  ASSERT_TRUE(m_writer->close().ok());
  const TempStore folder;
  const std::string copy = folder.path() + "-copy.rgl";
  ASSERT_TRUE(exportRun(m_store.path(), m_run, {}, copy).ok());
  const auto reader = openStore(copy).reader().value();
  EXPECT_THAT(summaries(*reader->publishedFindings(std::nullopt)), ElementsAre("slow from step 100 to 110", "slow from step 100 to 140"));
  EXPECT_THAT(summaries(*reader->findings(std::nullopt)), ElementsAre("slow from step 100 to 999"));
  EXPECT_EQ(reader->findings(std::nullopt)->front().message, R"({"id":"slow","args":{"last":999}})");
  EXPECT_EQ(reader->publishedFindings(std::nullopt)->front().message, R"({"id":"slow","args":{"last":110}})");
  std::vector<std::string> rows;
  ASSERT_TRUE(reader
                  ->query("SELECT severity || ' ' || summary || ' ' || json_extract(message, '$.args.last') FROM finding_told "
                          "UNION ALL SELECT json_extract(message, '$.id') FROM finding ORDER BY 1",
                          {.columns = {},
                           .row =
                               [&](const std::vector<SqlValue>& row) {
                                 rows.push_back(std::get<std::string>(row[0]));
                                 return true;
                               }},
                          {})
                  .ok());
  EXPECT_THAT(rows, ElementsAre("error slow from step 100 to 140 140", "slow", "warning slow from step 100 to 110 110"));
  EXPECT_THAT(*reader->verify(), IsEmpty());
}

}  // namespace
}  // namespace runglass
