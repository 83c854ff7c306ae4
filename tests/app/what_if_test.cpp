// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl analyze` gives the answers of the published artifact of Lin et al. (OSDI '25), and states where it cannot.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

class WhatIfTest : public CtlFixture {
 protected:
  Json analyze() {
    const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  // From the published files; null if missing.
  Json published(const std::string& trace, const std::string& file) {
    return Json::parse(contentOf(folderOf(trace) + "/" + file + "-" + trace + ".json"), nullptr, false);
  }
  static std::string folderOf(const std::string& trace) { return RG_SHARED_DATA "/straggler_timeline/" + trace; }
  static std::vector<std::string> kindsOf(const Json& answer) {
    std::vector<std::string> kinds;
    for (const Json& finding : answer["findings"])
      if (finding["kind"] != "insufficient_evidence")
        kinds.push_back(finding["kind"].get<std::string>() + " " + finding["subject"].get<std::string>());
    return kinds;
  }
  void holdAgainstThePublished(const std::string& trace, const Json& what_if) {
    const Json result = published(trace, "result"), ms = published(trace, "ms"), mw = published(trace, "mw");
    ASSERT_TRUE(result.is_object() && ms.is_object() && mw.is_object());
    ASSERT_EQ(what_if["status"], "ok") << what_if.dump().substr(0, 500);
    EXPECT_NEAR(what_if["s"].get<double>(), result["blocking_slowdown"].get<double>(), 0.01 * what_if["s"].get<double>());
    EXPECT_NEAR(what_if["m_s"].get<double>(), ms["Ms"].get<double>(), 0.03);
    EXPECT_NEAR(what_if["m_w"].get<double>(), mw["Mw"].get<double>(), 0.03);
    EXPECT_NEAR(what_if["launch_slowdown"].get<double>(), result["launch_slowdown"].get<double>(), 0.002);
    EXPECT_LT(what_if["sim_error_ratio"].get<double>(), 0.05);
    for (const auto& [op, s] : result["blocking_decompose_by_optype"].items()) {
      ASSERT_TRUE(what_if["s_by_op"].contains(op)) << op;
      EXPECT_NEAR(what_if["s_by_op"][op].get<double>(), s.get<double>(), 0.005) << op;
    }
    const auto& by_dp = result["blocking_decompose_by_dp_rank"];
    const auto& by_pp = result["blocking_decompose_by_stage"];
    ASSERT_EQ(what_if["s_by_worker"].size(), by_dp.size() * by_pp.size());
    for (const Json& worker : what_if["s_by_worker"]) {
      const double s = std::min(by_dp[std::to_string(worker["dp"].get<int>())].get<double>(),
                                by_pp[std::to_string(worker["pp"].get<int>())].get<double>());
      EXPECT_NEAR(worker["s"].get<double>(), s, 0.03) << worker.dump();
    }
    // Compares each step with the artifact's simulation; the published results lack steps that the timelines have.
    std::size_t compared = 0;
    for (const Json& step : what_if["steps"]) {
      const std::string number = std::to_string(step["step"].get<std::int64_t>());
      if (!result["step_t_nodelay"].contains(number)) continue;
      ++compared;
      EXPECT_NEAR(step["t_ns"].get<double>(), result["step_t_nodelay"][number].get<double>() * 1e9, 1e5) << number;
    }
    EXPECT_EQ(compared, result["step_t_nodelay"].size());
  }
};

TEST_F(WhatIfTest, TheTraceWithUnequalSequencesAnswersAsPublished) {
  if (!std::filesystem::exists(folderOf("SE"))) GTEST_SKIP() << folderOf("SE") << " is not there";
  ASSERT_EQ(ctl({"import", "--store", m_store, folderOf("SE")}).exit, 0);
  const Json answer = analyze();
  holdAgainstThePublished("SE", answer["what_if"]);
  EXPECT_THAT(kindsOf(answer), ::testing::UnorderedElementsAre("sequence_imbalance run", "stage_imbalance stage:1"));
}

TEST_F(WhatIfTest, TheTraceWithALongLastStageAnswersAsPublished) {
  if (!std::filesystem::exists(folderOf("ST"))) GTEST_SKIP() << folderOf("ST") << " is not there";
  ASSERT_EQ(ctl({"import", "--store", m_store, folderOf("ST")}).exit, 0);
  const Json answer = analyze();
  holdAgainstThePublished("ST", answer["what_if"]);
  EXPECT_THAT(kindsOf(answer), ::testing::UnorderedElementsAre("stage_imbalance stage:3"));
  const Outcome text = ctl({"analyze", "--store", m_store});
  EXPECT_THAT(text.out, ::testing::HasSubstr("what-if without stragglers: S 1.179"));
  // A repeated analysis gives the same findings.
  EXPECT_EQ(analyze()["findings"].size(), answer["findings"].size());
  EXPECT_EQ(query("SELECT count(*) FROM finding WHERE kind = 'stage_imbalance'").out, "count(*)\n1\n");
}

// A handwritten trace: one replica, two stages.
std::string traceOf(bool reported_places, bool with_second_stage) {
  Json events = Json::array();
  const auto add = [&](const char* name, int rank, int step, int batch, double ts, double dur) {
    Json args = {{"rank", rank}, {"step", step}, {"mb_id", batch}, {"model_chunk", 0}};
    if (reported_places) args["pp"] = rank, args["dp"] = 0, args["tp"] = 0;
    events.push_back({{"name", name}, {"ph", "X"}, {"pid", rank}, {"tid", 0}, {"ts", ts}, {"dur", dur}, {"args", args}});
  };
  for (int step = 0; step < 3; ++step) {
    const double at = step * 10'000;
    for (int batch = 0; batch < 2; ++batch) {
      add("forward-compute", 0, step, batch, at + batch * 1'000, 1'000);
      add("backward-compute", 0, step, batch, at + 5'000 + batch * 1'000, 1'000);
      if (!with_second_stage) continue;
      add("forward-compute", 1, step, batch, at + 1'000 + batch * 2'000, 1'000);
      add("backward-compute", 1, step, batch, at + 2'000 + batch * 2'000, 1'000);
    }
  }
  return events.dump();
}

TEST_F(WhatIfTest, AForeignTraceWithoutTransfersIsAnswered) {
  std::ofstream(m_folder.file("t.json")) << traceOf(true, true);
  ASSERT_EQ(ctl({"import", "--store", m_store, m_folder.file("t.json")}).exit, 0);
  const Json what_if = analyze()["what_if"];
  EXPECT_EQ(what_if["coverage"]["workers"], 2) << what_if.dump();
  EXPECT_EQ(what_if["coverage"]["steps"], 3);
  EXPECT_NE(what_if["status"], "insufficient") << what_if.dump();
}

TEST_F(WhatIfTest, WithoutCoordinatesThereIsAReasonAndNoNumber) {
  std::ofstream(m_folder.file("t.json")) << traceOf(false, true);
  ASSERT_EQ(ctl({"import", "--store", m_store, m_folder.file("t.json")}).exit, 0);
  const Json what_if = analyze()["what_if"];
  EXPECT_EQ(what_if["status"], "insufficient");
  EXPECT_THAT(what_if["reason"].get<std::string>(), ::testing::HasSubstr("coordinates"));
  EXPECT_FALSE(what_if.contains("s"));
}

TEST_F(WhatIfTest, ARunWithoutSpansIsInsufficient) {
  auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  const RunId run = (*writer)->run({.name = "bare"});
  (*writer)->attempt({.run = run});
  ASSERT_TRUE((*writer)->close().ok());
  const Json what_if = analyze()["what_if"];
  EXPECT_EQ(what_if["status"], "insufficient");
  EXPECT_TRUE(what_if["reason"].is_string());
}

}  // namespace
}  // namespace runglass
