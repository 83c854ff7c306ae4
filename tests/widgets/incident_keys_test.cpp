// SPDX-License-Identifier: GPL-3.0-or-later
// I and Shift+I create an incident from any view, and the palette has the view's commands.
#include <gmock/gmock.h>

#include <QAction>
#include <QTableView>
#include <QTest>

#include "tests/widgets/incident_fixture.h"
#include "widgets/findings/findings_view.h"
#include "widgets/frame/main_window.h"
#include "widgets/incidents/editable_text.h"
#include "widgets/incidents/incident_head.h"
#include "widgets/incidents/incidents_view.h"

namespace runglass {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class IncidentKeysTest : public IncidentStoreTest {
 protected:
  void open(const QString& place) {
    WindowOptions options;
    options.queries = &queries, options.edits = &edits, options.share = &share;
    options.clock = [] { return at(4'000); };
    window = std::make_unique<MainWindow>(options);
    window->resize(1'280, 800);
    window->show();
    window->activateWindow();
    ASSERT_TRUE(window->showPlace(place));
    ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  }
  template <class V>
  V* view() const {
    for (View* one : window->docks().visibleViews())
      if (auto* wanted = qobject_cast<V*>(one)) return wanted;
    return nullptr;
  }
  void trigger(const QString& words) {
    for (QAction* action : window->commands().all())
      if (action->text() == words) return action->trigger();
    FAIL() << "no command " << words.toStdString();
  }
  std::unique_ptr<MainWindow> window;
};

TEST_F(IncidentKeysTest, IOnAFindingMakesTheIncidentOfItsCauseAndShowsIt) {
  addFindings();
  open("findings");
  auto* findings = view<FindingsView>();
  ASSERT_NE(findings, nullptr);
  EXPECT_FALSE(findings->incidentSeed()) << "nothing is chosen yet";
  auto* table = findings->findChild<QTableView*>();
  table->setCurrentIndex(table->model()->index(0, 0));
  ASSERT_TRUE(findings->incidentSeed());
  table->setFocus();
  QTest::keyClick(table, Qt::Key_I);
  ASSERT_TRUE(waitFor([&] { return allStored().size() == 1; }));
  ASSERT_TRUE(waitFor([&] { return view<IncidentsView>() != nullptr && window->isFinal(); }));
  const Incident made = allStored().front();
  EXPECT_THAT(made.findings, SizeIs(2)) << "the hang comes along";
  EXPECT_EQ(window->state().state().selection.incident, made.uuid);
  EXPECT_EQ(view<IncidentsView>()->chosen(), made.uuid);
  ASSERT_TRUE(waitFor([&] { return view<IncidentsView>()->head()->title()->editing(); })) << "what is new is named first";
  // Again: the finding already belongs to one.
  window->showPlace("findings");
  trigger("New from the chosen finding or event");
  ASSERT_TRUE(waitFor([&] { return view<IncidentsView>() != nullptr && window->isFinal(); }));
  EXPECT_THAT(allStored(), SizeIs(1));
}

TEST_F(IncidentKeysTest, ShiftIAnywhereMakesOneOfTheSelectionAndTheShownTime) {
  open("events");
  Selection selection;
  selection.run = run, selection.attempt = attempt, selection.rank = 3;
  window->state().select(selection);
  window->state().setWindow({at(100), at(200)});
  QTest::keyClick(window.get(), Qt::Key_I, Qt::ShiftModifier);
  ASSERT_TRUE(waitFor([&] { return allStored().size() == 1; }));
  const Incident made = allStored().front();
  EXPECT_EQ(made.title, "Rank 3 on n2");
  EXPECT_EQ(made.range, (TimeRange{at(100), at(200)}));
  EXPECT_EQ(made.attempt, attempt);
  ASSERT_TRUE(waitFor([&] { return view<IncidentsView>() != nullptr && window->isFinal(); }));
  EXPECT_EQ(window->state().state().selection.rank, 3) << "what was selected stays so";
}

TEST_F(IncidentKeysTest, IWithoutAnythingChosenSaysWhatToDo) {
  open("data_quality");
  trigger("New from the chosen finding or event");
  EXPECT_TRUE(window->toast().title().contains("No finding or event is chosen"));
  EXPECT_THAT(allStored(), IsEmpty());
}

TEST_F(IncidentKeysTest, AStoreThatCannotBeEditedSaysWhy) {
  edits.refused = "This store is read-only.";
  open("events");
  trigger("New from the selection and the shown time");
  EXPECT_TRUE(window->toast().title().contains("No incident was made"));
  EXPECT_THAT(allStored(), IsEmpty());
}

TEST_F(IncidentKeysTest, CommandsOfTheViewComeFromThePalette) {
  addFindings();
  open("findings");
  trigger("Accept the chosen proposal");
  ASSERT_TRUE(waitFor([&] { return view<IncidentsView>() != nullptr; }));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  trigger("Accept the chosen proposal");
  ASSERT_TRUE(waitFor([&] { return allStored().size() == 1; }));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  trigger("State: resolved");
  ASSERT_TRUE(waitFor([&] { return allStored().front().state == IncidentState::kResolved; }));
}

}  // namespace
}  // namespace runglass
