// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: in a hang, states are the finding's; only ranks that it does not name are classified by their own progress.
#include <QStringList>
#include <algorithm>
#include <unordered_map>

#include "analysis/hangs/stack_frames.h"
#include "model/time_text.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

constexpr std::size_t kLogsRead = 2'000;

// Active, or ended with the attempt: the final state of a stored run.
const Finding* openHang(const std::vector<Finding>& findings, const Attempt& attempt) {
  const Finding* best = nullptr;
  for (const Finding& one : findings) {
    if (one.kind != "hang" || one.attempt != attempt.id) continue;
    if (one.end && (!attempt.end || *one.end < *attempt.end)) continue;
    if (best == nullptr || one.start.value_or(0) >= best->start.value_or(0)) best = &one;
  }
  return best;
}

TopologyRank* rankOf(TopologyData& data, std::int32_t number) {
  const auto at = std::ranges::lower_bound(data.ranks, number, {}, [](const TopologyRank& rank) { return rank.place.rank; });
  return at != data.ranks.end() && at->place.rank == number ? &*at : nullptr;
}

QString behindText(const HangMember& member, const HangGroup& group) {
  if (member.seq && group.seq && member.group == group.id && *group.seq > *member.seq)
    return QStringLiteral("−%1").arg(*group.seq - *member.seq);
  if (member.standing == HangStanding::kSilent) return TopologyText::tr("silent");
  return member.op.empty() ? QString() : TopologyText::tr("in %1").arg(screenText(member.op, 60));
}

void setStates(TopologyData& data) {
  const HangEvidence& e = *data.hang_found;
  std::unordered_map<std::int64_t, std::int32_t> depth;
  for (const HangGroup& group : e.groups) depth[group.id] = group.depth;
  for (TopologyRank& rank : data.ranks) {
    // A step alone (in the past, from step times) does not show whether a rank waits.
    if (!rank.progress || (!rank.progress->seq && rank.progress->op.empty())) continue;
    rank.wait = rank.progress->seq ? WaitState::kWaiting : WaitState::kComputing;
    const auto at = depth.find(rank.progress->group.value_or(0));
    rank.at_root = rank.wait == WaitState::kWaiting && at != depth.end() && at->second == 0;
  }
  for (const HangMember& member : e.culprits)
    if (TopologyRank* rank = rankOf(data, member.rank))
      rank->wait = member.standing == HangStanding::kSilent ? WaitState::kSilent : WaitState::kNotSeen;
  for (const HangGroup& group : e.groups)
    for (const HangMember& member : group.missing) {
      if (member.standing == HangStanding::kWaiting) continue;
      TopologyRank* rank = rankOf(data, member.rank);
      if (rank != nullptr && rank->behind.isEmpty()) rank->behind = behindText(member, group);
    }
}

// "rank 21 (sim-0002)", "sim-0077 (8 ranks)", "ranks 3, 9–12".
QString culpritText(const HangEvidence& e) {
  const std::string& node = e.culprits.front().node;
  const bool one_node = std::ranges::all_of(e.culprits, [&](const HangMember& member) { return member.node == node; });
  const bool all = e.culprit_count == static_cast<std::int64_t>(e.culprits.size());
  if (e.culprit_count == 1)
    return node.empty() ? TopologyText::tr("rank %1").arg(e.culprits.front().rank)
                        : TopologyText::tr("rank %1 (%2)").arg(QString::number(e.culprits.front().rank), screenText(node, 60));
  if (one_node && all && !node.empty()) return TopologyText::tr("%1 (%2 ranks)").arg(screenText(node, 60), formatCount(e.culprit_count));
  std::vector<std::int32_t> ranks;
  for (const HangMember& member : e.culprits) ranks.push_back(member.rank);
  return all ? TopologyText::tr("ranks %1").arg(rankRanges(std::move(ranks), 6))
             : TopologyText::tr("%1 ranks").arg(formatCount(e.culprit_count));
}

// For culprits shown by captures: "rank 21 (sim-0002) does not run: T (stopped)", "suspect: rank 3, stack in read_shard (data.py:88)".
QString capturedText(const HangEvidence& e) {
  if (e.culprits.empty() || e.culprits.front().standing < HangStanding::kStopped) return {};
  const HangMember& first = e.culprits.front();
  if (first.standing == HangStanding::kStopped)
    return (e.culprit_count == 1 ? TopologyText::tr("%1 does not run: %2") : TopologyText::tr("%1 do not run: %2"))
        .arg(culpritText(e), screenText(first.process_state, 40));
  return first.frame.empty() ? TopologyText::tr("suspect: %1").arg(culpritText(e))
                             : TopologyText::tr("suspect: %1, stack in %2").arg(culpritText(e), screenText(first.frame, 120));
}

// The collective that no other one blocks, and its missing ranks.
QString rootText(const HangEvidence& e) {
  const HangGroup& root = e.groups.front();
  QString where = root.op.empty() ? TopologyText::tr("a collective") : screenText(root.op, 60);
  if (root.seq) where += QStringLiteral(" #%1").arg(*root.seq);
  const std::string& name = root.name.empty() ? root.kind : root.name;
  if (!name.empty()) where = TopologyText::tr("%1 of %2").arg(where, screenText(name, 60));
  const QString who = e.culprits.empty() ? QString() : culpritText(e);
  const bool one = e.culprit_count == 1 || e.culprits.size() < 2 || who.endsWith(QChar(')'));
  switch (root.reason) {
    case HangReason::kStuck:
      return TopologyText::tr("root: %1, where all have entered and none leaves").arg(where);
    case HangReason::kMismatched:
      return TopologyText::tr("root: %1, which others call %2").arg(where, screenText(root.other_op, 60));
    case HangReason::kDeadlock:
      return TopologyText::tr("root: %1, in a circle of communicators that wait for each other").arg(where);
    case HangReason::kNotLeft:
      if (who.isEmpty()) return TopologyText::tr("root: %1, which other members have completed and others have not").arg(where);
      return (one ? TopologyText::tr("root: %1, which other members have completed and %2 has not")
                  : TopologyText::tr("root: %1, which other members have completed and %2 have not"))
          .arg(where, who);
    case HangReason::kMissing:
      break;
  }
  if (who.isEmpty() || e.culprits.front().standing >= HangStanding::kStopped) return TopologyText::tr("root: %1").arg(where);
  return (one ? TopologyText::tr("root: %1, where %2 has not entered") : TopologyText::tr("root: %1, where %2 have not entered"))
      .arg(where, who);
}

QString countdown(DurNs left) { return QString::fromStdString(countdownText(left)); }

QString watchdogText(const TopologyData& data) {
  const HangEvidence& e = *data.hang_found;
  if (e.timeouts > 0) return TopologyText::tr("the watchdog has aborted");
  if (!e.watchdog_at) return {};
  if (!data.live || data.attempt.end)
    return e.as_of && *e.as_of < *e.watchdog_at ? TopologyText::tr("the watchdog had %1 left").arg(countdown(*e.watchdog_at - *e.as_of))
                                                : QString();
  const DurNs left = *e.watchdog_at - data.now;
  return left > 0 ? TopologyText::tr("watchdog aborts in %1").arg(countdown(left)) : TopologyText::tr("the watchdog is overdue");
}

// From the newest stacks with a frame that were captured since the run stalled. faulthandler writes the relevant thread last.
Status readStacks(Reader& reader, TimeNs since, TimeNs now, TopologyData& data) {
  const std::string sql = "SELECT rank, substr(text, max(1, instr(text, 'Current thread')), 65536) FROM capture WHERE run_id = " +
                          std::to_string(data.run.id.value) + " AND attempt = " + std::to_string(data.attempt.number) +
                          " AND kind = 'stack' AND time_ns >= " + std::to_string(since) + " AND time_ns <= " + std::to_string(now) +
                          " ORDER BY time_ns";
  return reader.query(sql, {.columns = nullptr, .row = [&](const std::vector<SqlValue>& row) {
                              const auto* number = std::get_if<std::int64_t>(&row[0]);
                              const auto* text = std::get_if<std::string>(&row[1]);
                              TopologyRank* rank = number == nullptr ? nullptr : rankOf(data, static_cast<std::int32_t>(*number));
                              if (rank == nullptr || text == nullptr) return true;
                              if (const std::string top = stackTop(*text); !top.empty()) rank->stack_top = screenText(top, 120);
                              return true;
                            }});
}

}  // namespace

Status readHangFinding(Reader& reader, TimeNs now, TopologyData& data) {
  RG_ASSIGN(const auto findings, reader.findings(data.run.id));
  const Finding* finding = openHang(findings, data.attempt);
  if (finding == nullptr) return {};
  auto evidence = parseHangEvidence(finding->evidence);
  // A finding created by another program: its ranks are classified by their progress alone.
  if (!evidence.ok() || (evidence->groups.empty() && evidence->culprits.empty() && evidence->blocked == 0)) return {};
  data.hang_found = std::move(*evidence);
  data.hang_severity = finding->severity;
  // The finding has its newest text; at an earlier moment it shows only the time that had passed by then.
  HangEvidence& e = *data.hang_found;
  if (e.as_of) e.as_of = std::min(*e.as_of, now);
  if (e.watchdog_at && *e.watchdog_at > now) e.timeouts = 0;
  setStates(data);
  EventFilter filter;
  filter.run = data.run.id;
  filter.limit = kLogsRead;
  RG_ASSIGN(const auto lines, reader.logs(filter));
  for (const LogLine& line : lines)
    if (line.rank && line.attempt == data.attempt.id)
      if (TopologyRank* rank = rankOf(data, *line.rank); rank != nullptr && rank->last_log.isEmpty())
        rank->last_log = screenText(line.text, 200);
  return readStacks(reader, data.hang_found->since.value_or(data.attempt.start.value_or(0)), now, data);
}

QString hangHeadline(const TopologyData& data) {
  const HangEvidence& e = *data.hang_found;
  QStringList parts{TopologyText::tr("%1 of %2 ranks blocked").arg(formatCount(e.blocked), formatCount(e.world)), capturedText(e)};
  if (!e.groups.empty()) parts << rootText(e);
  parts << watchdogText(data);
  parts.removeAll(QString());
  return parts.join(TopologyText::tr("; ", "between clauses"));
}

QString hangCaption(const TopologyData& data) {
  const HangEvidence& e = *data.hang_found;
  QStringList parts;
  if (e.since && e.as_of)
    parts << TopologyText::tr("nothing moved for %1, as of %2")
                 .arg(countdown(*e.as_of - *e.since), formatTimeOfDay(*e.as_of, TimeStyle::kUtc));
  if (e.watchdog) parts << TopologyText::tr("watchdog %1 (%2)").arg(countdown(*e.watchdog), screenText(e.watchdog_source, 60));
  parts << TopologyText::tr("%1 communicators blocked").arg(formatCount(e.group_count));
  return parts.join(QStringLiteral("  ·  "));
}

QString waitText(const TopologyRank& rank) {
  switch (rank.wait) {
    case WaitState::kWaiting:
      return rank.at_root ? TopologyText::tr("waits, at the root") : TopologyText::tr("waits");
    case WaitState::kNotSeen:
      return TopologyText::tr("has not entered where the others wait");
    case WaitState::kSilent:
      return TopologyText::tr("silent, others wait for it");
    case WaitState::kComputing:
      return TopologyText::tr("computes");
    case WaitState::kNone:
      break;
  }
  return TopologyText::tr("no data");
}

}  // namespace runglass
