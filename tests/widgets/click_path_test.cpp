// SPDX-License-Identifier: GPL-3.0-or-later
// From a finding to its rank, GPU, kernels, incident and report, as a user does it: clicks in the window, at most six.
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <fstream>

#include "collectors/sim/scenario.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/widgets/incident_fixture.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/frame/main_window.h"
#include "widgets/overview/side_panels.h"
#include "widgets/report/report_dialog.h"

namespace runglass {
namespace {

constexpr int kMaxClicks = 6;

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

class ClickPathTest : public testing::TestWithParam<Story> {
 protected:
  void SetUp() override {
    sim::Scenario scenario = scenarioOf(GetParam().scenario);
    scenario.metrics_hertz = 0.2;  // a fifth of the samples is enough here
    m_incident = std::make_unique<SimulatedIncident>(scenario);
    for (const Finding& one : m_incident->findings())
      if (one.kind == GetParam().kind && one.severity >= Severity::kWarning) m_finding = one;
    ASSERT_NE(m_finding.id, 0) << "the analyses found no " << GetParam().kind;
    m_edits.reset();
    m_writer = openStore(m_incident->path()).writer().value();
    m_edits = std::make_unique<StoreEditPort>(*m_writer);
  }
  void open(const QString& place) {
    m_window.reset();
    m_queries = std::make_unique<QueryService>([path = m_incident->path()] { return openStore(path).reader(); }, 2);
    WindowOptions options;
    options.queries = m_queries.get();
    options.edits = m_edits.get();
    options.clock = [] { return SimulatedIncident::kStart + 2 * 3'600 * kNsPerSecond; };
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1'600, 1'000);
    m_window->show();
    m_window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
    ASSERT_TRUE(m_window->showPlace(place));
    settle();
    m_clicks = 0;
  }
  void TearDown() override {
    m_window.reset();
    m_queries.reset();
  }
  void settle() {
    QCoreApplication::processEvents();
    ASSERT_TRUE(waitFor([&] { return m_window->isFinal(); })) << m_window->docks().current().toStdString();
    QCoreApplication::processEvents();
  }
  // Clicks where the widget shows this place; no other widget may cover it.
  void click(QWidget* widget, const QPoint& at, bool twice = false) {
    const QPoint in_window = widget->mapTo(m_window.get(), at);
    const QWidget* hit = m_window->childAt(in_window);
    ASSERT_TRUE(hit != nullptr && (hit == widget || widget->isAncestorOf(hit))) << "covered";
    ++m_clicks;
    QWindow* window = m_window->windowHandle();
    QTest::mouseClick(window, Qt::LeftButton, {}, in_window);
    if (twice) QTest::mouseDClick(window, Qt::LeftButton, {}, in_window);
    settle();
  }
  template <class Button>
  Button* buttonIn(QWidget* parent, const QString& words) {
    for (Button* button : parent->findChildren<Button*>())
      if (button->isVisible() && button->text() == words) return button;
    return nullptr;
  }
  template <class Button>
  void press(QWidget* parent, const QString& words) {
    Button* button = buttonIn<Button>(parent, words);
    ASSERT_NE(button, nullptr) << words.toStdString();
    ASSERT_TRUE(button->isEnabled()) << words.toStdString();
    click(button, button->rect().center());
  }
  void navigate(const QString& title) {
    for (QPushButton* button : m_window->findChildren<QPushButton*>())
      if (button->property("nav").toBool() && button->accessibleName().startsWith(title)) return click(button, button->rect().center());
    FAIL() << "the navigation has no " << title.toStdString();
  }
  View* view(const QString& id) {
    for (View* one : m_window->docks().visibleViews())
      if (m_window->docks().idOf(one) == id) return one;
    return nullptr;
  }
  void clickRow(const QString& id) {
    const QString words = screenText(m_finding.summary, 300);
    for (QTableView* table : view(id)->findChildren<QTableView*>())
      for (int row = 0; table->isVisible() && row < table->model()->rowCount(); ++row)
        for (int column = 0; column < table->model()->columnCount(); ++column) {
          const QModelIndex index = table->model()->index(row, column);
          if (table->isColumnHidden(column) || !index.data().toString().contains(words)) continue;
          table->scrollTo(index);
          return click(table->viewport(), {std::min(20, table->viewport()->width() - 2), table->visualRect(index).center().y()});
        }
    FAIL() << id.toStdString() << " does not list it";
  }
  const Selection& selection() const { return m_window->state().state().selection; }

  // The finding is selected in `home`, which has its actions: its GPU, its kernels, an incident and its report.
  void expectPathFrom(const QString& title, const QString& id) {
    EXPECT_EQ(selection().rank, m_finding.rank);
    press<QToolButton>(view(id), QStringLiteral("GPU"));
    ASSERT_NE(view(QStringLiteral("gpus")), nullptr);
    if (m_finding.rank) {
      EXPECT_TRUE(selection().device) << "the rank's GPU is chosen";
    }
    press<QToolButton>(view(QStringLiteral("gpus")), QStringLiteral("Timeline"));
    ASSERT_NE(view(QStringLiteral("timeline")), nullptr);
    EXPECT_EQ(selection().rank, m_finding.rank) << "at the same rank";
    EXPECT_LE(m_window->state().state().window.range.t0, *m_finding.start);
    EXPECT_GT(m_window->state().state().window.range.t1, *m_finding.start);
    navigate(title);
    press<QToolButton>(view(id), QStringLiteral("Incident"));
    ASSERT_TRUE(waitFor([&] { return !selection().incident.empty() && view(QStringLiteral("incidents")) != nullptr; }));
    settle();
    press<QPushButton>(view(QStringLiteral("incidents")), QStringLiteral("Export report …"));
    const auto* report = m_window->findChild<ReportDialog*>();
    ASSERT_NE(report, nullptr);
    EXPECT_TRUE(report->isVisible());
    EXPECT_LE(m_clicks, kMaxClicks);
  }

  std::unique_ptr<SimulatedIncident> m_incident;
  Finding m_finding;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<StoreEditPort> m_edits;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<MainWindow> m_window;
  int m_clicks = 0;
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
