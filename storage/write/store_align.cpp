// SPDX-License-Identifier: Apache-2.0
// EditRows: clock alignments of an attempt's ranks.
// Invariant: an attempt has at most one alignment, and made_ns grows with every one stored, so that Readers detect the change.
#include <algorithm>

#include "storage/write/edit_rows.h"

namespace runglass {
namespace {

std::string nameOf(const ClockAlignment& a) { return "attempt " + std::to_string(a.attempt) + " of run " + a.run_uuid; }

Status checkShifts(const ClockAlignment& alignment, std::vector<ClockShift>& sorted) {
  const auto refused = [&](const std::string& why) {
    return Status(Code::kInvalidArgument, "cannot align clocks: " + nameOf(alignment) + ": " + why);
  };
  sorted = alignment.shifts;
  const auto key = [](const ClockShift& s) { return std::pair(s.rank, s.at); };
  std::ranges::sort(sorted, {}, key);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].error < 0) return refused("rank " + std::to_string(sorted[i].rank) + " has an error below zero");
    if (i > 0 && key(sorted[i - 1]) == key(sorted[i]))
      return refused("rank " + std::to_string(sorted[i].rank) + " has two shifts at " + std::to_string(sorted[i].at));
  }
  return {};
}

}  // namespace

Status EditRows::save(const ClockAlignment& alignment) {
  std::vector<ClockShift> shifts;
  RG_TRY(checkShifts(alignment, shifts));
  RG_ASSIGN(auto find,
            m_db.prepare("SELECT a.attempt_id FROM rg_attempt a JOIN rg_run r USING(run_id) WHERE r.uuid = ?1 AND a.number = ?2"));
  find.bind(1, std::string_view(alignment.run_uuid));
  find.bind(2, alignment.attempt);
  RG_ASSIGN(const bool found, find.step());
  if (!found) return {Code::kNotFound, "cannot align clocks: " + nameOf(alignment) + ": the store " + m_path + " has no such attempt"};
  const std::int64_t attempt = find.int64(0);
  find.reset();
  RG_ASSIGN(const auto newest, m_db.queryInt64("SELECT max(made_ns) FROM rg_clock_align"));
  const std::string of_attempt = " WHERE attempt_id = " + std::to_string(attempt);
  RG_TRY(m_db.exec("DELETE FROM rg_clock_align" + of_attempt + "; DELETE FROM rg_clock_shift" + of_attempt));
  if (shifts.empty()) return {};
  RG_ASSIGN(auto head, m_db.prepare("INSERT INTO rg_clock_align(attempt_id, made_ns, source, matches, residual_ns) VALUES(?,?,?,?,?)"));
  head.bind(1, attempt);
  head.bind(2, std::max(wallNow(), newest.value_or(0) + 1));
  head.bind(3, std::string_view(alignment.source));
  head.bind(4, alignment.matches);
  head.bind(5, alignment.residual);
  RG_TRY(head.run());
  RG_ASSIGN(auto row, m_db.prepare("INSERT INTO rg_clock_shift(attempt_id, rank, at_ns, shift_ns, error_ns) VALUES(?,?,?,?,?)", true));
  for (const ClockShift& shift : shifts) {
    row.bind(1, attempt);
    row.bind(2, shift.rank);
    row.bind(3, shift.at);
    row.bind(4, shift.shift);
    row.bind(5, shift.error);
    RG_TRY(row.run());
  }
  return {};
}

}  // namespace runglass
