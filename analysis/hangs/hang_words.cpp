// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/hang_words.h"

#include <algorithm>

#include "model/time_text.h"

namespace runglass {
namespace {

// The node all of them are on; "" when they are on several or it is not known.
std::string commonNode(const std::vector<HangMember>& members) {
  for (const HangMember& member : members)
    if (member.node != members.front().node) return {};
  return members.empty() ? std::string() : members.front().node;
}

std::string operation(const HangGroup& group) {
  std::string text = group.op.empty() ? "a collective" : group.op;
  if (group.seq) text += " #" + std::to_string(*group.seq);
  const std::string name = group.name.empty() ? group.kind : group.name;
  if (!name.empty()) return text + " of " + name + (group.name.empty() ? " group " + std::to_string(group.id) : "");
  return group.id != 0 ? text + " of group " + std::to_string(group.id) : text;
}

std::string whatTheyDo(const HangMember& member) {
  switch (member.standing) {
    case HangStanding::kSilent:
      return "silent";
    case HangStanding::kBehind:
      return member.seq ? "still in " + (member.op.empty() ? std::string("#") : member.op + " #") + std::to_string(*member.seq) : "behind";
    default:
      return member.op.empty() ? "in no collective" : "in " + member.op;
  }
}

std::string culprits(const HangEvidence& e) {
  std::vector<std::int32_t> ranks;
  for (const HangMember& member : e.culprits) ranks.push_back(member.rank);
  const std::string node = commonNode(e.culprits);
  const bool one = e.culprit_count == 1;
  std::string text;
  if (!one && !node.empty() && e.culprit_count == static_cast<std::int64_t>(ranks.size()))
    text = node + " (" + std::to_string(ranks.size()) + " ranks) has not entered";
  else
    text =
        (one ? "rank " : "ranks ") + rankList(ranks) + (node.empty() ? "" : " (" + node + ")") + (one ? " has" : " have") + " not entered";
  const std::string what = whatTheyDo(e.culprits.front());
  const bool same = std::ranges::all_of(e.culprits, [&](const HangMember& member) { return whatTheyDo(member) == what; });
  return same ? text + ": " + what : text;
}

}  // namespace

std::string rankList(std::vector<std::int32_t> ranks, std::size_t most) {
  std::ranges::sort(ranks);
  std::string text;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (parts++ == most) return text + ", ... (" + std::to_string(ranks.size()) + " in all)";
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (end - i > 1) text += "-" + std::to_string(ranks[end - 1]);
    i = end;
  }
  return text;
}

std::string hangSentence(const HangEvidence& e) {
  const std::string at = e.step ? " at step " + std::to_string(*e.step) : "";
  if (e.groups.empty()) {
    if (e.source == "events" && !e.culprits.empty()) {
      std::vector<std::int32_t> ranks;
      for (const HangMember& member : e.culprits) ranks.push_back(member.rank);
      const std::string node = commonNode(e.culprits);
      const bool behind = e.culprits.front().standing == HangStanding::kBehind;
      return std::to_string(e.blocked) + " of " + std::to_string(e.world) + " ranks timed out in collectives" + at + "; " +
             (ranks.size() == 1 ? "rank " : "ranks ") + rankList(ranks) + (node.empty() ? "" : " (" + node + ")") +
             (behind ? std::string(ranks.size() == 1 ? " is" : " are") + " furthest behind" : " did not");
    }
    if (e.source == "events") return std::to_string(e.timeouts) + " collective time-outs" + at + "; who was missing is not recorded";
    return "No rank has moved" + at + (e.since && e.as_of ? " for " + durationText(*e.as_of - *e.since) : "") +
           "; no rank says that it waits";
  }
  const HangGroup& root = e.groups.front();
  std::string text = std::to_string(e.blocked) + " of " + std::to_string(e.world) + " ranks wait" + at + "; root: " + operation(root);
  switch (root.reason) {
    case HangReason::kStuck:
      return text + ": all " + std::to_string(root.members) + " members have entered and none leaves (network or GPU)";
    case HangReason::kMismatched:
      return text + ", which others call " + root.other_op + ": the program does not do the same on all ranks";
    case HangReason::kDeadlock:
      return text + ": communicators wait for each other in a circle";
    case HangReason::kMissing:
      break;
  }
  if (e.culprits.empty()) return text + "; who is missing is not known";
  return text + ", where " + culprits(e);
}

std::string stallSentence(const HangEvidence& e, DurNs length, bool ended) {
  std::string text = ended ? "No step ended for " : "No step has ended for ";
  text += durationText(length);
  if (e.step) text += (ended ? " after step " : " since step ") + std::to_string(*e.step);
  if (e.limit) text += " (limit " + durationText(*e.limit) + ")";
  if (e.source == "log") text += "; only log lines tell";
  return text;
}

}  // namespace runglass
