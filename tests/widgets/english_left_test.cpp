// SPDX-License-Identifier: GPL-3.0-or-later
// No view of the Chinese console shows an English sentence, which is three words in a row that are no data.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QTabBar>
#include <QTextDocumentFragment>
#include <fstream>
#include <set>

#include "collectors/sim/scenario.h"
#include "model/issue_catalog.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/widgets/click_path.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/language.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

constexpr int kMaxRowsRead = 100, kElided = 30;

class EnglishLeft : public ClickPath, public testing::WithParamInterface<const char*> {
 protected:
  void TearDown() override {
    ClickPath::TearDown();
    setLanguage(Language::kEnglish);
  }
  static sim::Scenario scenarioOf(const std::string& name) {
    std::ifstream file(RG_SOURCE_DIR "/resources/scenarios/" + name + ".toml");
    sim::Scenario scenario = sim::parseScenario(std::string{std::istreambuf_iterator<char>(file), {}}, name).value();
    scenario.metrics_hertz = 0.2;
    return scenario;
  }

  void see(const QString& text) {
    if (!text.isEmpty()) m_seen.insert(text.contains(u'<') ? QTextDocumentFragment::fromHtml(text).toPlainText() : text);
  }
  void look() {
    see(m_window->windowTitle());
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
      if (!widget->isVisible()) continue;
      see(widget->toolTip());
      if (const auto* label = qobject_cast<const QLabel*>(widget)) see(label->text());
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) see(button->text());
      if (const auto* bar = qobject_cast<const QTabBar*>(widget))
        for (int i = 0; i < bar->count(); ++i) see(bar->tabText(i));
      if (const auto* picture = dynamic_cast<const AccessiblePicture*>(widget)) {
        const AccessibleTable table = picture->accessibleTable();
        see(table.summary);
        for (const QString& column : table.columns) see(column);
        for (const AccessibleRow& row : table.rows)
          for (const QString& cell : row.cells) see(cell);
      }
      const auto* list = qobject_cast<const QAbstractItemView*>(widget);
      const QAbstractItemModel* model = list != nullptr ? list->model() : nullptr;
      for (int column = 0; model != nullptr && column < model->columnCount(); ++column) {
        see(model->headerData(column, Qt::Horizontal).toString());
        see(model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        for (int row = 0; row < std::min(kMaxRowsRead, model->rowCount()); ++row) {
          see(model->index(row, column).data().toString());
          see(model->index(row, column).data(Qt::ToolTipRole).toString());
        }
      }
    }
  }
  // Sentences of the program among the seen texts; `data`: texts of the store, which stay as they are.
  QStringList sentences(const QStringList& data) const {
    static const QRegularExpression words(QStringLiteral("\\b[A-Za-z][a-z]+(?:,? [a-z]{2,}){2,}"));
    QStringList found;
    for (const QString& text : m_seen) {
      // Long data is elided.
      const auto shown = [&](const QString& one) { return text.contains(one.left(kElided)); };
      if (text.contains(QLatin1String("SELECT ")) || std::ranges::any_of(data, shown)) continue;
      if (const auto match = words.match(text); match.hasMatch()) found << text.left(200);
    }
    return found;
  }
  static QStringList dataOf(Reader& reader) {
    QStringList data;
    const auto add = [&](const std::string& text) {
      if (text.size() > 3) data << screenText(text);
    };
    for (const Event& event : *reader.events({.range = {std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()},
                              .run = {},
                              .at_least = Severity::kDebug,
                              .kind = "",
                              .limit = 10'000}))
      add(event.message);
    for (const auto& run : *reader.runs()) add(run.name), add(run.framework);
    for (const Attempt& attempt : *reader.attempts(reader.runs()->front().id)) {
      add(attempt.end_cause);
      for (const Fact& fact : *reader.facts(attempt.id)) add(fact.value);
    }
    // Names of spans, and the captions of proposed cards, which are texts of findings.
    data << QStringLiteral("pp send forward") << QStringLiteral("pp send backward");
    for (const Finding& finding : *reader.findings(std::nullopt)) add(finding.summary);
    return data;
  }
  void walk() {
    for (const ViewInfo& view : viewRegistry()) {
      std::vector<std::string> tabs{""};
      for (const std::string_view tab : tabsOf(view)) tabs.emplace_back(tab);
      for (const std::string& tab : tabs) {
        ASSERT_TRUE(m_window->showPlace(QString::fromUtf8(view.id)));
        if (!tab.empty()) m_window->showTab(QString::fromStdString(tab));
        settle();
        look();
      }
    }
  }

  std::unique_ptr<SimulatedIncident> m_incident;
  std::set<QString> m_seen;
};

INSTANTIATE_TEST_SUITE_P(Stores, EnglishLeft, testing::Values("hang", "loss-spike", "nic-flap", "slow-gpu", "xid-79"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EnglishLeft, NoViewShowsAnEnglishSentence) {
  m_incident = std::make_unique<SimulatedIncident>(scenarioOf(GetParam()));
  const auto& findings = m_incident->findings();
  ASSERT_FALSE(findings.empty());
  useStore(m_incident->path(), findings.front(), SimulatedIncident::kStart + 2 * 3'600 * kNsPerSecond);
  setLanguage(Language::kChinese);
  open(QStringLiteral("findings"));
  walk();
  m_window->state().select({.run = m_incident->run().id, .rank = m_finding.rank.value_or(0)});
  walk();
  EXPECT_EQ(sentences(dataOf(m_incident->reader())).join(QStringLiteral("\n")), QString());
}

TEST(EnglishLeftInCatalogues, IssuesAreExplainedInChinese) {
  setLanguage(Language::kChinese);
  for (const IssueInfo& issue : issueCatalog()) EXPECT_NE(termText(issue.help), QString::fromUtf8(issue.help)) << issue.code;
  setLanguage(Language::kEnglish);
}

}  // namespace
}  // namespace runglass
