// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_data.h"

#include <algorithm>

#include "analysis/run_summary/run_summary.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxEntries = 2'000, kPlotted = 2, kMaxBins = 400;

Result<std::vector<CompareEntry>> entriesOf(Reader& reader) {
  RG_ASSIGN(std::vector<Run> runs, reader.runs());
  std::ranges::stable_sort(runs, [](const Run& a, const Run& b) { return a.start.value_or(INT64_MIN) > b.start.value_or(INT64_MIN); });
  std::vector<CompareEntry> entries;
  for (const Run& run : runs) {
    RG_ASSIGN(const auto attempts, reader.attempts(run.id));
    for (auto attempt = attempts.rbegin(); attempt != attempts.rend() && entries.size() < kMaxEntries; ++attempt)
      entries.push_back({run.id, attempt->number,
                         attempts.size() > 1
                             ? CompareText::tr("%1 / attempt %2").arg(screenText(run.name, 60), QString::number(attempt->number))
                             : screenText(run.name, 60)});
  }
  return entries;
}

// The newest attempt of the selected run against the previous one, or against the previous run.
void chooseSides(const CompareRequest& request, RunId run, CompareData& data) {
  data.a = request.a, data.b = request.b, data.at_step = request.at_step;
  const auto& entries = data.entries;
  const auto newest = std::ranges::find(entries, run, &CompareEntry::run);
  if (newest == entries.end()) return;
  if (!data.b) data.b = *newest;
  if (!data.a && data.at_step) data.a = *data.b;
  if (data.a) return;
  const auto own = std::ranges::find(entries, *data.b);
  if (own != entries.end() && std::next(own) != entries.end())
    data.a = *std::next(own);
  else if (entries.size() > 1)
    data.a = entries.front() == *data.b ? entries.back() : entries.front();
}

SharedBins binsOf(const std::vector<std::int64_t>& step, const std::vector<double>& value) {
  auto bins = std::make_shared<std::vector<Bin>>();
  const std::size_t every = step.size() / kMaxBins + 1;
  for (std::size_t i = 0; i < step.size(); i += every) {
    const std::size_t end = std::min(step.size(), i + every);
    Bin bin{.x0 = step[i],
            .x1 = end < step.size() ? step[end] : step[end - 1] + 1,
            .first = value[i],
            .last = value[end - 1],
            .min = value[i],
            .max = value[i]};
    for (std::size_t k = i; k < end; ++k) {
      bin.min = std::min(bin.min, value[k]), bin.max = std::max(bin.max, value[k]), bin.sum += value[k];
      ++bin.count;
    }
    bins->push_back(bin);
  }
  return bins;
}

void makePlots(CompareData& data) {
  auto plots = std::make_shared<PlotData>();
  plots->axis = XAxis::kStep;
  bool any = false;
  for (const ScalarPair& pair : data.answer->scalars) {
    if (plots->panels.size() >= 2 * kPlotted) break;
    if (pair.step.size() < 2) continue;
    const QString tag = screenText(pair.tag, 60);
    PlotPanel both{.title = tag, .share = 1};
    both.curves.push_back({.name = QStringLiteral("A"), .ink = seriesInk(1), .bins = binsOf(pair.step, pair.a)});
    both.curves.push_back({.name = QStringLiteral("B"), .ink = seriesInk(0), .bins = binsOf(pair.step, pair.b)});
    std::vector<double> delta(pair.a.size());
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = pair.b[i] - pair.a[i];
    PlotPanel difference{.title = QStringLiteral("B − A"), .share = 0.6};
    difference.curves.push_back({.name = {}, .ink = seriesInk(3), .bins = binsOf(pair.step, delta)});
    plots->panels.push_back(std::move(both));
    plots->panels.push_back(std::move(difference));
    data.x0 = any ? std::min(data.x0, pair.step.front()) : pair.step.front();
    data.x1 = any ? std::max(data.x1, pair.step.back() + 1) : pair.step.back() + 1;
    any = true;
  }
  if (any) data.plots = std::move(plots);
}

}  // namespace

Result<CompareData> readCompare(Reader& reader, const CompareRequest& request, std::stop_token stop) {
  CompareData data;
  RG_ASSIGN(data.entries, entriesOf(reader));
  RG_ASSIGN(const Run run, chooseRun(reader, request.run));
  chooseSides(request, run.id, data);
  if (!data.b) {
    data.missing = CompareText::tr("The run has no attempt yet.");
    return data;
  }
  if (!data.a) {
    data.missing = CompareText::tr("This store has one attempt only. Choose a step to compare it before and after, or import another run.");
    return data;
  }
  if (*data.a == *data.b && !data.at_step) {
    data.missing = CompareText::tr("A and B are the same attempt. Choose another one, or a step to compare it before and after.");
    return data;
  }
  CompareQuestion question{.a = {data.a->run, data.a->attempt}, .b = {data.b->run, data.b->attempt}, .at_step = data.at_step};
  if (data.at_step) question.a = question.b;
  RG_ASSIGN(data.answer, readComparison(reader, question, stop));
  makePlots(data);
  return data;
}

}  // namespace runglass
