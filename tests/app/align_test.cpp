// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl align` as users call it.
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

// Two nodes that reduce a hundred times together; the second one's clock is 40 ms ahead.
class AlignTest : public CtlFixture {
 protected:
  void record(DurNs ahead, int reductions = 100) {
    auto out = openStore(m_path).writer();
    ASSERT_TRUE(out.ok());
    const AttemptId attempt = (*out)->attempt({.run = (*out)->run({.name = "r"})});
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      const std::string name = "node-" + std::to_string(rank);
      (*out)->rank({.attempt = attempt, .rank = rank, .node = (*out)->node({.uuid = name, .name = name})});
      SpanColumns spans;
      spans.names = {"all_reduce"};
      for (int i = 0; i < reductions; ++i) {
        spans.start.push_back(kStoreStart + i * 100 * kNsPerMs + rank * ahead), spans.dur.push_back(kNsPerMs), spans.name.push_back(0);
        spans.category.push_back(SpanCategory::kComm), spans.group.push_back(1), spans.seq.push_back(i);
      }
      (*out)->spans((*out)->track({.attempt = attempt, .rank = rank, .kind = "gpu_stream", .name = "7"}), spans);
    }
    ASSERT_TRUE((*out)->close().ok());
  }
  std::string starts() { return ctl({"query", "--store", m_path, "SELECT min(start_ns) FROM span GROUP BY rank ORDER BY rank"}).out; }
  std::string m_path = m_folder.file("clocks.rgl");
};

TEST_F(AlignTest, SaysWhatItWouldShiftShiftsItAndTakesItOff) {
  record(40 * kNsPerMs);
  const std::string raw = "min(start_ns)\n1700000000000000000\n1700000000040000000\n";
  const Outcome dry = ctl({"align", "--store", m_path, "--run", "1", "--dry-run", "--json"});
  ASSERT_EQ(dry.exit, 0) << dry.err;
  const auto said = nlohmann::json::parse(dry.out);
  EXPECT_EQ(said["verdict"], "shift");
  EXPECT_EQ(said["stored"], false);
  EXPECT_EQ(said["matches"], 100);
  EXPECT_EQ(said["clocks"][1]["clock"], "node-1");
  EXPECT_EQ(said["clocks"][1]["shift_ns"], -40'000'000);
  EXPECT_EQ(said["clocks"][1]["residual_ns"], 0);
  EXPECT_EQ(starts(), raw);
  const Outcome done = ctl({"align", "--store", m_path, "--run", "1", "--attempt", "0"});
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("node-1"));
  EXPECT_THAT(done.out, HasSubstr("stored"));
  EXPECT_EQ(starts(), "min(start_ns)\n1700000000000000000\n1700000000000000000\n");
  EXPECT_EQ(nlohmann::json::parse(ctl({"align", "--store", m_path, "--run", "1", "--json"}).out)["clocks"][1]["shift_ns"], -40'000'000)
      << "reckoned from what was stamped, not from what is shown";
  const Outcome reset = ctl({"align", "--store", m_path, "--run", "1", "--reset", "--json"});
  EXPECT_EQ(nlohmann::json::parse(reset.out)["stored"], true);
  EXPECT_EQ(starts(), raw);
  EXPECT_EQ(ctl({"align", "--store", m_path, "--run", "1", "--reset"}).out, "no alignment was there\n");
}

TEST_F(AlignTest, ClocksThatAgreeAreNoFailureAndNothingIsStored) {
  record(0);
  const Outcome outcome = ctl({"align", "--store", m_path, "--run", "1"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.out, HasSubstr("nothing to store: the clocks agree"));
}

TEST_F(AlignTest, RefusesInOneLine) {
  record(40 * kNsPerMs, 7);
  expectFails(ctl({"align", "--store", m_path, "--run", "1"}), "fewer than two clocks have 20");
  expectFails(ctl({"align", "--store", m_path, "--run", "9"}), "there is no run 9");
  expectFails(ctl({"align", "--store", m_path, "--run", "1", "--attempt", "3"}), "has no attempt 3");
  EXPECT_EQ(ctl({"align", "--store", m_path}).exit, 2);
  EXPECT_EQ(ctl({"align", "--store", m_path, "--run", "1", "--dry-run", "--reset"}).exit, 2);
}

}  // namespace
}  // namespace runglass
