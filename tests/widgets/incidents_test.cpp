// SPDX-License-Identifier: GPL-3.0-or-later
// The view `incidents`: proposals and decisions, concurrent edits, jumps, and a file to share.
#include "widgets/incidents/incidents_view.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <limits>

#include "storage/open_store.h"
#include "tests/widgets/incident_fixture.h"
#include "widgets/core/state_panel.h"
#include "widgets/incidents/editable_text.h"
#include "widgets/incidents/incident_cards.h"
#include "widgets/incidents/incident_facts.h"
#include "widgets/incidents/incident_head.h"
#include "widgets/incidents/incident_lanes.h"
#include "widgets/incidents/incident_notes.h"
#include "widgets/incidents/incident_share.h"
#include "widgets/incidents/logbook_page.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class IncidentsViewTest : public IncidentStoreTest {
 protected:
  IncidentsView& shown() {
    view = std::make_unique<IncidentsView>(context(), nullptr);
    QObject::connect(&shared, &SharedState::changed, view.get(), [this] { view->applyState(shared.state()); });
    view->resize(1'280, 800);
    view->show();
    view->applyState(shared.state());
    settle();
    return *view;
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return view->isFinal(); }));
  }
  QString said() const { return view->share()->words(); }
  QString panelText() const {
    QString all;
    for (const QLabel* label : view->findChildren<QLabel*>())
      if (label->isVisible()) all += label->text() + u'\n';
    return all;
  }
  std::unique_ptr<IncidentsView> view;
};

TEST(IncidentOrder, OpenOnesComeFirstThenTheWorstThenTheNewest) {
  const auto one = [](const char* uuid, IncidentState state, Severity severity, TimeNs begin) {
    Incident incident;
    incident.uuid = uuid, incident.state = state, incident.severity = severity, incident.range = TimeRange{begin, begin + 1};
    return incident;
  };
  std::vector<Incident> all = {
      one("dismissed", IncidentState::kDismissed, Severity::kCritical, 9), one("old", IncidentState::kOpen, Severity::kWarning, 1),
      one("resolved", IncidentState::kResolved, Severity::kCritical, 9),   one("new", IncidentState::kOpen, Severity::kWarning, 5),
      one("worst", IncidentState::kOpen, Severity::kCritical, 0),          one("mitigated", IncidentState::kMitigated, Severity::kInfo, 2)};
  sortIncidents(all);
  std::vector<std::string> order;
  for (const Incident& incident : all) order.push_back(incident.uuid);
  EXPECT_THAT(order, ElementsAre("worst", "new", "old", "mitigated", "resolved", "dismissed"));
}

TEST_F(IncidentsViewTest, WhatIsProposedIsShownInFullBeforeItIsAccepted) {
  addFindings();
  IncidentsView& shown = this->shown();
  QAbstractItemModelTester proposals(const_cast<IncidentEntryModel*>(shown.list()->proposals()));
  ASSERT_EQ(shown.list()->proposals()->rowCount(), 2);
  EXPECT_TRUE(shown.head()->title()->text().contains("Xid 79")) << shown.head()->title()->text().toStdString();
  EXPECT_FALSE(shown.head()->states()->isVisible());
  EXPECT_FALSE(shown.share()->exportButton()->isEnabled());
  EXPECT_TRUE(shown.facts()->toPlainText().contains("rank 0 on n1")) << shown.facts()->toPlainText().toStdString();
  EXPECT_TRUE(edits.edits.empty());
  EXPECT_EQ(shared.state().selection.incident, "") << "what is shown first is nobody's choice";
}

TEST_F(IncidentsViewTest, AcceptingMakesTheIncidentThatWasProposed) {
  addFindings();
  IncidentsView& shown = this->shown();
  const std::string key = shown.chosen();
  EXPECT_TRUE(shown.runCommand("accept"));
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->rowCount() == 1; }));
  settle();
  const Incident made = stored(key);
  EXPECT_EQ(made.state, IncidentState::kOpen);
  EXPECT_THAT(made.findings, SizeIs(2));
  EXPECT_FALSE(made.evidence.empty());
  EXPECT_EQ(shown.chosen(), key) << "it stays in front of who accepted it";
  EXPECT_EQ(shown.list()->proposals()->rowCount(), 1);
  EXPECT_TRUE(shown.head()->states()->isVisible());
}

TEST_F(IncidentsViewTest, MergingBringsFindingsAndCardsIntoTheOther) {
  addFindings();
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  ASSERT_EQ(shown.list()->proposals()->rowCount(), 2);
  const QString key = QString::fromStdString(shown.list()->proposals()->entries().front().key);
  emit shown.list()->mergeWanted(key, "i-1");
  ASSERT_TRUE(waitFor([&] { return shown.list()->proposals()->rowCount() == 1; }));
  settle();
  const Incident merged = stored("i-1");
  EXPECT_EQ(merged.title, "bad night");
  EXPECT_THAT(merged.findings, SizeIs(2));
  EXPECT_EQ(merged.severity, Severity::kCritical);
  EXPECT_FALSE(merged.evidence.empty());
  EXPECT_EQ(shown.chosen(), "i-1");
}

TEST_F(IncidentsViewTest, DismissingKeepsWhyAndIsNotProposedAgain) {
  addFindings();
  IncidentsView& shown = this->shown();
  const std::string key = shown.chosen();
  EXPECT_TRUE(shown.runCommand("dismiss"));
  auto* reason = shown.list()->findChild<QLineEdit*>();
  ASSERT_NE(reason, nullptr);
  QTest::keyClicks(reason, "a drill");
  QTest::keyClick(reason, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->rowCount() == 1; }));
  settle();
  EXPECT_EQ(stored(key).state, IncidentState::kDismissed);
  EXPECT_EQ(stored(key).reason, "a drill");
  EXPECT_EQ(shown.list()->proposals()->rowCount(), 1);
}

TEST_F(IncidentsViewTest, WhatWasDismissedByMistakeIsProposedAgainWhenItIsTakenBack) {
  addFindings();
  IncidentsView& shown = this->shown();
  const std::string key = shown.chosen();
  EXPECT_FALSE(shown.runCommand("undo")) << "there is nothing yet";
  emit shown.list()->dismissWanted(QString::fromStdString(key), "a slip");
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->rowCount() == 1; }));
  settle();
  EXPECT_TRUE(shown.share()->undoButton()->isVisible());
  EXPECT_TRUE(shown.runCommand("undo"));
  ASSERT_TRUE(waitFor([&] { return shown.list()->proposals()->rowCount() == 2; }));
  settle();
  EXPECT_EQ(shown.list()->incidents()->rowCount(), 0);
  EXPECT_FALSE(shown.share()->undoButton()->isVisible());
}

TEST_F(IncidentsViewTest, TwoIncidentsAreMergedWithTheNotesOfBothAndTakenApartAgain) {
  Incident one = incidentOf("i-1", "bad night", 900, 1'700), other = incidentOf("i-2", "slow morning", 2'000, 2'500);
  one.notes = "drained n1", other.notes = "asked the vendor";
  addIncident(one);
  addIncident(other);
  IncidentsView& shown = this->shown();
  emit shown.list()->mergeWanted("i-2", "i-1");
  ASSERT_TRUE(waitFor([&] { return edits.edits.size() == 2; }));
  settle();
  const Incident merged = stored("i-1"), left = stored("i-2");
  EXPECT_EQ(merged.notes, "drained n1\n\n### From “slow morning”\n\nasked the vendor");
  EXPECT_EQ(merged.range->t1, stored("i-2").range->t1) << "as wide as both";
  EXPECT_EQ(left.state, IncidentState::kDismissed);
  EXPECT_EQ(left.reason, "merged into “bad night”");
  EXPECT_EQ(left.notes, "asked the vendor") << "nothing of it is lost";
  EXPECT_TRUE(shown.runCommand("undo"));
  ASSERT_TRUE(waitFor([&] { return edits.edits.size() == 4; }));
  settle();
  EXPECT_EQ(stored("i-1").notes, "drained n1");
  EXPECT_EQ(stored("i-1").range, one.range);
  EXPECT_EQ(stored("i-2").state, IncidentState::kOpen);
}

TEST_F(IncidentsViewTest, WhatSomebodyChangedSinceIsNotTakenBack) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  EXPECT_TRUE(shown.runCommand("resolved"));
  ASSERT_TRUE(waitFor([&] { return edits.edits.size() == 1; }));
  settle();
  elsewhere("i-1", [](Incident& theirs) { theirs.title = "worse than that"; });
  EXPECT_TRUE(shown.runCommand("undo"));
  ASSERT_TRUE(waitFor([&] { return said().startsWith(severityGlyph(Severity::kWarning)); }));
  settle();
  EXPECT_EQ(stored("i-1").title, "worse than that");
  EXPECT_EQ(stored("i-1").state, IncidentState::kResolved) << shown.share()->words().toStdString();
}

TEST_F(IncidentsViewTest, StateCauseAndTitleAreChangedInPlace) {
  addFindings();
  IncidentsView& shown = this->shown();
  const std::string key = shown.chosen();
  shown.runCommand("accept");
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->rowCount() == 1; }));
  settle();
  EXPECT_TRUE(shown.runCommand("cause"));
  EXPECT_TRUE(shown.runCommand("mitigated"));
  shown.head()->editTitle();
  shown.head()->title()->field()->setText("GPU 0 of n1 is gone");
  QTest::keyClick(shown.head()->title()->field(), Qt::Key_Return);
  settle();
  const Incident changed = stored(key);
  EXPECT_EQ(changed.cause, "gpu_faulty") << "the root finding is an Xid 79";
  EXPECT_EQ(changed.state, IncidentState::kMitigated);
  EXPECT_EQ(changed.title, "GPU 0 of n1 is gone");
}

TEST_F(IncidentsViewTest, AConflictTellsWhatTheOtherDidAndKeepsWhatWasTyped) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  shown.notes()->edit();
  shown.notes()->field()->setPlainText("mine");
  edits.before = [this] { elsewhere("i-1", [](Incident& one) { one.notes = "theirs", one.state = IncidentState::kMitigated; }); };
  QTest::mouseClick(shown.notes()->saveButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return shown.head()->conflict()->isVisible(); }));
  settle();
  EXPECT_EQ(stored("i-1").notes, "theirs") << "nobody's work is overwritten without a word";
  EXPECT_TRUE(shown.head()->conflictWords()->text().contains("mitigated")) << shown.head()->conflictWords()->text().toStdString();
  EXPECT_TRUE(shown.notes()->editing());
  EXPECT_EQ(shown.notes()->field()->toPlainText(), "mine");
  EXPECT_TRUE(shown.notes()->shown()->toPlainText().contains("theirs"));
  QTest::mouseClick(shown.head()->findChild<QPushButton*>("insist"), Qt::LeftButton);
  settle();
  ASSERT_TRUE(waitFor([&] { return stored("i-1").notes == "mine"; }));
  EXPECT_EQ(stored("i-1").state, IncidentState::kMitigated) << "only the notes are mine";
}

TEST_F(IncidentsViewTest, AnEditThatFailsIsSaidAndTheTypedNotesStay) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  shown.notes()->edit();
  shown.notes()->field()->setPlainText("mine");
  edits.answer = {Code::kResourceExhausted, "disk full"};
  QTest::mouseClick(shown.notes()->saveButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return said().contains("disk full"); }));
  settle();
  EXPECT_TRUE(shown.notes()->editing());
  EXPECT_EQ(shown.notes()->field()->toPlainText(), "mine");
}

TEST_F(IncidentsViewTest, AReadOnlyStoreSaysWhyNothingCanBeChanged) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  edits.refused = "This store is read-only.";
  IncidentsView& shown = this->shown();
  EXPECT_FALSE(shown.head()->states()->isEnabled());
  EXPECT_FALSE(shown.notes()->editButton()->isEnabled());
  EXPECT_EQ(shown.notes()->editButton()->toolTip(), "This store is read-only.");
  EXPECT_TRUE(shown.share()->exportButton()->isEnabled()) << "it can still be given away";
}

TEST_F(IncidentsViewTest, AnEntryOfTheTimeLineMovesWindowAndSelectionAndNotThePlayhead) {
  addFindings();
  IncidentsView& shown = this->shown();
  const auto& entries = shown.lanes()->model()->rows();
  const auto xid = std::ranges::find_if(entries, [](const TimelineEntry& one) { return one.kind == "xid"; });
  ASSERT_NE(xid, entries.end());
  const QModelIndex index = shown.lanes()->model()->index(static_cast<int>(xid - entries.begin()), 0);
  shown.lanes()->table()->chooseRow(index);
  emit shown.lanes()->entryChosen(*xid);
  EXPECT_EQ(shared.state().moment, std::nullopt);
  EXPECT_LT(shared.state().window.range.t0, at(1'000));
  EXPECT_GT(shared.state().window.range.t1, at(1'000));
  EXPECT_EQ(shared.state().selection.run, run);
  EXPECT_TRUE(shared.state().selection.rank == 0 || shared.state().selection.node == nodes[0]);
}

TEST_F(IncidentsViewTest, ChoosingAnIncidentIsTheSharedSelectionAndMovesTheWindow) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  addIncident(incidentOf("i-2", "worse night", 2'000, 2'500));
  IncidentsView& shown = this->shown();
  QAbstractItemModelTester tester(const_cast<IncidentEntryModel*>(shown.list()->incidents()));
  ASSERT_EQ(shown.chosen(), "i-2") << "the newest of equals";
  QTest::keyClick(shown.list()->incidentView(), Qt::Key_Down);
  EXPECT_EQ(shown.chosen(), "i-1");
  EXPECT_EQ(shared.state().selection.incident, "i-1");
  EXPECT_EQ(shared.state().window.range, (TimeRange{at(840), at(1'760)}));
  Selection other = shared.state().selection;
  other.incident = "i-2";
  shared.select(other);
  EXPECT_EQ(shown.chosen(), "i-2") << "and what others select is shown here";
}

TEST_F(IncidentsViewTest, CostsAreThereForAllWithoutTheRanking) {
  addFindings();
  IncidentsView& shown = this->shown();
  shown.runCommand("accept");
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->rowCount() == 1; }));
  settle();
  ASSERT_TRUE(waitFor([&] { return shown.list()->incidents()->entries().front().cost != "…"; }));
  EXPECT_TRUE(shown.list()->incidents()->entries().front().second.startsWith(stateGlyph(IncidentState::kOpen)));
}

TEST_F(IncidentsViewTest, CardsAreAddedCaptionedAndDeleted) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  shared.setWindow({at(1'000), at(1'100)});
  Selection selection;
  selection.run = run, selection.rank = 3, selection.node = nodes[1];
  selection.incident = "i-1";
  shared.select(selection);
  settle();
  emit shown.cards()->addWanted("log");
  ASSERT_TRUE(waitFor([&] { return shown.cards()->cards().size() == 1; }));
  settle();
  IncidentEvidence card = stored("i-1").evidence.at(0);
  EXPECT_EQ(card.kind, "log");
  EXPECT_EQ(card.range, (TimeRange{at(1'000), at(1'100)}));
  EXPECT_EQ(card.select, "rank=3,node=n2");
  emit shown.cards()->captionChanged(card, "here");
  settle();
  ASSERT_TRUE(waitFor([&] { return stored("i-1").evidence.at(0).caption == "here"; }));
  settle();
  emit shown.cards()->removeWanted(stored("i-1").evidence.at(0));
  ASSERT_TRUE(waitFor([&] { return shown.cards()->cards().empty(); }));
  EXPECT_THAT(stored("i-1").evidence, IsEmpty());
}

TEST_F(IncidentsViewTest, DeletingAsksOnceMore) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  QPushButton* remove = nullptr;
  for (QPushButton* push : shown.share()->findChildren<QPushButton*>())
    if (push->text().startsWith("Delete")) remove = push;
  ASSERT_NE(remove, nullptr);
  QTest::mouseClick(remove, Qt::LeftButton);
  EXPECT_THAT(allStored(), SizeIs(1));
  QTest::mouseClick(remove, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return allStored().empty(); }));
  ASSERT_TRUE(waitFor([&] { return panelText().contains("No incident."); }));
}

TEST_F(IncidentsViewTest, AnExportedIncidentIsAStoreThatKnowsWhatItIsAbout) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  EXPECT_TRUE(shown.share()->exportButton()->text().contains("about")) << "its size is told before";
  shown.share()->exportTo(QString::fromStdString(folder.file("one.rgl")));
  ASSERT_TRUE(waitFor([&] { return !shown.share()->exporting(); }));
  EXPECT_TRUE(said().contains("Wrote")) << said().toStdString();
  const auto part = openStore(folder.file("one.rgl")).reader().value();
  EXPECT_EQ(part->info()->incident, "i-1");
  EXPECT_EQ(part->incident("i-1")->title, "bad night");
  shown.share()->exportTo(QString::fromStdString(folder.file("one.rgl")));
  ASSERT_TRUE(waitFor([&] { return !shown.share()->exporting(); }));
  EXPECT_TRUE(said().contains("there already")) << said().toStdString();
}

TEST_F(IncidentsViewTest, ARunWithoutIncidentsSaysHowOneIsMade) {
  IncidentsView& shown = this->shown();
  EXPECT_TRUE(panelText().contains("No incident.")) << panelText().toStdString();
  EXPECT_TRUE(panelText().contains("Make one from a finding (I) or a selection (Shift+I)."));
  const QSignalSpy wanted(&shown, &IncidentsView::newWanted);
  for (QPushButton* push : shown.findChildren<QPushButton*>())
    if (push->isVisible() && push->text() == "New") push->click();
  EXPECT_EQ(wanted.count(), 1);
  EXPECT_FALSE(shown.runCommand("accept"));
}

TEST_F(IncidentsViewTest, AnIncidentThatIsNotThereIsSaidSo) {
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  Selection selection;
  selection.run = run, selection.incident = "gone";
  shared.select(selection);
  IncidentsView& shown = this->shown();
  EXPECT_EQ(shown.chosen(), "i-1") << "the list shows what there is";
}

TEST(IncidentsViewFailure, AStoreThatCannotBeReadIsSaid) {
  QueryService queries([]() -> Result<std::unique_ptr<Reader>> { return Status(Code::kDataLoss, "open: s.rgl: damaged"); }, 1);
  SharedState shared;
  IncidentsView view({.queries = &queries, .state = &shared}, nullptr);
  view.show();
  QString text;
  for (const QLabel* label : view.findChildren<QLabel*>()) text += label->text();
  EXPECT_TRUE(text.contains("Reading the incidents"));
  view.applyState(shared.state());
  ASSERT_TRUE(waitFor([&] { return view.isFinal(); }));
  text.clear();
  for (const QLabel* label : view.findChildren<QLabel*>()) text += label->text();
  EXPECT_TRUE(text.contains("The incidents cannot be read.") && text.contains("damaged")) << text.toStdString();
}

TEST_F(IncidentsViewTest, HostileNamesAreTextInTheList) {
  Incident hostile = incidentOf("i-1", "<img src=x onerror=alert(1)>\x1b[2J\xe2\x80\xae evil", 900, 1'700);
  hostile.summary = "<script>alert(1)</script>";
  addIncident(hostile);
  IncidentsView& shown = this->shown();
  const QString title = shown.list()->incidents()->entries().front().title;
  EXPECT_FALSE(title.contains(QChar(0x1B)));
  EXPECT_FALSE(title.contains(QChar(0x202E)));
  EXPECT_TRUE(shown.list()->incidents()->entries().front().tip.contains("&lt;img"));
  EXPECT_TRUE(shown.head()->sentence()->text().contains("<script>")) << "as text";
}

TEST_F(IncidentsViewTest, TheLogbookIsReadFilteredNotedAndExported) {
  addFindings();
  addIncident(incidentOf("i-1", "bad night", 900, 1'700));
  IncidentsView& shown = this->shown();
  ASSERT_TRUE(shown.showTab("logbook"));
  settle();
  LogbookPage& logbook = *shown.logbook();
  ASSERT_GT(logbook.model()->rowCount(), 2);
  shared.setMoment(at(1'234));
  QTest::keyClicks(logbook.noteField(), "restarted by hand");
  QTest::keyClick(logbook.noteField(), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return logbook.words() == "Noted."; }));
  const Note note = std::get<Note>(edits.edits.back());
  EXPECT_EQ(note.text, "restarted by hand");
  EXPECT_EQ(note.time, at(1'234)) << "at the playhead";
  settle();
  logbook.exportMarkdown(QString::fromStdString(folder.file("log.md")));
  QFile file(QString::fromStdString(folder.file("log.md")));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  EXPECT_TRUE(text.contains("restarted by hand"));
  EXPECT_TRUE(text.contains("bad night"));
  EXPECT_FALSE(shown.showTab("nonsense"));
}

TEST_F(IncidentsViewTest, AHalfTypedNoteOfTheLogbookOutlivesTheWindow) {
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, QString::fromStdString(folder.file("settings")));
  QCoreApplication::setOrganizationName(QStringLiteral("runglass-test"));
  const auto draft = [this] { return view->logbook()->noteField()->text(); };
  const auto reopen = [this] {
    ASSERT_TRUE(shown().showTab("logbook"));
    settle();
  };
  reopen();
  QTest::keyClicks(view->logbook()->noteField(), "restarted by");
  shown().showTab("incidents");
  reopen();
  EXPECT_EQ(draft(), "restarted by");
  QTest::keyClicks(view->logbook()->noteField(), " hand");
  QTest::keyClick(view->logbook()->noteField(), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return view->logbook()->words() == "Noted."; }));
  reopen();
  EXPECT_EQ(draft(), QString()) << "it was added";
  QCoreApplication::setOrganizationName({});
}

}  // namespace
}  // namespace runglass
