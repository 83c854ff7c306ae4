// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/train_log/log_consumer.h"

#include <algorithm>
#include <filesystem>

namespace runglass {
namespace {

std::function<std::optional<Rank>(std::int32_t)> rankOf(const RankTable* ranks) {
  if (ranks == nullptr) return {};
  return [ranks](std::int32_t pid) { return ranks->find(pid); };
}

}  // namespace

bool isLogName(std::string_view file_name) {
  return std::ranges::any_of(kLogEndings, [&](std::string_view ending) { return file_name.ends_with(ending); });
}

LogConsumer::LogConsumer(const FollowTarget& target, const std::string& node_name, const RankTable* ranks, const LogWriter& writer)
    : m_path(target.path),
      m_session(train_log::RuleSet::standard(), {.run_name = target.run_name,
                                                 .attempt_key = target.attempt_key,
                                                 .stream = std::filesystem::path(target.path).filename().string(),
                                                 .path = target.path,
                                                 .resume_at = target.resume_at - writer.begin,
                                                 .live = true,
                                                 .node = target.node,
                                                 .node_name = node_name,
                                                 .process = rankOf(ranks),
                                                 .rank = writer.rank,
                                                 .guest = writer.guest,
                                                 .owns_values = writer.owns_values}),
      m_begin(writer.begin) {}

void LogConsumer::feed(std::string_view bytes, std::optional<TimeNs> arrival, Recorder& out) {
  m_session.setArrival(arrival);
  m_session.push(bytes, out);
}

void LogConsumer::flush(Recorder& out) {
  m_session.flush(out);
  tellIssues(out);
}

void LogConsumer::startOver(Recorder&) {
  m_session.startOver();
  m_begin = 0;
}

void LogConsumer::finish(Recorder& out) {
  m_session.finish(out);
  tellIssues(out);
}

void LogConsumer::continueAs(const std::string& run, const std::string& attempt, const LogWriter& writer, Recorder& out) {
  m_session.continueAs(
      {.run_name = run, .attempt_key = attempt, .rank = writer.rank, .guest = writer.guest, .owns_values = writer.owns_values}, out);
}

void LogConsumer::outputEnded(Recorder& out) {
  m_session.outputEnded(out);
  flush(out);
}

// Reports the increase: the store adds counts up.
void LogConsumer::tellIssues(Recorder& out) {
  for (const auto& [code, note] : m_session.issues()) {
    std::int64_t& reported = m_reported[code];
    if (note.count > reported) out.issue({.code = code, .source = m_path, .count = note.count - reported, .detail = note.detail});
    reported = std::max(reported, note.count);
  }
}

}  // namespace runglass
