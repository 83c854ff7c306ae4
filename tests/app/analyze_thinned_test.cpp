// SPDX-License-Identifier: GPL-3.0-or-later
// An analysis of a run whose scalars retention has thinned reports how many points are gone, and up to which step.
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class AnalyzeThinned : public CtlFixture {
 protected:
  // 10,000 steps of a rank, read by retention `days` later.
  void record(int days) {
    WriterOptions options;
    options.idle = 0;
    auto writer = openStore(m_store).writer(std::move(options)).value();
    const RunId run = writer->run({.uuid = "r", .name = "r", .start = kStoreStart});
    const AttemptId attempt = writer->attempt({.run = run, .key = "0", .start = kStoreStart});
    const SeriesId id = writer->series({.attempt = attempt, .rank = 3, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
    for (int step = 0; step < 10'000; ++step) writer->scalar(id, step, kStoreStart + step * kNsPerSecond, 1e9);
    for (int i = 0; i < 3; ++i) {
      writer->event({.time = kStoreStart, .kind = "tick", .severity = Severity::kWarning});
      ASSERT_TRUE(writer->flush().ok());
    }
    for (const int day : {1, days / 2, days}) ASSERT_TRUE(writer->applyRetention({}, kStoreStart + day * Retention::kDay).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  Json thinned() {
    const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    const auto flat = json.flatten();
    Json found;
    for (const auto& [path, value] : flat.items())
      if (const auto at = path.find("/thinned/"); at != std::string::npos) found[path.substr(at + 9)] = value;
    return found;
  }
};

TEST_F(AnalyzeThinned, WhatRetentionDeletedIsReported) {
  record(62);
  const Json gone = thinned();
  EXPECT_EQ(gone["series"], 1);
  EXPECT_GT(gone["points"], 9'000);
  EXPECT_EQ(gone["up_to_step"], 9'999);
  EXPECT_THAT(ctl({"analyze", "--store", m_store}).out, HasSubstr("thinned by retention: " + std::to_string(gone["points"].get<int>()) +
                                                                  " points of 1 series of ranks, up to step 9999"));
}

TEST_F(AnalyzeThinned, ACompleteRunHasNoSuchLine) {
  record(2);
  EXPECT_EQ(thinned()["points"], 0);
  EXPECT_THAT(ctl({"analyze", "--store", m_store}).out, Not(HasSubstr("thinned")));
}

}  // namespace
}  // namespace runglass
