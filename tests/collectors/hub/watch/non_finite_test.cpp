// SPDX-License-Identifier: Apache-2.0
// A loss that is not a number, from the trainer through the shipped agent and a hub to the alert: within two logged values.
#include "tests/collectors/hub/watch/live_trainer.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Each line from the test is a step and the loss that it logs.
constexpr const char* kTrainer = R"(
import os
import runglass as rg
gate = open(os.environ["GATE"])
assert rg.init(run="nan")
for n, line in enumerate(iter(gate.readline, "end\n")):
    with rg.step(n):
        pass
    rg.scalar("loss", float(line), step=n)
)";

class NonFiniteTest : public test::LiveTrainerTest {
 protected:
  void waitForPoints(const char* metric, std::uint64_t points) const {
    ASSERT_TRUE(test::waitUntil([&] {
      const auto is = run();
      if (!is) return false;
      const auto series = reader()->series({.run = is->id, .metric = metric}).value();
      return !series.empty() && static_cast<std::uint64_t>(series[0].sample_count) >= points;
    }));
  }
  // No further value is logged: the alert must follow from these two.
  void expectAlert() const {
    ASSERT_TRUE(test::waitUntil([&] { return !notified().empty(); }));
    EXPECT_THAT(notified(), ElementsAre(HasSubstr("critical")));
    std::vector<Finding> findings;
    ASSERT_TRUE(test::waitUntil([&] {
      findings = reader()->findings(run()->id).value();
      return !findings.empty();
    }));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].kind, "non_finite");
    EXPECT_EQ(findings[0].severity, Severity::kCritical);
    EXPECT_EQ(findings[0].first_step, 6);
  }
};

TEST_F(NonFiniteTest, AScalarOfATrainerIsAnAlert) {
  startTrainer(kTrainer);
  startAgent();
  for (const char* loss : {"3.1", "3.0", "2.9", "2.9", "2.8", "2.8"}) letGo(loss);
  waitForPoints("loss", 6);
  waitForRound();
  EXPECT_THAT(notified(), IsEmpty());
  letGo("nan"), letGo("nan");
  expectAlert();
  letGo("end");
}

TEST_F(NonFiniteTest, ALineOfATrainingLogIsAnAlert) {
  const std::string log = m_folder.file("train.log");
  const auto write = [&](int step, const std::string& loss) {
    std::ofstream(log, std::ios::app) << " iteration " << step << "/ 1000 | elapsed time per iteration (ms): 900.0 | lm loss: " << loss
                                      << " |\n";
  };
  for (int step = 0; step < 6; ++step) write(step, "3.0");
  startAgent("[source.train_log]\nrun = \"nan\"\npaths = [\"" + log + "\"]\n");
  waitForPoints("lm loss", 6);
  waitForRound();
  EXPECT_THAT(notified(), IsEmpty());
  write(6, "nan"), write(7, "nan");
  expectAlert();
}

}  // namespace
}  // namespace runglass
