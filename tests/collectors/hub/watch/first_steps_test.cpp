// SPDX-License-Identifier: Apache-2.0
// The first minutes of a new user: a trainer that only calls rg.init() and rg.step(), through the shipped agent to a hub with its watch.
#include "tests/collectors/hub/watch/live_trainer.h"

namespace runglass {
namespace {

// Its first step and its end wait for a line from the test.
constexpr const char* kTrainer = R"(
import os
import runglass as rg
gate = open(os.environ["GATE"])
assert rg.init(run="first")
with rg.step(0):
    gate.readline()
for n in range(1, 4):
    with rg.step(n):
        pass
gate.readline()
)";

class FirstStepsTest : public test::LiveTrainerTest {
 protected:
  void SetUp() override {
    LiveTrainerTest::SetUp();
    startTrainer(kTrainer);
    startAgent();
  }
  // No findings in rounds that begin after this call.
  void expectCalm(const char* when) {
    waitForRound();
    const std::vector<Finding> findings = reader()->findings(run()->id).value();
    for (const Finding& one : findings) ADD_FAILURE() << when << ": " << one.kind << ": " << one.summary;
    EXPECT_FALSE(std::filesystem::exists(m_notified)) << when;
  }
};

TEST_F(FirstStepsTest, ATrainerThatOnlyReportsItsStepsRaisesNothing) {
  ASSERT_TRUE(test::waitUntil([&] {
    const auto is = run();
    return is && !reader()->progress(is->id).value().empty();
  }));
  EXPECT_EQ(reader()->progress(run()->id).value()[0].step, 0);
  expectCalm("in the first step");
  letGo();
  ASSERT_TRUE(test::waitUntil([&] {
    const auto steps = reader()->series({.run = run()->id, .metric = "step_time_ns"}).value();
    return !steps.empty() && steps[0].sample_count == 4;
  }));
  expectCalm("after four steps");
  letGo();
  ASSERT_TRUE(test::waitUntil([&] { return run()->state == RunState::kFinished; }));
  expectCalm("at its end");
}

}  // namespace
}  // namespace runglass
