// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl analyze` (part goodput), `estimate` and `compare` as scripts call them.
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class GoodputCtl : public CtlFixture {
 protected:
  // Two attempts of a run: 50 steps of 10 s, a crash, 40 more from step 40 on; the second attempt takes 11 s per step.
  void record() {
    auto opened = openStore(m_store).writer();
    ASSERT_TRUE(opened.ok());
    Writer& w = **opened;
    const RunId run = w.run({.name = "r", .state = RunState::kFinished, .start = kStoreStart});
    for (int number = 0; number < 2; ++number) {
      const TimeNs start = kStoreStart + number * 700 * kNsPerSecond;
      const std::int64_t first = number == 0 ? 1 : 41, last = number == 0 ? 50 : 80;
      const DurNs length = (10 + number) * kNsPerSecond;
      Attempt attempt{.run = run, .key = std::to_string(number), .start = start, .layout = {.world = 2}};
      attempt.end = start + 600 * kNsPerSecond;
      attempt.end_cause = number == 0 ? "rank 1: exception" : "finished";
      if (number == 1) attempt.resumed_from_step = 40;
      const AttemptId id = w.attempt(attempt);
      w.fact({.attempt = id,
              .key = "argv",
              .value = number == 0 ? "t --train-iters 80 --token abc" : "t --train-iters 80 --token def --bf16"});
      for (std::int32_t rank = 0; rank < 2; ++rank) {
        w.rank({.attempt = id, .rank = rank});
        const SeriesId time = w.series({.attempt = id, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
        for (std::int64_t s = first; s <= last; ++s) w.scalar(time, s, start + (s - first) * length, static_cast<double>(length));
      }
    }
    ASSERT_TRUE(w.close().ok());
  }
  Json json(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Outcome outcome = ctl(std::move(arguments));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(GoodputCtl, AnalyzeHasTheRestartLedgerAndItsPartsSumToTheWallTime) {
  record();
  const Json g = json({"analyze", "--store", m_store})["goodput"];
  EXPECT_EQ(g["status"], "ok");
  EXPECT_EQ(g["attempts"], 2);
  EXPECT_EQ(g["lost_steps"], 10);
  EXPECT_EQ(g["completed_steps"], 80);
  std::int64_t sum = 0;
  for (const auto& [part, ns] : g["spent"].items()) sum += ns.get<std::int64_t>();
  EXPECT_EQ(sum, g["wall_ns"]);
  EXPECT_EQ(g["spent"]["scheduling_gap_ns"], 100 * kNsPerSecond);
  EXPECT_EQ(g["spent"]["catch_up_ns"], 110 * kNsPerSecond);
  EXPECT_FALSE(g["spent"].contains("init_ns")) << "nobody told it: absent, not 0";
  EXPECT_EQ(g["ledger"][0]["end_kind"], "exception");
  EXPECT_EQ(g["checkpoint_interval"]["status"], "insufficient");
  EXPECT_EQ(g["plan"]["finished"], true);
  EXPECT_THAT(ctl({"analyze", "--store", m_store}).out, HasSubstr("10 lost"));
}

TEST_F(GoodputCtl, EstimatesPrintTheirFormulas) {
  const Json days = json({"estimate", "time", "--tokens", "366e9", "--parameters", "175e9", "--gpus", "384", "--achieved", "150e12"});
  EXPECT_NEAR(days["days"]["value"].get<double>(), 77.2, 0.1);
  EXPECT_THAT(days["days"]["formula"].get<std::string>(), HasSubstr("÷ 86,400"));
  const Json memory = json({"estimate", "memory", "--parameters", "7.5e9", "--dp", "64", "--zero", "3"});
  EXPECT_NEAR(memory["states_bytes"].get<double>(), 1.875e9, 1e6);
  EXPECT_TRUE(memory["activations_bytes"].is_null());
  EXPECT_NEAR(json({"estimate", "failures", "--gpus", "8", "--per-gpu-day", "0.001"})["failure_per_day_ratio"]["value"].get<double>(),
              0.008, 1e-4);
  EXPECT_TRUE(json({"estimate", "checkpoint", "--save-s", "30", "--mtbf-s", "86400"}).contains("daly_interval_s"));
}

TEST_F(GoodputCtl, EstimatesRefuseWhatTheyCannotAnswer) {
  expectFails(ctl({"estimate", "time", "--tokens", "1", "--parameters", "1", "--gpus", "1"}), "say --achieved");
  expectFails(ctl({"estimate", "time", "--tokens", "1", "--parameters", "1", "--gpus", "1", "--device", "Abacus", "--mfu", "0.5"}),
              "not in the catalogue");
  expectFails(ctl({"estimate", "time", "--tokens", "1", "--parameters", "1", "--gpus", "1", "--device", "Ascend 910B", "--mfu", "0.5"}),
              "publishes no peak");
  expectFails(ctl({"estimate", "checkpoint", "--save-s", "30"}), "--mtbf-s");
  EXPECT_EQ(ctl({"estimate"}).exit, 2);
  EXPECT_EQ(ctl({"estimate", "memory"}).exit, 2);
  EXPECT_EQ(ctl({"estimate", "failures", "--gpus", "-1"}).exit, 2);
}

TEST_F(GoodputCtl, ThePlanOfAStoredRunIsReportedOrItsReason) {
  record();
  const Json plan = json({"estimate", "plan", "--store", m_store});
  EXPECT_EQ(plan["planned_steps"], 80);
  EXPECT_EQ(plan["done_step"], 80);
}

TEST_F(GoodputCtl, CompareSaysHowMuchSlowerAndShowsNoSecret) {
  record();
  const Json c = json({"compare", "--store", m_store, "--a", "r/0", "--b", "r/1"});
  EXPECT_EQ(c["status"], "ok");
  EXPECT_NEAR(c["delta_ns"].get<double>(), 1e9, 1);
  EXPECT_EQ(c["facts"].size(), 1U);
  EXPECT_EQ(c["facts"][0]["key"], "bf16");
  const Outcome text = ctl({"compare", "--store", m_store, "--a", "1", "--at", "45"});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("steady steps"));
  EXPECT_THAT(ctl({"compare", "--store", m_store, "--a", "r/0", "--b", "r/1"}).out, Not(HasSubstr("abc")));
}

TEST_F(GoodputCtl, CompareRefusesWrongUsageAndUnknownRuns) {
  record();
  EXPECT_EQ(ctl({"compare", "--store", m_store, "--a", "r"}).exit, 2);
  EXPECT_EQ(ctl({"compare", "--store", m_store, "--a", "r", "--b", "r", "--at", "3"}).exit, 2);
  expectFails(ctl({"compare", "--store", m_store, "--a", "r", "--b", "nobody"}), "no such run");
  expectFails(ctl({"compare", "--store", m_store, "--a", "r/7", "--b", "r"}), "no attempt 7");
}

}  // namespace
}  // namespace runglass
