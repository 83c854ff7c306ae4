// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that views take from rooms without Qt, and sentences that they make of parts, in another language.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/collectives/bus_bandwidth.h"
#include "analysis/goodput/ending.h"
#include "analysis/goodput/ledger.h"
#include "analysis/gpu_idle/idle_cause.h"
#include "analysis/layout/layout_places.h"
#include "analysis/step_graph/step_op.h"
#include "model/incident_causes.h"
#include "widgets/core/language.h"
#include "widgets/devices/gpu_data.h"
#include "widgets/incidents/incident_text.h"
#include "widgets/timeline/span_detail.h"
#include "widgets/timeline/wait_words.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

class ViewTexts : public testing::Test {
 protected:
  void SetUp() override { setLanguage(Language::kChinese); }
  void TearDown() override { setLanguage(Language::kEnglish); }
};

bool textHasHan(const QString& text) {
  return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}

// Those that engineers write in English in any language.
void expectTranslated(const char* english, const QString& shown) {
  static const QStringList kSame = {"checkpoint", "gc", "separate-grads-all-reduce", "optimizer-clip-main-grad", "CPU", "SSD"};
  EXPECT_TRUE(textHasHan(shown) || kSame.contains(QLatin1String(english))) << english << " is shown as " << shown.toStdString();
}

void expectTerm(const char* english) { expectTranslated(english, termText(english)); }

TEST_F(ViewTexts, NamesOfOtherRoomsAreTranslated) {
  for (int i = 0; i < kStepOpCount; ++i) expectTerm(stepOpName(static_cast<StepOp>(i)));
  for (int i = 0; i <= static_cast<int>(EndKind::kNotSaid); ++i) expectTerm(endKindWords(static_cast<EndKind>(i)));
  for (std::size_t i = 0; i < kSpendCount; ++i) expectTerm(spendWords(static_cast<Spend>(i)));
  for (int i = 0; i < kIdleCauseCount; ++i) expectTerm(idleCauseWords(static_cast<IdleCause>(i)));
  for (std::size_t i = 0; i < kBusRefusals; ++i) expectTerm(busRefusalText(static_cast<BusRefusal>(i)));
  for (int i = 0; i <= static_cast<int>(PlaceSource::kUsualOrder); ++i) expectTerm(placeSourceName(static_cast<PlaceSource>(i)));
  for (const IncidentCause& cause : incidentCauses()) expectTerm(std::string(cause.words).c_str());
}

TEST_F(ViewTexts, TablesAreTranslatedWhereTheyAreShown) {
  for (const TopologyMetric& metric : kTopologyMetrics)
    for (const char* text : {metric.title, metric.rank_of_stage, metric.rank_of_all, metric.stage_of_all, metric.missing})
      if (*text != '\0') expectTranslated(text, TopologyText::tr(text));
  for (const GridMetric& metric : kGridMetrics) expectTranslated(metric.title, DeviceText::tr(metric.title));
  for (const auto& [group, name] : kCellGroups) expectTranslated(name, DeviceText::tr(name));
}

TEST_F(ViewTexts, ASentenceOfPartsHasTheOrderOfTheLanguage) {
  WaitPart part{.kind = WaitPart::Kind::kWaited, .t0 = 0, .t1 = 10 * kNsPerMs, .apart = 4 * kNsPerMs, .other = 3};
  part.calls = 2, part.members = 8;
  EXPECT_EQ(waitSentence(part), QStringLiteral("10.0 ms 中有 4.00 ms 在等待 rank 3；至少如此：8 个成员中有 2 个在 store 中")
                                    .replace(QStringLiteral(" ms"), QStringLiteral("\u202Fms")));
  EXPECT_EQ(AreaSummary().sentence(), QStringLiteral("此区域没有 span。"));
  EXPECT_EQ(rangeText(std::nullopt, TimeStyle::kUtc), QStringLiteral("无时间"));
}

}  // namespace
}  // namespace runglass
