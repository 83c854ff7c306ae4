// SPDX-License-Identifier: Apache-2.0
#include "model/edits.h"

#include <limits>
#include <string_view>

#include "model/incident_causes.h"
#include "model/rank_order.h"

namespace runglass {
namespace {

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool isUtf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    const std::size_t more = lead < 0x80                   ? 0
                             : lead >= 0xc2 && lead < 0xe0 ? 1
                             : (lead & 0xf0U) == 0xe0      ? 2
                             : lead >= 0xf0 && lead < 0xf5 ? 3
                                                           : 4;
    if (more == 4) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((byte(i + k) & 0xc0U) != 0x80) return false;
    const unsigned second = byte(i + 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f))
      return false;
    i += more + 1;
  }
  return true;
}

Status checkText(const char* what, std::string_view text, std::size_t limit) {
  if (text.size() > limit)
    return {Code::kInvalidArgument,
            std::string(what) + ": " + std::to_string(text.size()) + " bytes, at most " + std::to_string(limit) + " are kept"};
  if (!isUtf8(text)) return {Code::kInvalidArgument, std::string(what) + ": not UTF-8"};
  if (text.find('\0') != std::string_view::npos) return {Code::kInvalidArgument, std::string(what) + ": holds a zero byte"};
  return {};
}

Status checkOne(const Note& note) {
  RG_TRY(checkText("note: text", note.text, kMaxEditText));
  RG_TRY(checkText("note: author", note.author, kMaxEditName));
  if (note.id < 0) return {Code::kInvalidArgument, "note: " + std::to_string(note.id) + ": ids begin at 1"};
  if (note.id == 0 && note.text.empty()) return {Code::kInvalidArgument, "note: has no text"};
  return {};
}

Status checkOne(const ClockAlignment& alignment) {
  RG_TRY(checkText("alignment: source", alignment.source, kMaxEditName));
  if (alignment.shifts.size() > kMaxShifts)
    return {Code::kInvalidArgument,
            "alignment: " + std::to_string(alignment.shifts.size()) + " shifts, at most " + std::to_string(kMaxShifts) + " are kept"};
  if (alignment.source.empty() && !alignment.shifts.empty()) return {Code::kInvalidArgument, "alignment: the source is missing"};
  return {};
}

Status checkOne(const Snooze& snooze) {
  RG_TRY(checkText("snooze: rule", snooze.rule, kMaxEditName));
  RG_TRY(checkText("snooze: cause", snooze.cause, kMaxAlertCause));
  RG_TRY(checkText("snooze: author", snooze.author, kMaxEditName));
  if (snooze.rule.empty() == snooze.cause.empty()) return {Code::kInvalidArgument, "snooze: needs a rule or a cause"};
  return {};
}

Status checkOne(const RankOrderChoice& choice) {
  RG_TRY(checkText("order of ranks", choice.order, kMaxEditName));
  return choice.order.empty() ? Status() : parseRankOrder(choice.order).status();
}

Status checkOne(const AgentForget& forget) {
  if (forget.name.empty()) return {Code::kInvalidArgument, "agent: wants an agent's uuid or a node"};
  return checkText("agent: name", forget.name, kMaxEditName);
}

Status checkRange(const char* what, const std::optional<TimeRange>& range) {
  if (!range) return {};
  if (range->t0 >= range->t1) return {Code::kInvalidArgument, std::string(what) + ": its range is empty"};
  if (range->t0 == std::numeric_limits<TimeNs>::min()) return {Code::kInvalidArgument, std::string(what) + ": its range has no beginning"};
  return {};
}

Status checkCard(const IncidentEvidence& card) {
  RG_TRY(checkText("incident: kind of a card", card.kind, kMaxEditName));
  RG_TRY(checkText("incident: title of a card", card.title, kMaxIncidentTitle));
  RG_TRY(checkText("incident: caption of a card", card.caption, kMaxIncidentSentence));
  RG_TRY(checkText("incident: selection of a card", card.select, kMaxIncidentSentence));
  if (card.kind.empty()) return {Code::kInvalidArgument, "incident: a card has no kind"};
  return checkRange("incident: card", card.range);
}

Status checkOne(const IncidentEdit& edit) {
  RG_TRY(checkIncident(edit.incident));
  if (!edit.incident.cause.empty() && findIncidentCause(edit.incident.cause) == nullptr)
    return {Code::kInvalidArgument, "incident: cause " + edit.incident.cause + ": not in the taxonomy"};
  return {};
}

Status checkRun(const std::string& run_uuid) {
  if (run_uuid.empty()) return {Code::kInvalidArgument, "edit: names no run"};
  return checkText("edit: run", run_uuid, kMaxEditName);
}
Status checkRunOf(const Note& note) { return checkRun(note.run_uuid); }
Status checkRunOf(const ClockAlignment& alignment) { return checkRun(alignment.run_uuid); }
Status checkRunOf(const RankOrderChoice& choice) { return checkRun(choice.run_uuid); }
Status checkRunOf(const IncidentEdit& edit) { return checkRun(edit.run_uuid); }
Status checkRunOf(const Snooze&) { return {}; }  // concerns the whole store
Status checkRunOf(const AgentForget&) { return {}; }

}  // namespace

Status checkIncident(const Incident& incident) {
  RG_TRY(checkText("incident: uuid", incident.uuid, kMaxEditName));
  RG_TRY(checkText("incident: title", incident.title, kMaxIncidentTitle));
  RG_TRY(checkText("incident: cause", incident.cause, kMaxEditName));
  RG_TRY(checkText("incident: summary", incident.summary, kMaxIncidentSentence));
  RG_TRY(checkText("incident: notes", incident.notes, kMaxEditText));
  RG_TRY(checkText("incident: reason", incident.reason, kMaxIncidentSentence));
  if (incident.uuid.empty()) return {Code::kInvalidArgument, "incident: has no uuid"};
  if (incident.title.empty()) return {Code::kInvalidArgument, "incident: has no title"};
  if (incident.state > IncidentState::kDismissed || incident.severity > Severity::kCritical)
    return {Code::kInvalidArgument, "incident: no such state or severity"};
  if (incident.state == IncidentState::kDismissed && incident.reason.empty())
    return {Code::kInvalidArgument, "incident: dismissed without a reason"};
  if (incident.findings.size() > kMaxIncidentFindings)
    return {Code::kInvalidArgument, "incident: " + std::to_string(incident.findings.size()) + " findings, at most " +
                                        std::to_string(kMaxIncidentFindings) + " are kept"};
  if (incident.evidence.size() > kMaxIncidentCards)
    return {Code::kInvalidArgument,
            "incident: " + std::to_string(incident.evidence.size()) + " cards, at most " + std::to_string(kMaxIncidentCards) + " are kept"};
  RG_TRY(checkRange("incident", incident.range));
  for (const IncidentEvidence& card : incident.evidence) RG_TRY(checkCard(card));
  return {};
}

Status checkEdit(const Edit& edit) {
  RG_TRY(std::visit([](const auto& one) { return checkRunOf(one); }, edit));
  return std::visit([](const auto& one) { return checkOne(one); }, edit);
}

}  // namespace runglass
