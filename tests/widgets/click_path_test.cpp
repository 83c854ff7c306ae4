// SPDX-License-Identifier: GPL-3.0-or-later
// From a finding to its rank, GPU, kernels, incident and report, as a user does it: clicks in the window, at most six.
#include <fstream>

#include "collectors/sim/scenario.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/widgets/click_path.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/overview/side_panels.h"

namespace runglass {
namespace {

struct Story {
  const char* scenario;  // of resources/scenarios
  const char* kind;      // of the finding at which the path begins
};
void PrintTo(const Story& story, std::ostream* out) { *out << story.scenario; }

sim::Scenario scenarioOf(const std::string& name) {
  std::ifstream file(RG_SOURCE_DIR "/resources/scenarios/" + name + ".toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return sim::parseScenario(text, name).value();
}

class ClickPathTest : public ClickPath, public testing::WithParamInterface<Story> {
 protected:
  void SetUp() override {
    sim::Scenario scenario = scenarioOf(GetParam().scenario);
    scenario.metrics_hertz = 0.2;  // a fifth of the samples is enough here
    m_incident = std::make_unique<SimulatedIncident>(scenario);
    Finding finding;
    for (const Finding& one : m_incident->findings())
      if (one.kind == GetParam().kind && one.severity >= Severity::kWarning) finding = one;
    ASSERT_NE(finding.id, 0) << "the analyses found no " << GetParam().kind;
    useStore(m_incident->path(), finding, SimulatedIncident::kStart + 2 * 3'600 * kNsPerSecond);
  }

  std::unique_ptr<SimulatedIncident> m_incident;
};

// The same from each list of findings; one play of the simulator is enough for all.
TEST_P(ClickPathTest, FromAFindingToItsReportInSixClicksWhereverItIsListed) {
  {
    SCOPED_TRACE("watch");
    open("watch");
    clickRow("findings");
    expectPathFrom("Watch", "findings");
  }
  {
    SCOPED_TRACE("events");
    open("events");
    clickRow("events");
    expectPathFrom("Events", "events");
  }
  {
    SCOPED_TRACE("a cell");
    open("gpus");
    const std::int32_t rank = m_finding.rank.value_or(3);
    const AttemptId attempt = m_incident->reader().attempts(m_incident->run().id)->back().id;
    const std::vector<Rank> ranks = m_incident->reader().ranks(attempt).value();
    const auto of = std::ranges::find(ranks, rank, &Rank::rank);
    ASSERT_NE(of, ranks.end());
    auto* grid = view("gpus")->findChild<GpuGrid*>();
    click(grid, grid->rectOf(of->node, of->device).center(), true);
    EXPECT_NE(view("timeline"), nullptr) << "a double click on a cell";
    EXPECT_EQ(selection().rank, rank);
  }
  SCOPED_TRACE("overview");
  open("overview");
  auto* side = view("overview")->findChild<SidePanels*>();
  ASSERT_TRUE(side->isVisible());
  click(side, {side->width() / 2, 40});
  ASSERT_NE(side->chosenFinding(), nullptr);
  m_finding = *side->chosenFinding();  // the first in the list
  expectPathFrom("Overview", "overview");
}

INSTANTIATE_TEST_SUITE_P(Faults, ClickPathTest,
                         testing::Values(Story{"slow-gpu", "slow_rank"}, Story{"hang", "hang"}, Story{"xid-79", "hardware_fault"},
                                         Story{"nic-flap", "slow_link"}, Story{"loss-spike", "loss_spike"}),
                         [](const auto& story) {
                           std::string name = story.param.scenario;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace runglass
