// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An assembly never holds more shifts than the first part announced, nor more than kMaxShifts.
#include "collectors/control/edit_message.h"

#include <algorithm>

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

// Differences wrap, so that any two times have one.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

std::vector<v1::EditPart> partsOf(const Edit& edit, const std::string& store_uuid) {
  std::vector<v1::EditPart> parts(1);
  parts[0].set_store_uuid(store_uuid);
  std::visit([&](const auto& one) { fill(parts[0], one); }, edit);
  const auto* alignment = std::get_if<ClockAlignment>(&edit);
  if (alignment == nullptr) return parts;
  const std::vector<ClockShift>& shifts = alignment->shifts;
  for (std::size_t at = 0; at < shifts.size(); at += kShiftsPerPart) {
    v1::ClockShifts& out = *parts.emplace_back().mutable_shifts();
    TimeNs before = 0;
    for (std::size_t i = at; i < std::min(shifts.size(), at + kShiftsPerPart); ++i) {
      out.add_rank(shifts[i].rank);
      out.add_at_delta_ns(difference(shifts[i].at, before));
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
    at = sum(at, columns.at_delta_ns(i));
    alignment->shifts.push_back({.rank = columns.rank(i), .at = at, .shift = columns.shift_ns(i), .error = columns.error_ns(i)});
  }
  return {};
}

Result<Edit> EditAssembly::take() {
  if (!m_begun) return Status(Code::kInvalidArgument, "edit: nothing was sent");
  if (const auto* alignment = std::get_if<ClockAlignment>(&m_edit); alignment != nullptr && alignment->shifts.size() != m_shift_count)
    return Status(Code::kInvalidArgument,
                  "alignment: " + std::to_string(alignment->shifts.size()) + " of " + std::to_string(m_shift_count) + " shifts came");
  return std::move(m_edit);
}

}  // namespace runglass
