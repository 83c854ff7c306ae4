// SPDX-License-Identifier: Apache-2.0
// CommitClock: when a commit is due. Internal to storage.
// Invariants:
// 1. Uncommitted data is stored at most 10 s after the last flush, and sooner while that is cheap: early flushes take at most a tenth of
//    the time and rewrite open chunks at 512 KiB/s at most (42 GiB a day). Log lines are written once, however often commits happen: they
//    do not delay a flush.
// 2. A large amount of uncommitted data (64 MiB, or log lines that every search would scan) is stored at once, as is data that a full disk
//    has no room for.
// 3. A catalogue row becomes visible to other processes soon after it changed, by its own commit where no flush is due.
//
// Threading:  the writer's; flushed() and catalogCommitted(): the commit's.
// Units:      TimeNs of the monotonic clock, bytes.
#pragma once

#include <cstdint>
#include <utility>

#include "model/time.h"

namespace runglass {

class CommitClock {
 public:
  enum class Due : std::uint8_t { kNothing, kCatalog, kAll };
  // Uncommitted data.
  struct Waiting {
    bool any = false, catalog = false;
    bool journal_failed = false;  // it accepts no batches until its data is stored
    std::int64_t journal_bytes = 0, chunk_bytes = 0;
    std::size_t log_lines = 0;
  };

  void start(TimeNs now) { m_last_flush = now; }
  // `roomOnDisk()`: absent if unknown. Called only where it decides.
  template <class Room>
  Due due(TimeNs now, const Waiting& waiting, const Room& roomOnDisk) {
    const DurNs waited = now - m_last_flush;
    const bool cheap = waited >= kCatalogInterval && waited >= m_flush_cost * kCostShare && waited >= m_write_debt;
    const bool large = waiting.journal_bytes >= kFlushBytes || waiting.chunk_bytes >= kFlushBytes || waiting.log_lines >= kFlushLogs;
    if (std::exchange(m_catalog_refused, false)) return Due::kAll;
    if (waiting.journal_failed && waited >= kShortOfRoomInterval) return Due::kAll;
    if ((waiting.any || waiting.catalog) && (cheap || large || waited >= kFlushInterval)) return Due::kAll;
    // The disk is filling up: commit early, because journaled data needs its space twice.
    if (waiting.any && waited >= kShortOfRoomInterval) {
      if (const auto room = roomOnDisk(); room && *room < 2 * waiting.journal_bytes) return Due::kAll;
    }
    const DurNs since_catalog = now - m_last_catalog_commit;
    if (waiting.catalog && since_catalog >= kCatalogInterval && since_catalog >= m_catalog_cost * kCostShare) return Due::kCatalog;
    return Due::kNothing;
  }
  // A flush that took from `start` until `end`, of which `log_cost` for log lines. `rewritten`: bytes without log lines.
  void flushed(TimeNs start, TimeNs end, DurNs log_cost, std::int64_t rewritten) {
    m_last_flush = m_last_catalog_commit = end;
    m_flush_cost = end - start - log_cost;
    m_write_debt = rewritten * kNsPerSecond / kRewriteRate;
  }
  void catalogCommitted(TimeNs start, TimeNs end) {
    m_last_catalog_commit = end;
    m_catalog_cost = end - start;
  }
  // The catalogue alone cannot be committed: a commit of everything is due, which leaves out the refused rows.
  void catalogRefused() { m_catalog_refused = true; }

 private:
  static constexpr DurNs kFlushInterval = 10 * kNsPerSecond;
  static constexpr DurNs kShortOfRoomInterval = 500 * kNsPerMs;
  static constexpr DurNs kCatalogInterval = 50 * kNsPerMs;
  static constexpr std::int64_t kFlushBytes = std::int64_t{64} << 20;
  static constexpr std::size_t kFlushLogs = 32'768;
  static constexpr std::int64_t kRewriteRate = std::int64_t{512} << 10;  // bytes per second
  static constexpr DurNs kCostShare = 10;

  TimeNs m_last_flush = 0, m_last_catalog_commit = 0;
  DurNs m_flush_cost = 0, m_catalog_cost = 0;
  DurNs m_write_debt = 0;  // minimum wait so that rewriting open chunks stays below kRewriteRate
  bool m_catalog_refused = false;
};

}  // namespace runglass
