// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_data.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "analysis/incident/read_proposals.h"
#include "widgets/core/language.h"
#include "widgets/core/run_words.h"
#include "widgets/core/sentence_text.h"

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();

template <class Number>
std::optional<Number> numberIn(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void takePart(const IncidentList& list, Selection& selection, std::string_view key, std::string_view value) {
  if (key == "rank") {
    if (const auto rank = numberIn<std::int32_t>(value)) selection.rank = rank;
  } else if (key == "step") {
    if (const auto step = numberIn<std::int64_t>(value)) selection.step = step;
  } else if (key == "attempt") {
    const auto number = numberIn<std::int32_t>(value);
    for (const auto& [id, own] : list.numbers)
      if (number && own == *number) selection.attempt = id;
  } else if (key == "node") {
    if (const auto node = list.nodes.find(value); node != list.nodes.end()) selection.node = node->second;
  }
}

}  // namespace

const Incident* IncidentList::find(std::string_view uuid) const {
  const auto found = std::ranges::find(incidents, uuid, &Incident::uuid);
  return found == incidents.end() ? nullptr : &*found;
}

const IncidentProposal* IncidentList::proposal(std::string_view key) const {
  const auto found = std::ranges::find(proposals.all, key, &IncidentProposal::key);
  return found == proposals.all.end() ? nullptr : &*found;
}

QString IncidentList::titleOf(const Incident& incident, int max_chars) const {
  const auto found = proposals.titles.find(incident.uuid);
  return found != proposals.titles.end() ? sentenceText(found->second, max_chars) : screenText(incident.title, max_chars);
}

std::optional<std::int32_t> IncidentList::numberOf(AttemptId attempt) const {
  const auto found = numbers.find(attempt);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

void sortIncidents(std::vector<Incident>& incidents) {
  const auto begin = [](const Incident& one) { return one.range ? one.range->t0 : one.created.value_or(kLowest); };
  std::ranges::stable_sort(incidents, [&](const Incident& a, const Incident& b) {
    if (a.state != b.state) return a.state < b.state;
    if (a.severity != b.severity) return a.severity > b.severity;
    return begin(a) > begin(b);
  });
}

Result<IncidentList> readIncidentList(Reader& reader, RunId wanted, std::stop_token stop) {
  IncidentList list;
  RG_ASSIGN(list.run, chooseRun(reader, wanted));
  list.live = list.run.state == RunState::kRunning;
  RG_ASSIGN(list.incidents, reader.incidents(list.run.id));
  RG_ASSIGN(list.findings, reader.findings(list.run.id));
  RG_ASSIGN(const auto attempts, reader.attempts(list.run.id));
  for (const Attempt& attempt : attempts) list.numbers[attempt.id] = attempt.number;
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Node& node : nodes) list.nodes[node.name] = node.id;
  RG_ASSIGN(list.proposals, readProposals(reader, list.run, list.findings, list.incidents, std::move(stop)));
  sortIncidents(list.incidents);
  return list;
}

Result<IncidentPage> readIncidentPage(Reader& reader, const PageQuestion& question, std::stop_token stop) {
  IncidentPage page;
  const IncidentList& list = *question.list;
  RG_ASSIGN(page.answer, readIncidentAnswer(reader,
                                            {.run = list.run,
                                             .incident = question.incident,
                                             .findings = list.findings,
                                             .price = question.price,
                                             .with_ranking = question.with_ranking},
                                            std::move(stop)));
  page.ranked = question.with_ranking;
  std::vector<const Finding*> members;
  for (const Finding& one : page.answer.findings) members.push_back(&one);
  page.likely = likelyCause(members);
  RG_ASSIGN(page.size, readSliceEstimate(reader, list.run, page.answer.incident, kShareMargin));
  return page;
}

Selection selectionOfText(const IncidentList& list, Selection base, std::string_view select) {
  base.run = list.run.id;
  while (!select.empty()) {
    const std::string_view part = select.substr(0, select.find(','));
    select.remove_prefix(std::min(select.size(), part.size() + 1));
    if (const std::size_t equals = part.find('='); equals != std::string_view::npos)
      takePart(list, base, part.substr(0, equals), part.substr(equals + 1));
  }
  return base;
}

Selection selectionOf(const Incident& incident) {
  Selection selection;
  selection.run = incident.run;
  selection.attempt = incident.attempt;
  selection.incident = incident.uuid;
  return selection;
}

std::optional<TimeRange> windowOf(const Incident& incident) {
  if (!incident.range || incident.range->t1 == kHighest || incident.range->t0 < kLowest + kShareMargin ||
      incident.range->t1 > kHighest - kShareMargin)
    return std::nullopt;
  return TimeRange{incident.range->t0 - kShareMargin, incident.range->t1 + kShareMargin};
}

}  // namespace runglass
