// SPDX-License-Identifier: GPL-3.0-or-later
// The texts and panel of goodput, and the dialog of estimates.
#include "widgets/goodput/goodput_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

#include "tests/widgets/offscreen.h"
#include "widgets/frame/estimate_dialog.h"

namespace runglass {
namespace {

constexpr DurNs kSecond = kNsPerSecond;

GoodputData crashed(RunState state = RunState::kFinished) {
  std::vector<AttemptRecord> attempts(2);
  for (int number = 0; number < 2; ++number) {
    AttemptRecord& a = attempts[static_cast<std::size_t>(number)];
    a.number = number, a.layout.world = 8;
    a.start = number * 1'600 * kSecond, a.end = *a.start + 1'500 * kSecond;
    const std::int64_t first = number == 0 ? 1 : 101;
    for (std::int64_t s = first; s < first + 150; ++s)
      a.steps.push_back({.step = s, .begin = *a.start + (s - first) * 10 * kSecond, .end = *a.start + (s - first + 1) * 10 * kSecond});
  }
  attempts[0].ending = {.kind = EndKind::kHardware, .planned = false, .cause = "Xid 79"};
  attempts[1].ending = {.kind = EndKind::kFinished, .planned = true};
  attempts[1].resumed_from = 100;
  GoodputData data;
  data.run.state = state, data.run.time_domain = TimeDomain::kUtc;
  data.goodput.ledger = makeLedger(attempts);
  data.goodput.advice = adviseSaves(data.goodput.ledger, {}, 8);
  return data;
}

TEST(LedgerWords, SayTheRateTheRestartsAndWhatWasLost) {
  const LedgerWords words = goodputWords(crashed(), 0);
  EXPECT_EQ(words.value, formatPercent(2'500.0 / 3'100));
  EXPECT_EQ(words.note, QStringLiteral("1 restart · 50 steps lost"));
  EXPECT_TRUE(words.why.contains(QStringLiteral("MegaScale")));
  EXPECT_TRUE(ledgerSentence(crashed()).contains(QStringLiteral("hardware fault cost most")));
}
TEST(LedgerWords, WithoutARateTheyGiveADashAndTheReason) {
  GoodputData none;
  none.goodput.reason = "the run's source has no clock: wall time is not known";
  none.plan.reason = "the planned length is not recorded";
  EXPECT_EQ(goodputWords(none, 0).value, kAbsentText);
  EXPECT_TRUE(goodputWords(none, 0).note.contains(QStringLiteral("no clock")));
  EXPECT_EQ(planWords(none, TimeStyle::kUtc).value, kAbsentText);
  EXPECT_TRUE(planWords(none, TimeStyle::kUtc).why.contains(QStringLiteral("planned length")));
}
TEST(LedgerWords, ALiveRunOfMoreThanADaySaysTheNewestDay) {
  GoodputData data = crashed(RunState::kRunning);
  for (Segment& one : data.goodput.ledger.rows[1].segments) one.t1 += 200'000 * kSecond;
  data.goodput.ledger.wall = 203'100 * kSecond;
  EXPECT_EQ(goodputWords(data, 203'100 * kSecond).title, QStringLiteral("Goodput of 24 h"));
}
TEST(LedgerWords, APlanSaysItsShareAndItsEnd) {
  GoodputData data = crashed();
  data.plan = {.planned_steps = 1'000, .plan_source = "train iterations 1000", .done_steps = 250, .done_share = 0.25};
  data.plan.finish = data.plan.finish_low = data.plan.finish_high = 1'700'000'000 * kSecond;
  const LedgerWords words = planWords(data, TimeStyle::kUtc);
  EXPECT_EQ(words.value, formatPercent(0.25));
  EXPECT_TRUE(words.note.contains(QStringLiteral("2023-11-14")));
}

TEST(LedgerPanelTest, EveryPlaceOfABarSaysWhatItWas) {
  GoodputPanel panel;
  panel.setData(std::make_shared<const GoodputData>(crashed()));
  panel.resize(1'200, panel.wantedHeight());
  panel.show();
  EXPECT_FALSE(panel.grab().isNull());
  EXPECT_TRUE(panel.wordsAt({60, 40}).startsWith(QStringLiteral("productive"))) << panel.wordsAt({60, 40}).toStdString();
  bool caught_up = false, gap = false;
  for (int x = 30; x < 700; ++x) {
    caught_up |= panel.wordsAt({x, 66}).startsWith(QStringLiteral("catch-up"));
    gap |= panel.wordsAt({x, 66}).startsWith(QStringLiteral("scheduling gap"));
  }
  EXPECT_TRUE(caught_up);
  EXPECT_TRUE(gap);
  EXPECT_EQ(panel.copyText().count(u'\n'), 2);
}
TEST(LedgerPanelTest, WithoutDataItSaysWhy) {
  GoodputPanel panel;
  panel.setMissing(QStringLiteral("cannot be read"));
  panel.resize(600, 100);
  EXPECT_FALSE(panel.grab().isNull());
  EXPECT_EQ(panel.wordsAt({10, 10}), QStringLiteral("cannot be read"));
}

TEST(Estimates, NumbersAreTypedAsPeopleWriteThem) {
  EXPECT_EQ(typedNumber(QStringLiteral("175e9")), 175e9);
  EXPECT_EQ(typedNumber(QStringLiteral("175 B")), 175e9);
  EXPECT_EQ(typedNumber(QStringLiteral("1.4T")), 1.4e12);
  EXPECT_EQ(typedNumber(QStringLiteral("8,192")), 8'192);
  EXPECT_EQ(typedNumber(QStringLiteral("1,234,567.5")), 1'234'567.5);
  for (const char* none : {"0,5", "1,4 T", "0,047", "12,34", "1,234,5"})
    EXPECT_FALSE(typedNumber(QString::fromLatin1(none))) << none << ": commas part thousands only";
  for (const char* none : {"", "-3", "0", "B", "abc", "1e999", "nan"}) EXPECT_FALSE(typedNumber(QString::fromLatin1(none))) << none;
}
TEST(Estimates, WhatIsMissingStandsWhereTheNumberWouldBe) {
  const auto lines = estimateLines({});
  EXPECT_EQ(lines.front().value, kAbsentText);
  EXPECT_TRUE(lines.front().formula.contains(QStringLiteral("needs parameters")));
  const auto known = estimateLines({.parameters = 175e9, .tokens = 10e12, .gpus = 8'192, .device = QStringLiteral("H100"), .mfu = 0.5});
  EXPECT_EQ(known.front().value, QStringLiteral("29.99 days"));
}
TEST(Estimates, TypingInTheDialogAnswersAtOnce) {
  auto* dialog = new EstimateDialog(nullptr);
  dialog->fill(
      {.parameters = 175e9, .tokens = 300e9, .gpus = 992, .device = QStringLiteral("A100"), .mfu = 0.47, .from = QStringLiteral("run r")});
  const EstimateInput back = dialog->input();
  EXPECT_EQ(back.parameters, 175e9);
  EXPECT_EQ(back.device, QStringLiteral("A100"));
  EXPECT_NEAR(*back.mfu, 0.47, 1e-9);
  const auto said = [&] {
    QString all;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) all += label->text();
    return all;
  };
  EXPECT_TRUE(said().contains(QStringLiteral("days")));
  EXPECT_TRUE(said().contains(QStringLiteral("run r")));
  EXPECT_FALSE(dialog->touched()) << "filled in, not typed";
  auto* first = dialog->findChild<QLineEdit*>();
  first->clear();
  EXPECT_TRUE(dialog->touched()) << "a late answer must not overwrite it";
  EXPECT_TRUE(said().contains(QStringLiteral("needs parameters")));
  delete dialog;
}

}  // namespace
}  // namespace runglass
