// SPDX-License-Identifier: Apache-2.0
// Edits: notes in the store, and the lock file with the address where its holder accepts them.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "model/rank_order.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EditTest : public ::testing::Test {
 protected:
  void SetUp() override { m_ids = makeSampleStore(m_store); }
  std::unique_ptr<Writer> writer(WriterOptions options = {}) {
    auto opened = openStore(m_store).writer(std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::unique_ptr<Reader> reader() {
    auto opened = openStore(m_store).reader();
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::vector<std::string> texts(Reader& reader) {
    std::vector<std::string> found;
    const auto notes = reader.notes(m_ids.run);
    EXPECT_TRUE(notes.ok()) << notes.status().message();
    if (notes.ok())
      for (const Note& note : *notes) found.push_back(note.text);
    return found;
  }
  static Note note(const std::string& text, std::optional<TimeNs> time = std::nullopt) {
    return {.run_uuid = "run-uuid-1", .time = time, .author = "ada", .text = text};
  }
  static std::string whyNot(const Status& status) { return status.ok() ? "" : status.message(); }

  test::TempFolder m_folder;
  std::string m_store = m_folder.file("s.rgl");
  SampleStoreIds m_ids;
};

TEST_F(EditTest, ANoteIsThereForOtherReadersAtOnceAndAfterAClose) {
  const auto before = reader();
  const auto generation = before->generation();
  const auto open = writer();
  ASSERT_EQ(whyNot(open->edit(note("later", 7))), "");
  ASSERT_EQ(whyNot(open->edit(note("whole run"))), "");
  EXPECT_THAT(texts(*reader()), ElementsAre("whole run", "later"));
  EXPECT_THAT(texts(*before), ElementsAre("whole run", "later"));
  EXPECT_GT(before->generation(), generation);
  ASSERT_EQ(open->close().code(), Code::kUnavailable) << "before is still open, so the file is not folded";
  const auto after = reader();
  const auto notes = after->notes(m_ids.run);
  ASSERT_TRUE(notes.ok());
  ASSERT_THAT(*notes, SizeIs(2));
  EXPECT_EQ(notes->at(1).author, "ada");
  EXPECT_EQ(notes->at(1).run_uuid, "run-uuid-1");
  EXPECT_EQ(notes->at(1).time, 7);
  EXPECT_EQ(notes->at(0).time, std::nullopt);
  EXPECT_THAT(*after->verify({}), IsEmpty());
}

TEST_F(EditTest, ANoteIsChangedAndRemovedByItsIdWithinItsRun) {
  const auto open = writer();
  (void)open->run({.uuid = "other-run", .name = "other"});
  ASSERT_EQ(whyNot(open->edit(note("first"))), "");
  Note changed = (*reader()->notes(m_ids.run)).at(0);
  changed.text = "second", changed.time = 12;
  ASSERT_EQ(whyNot(open->edit(changed)), "");
  EXPECT_THAT(*reader()->notes(m_ids.run), ElementsAre(Field(&Note::time, std::optional<TimeNs>(12))));
  Note stray = changed;
  stray.run_uuid = "other-run";
  EXPECT_EQ(open->edit(stray).code(), Code::kNotFound);
  changed.text.clear();
  ASSERT_EQ(whyNot(open->edit(changed)), "");
  EXPECT_THAT(texts(*reader()), IsEmpty());
  EXPECT_EQ(open->edit(changed).code(), Code::kNotFound);
}

TEST_F(EditTest, AChosenOrderOfRanksIsAFactOfItsAttemptUntilItIsTakenBack) {
  const auto chosen = [this] {
    const auto facts = reader()->facts(m_ids.first);
    EXPECT_TRUE(facts.ok());
    const auto found = std::ranges::find(*facts, std::string(kRankOrderFact), &Fact::key);
    return found == facts->end() ? std::string("none") : found->value;
  };
  auto w = writer();
  EXPECT_EQ(chosen(), "none");
  EXPECT_EQ(whyNot(w->edit(RankOrderChoice{.run_uuid = "run-uuid-1", .attempt = 0, .order = "tp8-dp4"})), "");
  EXPECT_EQ(chosen(), "tp8-dp4");
  EXPECT_EQ(whyNot(w->edit(RankOrderChoice{.run_uuid = "run-uuid-1", .attempt = 0, .order = ""})), "");
  EXPECT_EQ(chosen(), "");
  EXPECT_THAT(whyNot(w->edit(RankOrderChoice{.run_uuid = "run-uuid-1", .attempt = 7, .order = "tp"})), HasSubstr("attempt 7"));
  EXPECT_THAT(whyNot(w->edit(RankOrderChoice{.run_uuid = "run-uuid-1", .attempt = 0, .order = "tp-tp"})), HasSubstr("tp twice"));
}

TEST_F(EditTest, ARunThatIsNotThereIsNamed) {
  const auto open = writer();
  Note wrong = note("x");
  wrong.run_uuid = "no-such-run";
  const Status status = open->edit(wrong);
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("no-such-run"));
}

TEST_F(EditTest, ARunThatWasOnlyJustDeclaredTakesNotes) {
  const auto open = writer();
  const RunId run = open->run({.uuid = "fresh", .name = "fresh"});
  Note on_it = note("hello");
  on_it.run_uuid = "fresh";
  ASSERT_EQ(whyNot(open->edit(on_it)), "");
  EXPECT_THAT(*reader()->notes(run), SizeIs(1));
}

TEST_F(EditTest, WhatNoStoreMayTakeIsRefusedWithTheReasonAndLeavesNothing) {
  const auto open = writer();
  const auto refused = [&](Note wrong) {
    const Status status = open->edit(wrong);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.message();
    return status.message();
  };
  EXPECT_THAT(refused(note("")), HasSubstr("no text"));
  EXPECT_THAT(refused(note(std::string(kMaxEditText + 1, 'a'))), HasSubstr("65537 bytes"));
  for (const char* bad : {"\xff", "a\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "cut \xe2\x82", "\xc3"})
    EXPECT_THAT(refused(note(bad)), HasSubstr("UTF-8")) << bad;
  EXPECT_THAT(refused(note(std::string("a\0b", 3))), HasSubstr("zero byte"));
  Note author = note("x");
  author.author = std::string(kMaxEditName + 1, 'a');
  EXPECT_THAT(refused(author), HasSubstr("author"));
  Note nobody = note("x");
  nobody.run_uuid.clear();
  EXPECT_THAT(refused(nobody), HasSubstr("names no run"));
  Note negative = note("x");
  negative.id = -1;
  EXPECT_THAT(refused(negative), HasSubstr("-1"));
  EXPECT_THAT(texts(*reader()), IsEmpty());
  EXPECT_EQ(whyNot(open->edit(note("naïve \xe2\x82\xac \xf0\x9f\x99\x82"))), "");
  EXPECT_EQ(whyNot(open->edit(note(std::string(kMaxEditText, 'a')))), "");
}

TEST_F(EditTest, ReadersThatWereOpenSurviveAWriterThatComesAndGoes) {
  const auto early = reader();
  ASSERT_THAT(texts(*early), IsEmpty());  // its connection was opened before there was a -wal file
  std::uint64_t generation = early->generation();
  for (int i = 0; i < 3; ++i) {
    const auto open = writer();
    ASSERT_EQ(whyNot(open->edit(note("n" + std::to_string(i), i))), "");
    (void)open->close();
    EXPECT_THAT(texts(*early), SizeIs(static_cast<std::size_t>(i) + 1));
    EXPECT_GT(early->generation(), generation);
    generation = early->generation();
    EXPECT_EQ(early->samples(m_ids.power, {})->size(), static_cast<std::size_t>(kStoreSamples));
    std::int64_t rows = 0;
    Reader::SqlSink sink;
    sink.row = [&](const std::vector<SqlValue>&) { return ++rows, true; };
    EXPECT_EQ(whyNot(early->query("SELECT note_id, text FROM note", sink)), "");
    EXPECT_EQ(rows, i + 1);
  }
}

TEST_F(EditTest, ACopyOfARunBringsItsNotes) {
  {
    const auto open = writer();
    ASSERT_EQ(whyNot(open->edit(note("whole run"))), "");
    ASSERT_EQ(whyNot(open->edit(note("inside", kStoreStart + 5))), "");
    ASSERT_EQ(whyNot(open->edit(note("outside", kStoreStart + 50))), "");
    ASSERT_EQ(whyNot(open->close()), "");
  }
  const std::string part = m_folder.file("part.rgl");
  ASSERT_EQ(whyNot(exportRun(m_store, m_ids.run, {kStoreStart, kStoreStart + 10}, part)), "");
  const auto copy = openStore(part).reader();
  ASSERT_TRUE(copy.ok());
  const auto notes = (*copy)->notes((*copy)->runs()->at(0).id);
  ASSERT_TRUE(notes.ok());
  EXPECT_THAT(*notes, ElementsAre(Field(&Note::text, "whole run"), Field(&Note::text, "inside")));
}

TEST_F(EditTest, TheLockNamesItsHolderAndWhereEditsGo) {
  EXPECT_FALSE(holderOf(m_store).has_value());
  {
    const auto open = writer({.contact = "127.0.0.1:4711"});
    const auto holder = holderOf(m_store);
    ASSERT_TRUE(holder.has_value());
    EXPECT_EQ(holder->pid, std::to_string(::getpid()));
    EXPECT_EQ(holder->contact, "127.0.0.1:4711");
    // As read by programs that know only of the pid.
    std::ifstream lock(lockPath(m_store), std::ios::binary);
    char text[16] = {};
    lock.read(text, 15);
    EXPECT_STREQ(text, std::to_string(::getpid()).c_str());
    EXPECT_THAT(openStore(m_store).writer().status().message(), HasSubstr("pid " + std::to_string(::getpid())));
  }
  EXPECT_FALSE(holderOf(m_store).has_value());
  const auto open = writer();
  EXPECT_EQ(holderOf(m_store)->contact, "");
}

TEST_F(EditTest, AnOddLockFileIsAnUnknownHolder) {
  const auto open = writer();
  const auto said = [&](const std::string& text) {
    std::ofstream(lockPath(m_store), std::ios::binary | std::ios::trunc) << text;
    return holderOf(m_store).value_or(StoreHolder{"free", "free"});
  };
  EXPECT_EQ(said("").pid, "unknown");
  EXPECT_EQ(said("\x1b[31m").pid, "unknown");
  EXPECT_EQ(said("4711").pid, "4711");
  EXPECT_EQ(said("4711").contact, "");
  EXPECT_EQ(said(std::string("4711") + std::string(12, '\0') + "host:1\nevil").contact, "");
  EXPECT_EQ(said(std::string(4000, 'x')).pid, std::string(15, 'x'));
}

TEST_F(EditTest, AlertsAreThereForOtherReadersAtOnceAndAreUpdatedByRuleCauseAndBegin) {
  const auto open = writer();
  const auto other = reader();
  const auto generation = other->generation();
  Alert alert{.run = m_ids.run,
              .rule = "r",
              .cause = "c",
              .kind = "hang",
              .severity = Severity::kWarning,
              .since = 5,
              .due = 9,
              .count = 1,
              .summary = "s",
              .link = "l"};
  ASSERT_EQ(whyNot(open->alerts({&alert, 1})), "");
  EXPECT_GT(other->generation(), generation);
  alert.notified = 10;
  alert.severity = Severity::kCritical;
  alert.delivery = "pager: sent";
  ASSERT_EQ(whyNot(open->alerts({&alert, 1})), "");
  alert.since = 100;
  alert.run = {};
  alert.due = std::nullopt;
  ASSERT_EQ(whyNot(open->alerts({&alert, 1})), "");
  const auto found = other->alerts(10);
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_THAT(*found, SizeIs(2));
  EXPECT_EQ((*found)[0].since, 100) << "newest first";
  EXPECT_EQ((*found)[0].run, RunId());
  EXPECT_EQ((*found)[1].run, m_ids.run);
  EXPECT_EQ((*found)[1].notified, 10);
  EXPECT_EQ((*found)[1].severity, Severity::kCritical);
  EXPECT_EQ((*found)[1].delivery, "pager: sent");
  EXPECT_THAT(*other->alerts(1), SizeIs(1));
}

TEST_F(EditTest, TheHistoryOfAlertsIsBounded) {
  const auto open = writer();
  std::vector<Alert> many(static_cast<std::size_t>(Writer::kMaxAlerts) + 10, Alert{.rule = "r", .kind = "k"});
  for (std::size_t i = 0; i < many.size(); ++i) many[i].cause = std::to_string(i), many[i].since = static_cast<TimeNs>(i);
  ASSERT_EQ(whyNot(open->alerts(many)), "");
  const auto found = *reader()->alerts(many.size());
  ASSERT_THAT(found, SizeIs(static_cast<std::size_t>(Writer::kMaxAlerts)));
  EXPECT_EQ(found.back().since, 10);
}

TEST_F(EditTest, ASnoozeIsReplacedAndEndsAndMustMeanOneThing) {
  const auto open = writer();
  ASSERT_EQ(whyNot(open->edit(Snooze{.rule = "r", .cause = "", .until = 5, .author = "ada"})), "");
  ASSERT_EQ(whyNot(open->edit(Snooze{.rule = "r", .cause = "", .until = 8, .author = "bob"})), "");
  ASSERT_EQ(whyNot(open->edit(Snooze{.rule = "", .cause = "c", .until = 6, .author = ""})), "");
  auto found = *reader()->snoozes();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[1].rule, "r");
  EXPECT_EQ(found[1].until, 8);
  EXPECT_EQ(found[1].author, "bob");
  ASSERT_EQ(whyNot(open->edit(Snooze{.rule = "", .cause = "c", .until = std::nullopt, .author = ""})), "");
  EXPECT_THAT(*reader()->snoozes(), SizeIs(1));
  EXPECT_THAT(whyNot(open->edit(Snooze{.rule = "r", .cause = "c", .until = 1, .author = ""})), HasSubstr("a rule or a cause"));
  EXPECT_THAT(whyNot(open->edit(Snooze{.rule = "", .cause = "", .until = 1, .author = ""})), HasSubstr("a rule or a cause"));
  EXPECT_THAT(whyNot(open->edit(Snooze{.rule = "\xff", .cause = "", .until = 1, .author = ""})), HasSubstr("UTF-8"));
  EXPECT_THAT(whyNot(open->edit(Snooze{.rule = "", .cause = std::string(kMaxAlertCause + 1, 'x'), .until = 1, .author = ""})),
              HasSubstr("at most"));
}

}  // namespace
}  // namespace runglass
