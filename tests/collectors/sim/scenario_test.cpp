// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/scenario.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace runglass::sim {
namespace {

std::string messageOf(std::string_view toml) {
  const auto scenario = parseScenario(toml, "s.toml");
  return scenario.ok() ? "ok" : scenario.status().message();
}

const std::string kSmall = "name = \"x\"\n[cluster]\nnodes = 1\ngpus_per_node = 8\n[job]\ntp = 2\npp = 2\ndp = 2\n";

TEST(Scenario, ReadsEveryScenarioThatComesAlong) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(RG_SOURCE_DIR) / "resources/scenarios")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto scenario = parseScenario(text.str(), entry.path().filename().string());
    ASSERT_TRUE(scenario.ok()) << scenario.status().message();
    EXPECT_EQ(scenario->name, entry.path().stem()) << "the run's name is the file's name";
    ++count;
  }
  EXPECT_GE(count, 6);
}

TEST(Scenario, NamesTheKeyTheLineAndTheReasonOfWhatItRefuses) {
  EXPECT_EQ(messageOf("name = \"x\"\nstepz = 3\n"), "s.toml: stepz: unknown key, line 2");
  EXPECT_EQ(messageOf("name = \"x\"\nsteps = \"many\"\n"), "s.toml: steps: must be a whole number from 0 to 1000000000000000");
  EXPECT_EQ(messageOf("steps = 5\n[cluster]\ngpus_per_node = 1\n"), "s.toml: name: missing");
  EXPECT_EQ(messageOf("name = \"x\"\n[job]\ntp = 3\n"), "s.toml: job: tp x pp x dp x cp is 3 but the cluster has 8 GPUs");
  EXPECT_NE(messageOf("name = \n").find("line 1"), std::string::npos);
  EXPECT_NE(messageOf(kSmall + "[[fault]]\nkind = \"meteor\"\n").find("'meteor' is not a fault"), std::string::npos);
  EXPECT_NE(messageOf(kSmall + "[[fault]]\nkind = \"slow_rank\"\ntarget = \"rank:8\"\n").find("does not exist in this cluster"),
            std::string::npos);
  EXPECT_NE(messageOf(kSmall + "[[fault]]\nkind = \"slow_rank\"\ntarget = \"gpu:0\"\n").find("is none of"), std::string::npos);
  EXPECT_NE(messageOf(kSmall + "[[fault]]\nkind = \"hang\"\nfirst_step = 9\nlast_step = 2\n").find("first_step is after last_step"),
            std::string::npos);
  EXPECT_EQ(messageOf(kSmall), "ok");
}

TEST(Scenario, ReadsTheHabitsOfAJobAndRefusesWordsThatItDoesNotKnow) {
  const std::string cluster = "name = \"x\"\n[cluster]\nnics_per_node = 4\nmetrics_hertz = 0\n[job]\ntp = 8\n";
  const auto scenario = parseScenario(cluster + R"(
checkpoints = "async"
learning_rate = "wsd"
noise_tails = "heavy"
eval_inside_step = true
batch_ramp_steps = 100
batch_ramp_from = 0.125
[[fault]]
kind = "slow_link"
cause = "rate"
[[fault]]
kind = "loss_spike"
recovers = false
)",
                                      "s.toml");
  ASSERT_TRUE(scenario.ok()) << scenario.status().message();
  EXPECT_TRUE(scenario->async_checkpoints && scenario->wsd && scenario->heavy_tails && scenario->eval_inside_step);
  EXPECT_EQ(scenario->nics_per_node, 4);
  EXPECT_EQ(scenario->batch_ramp_from, 0.125);
  EXPECT_EQ(scenario->faults[0].cause, FaultCause::kRate);
  EXPECT_FALSE(scenario->faults[1].recovers);
  EXPECT_EQ(messageOf(cluster + "checkpoints = \"later\"\n"), "s.toml: job.checkpoints: must be sync or async");
  EXPECT_EQ(messageOf(cluster + "eval_inside_step = 1\n"), "s.toml: job.eval_inside_step: must be true or false");
  EXPECT_EQ(messageOf(cluster + "host_ratio = 1.5\n"), "s.toml: job.host_ratio: must be from 0 to below 1");
  EXPECT_NE(messageOf(cluster + "[[fault]]\nkind = \"hang\"\ncause = \"magic\"\n").find("usual, cpu_steal, errors, rate or silent"),
            std::string::npos);
}

TEST(Scenario, ReadsTargetsOfEveryKind) {
  const auto scenario = parseScenario(kSmall + R"(
[[fault]]
kind = "slow_rank"
target = "gpu:0/3"
strength = 1.5
[[fault]]
kind = "nic_flap"
target = "nic:0/ib1"
[[fault]]
kind = "stage_imbalance"
target = "stage:1"
[[fault]]
kind = "xid"
target = "rank:7"
xid = 63
)",
                                      "s.toml");
  ASSERT_TRUE(scenario.ok()) << scenario.status().message();
  ASSERT_EQ(scenario->faults.size(), 4U);
  EXPECT_EQ(scenario->faults[0].target.kind, Target::Kind::kGpu);
  EXPECT_EQ(scenario->faults[0].target.gpu, 3);
  EXPECT_EQ(scenario->faults[0].strength, 1.5);
  EXPECT_EQ(scenario->faults[1].target.nic, "ib1");
  EXPECT_EQ(scenario->faults[2].target.index, 1);
  EXPECT_EQ(scenario->faults[3].xid, 63);
  EXPECT_EQ(scenario->faults[3].last_step, scenario->steps) << "a fault lasts to the end unless told otherwise";
}

}  // namespace
}  // namespace runglass::sim
