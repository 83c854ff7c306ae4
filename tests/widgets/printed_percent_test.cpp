// SPDX-License-Identifier: GPL-3.0-or-later
// Percentages that views and reports print beside the two numbers they are made of.
#include <gmock/gmock.h>

#include <QLabel>
#include <QTreeView>

#include "analysis/report/read_report.h"
#include "analysis/report/report_writers.h"
#include "tests/support/printed_percent.h"
#include "tests/widgets/console_fixture.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/frame/navigation.h"
#include "widgets/ranking/ranking_data.h"
#include "widgets/ranking/ranking_view.h"
#include "widgets/ranking/ranking_words.h"

namespace runglass {
namespace {

class PrintedPercentTest : public ConsoleTest {
 protected:
  // One line at a time: it has a percentage and its two numbers.
  void check(const QString& text, const QString& where) {
    for (const QString& line : text.split(u'\n')) {
      const PercentCheck found = checkPercentages(plainNumbers(line.toStdString()));
      m_seen += found.seen;
      EXPECT_THAT(found.wrong, testing::IsEmpty()) << where.toStdString() << ": " << line.toStdString();
    }
  }
  void checkWidget(const QWidget& widget, const QString& where) {
    check(widget.toolTip(), where);
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) check(label->text(), where);
    if (const auto* const picture = dynamic_cast<const AccessiblePicture*>(&widget)) {
      const AccessibleTable table = picture->accessibleTable();
      check(table.summary, where);
      for (const AccessibleRow& row : table.rows) check(row.cells.join(QStringLiteral(" ")), where);
    }
    if (const auto* items = qobject_cast<const QAbstractItemView*>(&widget); items != nullptr && items->model() != nullptr)
      for (int row = 0; row < items->model()->rowCount(); ++row)
        for (int column = 0; column < items->model()->columnCount(); ++column)
          for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) check(items->model()->index(row, column).data(role).toString(), where);
  }

  int m_seen = 0;
};

TEST_F(PrintedPercentTest, OfEveryViewIsThatOfTheNumbersBesideIt) {
  open();
  for (const auto& place : m_window->findChild<Navigation*>()->places()) {
    go(place.id);
    for (const View* one : docks().visibleViews()) check(one->copyText(), place.id);
    for (const QWidget* widget : m_window->findChildren<QWidget*>())
      if (widget->isVisible()) checkWidget(*widget, place.id);
  }
  EXPECT_GT(m_seen, 0);
}

TEST_F(PrintedPercentTest, OfEveryRanksEvidenceIsThatOfTheNumbersBesideIt) {
  const auto data = readRanking(run().reader(), run().run().id, {}, {});
  ASSERT_TRUE(data.ok()) << data.status().message();
  for (const RankRow& row : data->rows) check(rankEvidence(*data, row), QStringLiteral("rank %1").arg(row.score.rank));
  EXPECT_GE(m_seen, 16) << "parts of every rank are compared";
}

TEST_F(PrintedPercentTest, OfAReportIsThatOfTheNumbersBesideIt) {
  const auto document = report::readReport(run().reader(), {.run = run().run().id}, {});
  ASSERT_TRUE(document.ok()) << document.status().message();
  check(QString::fromStdString(report::reportMarkdown(*document)), QStringLiteral("report"));
  EXPECT_GT(m_seen, 0);
}

}  // namespace
}  // namespace runglass
