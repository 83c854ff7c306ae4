// SPDX-License-Identifier: Apache-2.0
// StoreWriter: retention around the connection, and refusal of data while the store exceeds its cap.
// Invariants:
// 1. Nothing is refused until retention finds nothing more to delete, or the file is 7 % over the usable part of its cap.
// 2. Events, progress, issues, catalogue rows, scalars without a rank, and log lines of severity warning and above are never refused here:
//    above kAll capRefuses() is kAll, and a hub then takes no data.
// 3. Refused data is counted in the next flush: an issue store.over_cap for each kind of data.
#include <algorithm>

#include "storage/write/store_writer.h"

namespace runglass {
namespace {

// As factors of the usable part; kAtOnce: before retention has found nothing more to delete.
constexpr double kEnough = 0.98, kScalarsToo = 1.03, kAll = 1.05, kAtOnce = 1.07;
constexpr std::int64_t kPageBytes = 4096;
constexpr std::array<const char*, SizeCap::kKinds> kKindNames = {"samples", "scalars of ranks", "spans", "captures",
                                                                 "log lines below warning"};

}  // namespace

void SizeCap::set(std::int64_t bytes, std::int64_t open_chunks) {
  cap = bytes;
  room = cap - std::clamp(open_chunks * kPageBytes - cap / 10, std::int64_t{0}, cap / 2);
}

std::string SizeCap::ofCap() const {
  const auto mib = [](std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  return "of its cap of " + mib(cap) + (room < cap ? ", of which " + mib(cap - room) + " are kept free for the next commit" : "");
}

void SizeCap::judge(bool nothing_to_delete) {
  const auto may_use = static_cast<double>(room), size = static_cast<double>(used);
  if (cap <= 0 || size < kEnough * may_use) {
    refusing = CapRefuses::kNothing;
  } else if (size > kAll * may_use && exhausted) {
    refusing = CapRefuses::kAll;
  } else if (size > kAtOnce * may_use || (size > kScalarsToo * may_use && (nothing_to_delete || refusing == CapRefuses::kAll))) {
    refusing = std::max(refusing, CapRefuses::kScalarsToo);
  } else if (refusing == CapRefuses::kAll) {
    refusing = CapRefuses::kScalarsToo;
  } else if (nothing_to_delete && refusing == CapRefuses::kNothing) {
    refusing = CapRefuses::kSamples;
  }
}

std::optional<SizeCap::Kind> StoreWriter::refusedKind(SeriesId id) {
  if (!m_cap.refusesSamples() || !m_catalog.knowsSeries(id)) return std::nullopt;
  if (!m_catalog.isScalar(id)) return SizeCap::kSamples;
  return m_cap.refusesScalars() && m_catalog.isOfRank(id) ? std::optional(SizeCap::kScalars) : std::nullopt;
}

void StoreWriter::reportRefused() {
  if (const Status failed = m_catalog.takeFailure(); !failed.ok())
    issue({.code = "store.catalogue_unread", .source = "store", .first = wallNow(), .last = wallNow(), .detail = failed.message()});
  for (std::size_t kind = 0; kind < SizeCap::kKinds; ++kind) {
    const std::int64_t count = std::exchange(m_cap.refused[kind], 0);
    if (count == 0) continue;
    issue({.code = "store.over_cap",
           .source = kKindNames[kind],
           .count = count,
           .first = wallNow(),
           .last = wallNow(),
           .detail = "the store needs " + std::to_string(m_cap.used >> 20) + " MiB " + m_cap.ofCap() +
                     ", and nothing more may be deleted; these were refused"});
  }
}

RetentionScope StoreWriter::retentionScope() {
  return {.attempt_in_use = [this](AttemptId attempt) { return m_catalog.holds(attempt); },
          .series_in_use = [this](SeriesId id) { return m_tail->find(id) != nullptr; },
          .next_chunk = m_chunks.nextChunk()};
}

void StoreWriter::reportRetention(const RetentionOutcome& outcome, const Retention& policy, TimeNs now) {
  m_catalog.forget(outcome.deleted_series);
  const auto report = [&](const char* code, std::int64_t count, std::string detail) {
    if (count > 0) issue({.code = code, .source = "store", .count = count, .first = now, .last = now, .detail = std::move(detail)});
  };
  report("store.logs_forgotten", outcome.logs_beyond_cap,
         "more than " + std::to_string(policy.max_log_lines) + " log lines; the oldest were deleted");
  for (const auto& [table, unread] : outcome.unread) {
    std::string objects;
    for (const std::string& object : unread.objects) objects += (objects.empty() ? "" : ", ") + object;
    if (const auto more = unread.count - static_cast<std::int64_t>(unread.objects.size()); more > 0)
      objects += " and " + std::to_string(more) + " others";
    issue({.code = "store.retention_skipped",
           .source = table,
           .count = std::max<std::int64_t>(1, unread.count),
           .first = now,
           .last = now,
           .detail = table + (objects.empty() ? "" : " (" + objects + ')') + ": " + unread.why +
                     "; retention skipped unreadable rows; `runglassctl repair` makes a store without it"});
  }
  report("store.thinned", outcome.thinned_points, "scalars of ranks: every 16th step and outliers stay");
  m_cap.used = outcome.used_bytes;
  m_cap.exhausted = outcome.over_cap;
  m_cap.judge(outcome.over_cap);
  if (outcome.over_cap)
    report("store.over_cap", 1,
           "the store needs " + std::to_string(outcome.used_bytes >> 20) + " MiB " + m_cap.ofCap() + ", and nothing more may be deleted");
}

}  // namespace runglass
