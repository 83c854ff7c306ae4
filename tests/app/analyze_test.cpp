// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl analyze` and `score` on runs played and stored by the shipped simulator, agent and hub: clean, faulty, ambiguous, with
// missing data.
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// 16 ranks on four nodes, TP 2, PP 2, DP 4, two-second steps; one rack per node.
const std::string kSmall = R"(name = "small"
seed = 7
steps = 60
[cluster]
nodes = 4
gpus_per_node = 4
nodes_per_rack = 1
metrics_hertz = 2
[job]
tp = 2
pp = 2
dp = 4
step_seconds = 2.0
spans = "none"
)";

class AnalyzeTest : public CtlFixture {
 protected:
  // Starts a hub and a simulating agent at full speed, as a script does.
  void play(const std::string& toml, const char* speed = "max") {
    const std::string scenario = m_folder.file("s.toml");
    std::ofstream(scenario) << toml;
    const pid_t hub = start({"serve", "--store", m_store, "--listen", "127.0.0.1:0"});
    const std::string address = hubAddress(m_folder.file("stdout"));
    ASSERT_FALSE(address.empty()) << contentOf(m_folder.file("stderr"));
    const std::string state = m_folder.file("agent");
    const pid_t agent = ::fork();
    if (agent == 0) {
      const int quiet = ::open("/dev/null", O_WRONLY);
      ::dup2(quiet, 1), ::dup2(quiet, 2);
      ::execl(RG_BIN_DIR "/runglass-agent", "runglass-agent", "--simulate", scenario.c_str(), "--hub", address.c_str(), "--speed", speed,
              "--state-dir", state.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(agent, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    ::kill(hub, SIGTERM);
    ::waitpid(hub, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  Json analyze() {
    const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  Json scoreOf(const std::string& kind) {
    const Outcome outcome = ctl({"score", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const Json answer = Json::parse(outcome.out);
    for (const Json& one : answer["kinds"])
      if (one["kind"] == kind) return one;
    return Json::object();
  }
  static std::string fault(const std::string& lines) { return "[[fault]]\n" + lines; }
};

TEST_F(AnalyzeTest, ACalmRunWithSavesEvaluationsAndLongSequencesNotifiesNobody) {
  std::string calm = kSmall;
  calm.insert(calm.find("spans"), "checkpoint_every_steps = 10\neval_every_steps = 20\nsequence_lengths = \"variable\"\n");
  play(calm);
  const Json answer = analyze();
  // Sequences of different lengths are worth an info finding, and no alarm.
  for (const Json& finding : answer["findings"]) {
    EXPECT_EQ(finding["severity"], "info") << finding.dump(1);
    EXPECT_EQ(finding["kind"], "sequence_imbalance");
  }
  EXPECT_EQ(answer["what_if"]["status"], "insufficient");
  EXPECT_TRUE(answer["ranking"].is_array());
  EXPECT_TRUE(answer["loss"]["spikes"].is_array());
  EXPECT_EQ(answer["runs"].size(), 1U);
}

TEST_F(AnalyzeTest, AHangIsOneFindingThatNamesTheRankAndIsStored) {
  play(kSmall + fault("kind = \"hang\"\ntarget = \"rank:6\"\nfirst_step = 40\nlast_step = 40\nstrength = 120.0\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  const Json& finding = answer["findings"][0];
  EXPECT_EQ(finding["kind"], "hang");
  EXPECT_EQ(finding["severity"], "critical");
  EXPECT_EQ(finding["rank"], 6);
  EXPECT_EQ(finding["node"], "sim-0001");
  EXPECT_EQ(finding["first_step"], 40);
  EXPECT_EQ(finding["evidence"]["blocked"], 15);
  EXPECT_EQ(finding["evidence"]["groups"][0]["kind"], "tp");
  EXPECT_EQ(answer["stored"], true);
  EXPECT_EQ(query("SELECT kind, rank FROM finding").out, "kind,rank\nhang,6\n");
  (void)analyze();
  EXPECT_EQ(query("SELECT count(*) FROM finding").out, "count(*)\n1\n") << "said again it is the same finding";
  EXPECT_EQ(scoreOf("hang")["hits"], 1);
  EXPECT_EQ(scoreOf("hang")["false_alarms"], 0);
}

TEST_F(AnalyzeTest, ALostGpuIsOneFaultWithItsPeersAsSymptoms) {
  play(kSmall + fault("kind = \"hardware_fault\"\ntarget = \"gpu:1/2\"\nfirst_step = 30\nlast_step = 30\nstrength = 600.0\nxid = 79\n"));
  const Json answer = analyze();
  int faults = 0;
  for (const Json& finding : answer["findings"]) {
    if (finding["kind"] != "hardware_fault") continue;
    ++faults;
    EXPECT_EQ(finding["rank"], 6);
    EXPECT_EQ(finding["severity"], "critical");
    EXPECT_EQ(finding["evidence"]["symptoms_by_kind"]["collective_timeout"], 15);
    EXPECT_EQ(finding["evidence"]["symptoms_by_kind"]["xid 45"], 1);
    EXPECT_THAT(finding["summary"].get<std::string>(), HasSubstr("Xid 79"));
  }
  EXPECT_EQ(faults, 1) << answer["findings"].dump(1);
  EXPECT_EQ(scoreOf("hardware_fault")["hits"], 1);
  EXPECT_EQ(scoreOf("hardware_fault")["false_alarms"], 0);
  EXPECT_EQ(scoreOf("hang")["false_alarms"], 0);
}

// A stall and a restart make the play longer than its steps.
TEST_F(AnalyzeTest, ASimulatedRunIsNeverAheadOfItsHubAtAnySpeed) {
  for (const char* speed : {"1", "20", "max"}) {
    std::string toml = kSmall;
    std::string faults = fault("kind = \"xid\"\ntarget = \"gpu:1/2\"\nfirst_step = 60\nlast_step = 60\nxid = 79\n");
    if (std::string(speed) == "max")
      faults += fault("kind = \"stall\"\ntarget = \"run\"\nfirst_step = 30\nlast_step = 30\nstrength = 1200\n") +
                fault("kind = \"hardware_fault\"\ntarget = \"gpu:1/2\"\nfirst_step = 50\nlast_step = 50\nstrength = 600\nxid = 79\n");
    else
      toml.replace(toml.find("step_seconds = 2.0"), 18, speed == std::string("1") ? "step_seconds = 0.02" : "step_seconds = 0.4");
    m_store = m_folder.file(std::string("speed-") + speed + ".rgl");
    play(toml + faults, speed);
    EXPECT_EQ(query("SELECT code, count FROM ingest_issue WHERE code LIKE 'wire.%'").out, "code,count\n") << speed;
    EXPECT_EQ(query("SELECT count(*) FROM event WHERE kind <> 'node_left' AND time_ns > (SELECT end_ns FROM run)").out, "count(*)\n0\n")
        << speed;
  }
}

TEST_F(AnalyzeTest, AScoreIsStrictAndCountsWhatWasNotified) {
  play(kSmall + fault("kind = \"slow_rank\"\ntarget = \"rank:6\"\nfirst_step = 25\nlast_step = 60\nstrength = 1.3\n") +
       fault("kind = \"nan\"\ntarget = \"run\"\nfirst_step = 50\nlast_step = 60\n"));
  (void)analyze();
  const Outcome outcome = ctl({"score", "--store", m_store, "--json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const Json score = Json::parse(outcome.out);
  EXPECT_EQ(score["labels"], 2);
  EXPECT_EQ(score["hits_strict"], 2) << score.dump(1);
  EXPECT_EQ(score["hits"], 2);
  EXPECT_EQ(score["misses"], 0);
  EXPECT_EQ(score["false_alarms"], 0);
  EXPECT_EQ(score["alerts"], 0) << "too fast for a watch";
  EXPECT_EQ(score["notifications_per_fault"], 1);
  const Json& slow = score["by_kind"]["slow_rank"];
  EXPECT_EQ(slow["hits_strict"], 1);
  EXPECT_EQ(slow["onset_steps_median"], 0);
  EXPECT_LT(slow["cost_error_ratio_median"], 1);
  const Outcome text = ctl({"score", "--store", m_store});
  EXPECT_THAT(text.out, HasSubstr("2 of 2 labels are strict hits"));
  // If a hub sent alerts, these are the notifications that people received.
  auto writer = openStore(m_store).writer().value();
  std::vector<Alert> sent(2);
  sent[0] = {.run = RunId{1}, .rule = "r", .cause = "rank:6", .kind = "slow_rank", .since = 1, .due = 2, .count = 3};
  sent[1] = {.run = RunId{1}, .rule = "r", .cause = "snoozed", .kind = "slow_rank", .since = 1, .count = 0};
  ASSERT_TRUE(writer->alerts(sent).ok());
  ASSERT_TRUE(writer->close().ok());
  const Json watched = Json::parse(ctl({"score", "--store", m_store, "--json"}).out);
  EXPECT_EQ(watched["alerts"], 3);
  EXPECT_EQ(watched["notifications"], 2);
  EXPECT_EQ(watched["notifications_per_fault"], 1.5);
}

TEST_F(AnalyzeTest, ASlowRankIsOneFindingThatSaysWhereSinceWhenAndWhatItCosts) {
  play(kSmall + fault("kind = \"slow_rank\"\ntarget = \"rank:6\"\nfirst_step = 25\nlast_step = 60\nstrength = 1.3\n"));
  const Json answer = analyze();
  int notified = 0;
  for (const Json& finding : answer["findings"]) {
    if (finding["severity"] == "info") continue;
    ++notified;
    EXPECT_EQ(finding["kind"], "slow_rank");
    EXPECT_EQ(finding["rank"], 6);
    EXPECT_EQ(finding["first_step"], 25);
    EXPECT_EQ(finding["run_id"], answer["run_id"]);
    EXPECT_GT(finding["evidence"]["gpu_hours_per_day"].get<double>(), 0);
    EXPECT_TRUE(finding["evidence"]["cause"].is_null()) << "its clock is its peers'";
  }
  EXPECT_EQ(notified, 1) << answer["findings"].dump(1);
  EXPECT_EQ(scoreOf("slow_rank")["attributed"], 1);
  EXPECT_EQ(query("SELECT kind, rank FROM finding WHERE severity = 'warning'").out, "kind,rank\nslow_rank,6\n");
}

TEST_F(AnalyzeTest, HeatIsReportedOfTheNodeAndIsTheCauseOfItsSlowness) {
  play(kSmall + fault("kind = \"thermal_throttle\"\ntarget = \"node:2\"\nfirst_step = 30\nlast_step = 45\nstrength = 1.3\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 2U) << answer["findings"].dump(1);
  EXPECT_EQ(answer["findings"][1]["kind"], "slow_node");
  EXPECT_EQ(answer["findings"][1]["node"], "sim-0002");
  EXPECT_EQ(answer["findings"][1]["evidence"]["cause"], "thermal");
  EXPECT_EQ(answer["findings"][0]["kind"], "thermal_throttle");
  EXPECT_EQ(answer["findings"][0]["node"], "sim-0002");
  EXPECT_EQ(answer["findings"][0]["evidence"]["device_count"], 4);
  EXPECT_EQ(scoreOf("thermal_throttle")["hits"], 1);
}

TEST_F(AnalyzeTest, AFlappingLinkIsASlowLink) {
  play(kSmall + fault("kind = \"nic_flap\"\ntarget = \"nic:3/ib0\"\nfirst_step = 30\nlast_step = 33\nstrength = 2.5\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  EXPECT_EQ(answer["findings"][0]["kind"], "slow_link");
  EXPECT_EQ(scoreOf("nic_flap")["hits"], 1);
}

TEST_F(AnalyzeTest, AShortPauseAndASlowRankAreNeitherStallNorHang) {  // ambiguous
  play(kSmall + fault("kind = \"stall\"\ntarget = \"run\"\nfirst_step = 40\nlast_step = 40\nstrength = 20.0\n") +
       fault("kind = \"slow_rank\"\ntarget = \"rank:3\"\nfirst_step = 45\nlast_step = 50\nstrength = 3.0\n"));
  EXPECT_EQ(analyze()["findings"].size(), 0U);
}

TEST_F(AnalyzeTest, AStallThatEndedIsReported) {
  play(kSmall + fault("kind = \"stall\"\ntarget = \"run\"\nfirst_step = 40\nlast_step = 40\nstrength = 90.0\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  EXPECT_EQ(answer["findings"][0]["kind"], "stall");
  EXPECT_FALSE(answer["findings"][0]["end_ns"].is_null());
  EXPECT_EQ(scoreOf("stall")["hits"], 1);
}

TEST_F(AnalyzeTest, MissingDataIsNoFinding) {
  {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok());
    const AttemptId attempt = (*writer)->attempt({.run = (*writer)->run({.name = "empty", .state = RunState::kRunning})});
    (*writer)->progress({.attempt = attempt, .rank = 0, .time = 5});
    ASSERT_TRUE((*writer)->close().ok());
  }
  EXPECT_EQ(analyze()["findings"].size(), 0U);
  expectFails(ctl({"analyze", "--store", m_store, "--run", "77"}), "there is no run 77");
  expectFails(ctl({"analyze", "--store", m_folder.file("none.rgl")}), "none.rgl");
}

TEST_F(AnalyzeTest, AStoreThatSomebodyWritesIsOnlyRead) {
  play(kSmall + fault("kind = \"hang\"\ntarget = \"rank:6\"\nfirst_step = 40\nlast_step = 40\nstrength = 120.0\n"));
  auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
  EXPECT_EQ(outcome.exit, 0);
  const Json answer = Json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(answer["stored"], false);
  ASSERT_EQ(answer["findings"].size(), 1U);
  EXPECT_TRUE(answer["findings"][0]["finding_id"].is_null());
}

TEST_F(AnalyzeTest, ALossSpikeIsReportedWithItsGradientNormAndARewindIsPlannedFromTheFinding) {
  std::string toml = kSmall;
  toml.replace(toml.find("steps = 60"), 10, "steps = 500");
  toml.insert(toml.find("spans"), "checkpoint_every_steps = 50\ntokens_per_step = 4194304\n");
  play(toml + fault("kind = \"loss_spike\"\ntarget = \"run\"\nfirst_step = 300\nlast_step = 400\nstrength = 60.0\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 1U) << answer["findings"].dump(1);
  const Json& finding = answer["findings"][0];
  EXPECT_EQ(finding["kind"], "loss_spike");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["first_step"], 300);
  EXPECT_EQ(finding["last_step"], 400);
  EXPECT_EQ(finding["evidence"]["grad_norm"]["lead_steps"], 0);
  EXPECT_FALSE(finding["start_ns"].is_null());
  EXPECT_FALSE(finding["end_ns"].is_null());
  ASSERT_EQ(answer["loss"]["status"], "ok");
  ASSERT_EQ(answer["loss"]["spikes"].size(), 1U);
  EXPECT_EQ(answer["loss"]["spikes"][0]["verdict"], "malignant");
  EXPECT_EQ(answer["loss"]["spikes"][0]["rule"], "robust_z");
  EXPECT_EQ(answer["loss"]["rules"].size(), 6U);
  EXPECT_EQ(scoreOf("loss_spike")["hits"], 1);
  const Outcome plan = ctl({"rewind", "--store", m_store, "--finding", std::to_string(finding["finding_id"].get<int>()), "--json"});
  ASSERT_EQ(plan.exit, 0) << plan.err;
  const Json rewind = Json::parse(plan.out);
  EXPECT_EQ(rewind["checkpoint"]["step"], 200);
  EXPECT_EQ(rewind["skip"]["first_step"], 201);
  EXPECT_EQ(rewind["cost"]["lost_steps"], 300);
  EXPECT_EQ(rewind["from"]["world_size"], 16);
  EXPECT_THAT(rewind["skip"]["megatron_argument"].get<std::string>(), HasSubstr("--iterations-to-skip 200 201 202 "));
  const Outcome falcon = ctl({"rewind", "--store", m_store, "--step", "310", "--rule", "falcon"});
  EXPECT_EQ(falcon.exit, 0) << falcon.err;
  EXPECT_THAT(falcon.out, HasSubstr("restart from: step 300"));
  EXPECT_EQ(ctl({"rewind", "--store", m_store, "--finding", "99"}).exit, 1);
  EXPECT_EQ(ctl({"rewind", "--store", m_store}).exit, 2);
}

TEST_F(AnalyzeTest, ALossThatIsNotANumberIsReported) {
  play(kSmall + fault("kind = \"nan\"\ntarget = \"run\"\nfirst_step = 40\nlast_step = 60\n"));
  const Json answer = analyze();
  ASSERT_EQ(answer["findings"].size(), 2U) << answer["findings"].dump(1);
  EXPECT_EQ(answer["findings"][0]["kind"], "non_finite");
  EXPECT_EQ(answer["findings"][0]["severity"], "critical");
  EXPECT_EQ(answer["findings"][1]["severity"], "info") << "of the gradient norm";
  EXPECT_EQ(scoreOf("nan")["hits"], 1);
}

// Its authors call the run a loss spike: 12 to 35 at step 8 of 50.
TEST_F(AnalyzeTest, ARealSpikeInTheFirstStepsIsOneWarningAndHealthyRealRunsHaveNone) {
  const std::string folder = RG_SHARED_DATA "/tfevents";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  for (const char* run : {"primus_20251014-0229_loss_spike", "primus_20250815-0519", "modded_nanogpt_wombat", "megatron_gpt3_357m",
                          "colossalai_ppo", "colossalai_ppo_nan", "colossalai_rm", "tianshou_sac", "verl_gsm8k_qwen2_7b"})
    ASSERT_EQ(ctl({"import", "--store", m_store, folder + "/" + run}).exit, 0) << run;
  const Json answer = analyze();
  int loud = 0;
  for (const Json& run : answer["runs"])
    for (const Json& finding : run["findings"]) {
      if (finding["severity"] == "info") continue;
      ++loud;
      EXPECT_EQ(run["name"], "primus_20251014-0229_loss_spike") << finding["summary"];
      EXPECT_EQ(finding["evidence"]["peak_step"], 8);
      EXPECT_EQ(finding["severity"], "warning");
    }
  EXPECT_EQ(loud, 1);
}

// Flight recorders of two ranks, in a tensor-parallel group of two and in a pair of stages.
class DumpsOfTwo : public AnalyzeTest {
 protected:
  static constexpr std::int64_t kT = 1'758'580'155'000'000'000;
  static Json entry(const char* op, std::int64_t seq, const char* state, std::int64_t at) {
    const bool p2p = std::string(op).find("->") != std::string::npos || std::string(op).find("<-") != std::string::npos;
    return {{"record_id", seq},
            {"pg_id", 1},
            {"process_group", {"1", "TENSOR_MODEL_PARALLEL_GROUP"}},
            {"collective_seq_id", p2p ? 0 : seq},
            {"p2p_seq_id", p2p ? seq : 0},
            {"profiling_name", op},
            {"time_created_ns", kT + at},
            {"state", state},
            {"time_discovered_completed_ns", std::string(state) == "completed" ? kT + at + 10 : 0},
            {"input_sizes", Json::array()},
            {"input_dtypes", Json::array()},
            {"is_p2p", p2p}};
  }
  void dump(int rank, std::vector<Json> entries, std::optional<std::int64_t> enqueued = {}, std::optional<std::int64_t> completed = {}) {
    Json all = {{"version", "2.9"},
                {"pg_config",
                 {{"0", {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1]"}}},
                  {"1", {{"name", "1"}, {"desc", "TENSOR_MODEL_PARALLEL_GROUP"}, {"ranks", "[0, 1]"}}}}},
                {"entries", Json(entries)}};
    if (enqueued)
      all["pg_status"] = {{"0", {{"last_enqueued_collective", -1}, {"last_completed_collective", -1}}},
                          {"1", {{"last_enqueued_collective", *enqueued}, {"last_completed_collective", *completed}}}};
    std::filesystem::create_directories(m_folder.file("dumps"));
    std::ofstream(m_folder.file("dumps/nccl_trace_rank_" + std::to_string(rank))) << all.dump();
  }
  // The ranks named by the finding, or its sentence.
  std::string culprits() {
    EXPECT_EQ(ctl({"import", "--store", m_store, m_folder.file("dumps")}).exit, 0);
    const Json findings = analyze()["runs"][0]["findings"];
    if (findings.size() != 1) return std::to_string(findings.size()) + " findings";
    std::string ranks;
    for (const Json& member : findings[0]["evidence"]["culprits"]) ranks += std::to_string(member["rank"].get<int>()) + " ";
    return ranks.empty() ? findings[0]["summary"].get<std::string>() : ranks;
  }
};

TEST_F(DumpsOfTwo, TheOneThatHasNotEnteredIsNamed) {
  dump(0, {entry("nccl:all_reduce", 69, "completed", 0), entry("nccl:all_reduce", 70, "scheduled", 100)}, 70, 69);
  dump(1, {entry("nccl:all_reduce", 69, "completed", 0)}, 69, 69);
  EXPECT_EQ(culprits(), "1 ");
}
TEST_F(DumpsOfTwo, TheOneThatHasNotEnteredIsNamedByItsNumbersAlone) {
  dump(0, {entry("nccl:all_reduce", 70, "scheduled", 100)}, 70, 69);
  dump(1, {}, 69, 69);
  EXPECT_EQ(culprits(), "1 ");
}
TEST_F(DumpsOfTwo, TheOneThatIsAheadHasLeft) {
  dump(0, {entry("nccl:all_reduce", 70, "scheduled", 100)}, 70, 69);
  dump(1, {entry("nccl:all_reduce", 70, "completed", 101)}, 70, 70);
  EXPECT_EQ(culprits(), "0 ");
}
TEST_F(DumpsOfTwo, TheOneThatIsAheadHasLeftByItsEntriesAlone) {
  dump(0, {entry("nccl:all_reduce", 70, "scheduled", 100)});
  dump(1, {entry("nccl:all_reduce", 69, "completed", 50), entry("nccl:all_reduce", 70, "completed", 101)});
  EXPECT_EQ(culprits(), "0 ");
}
TEST_F(DumpsOfTwo, OfAPairTheEndThatDoesSomethingElseIsNamed) {
  dump(0, {entry("nccl:recv 0<-1", 12, "scheduled", 100)});
  dump(1, {entry("nccl:recv 1<-0", 30, "completed", 50), entry("nccl:send 1->0", 31, "completed", 60)});
  EXPECT_EQ(culprits(), "1 ");
}
TEST_F(DumpsOfTwo, OfOneDumpItIsSaidThatTheOtherIsMissing) {
  dump(0, {entry("nccl:all_reduce", 70, "scheduled", 100)}, 70, 69);
  EXPECT_THAT(culprits(), HasSubstr("missing ranks are not known: only 1 of 2 ranks has a dump"));
  EXPECT_EQ(analyze()["runs"][0]["findings"][0]["severity"], "info");
}
TEST_F(DumpsOfTwo, OfBothEndsOfATransferNobodyIsNamed) {
  dump(0, {entry("nccl:recv 0<-1", 12, "scheduled", 100)});
  dump(1, {entry("nccl:send 1->0", 31, "scheduled", 110)});
  EXPECT_THAT(culprits(), HasSubstr("all 2 members have entered and none leaves"));
}

// The dumps' authors name ranks 9 and 14 in EXPERT_MODEL_PARALLEL_GROUP.
TEST_F(AnalyzeTest, RealFlightRecorderDumpsNameTheRanksThatTheirAuthorsDo) {
  const std::string folder = RG_SHARED_DATA "/nccl_flight_recorder";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  ASSERT_EQ(ctl({"import", "--store", m_store, folder}).exit, 0);
  int seen = 0;
  const Json answer = analyze();
  for (const Json& run : answer["runs"]) {
    if (!run["name"].get<std::string>().starts_with("nvrx_")) continue;
    ++seen;
    ASSERT_EQ(run["findings"].size(), 1U) << run["name"];
    const Json& evidence = run["findings"][0]["evidence"];
    std::vector<int> culprits;
    for (const Json& member : evidence["culprits"]) culprits.push_back(member["rank"].get<int>());
    EXPECT_EQ(culprits, (std::vector<int>{9, 14})) << run["name"];
    EXPECT_THAT(evidence["groups"][0]["name"].get<std::string>(), HasSubstr("EXPERT_MODEL_PARALLEL_GROUP"));
  }
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace runglass
