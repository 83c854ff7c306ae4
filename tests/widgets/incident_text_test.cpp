// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of incidents: inactive notes, costs with their source, and the size of a file before it is written.
#include "widgets/incidents/incident_text.h"

#include <gmock/gmock.h>

#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextFragment>
#include <limits>

#include "tests/widgets/offscreen.h"
#include "widgets/incidents/incident_lanes.h"
#include "widgets/incidents/note_text.h"
#include "widgets/incidents/slice_estimate.h"

namespace runglass {
namespace {

// Contains nothing that could be followed, loaded or run.
bool isInert(const QTextDocument& document) {
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextCharFormat format = it.fragment().charFormat();
      if (format.isAnchor() || format.isImageFormat() || !format.anchorHref().isEmpty()) return false;
    }
  return true;
}

TEST(NoteText, MarkdownIsReadAsItIsMeant) {
  QTextDocument document;
  setNoteText(document, "# Night\n\n- drained **n3**\n- restarted from `ckpt/50`\n");
  EXPECT_TRUE(document.toPlainText().contains("drained n3"));
  EXPECT_GT(document.begin().blockFormat().headingLevel(), 0);
}

TEST(NoteText, HostileTextStaysText) {
  const std::vector<std::string> hostile = {"<script>alert(1)</script>",
                                            "<img src=file:///etc/passwd>",
                                            "![x](file:///etc/passwd)",
                                            "![x](http://10.0.0.1/beacon.png)",
                                            "[click](file:///bin/sh)",
                                            "[click](javascript:alert(1))",
                                            "<http://10.0.0.1>",
                                            "https://10.0.0.1/auto",
                                            "[a]: file:///etc/passwd\n\n![b][a] [c][a]",
                                            "<a href='x'>y</a> <iframe src=x>",
                                            "| <b> | ![x](y) |\n|---|---|\n| [z](w) | 2 |\n",
                                            "[![x](file:///a)](file:///b)",
                                            "\x1b[31mred\xe2\x80\xaetxet\xff\xfe"};
  for (const std::string& one : hostile) {
    QTextBrowser browser;
    setNoteText(*browser.document(), one);
    EXPECT_TRUE(isInert(*browser.document())) << one;
    EXPECT_FALSE(browser.toPlainText().contains(QChar(0x1B))) << one;
  }
  QTextDocument link;
  setNoteText(link, "see [the page](http://example.org/x)");
  EXPECT_TRUE(link.toPlainText().contains("the page (http://example.org/x)")) << link.toPlainText().toStdString();
  QTextDocument html;
  setNoteText(html, "<b>bold</b>");
  EXPECT_TRUE(html.toPlainText().contains("<b>")) << "HTML is shown, not read";
}

TEST(NoteText, WhatNestsTooDeepOrIsTooLongIsStillShown) {
  for (const std::string& part :
       {std::string("> "), std::string("- "), std::string("["), std::string("*"), std::string("`"), std::string("  ")}) {
    std::string text;
    while (text.size() < 60'000) text += part;
    QTextDocument document;
    setNoteText(document, text + "end");
    EXPECT_TRUE(isInert(document));
  }
  QTextDocument document;
  setNoteText(document, std::string(1 << 20, 'a'));
  EXPECT_TRUE(document.toPlainText().contains("too long"));
}

TEST(IncidentWords, CostsSayWhatTheyAreOrThatTheyAreNotKnown) {
  IncidentImpact impact;
  impact.gpu_hours.reason = "no steps are recorded";
  EXPECT_EQ(costText(&impact), kAbsentText) << "absent is not zero";
  EXPECT_EQ(costText(nullptr), "…");
  impact.gpu_hours = {.value = 13.25, .reason = "", .at_least = true, .sql = "SELECT 1"};
  EXPECT_EQ(costText(&impact), "≥ 13.3 GPU-h");
  impact.money = {.value = 39.75, .reason = "", .at_least = true, .sql = ""};
  EXPECT_EQ(impactNumbers(impact, std::nullopt).size(), 4u) << "no price, no money";
  const auto numbers = impactNumbers(impact, 3.0);
  ASSERT_EQ(numbers.size(), 5u);
  EXPECT_EQ(numbers.back().value, "≥ 39.75");
  EXPECT_TRUE(numbers[3].why.contains("SELECT 1"));
  EXPECT_EQ(numbers[1].value, kAbsentText);
}

TEST(IncidentWords, DifferencesNameEveryChangedField) {
  Incident a, b;
  b.title = "x", b.state = IncidentState::kResolved, b.cause = "nic", b.notes = "y";
  const QString words = differences(a, b).join("; ");
  for (const char* part : {"title", "resolved", "Network card", "notes"}) EXPECT_TRUE(words.contains(part)) << words.toStdString();
  EXPECT_FALSE(differences(a, a).isEmpty());
}

TEST(IncidentWords, MinutesCountFromTheFirstSign) {
  EXPECT_EQ(minutesText(250 * kNsPerSecond, 0), "+4.2");
  EXPECT_EQ(minutesText(0, 30 * kNsPerSecond), "−0.5");
  EXPECT_EQ(minutesText(5, 5), "0.0");
  EXPECT_FALSE(minutesText(std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()).isEmpty());
}

TEST(SliceSize, IsTheShareOfThePointsInIt) {
  Series even;
  even.sample_count = 1'000, even.first_time = 0, even.last_time = 999;
  EXPECT_NEAR(sharePoints(std::vector{even}, std::vector{TimeRange{0, 499}}), 500, 1);
  EXPECT_NEAR(sharePoints(std::vector{even}, std::vector{TimeRange{}}), 1'000, 1);
  EXPECT_EQ(sharePoints(std::vector{even}, std::vector{TimeRange{5'000, 6'000}}), 0);
  Series untimed;
  untimed.sample_count = 10;
  EXPECT_EQ(sharePoints(std::vector{untimed}, std::vector{TimeRange{}}), 0);
}

}  // namespace
}  // namespace runglass
