// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An assembly never holds more shifts or cards than announced in the first part, nor more than kMaxShifts or kMaxIncidentCards.
#include "collectors/wire/edit_message.h"

#include <algorithm>
#include <limits>

#include "collectors/wire/wrapping.h"

namespace runglass {
namespace {

void fill(v1::EditPart& part, const Note& note) {
  v1::Note& out = *part.mutable_note();
  out.set_note_id(note.id);
  out.set_run_uuid(note.run_uuid);
  if (note.time) out.set_time_ns(*note.time);
  out.set_author(note.author);
  out.set_text(note.text);
}

void fill(v1::EditPart& part, const ClockAlignment& alignment) {
  v1::ClockAlignment& out = *part.mutable_alignment();
  out.set_run_uuid(alignment.run_uuid);
  out.set_attempt(alignment.attempt);
  out.set_source(alignment.source);
  out.set_matches(alignment.matches);
  if (alignment.residual) out.set_residual_ns(*alignment.residual);
  out.set_shift_count(static_cast<std::uint32_t>(alignment.shifts.size()));
}

void fill(v1::EditPart& part, const Snooze& snooze) {
  v1::Snooze& out = *part.mutable_snooze();
  out.set_rule(snooze.rule);
  out.set_cause(snooze.cause);
  if (snooze.until) out.set_until_ns(*snooze.until);
  out.set_author(snooze.author);
}

void fill(v1::EditPart& part, const RankOrderChoice& choice) {
  v1::RankOrderChoice& out = *part.mutable_rank_order();
  out.set_run_uuid(choice.run_uuid);
  out.set_attempt(choice.attempt);
  out.set_order(choice.order);
}

template <class Message>
void fillRange(Message& out, const std::optional<TimeRange>& range) {
  if (!range) return;
  out.set_start_ns(range->t0);
  if (range->t1 != std::numeric_limits<TimeNs>::max()) out.set_end_ns(range->t1);
}
template <class Message>
std::optional<TimeRange> rangeOf(const Message& message) {
  if (!message.has_start_ns()) return std::nullopt;
  return TimeRange{message.start_ns(), message.has_end_ns() ? message.end_ns() : std::numeric_limits<TimeNs>::max()};
}

void fill(v1::EditPart& part, const IncidentEdit& edit) {
  v1::IncidentEdit& out = *part.mutable_incident();
  const Incident& incident = edit.incident;
  out.set_run_uuid(edit.run_uuid);
  if (edit.attempt) out.set_attempt(*edit.attempt);
  out.set_remove(edit.remove);
  out.set_uuid(incident.uuid);
  if (incident.created) out.set_created_ns(*incident.created);
  if (incident.updated) out.set_updated_ns(*incident.updated);
  out.set_title(incident.title);
  out.set_state(static_cast<std::uint32_t>(incident.state));
  out.set_severity(static_cast<std::uint32_t>(incident.severity));
  fillRange(out, incident.range);
  out.set_cause(incident.cause);
  out.set_summary(incident.summary);
  out.set_notes(incident.notes);
  out.set_reason(incident.reason);
  for (const std::int64_t finding : incident.findings) out.add_finding(finding);
  out.set_card_count(static_cast<std::uint32_t>(incident.evidence.size()));
}

void fillCard(v1::IncidentCard& out, const IncidentEvidence& card) {
  out.set_kind(card.kind);
  out.set_title(card.title);
  out.set_caption(card.caption);
  fillRange(out, card.range);
  out.set_select(card.select);
}

template <class Cards>
void addCards(Incident& incident, const Cards& cards) {
  for (const v1::IncidentCard& card : cards)
    incident.evidence.push_back(
        {.kind = card.kind(), .title = card.title(), .caption = card.caption(), .range = rangeOf(card), .select = card.select()});
}

void fill(v1::EditPart& part, const AgentForget& forget) { part.mutable_agent_forget()->set_name(forget.name); }

// A number without an enumerator becomes a value without one, which checkEdit() rejects.
template <class Enum>
Enum enumOf(std::uint32_t number) {
  return static_cast<Enum>(static_cast<std::uint8_t>(std::min(number, std::uint32_t{255})));
}

IncidentEdit incidentOf(const v1::IncidentEdit& message) {
  IncidentEdit edit{.run_uuid = message.run_uuid(),
                    .attempt = message.has_attempt() ? std::optional(message.attempt()) : std::nullopt,
                    .incident = {.uuid = message.uuid(),
                                 .run = {},
                                 .attempt = {},
                                 .title = message.title(),
                                 .state = enumOf<IncidentState>(message.state()),
                                 .severity = enumOf<Severity>(message.severity()),
                                 .range = rangeOf(message),
                                 .created = message.has_created_ns() ? std::optional<TimeNs>(message.created_ns()) : std::nullopt,
                                 .updated = message.has_updated_ns() ? std::optional<TimeNs>(message.updated_ns()) : std::nullopt,
                                 .cause = message.cause(),
                                 .summary = message.summary(),
                                 .notes = message.notes(),
                                 .reason = message.reason(),
                                 .findings = {message.finding().begin(), message.finding().end()},
                                 .evidence = {}},
                    .remove = message.remove()};
  addCards(edit.incident, message.card());
  return edit;
}

}  // namespace

std::vector<v1::EditPart> partsOf(const Edit& edit, const std::string& store_uuid) {
  std::vector<v1::EditPart> parts(1);
  parts[0].set_store_uuid(store_uuid);
  std::visit([&](const auto& one) { fill(parts[0], one); }, edit);
  if (const auto* incident = std::get_if<IncidentEdit>(&edit)) {
    const std::vector<IncidentEvidence>& cards = incident->incident.evidence;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (i % kCardsPerPart == 0) parts.emplace_back();
      fillCard(*parts.back().add_card(), cards[i]);
    }
  }
  const auto* alignment = std::get_if<ClockAlignment>(&edit);
  if (alignment == nullptr) return parts;
  const std::vector<ClockShift>& shifts = alignment->shifts;
  for (std::size_t at = 0; at < shifts.size(); at += kShiftsPerPart) {
    v1::ClockShifts& out = *parts.emplace_back().mutable_shifts();
    TimeNs before = 0;
    for (std::size_t i = at; i < std::min(shifts.size(), at + kShiftsPerPart); ++i) {
      out.add_rank(shifts[i].rank);
      out.add_at_delta_ns(wire::difference(shifts[i].at, before));
      out.add_shift_ns(shifts[i].shift);
      out.add_error_ns(shifts[i].error);
      before = shifts[i].at;
    }
  }
  return parts;
}

Status EditAssembly::add(const v1::EditPart& part) {
  if (m_begun == (part.what_case() != v1::EditPart::WHAT_NOT_SET))
    return {Code::kInvalidArgument, m_begun ? "edit: a call carries one" : "edit: no kind of edit that this program knows"};
  if (!m_begun) {
    m_begun = true;
    m_store_uuid = part.store_uuid();
    if (part.has_note()) {
      const v1::Note& note = part.note();
      m_edit = Note{.id = note.note_id(),
                    .run_uuid = note.run_uuid(),
                    .time = note.has_time_ns() ? std::optional<TimeNs>(note.time_ns()) : std::nullopt,
                    .author = note.author(),
                    .text = note.text()};
    } else if (part.has_snooze()) {
      const v1::Snooze& snooze = part.snooze();
      m_edit = Snooze{.rule = snooze.rule(),
                      .cause = snooze.cause(),
                      .until = snooze.has_until_ns() ? std::optional<TimeNs>(snooze.until_ns()) : std::nullopt,
                      .author = snooze.author()};
    } else if (part.has_rank_order()) {
      const v1::RankOrderChoice& choice = part.rank_order();
      m_edit = RankOrderChoice{.run_uuid = choice.run_uuid(), .attempt = choice.attempt(), .order = choice.order()};
    } else if (part.has_agent_forget()) {
      m_edit = AgentForget{.name = part.agent_forget().name()};
    } else if (part.has_incident()) {
      const v1::IncidentEdit& incident = part.incident();
      m_card_count = incident.has_card_count() ? incident.card_count() : static_cast<std::size_t>(incident.card_size());
      if (m_card_count > kMaxIncidentCards)
        return {Code::kInvalidArgument,
                "incident: " + std::to_string(m_card_count) + " cards, at most " + std::to_string(kMaxIncidentCards) + " are kept"};
      m_edit = incidentOf(incident);
    } else {
      const v1::ClockAlignment& alignment = part.alignment();
      if (alignment.shift_count() > kMaxShifts)
        return {Code::kInvalidArgument,
                "alignment: " + std::to_string(alignment.shift_count()) + " shifts, at most " + std::to_string(kMaxShifts) + " are kept"};
      m_shift_count = alignment.shift_count();
      ClockAlignment begun{.run_uuid = alignment.run_uuid(),
                           .attempt = alignment.attempt(),
                           .source = alignment.source(),
                           .matches = alignment.matches(),
                           .shifts = {}};
      if (alignment.has_residual_ns()) begun.residual = alignment.residual_ns();
      m_edit = std::move(begun);
    }
  }
  if (auto* incident = std::get_if<IncidentEdit>(&m_edit)) {
    addCards(incident->incident, part.card());
    if (incident->incident.evidence.size() > m_card_count)
      return {Code::kInvalidArgument, "incident: more cards than the " + std::to_string(m_card_count) + " announced"};
  }
  const v1::ClockShifts& columns = part.shifts();
  const int count = columns.rank_size();
  if (columns.at_delta_ns_size() != count || columns.shift_ns_size() != count || columns.error_ns_size() != count)
    return {Code::kInvalidArgument, "alignment: columns of different length"};
  if (count == 0) return {};
  auto* alignment = std::get_if<ClockAlignment>(&m_edit);
  if (alignment == nullptr) return {Code::kInvalidArgument, "edit: only an alignment has shifts"};
  if (alignment->shifts.size() + static_cast<std::size_t>(count) > m_shift_count)
    return {Code::kInvalidArgument, "alignment: more shifts than the " + std::to_string(m_shift_count) + " announced"};
  TimeNs at = 0;
  for (int i = 0; i < count; ++i) {
    at = wire::sum(at, columns.at_delta_ns(i));
    alignment->shifts.push_back({.rank = columns.rank(i), .at = at, .shift = columns.shift_ns(i), .error = columns.error_ns(i)});
  }
  return {};
}

Result<Edit> EditAssembly::take() {
  if (!m_begun) return Status(Code::kInvalidArgument, "edit: nothing was sent");
  if (const auto* alignment = std::get_if<ClockAlignment>(&m_edit); alignment != nullptr && alignment->shifts.size() != m_shift_count)
    return Status(Code::kInvalidArgument,
                  "alignment: " + std::to_string(alignment->shifts.size()) + " of " + std::to_string(m_shift_count) + " shifts came");
  if (const auto* incident = std::get_if<IncidentEdit>(&m_edit); incident != nullptr && incident->incident.evidence.size() != m_card_count)
    return Status(Code::kInvalidArgument, "incident: " + std::to_string(incident->incident.evidence.size()) + " of " +
                                              std::to_string(m_card_count) + " cards came");
  return std::move(m_edit);
}

}  // namespace runglass
