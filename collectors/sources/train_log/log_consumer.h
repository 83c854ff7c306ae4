// SPDX-License-Identifier: Apache-2.0
// LogConsumer: a tailed training log as the follow sources feed it to the rules of importers/train_log.
//
// Threading:  the thread of its source.
// Ownership:  borrows the RankTable.
// Units:      see follow_source.h.
// Errors:     odd lines are train_log.* issues.
// Cost:       see LogSession.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/sources/follow/follow_source.h"
#include "collectors/sources/rank_table.h"

namespace runglass {

inline constexpr std::array<std::string_view, 4> kLogEndings = {".log", ".out", ".err", ".txt"};
bool isLogName(std::string_view file_name);

// Properties of the processes that write a log, besides run and attempt; see train_log::SessionOptions.
struct LogWriter {
  std::optional<std::int32_t> rank = {};
  bool guest = false;
  std::function<bool()> owns_values = {};
  std::uint64_t begin = 0;  // of the first byte that is fed
};

class LogConsumer : public FileConsumer {
 public:
  LogConsumer(const FollowTarget& target, const std::string& node_name, const RankTable* ranks, const LogWriter& writer);

  void feed(std::string_view bytes, std::optional<TimeNs> arrival, Recorder& out) override;
  void flush(Recorder& out) override;
  void startOver(Recorder& out) override;
  void finish(Recorder& out) override;
  std::uint64_t committedOffset() const override { return m_begin + m_session.committedOffset(); }

  void continueAs(const std::string& run, const std::string& attempt, const LogWriter& writer, Recorder& out);
  // Every process that wrote it has ended.
  void outputEnded(Recorder& out);

 private:
  void tellIssues(Recorder& out);

  std::string m_path;
  train_log::LogSession m_session;
  std::uint64_t m_begin;
  std::map<std::string, std::int64_t> m_reported;
};

}  // namespace runglass
