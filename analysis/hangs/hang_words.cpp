// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/hang_words.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace runglass {
namespace {

using words::Arg;
using words::Message;

constexpr std::size_t kMaxDistinct = 3;  // frames and states in a sentence; the evidence has all of them

// Absent instead of "".
Arg named(const std::string& name) { return name.empty() ? Arg() : Arg(name); }

// The node of all of them; "" if they are on several or it is unknown.
std::string commonNode(const std::vector<HangMember>& members) {
  for (const HangMember& member : members)
    if (member.node != members.front().node) return {};
  return members.empty() ? std::string() : members.front().node;
}

words::Ranks ranksOf(const std::vector<HangMember>& members) {
  std::vector<std::int32_t> ranks;
  for (const HangMember& member : members) ranks.push_back(member.rank);
  return words::ranksOf(std::move(ranks));
}

Message operation(const HangGroup& group) {
  Arg name;
  if (!group.name.empty())
    name = group.name;
  else if (!group.kind.empty())
    name = Message{"hang_group_of_kind", {{"kind", group.kind}, {"group", group.id}}};
  else if (group.id != 0)
    name = Message{"hang_group", {{"group", group.id}}};
  const Arg op = group.op.empty() ? Arg(Message{"hang_collective", {}}) : Arg(group.op);
  return Message{"hang_operation", {{"op", op}, {"seq", group.seq}, {"group", std::move(name)}}};
}

Message doing(const HangMember& member) {
  switch (member.standing) {
    case HangStanding::kSilent:
      return Message{"hang_silent", {}};
    case HangStanding::kEnqueued:
      return Message{"hang_enqueued", {}};
    case HangStanding::kBehind:
      return member.seq ? Message{"hang_still_in", {{"op", named(member.op)}, {"seq", member.seq}}} : Message{"hang_behind", {}};
    default:
      if (member.op.empty() && member.completed) return Message{"hang_last_completed", {{"seq", member.completed}}};
      return member.op.empty() ? Message{"hang_in_none", {}} : Message{"hang_in", {{"op", member.op}}};
  }
}

// The state of all of them; absent where they differ.
Arg commonDoing(const std::vector<HangMember>& members) {
  Message first = doing(members.front());
  const std::string text = words::print(first);
  const bool same = std::ranges::all_of(members, [&](const HangMember& member) { return words::print(doing(member)) == text; });
  return same ? Arg(std::move(first)) : Arg();
}

Message notLeft(const std::vector<HangMember>& members, std::int64_t count) {
  return Message{"hang_not_left_ranks", {{"count", count}, {"ranks", ranksOf(members)}, {"node", named(commonNode(members))}}};
}

Arg::List distinct(const std::vector<HangMember>& members, std::string HangMember::*text) {
  Arg::List out;
  std::set<std::string> seen;
  for (const HangMember& member : members)
    if (!(member.*text).empty() && seen.insert(member.*text).second && out.size() < kMaxDistinct) out.push_back(Arg(member.*text));
  return out;
}

// The frames of the culprits' stacks and of most ranks'; absent where no capture has them.
Arg stacks(const HangEvidence& e) {
  const auto frames = distinct(e.culprits, &HangMember::frame);
  if (frames.empty() || e.common_frame.empty()) return {};
  return Message{"hang_stacks", {{"frames", frames}, {"count", e.common_stacks}, {"common", e.common_frame}}};
}

// The standstill itself, as precisely as the records allow.
Message standstill(const HangEvidence& e) {
  if (e.blocked > 0) return Message{"hang_wait", {{"blocked", e.blocked}, {"world", e.world}, {"step", e.step}}};
  const Arg length = e.since && e.as_of ? Arg(words::duration(*e.as_of - *e.since)) : Arg();
  return Message{"hang_no_move", {{"step", e.step}, {"length", length}}};
}

Message unclear(const HangEvidence& e) {
  if (e.unclear == "one_rank") return Message{"hang_unclear_one_rank", {}};
  if (e.unclear == "no_group") return Message{"hang_unclear_no_group", {}};
  if (e.unclear == "no_members") return Message{"hang_unclear_no_members", {}};
  if (e.unclear == "no_rank") return Message{"hang_unclear_no_rank", {}};
  if (e.unclear == "all_timed_out") return Message{"hang_unclear_all_timed_out", {{"count", e.blocked}}};
  if (e.unclear == "few_timed_out") return Message{"hang_unclear_few_timed_out", {{"count", e.blocked}, {"world", e.world}}};
  if (e.unclear == "unknown_world") return Message{"hang_unclear_world", {{"count", e.blocked}}};
  if (e.unclear == "several_collectives") return Message{"hang_unclear_several", {}};
  if (e.unclear == "no_dumps") return Message{"hang_unclear_no_dumps", {{"count", e.reporting}, {"world", e.world}}};
  return Message{"hang_unclear_no_progress", {}};
}

// The sentence for culprits known from captures, not from waits alone.
Message captured(const HangEvidence& e) {
  const HangMember& first = e.culprits.front();
  const Arg node = named(commonNode(e.culprits));
  const Arg root = e.groups.empty() ? Arg() : Arg(operation(e.groups.front()));
  if (first.standing == HangStanding::kStopped)
    return Message{"hang_stopped",
                   {{"standstill", standstill(e)},
                    {"count", e.culprit_count},
                    {"ranks", ranksOf(e.culprits)},
                    {"node", node},
                    {"states", distinct(e.culprits, &HangMember::process_state)},
                    {"operation", root},
                    {"stacks", stacks(e)}}};
  return Message{"hang_outlier",
                 {{"standstill", standstill(e)},
                  {"count", e.culprit_count},
                  {"ranks", ranksOf(e.culprits)},
                  {"node", node},
                  {"stacks", stacks(e)},
                  {"operation", root}}};
}

Message late(const HangEvidence& e) {
  const std::string node = commonNode(e.culprits);
  const auto listed = static_cast<std::int64_t>(e.culprits.size());
  if (e.culprit_count != 1 && !node.empty() && e.culprit_count == listed)
    return Message{"hang_late_node", {{"node", node}, {"count", listed}, {"doing", commonDoing(e.culprits)}}};
  return Message{"hang_late_ranks",
                 {{"count", e.culprit_count}, {"ranks", ranksOf(e.culprits)}, {"node", named(node)}, {"doing", commonDoing(e.culprits)}}};
}

Message sizeOf(std::int64_t size, const std::string& unit) {
  if (unit == "elements") return Message{"hang_elements", {{"count", size}}};
  return Message{"hang_bytes", {{"count", size}}};
}

// Names the ranks that differ, where most members agree.
Message mismatched(const HangEvidence& e) {
  const HangGroup& root = e.groups.front();
  std::vector<HangMember> odd;
  std::ranges::copy_if(e.culprits, std::back_inserter(odd),
                       [](const HangMember& member) { return member.standing == HangStanding::kMismatched; });
  if (odd.empty())
    return Message{
        "hang_mismatched",
        {{"blocked", e.blocked}, {"world", e.world}, {"step", e.step}, {"operation", operation(root)}, {"other", root.other_op}}};
  if (root.size && root.other_size)
    return Message{"hang_mismatched_sizes",
                   {{"blocked", e.blocked},
                    {"world", e.world},
                    {"step", e.step},
                    {"operation", operation(root)},
                    {"count", odd.size()},
                    {"ranks", ranksOf(odd)},
                    {"node", named(commonNode(odd))},
                    {"size", sizeOf(*root.other_size, root.size_unit)},
                    {"usual", sizeOf(*root.size, root.size_unit)}}};
  return Message{"hang_mismatched_ranks",
                 {{"blocked", e.blocked},
                  {"world", e.world},
                  {"step", e.step},
                  {"operation", operation(root)},
                  {"count", odd.size()},
                  {"ranks", ranksOf(odd)},
                  {"node", named(commonNode(odd))},
                  {"other", root.other_op}}};
}

}  // namespace

Message hangMessage(const HangEvidence& e) {
  if (!e.culprits.empty() && e.culprits.front().standing >= HangStanding::kStopped) return captured(e);
  if (e.groups.empty()) {
    if (e.source == "events" && !e.culprits.empty() && e.culprits.front().standing == HangStanding::kAwaited)
      return Message{"hang_timed_out_awaited",
                     {{"timeouts", e.timeouts},
                      {"step", e.step},
                      {"count", e.culprits.size()},
                      {"ranks", ranksOf(e.culprits)},
                      {"node", named(commonNode(e.culprits))}}};
    if (e.source == "events" && !e.culprits.empty())
      return Message{e.culprits.front().standing == HangStanding::kBehind ? "hang_timed_out_behind" : "hang_timed_out",
                     {{"blocked", e.blocked},
                      {"world", e.world},
                      {"step", e.step},
                      {"count", e.culprits.size()},
                      {"ranks", ranksOf(e.culprits)},
                      {"node", named(commonNode(e.culprits))}}};
    if (e.source == "events") return Message{"hang_time_outs", {{"count", e.timeouts}, {"step", e.step}, {"reason", unclear(e)}}};
    const Arg length = e.since && e.as_of ? Arg(words::duration(*e.as_of - *e.since)) : Arg();
    return Message{"hang_still", {{"step", e.step}, {"length", length}}};
  }
  const HangGroup& root = e.groups.front();
  const Arg blocked = e.blocked, world = e.world, step = e.step, op = operation(root);
  switch (root.reason) {
    case HangReason::kStuck:
      return Message{"hang_stuck", {{"blocked", blocked}, {"world", world}, {"step", step}, {"operation", op}, {"members", root.members}}};
    case HangReason::kMismatched:
      return mismatched(e);
    case HangReason::kDeadlock:
      return Message{"hang_deadlock", {{"blocked", blocked}, {"world", world}, {"step", step}, {"operation", op}}};
    case HangReason::kNotLeft:
      return Message{"hang_not_left",
                     {{"blocked", blocked},
                      {"world", world},
                      {"step", step},
                      {"operation", op},
                      {"late", e.culprits.empty() ? notLeft(root.missing, root.missing_count) : notLeft(e.culprits, e.culprit_count)},
                      {"stacks", stacks(e)}}};
    case HangReason::kMissing:
      break;
  }
  if (e.culprits.empty())
    return Message{"hang_missing_unknown",
                   {{"blocked", blocked}, {"world", world}, {"step", step}, {"operation", op}, {"reason", unclear(e)}}};
  return Message{"hang_missing",
                 {{"blocked", blocked}, {"world", world}, {"step", step}, {"operation", op}, {"late", late(e)}, {"stacks", stacks(e)}}};
}

Message stallMessage(const HangEvidence& e, DurNs length, bool ended) {
  const Arg limit = e.limit ? Arg(words::duration(*e.limit)) : Arg();
  const Arg source = e.source == "log" ? Arg(Message{"stall_log", {}}) : Arg();
  return Message{ended ? "stall_past" : "stall_now",
                 {{"length", words::duration(length)}, {"step", e.step}, {"limit", limit}, {"source", source}}};
}

}  // namespace runglass
