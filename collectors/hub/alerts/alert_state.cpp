// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. One entry per cause and rule. Its alert keeps its `since` while the condition is the same, so that the store has one row for it.
// 2. Once `due` is set, alert.severity is the last notified one; the current severity can be higher until the next decide().
#include "collectors/hub/alerts/alert_state.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "model/edits.h"

namespace runglass {
namespace {

constexpr DurNs kHour = 3600 * kNsPerSecond;
constexpr std::size_t kMaxSummary = 2'000;

// Names come from outside: a long one is cut, and its hash keeps it unique.
std::string bounded(std::string_view cause) {
  constexpr std::size_t kKept = kMaxAlertCause - 32;
  if (cause.size() <= kMaxAlertCause) return std::string(cause);
  return std::string(cause.substr(0, kKept)) + '#' + std::to_string(std::hash<std::string_view>()(cause));
}

bool fits(const std::vector<std::string>& kinds, const Trouble& trouble) {
  return std::ranges::any_of(kinds, [&](const std::string& kind) {
    return kind == "*" || kind == trouble.kind || (!trouble.code.empty() && kind == trouble.kind + ':' + trouble.code);
  });
}

}  // namespace

std::optional<std::size_t> AlertState::ruleFor(const Trouble& trouble) const {
  for (std::size_t i = 0; i < m_options.rules.size(); ++i) {
    const AlertRule& rule = m_options.rules[i];
    const bool right = trouble.source == Trouble::Source::kMetric    ? rule.name == trouble.rule
                       : trouble.source == Trouble::Source::kFinding ? fits(rule.findings, trouble)
                                                                     : fits(rule.events, trouble);
    if (right && trouble.severity >= rule.at_least) return i;
  }
  return std::nullopt;
}

void AlertState::load(std::span<const Alert> alerts, TimeNs now) {
  for (const Alert& alert : alerts) {
    const auto rule = std::ranges::find(m_options.rules, alert.rule, &AlertRule::name);
    if (rule == m_options.rules.end() || m_entries.size() >= kMaxCauses) continue;
    const TimeNs last = std::max({alert.since, alert.end.value_or(alert.since), alert.due.value_or(alert.since)});
    const bool untold = alert.due && !alert.notified;
    if (now - last > std::max(m_options.repeat_after, m_options.rearm_after) && (alert.end || untold)) continue;
    const Key key(alert.cause, static_cast<std::size_t>(rule - m_options.rules.begin()));
    m_entries.emplace(key, Entry{.alert = alert, .seen = last, .row = true, .again = untold});  // no effect if a newer one is there
  }
}

// The entry that already has this part, in any state; or of which only the row is known; or of the fault that this follows from; or of its
// rule.
AlertState::Entries::iterator AlertState::entryOf(const Trouble& trouble, std::optional<std::size_t> rule) {
  for (auto at = m_entries.lower_bound({trouble.cause, 0}); at != m_entries.end() && at->first.first == trouble.cause; ++at)
    if (at->second.parts.empty() || at->second.parts.contains(trouble.part)) return at;
  // A condition that follows from another one is a part of it where the other's targets include all of its own.
  if (trouble.joined && rule)
    for (auto at = m_entries.lower_bound({trouble.cause, 0}); at != m_entries.end() && at->first.first == trouble.cause; ++at) {
      const std::vector<std::string>& to = m_options.rules[at->first.second].to;
      if (std::ranges::all_of(m_options.rules[*rule].to, [&](const std::string& one) { return std::ranges::find(to, one) != to.end(); }))
        return at;
    }
  return rule ? m_entries.find({trouble.cause, *rule}) : m_entries.end();
}

Trouble AlertState::worstOf(const std::map<std::string, Trouble>& parts) {
  const auto order = [](const auto& part) { return std::tuple(!part.second.end, part.second.severity, -part.second.since); };
  Trouble worst = std::ranges::max_element(parts, {}, order)->second;
  for (const auto& [name, part] : parts)
    if (worst.end && part.end) worst.end = std::max(worst.end, part.end);
  return worst;
}

// A failure that follows a muted condition has an alert of its own, and keeps it when the mute ends.
void AlertState::separateFailure(Trouble& trouble, TimeNs now) const {
  if (!trouble.joined || !trouble.failure) return;
  const auto any = [this](const std::string& cause, auto&& is) {
    for (auto at = m_entries.lower_bound({cause, 0}); at != m_entries.end() && at->first.first == cause; ++at)
      if (is(at->second)) return true;
    return false;
  };
  const std::string own = bounded(trouble.part);
  const bool separate = any(own, [&](const Entry& entry) { return entry.alert.since >= trouble.since; });
  const bool muted =
      any(trouble.cause, [&](const Entry& entry) { return !entry.parts.contains(trouble.part) && causeSnoozed(entry, now); });
  if (!separate && !muted) return;
  trouble.cause = own, trouble.part.clear();
  trouble.joined = false;
}

void AlertState::see(Trouble trouble, TimeNs now) {
  trouble.cause = bounded(trouble.cause);
  separateFailure(trouble, now);
  if (trouble.summary.size() > kMaxSummary) trouble.summary.resize(kMaxSummary);
  const auto rule = ruleFor(trouble);
  auto at = entryOf(trouble, rule);
  const TimeNs when = trouble.moment ? trouble.since : now;
  if (at != m_entries.end()) {
    Entry& entry = at->second;
    // Older than the known state, or the same event again.
    const bool event = trouble.source == Trouble::Source::kEvent;
    if (trouble.moment && trouble.since <= entry.seen) return;
    const auto part = entry.parts.find(trouble.part);
    if (part != entry.parts.end() && (event ? trouble.since <= part->second.since : trouble.since < part->second.since)) return;
    const TimeNs quiet_since = entry.alert.end.value_or(entry.seen);
    const bool over = entry.over() || trouble.moment;
    if (over && !trouble.end && std::max(trouble.since, when) - quiet_since >= m_options.rearm_after) {
      trouble.since = std::max(trouble.since, quiet_since);  // a row different from the old one
      m_entries.erase(at);
      at = m_entries.end();
    }
  }
  if (at == m_entries.end()) {
    if (trouble.end && now - *trouble.end > kNews) return;
    if (trouble.moment && now - trouble.since > kNews) return;
    if (!rule) return;
    if (m_entries.size() >= kMaxCauses) {
      ++m_unkept;
      return;
    }
    Entry entry{.seen = when};
    entry.alert = {.run = trouble.run,
                   .rule = m_options.rules[*rule].name,
                   .cause = trouble.cause,
                   .kind = trouble.kind,
                   .severity = trouble.severity,
                   .since = trouble.since,
                   .end = trouble.end,
                   .summary = trouble.summary,
                   .link = trouble.link};
    entry.parts.emplace(trouble.part, trouble);
    entry.trouble = std::move(trouble);
    Key key(entry.alert.cause, *rule);
    m_entries.emplace(std::move(key), std::move(entry));
    return;
  }
  Entry& entry = at->second;
  entry.seen = std::max(entry.seen, when);
  std::string part = trouble.part;
  // A further part of an ongoing fault that was reported as an error is no news; after a warning, or after its end, it is.
  const bool goes_on = entry.trouble && !entry.trouble->end && entry.alert.severity >= Severity::kError;
  if (trouble.joined && entry.alert.due && (goes_on || trouble.grown) && !entry.parts.contains(part)) {
    entry.alert.severity = std::max(entry.alert.severity, trouble.severity);
    if (trouble.grown && entry.alert.kind == "stall") entry.alert.summary = trouble.summary, entry.dirty = entry.row;
  }
  entry.parts.insert_or_assign(std::move(part), std::move(trouble));
  trouble = worstOf(entry.parts);
  if (entry.alert.end != trouble.end) {
    entry.alert.end = trouble.end;
    entry.dirty = entry.row;
  }
  if (!entry.alert.due) entry.alert.severity = trouble.severity;
  // Withdrawn: the history shows the new summary.
  if (trouble.end && trouble.severity < m_options.rules[at->first.second].at_least && entry.alert.summary != trouble.summary) {
    entry.alert.summary = trouble.summary;
    entry.dirty = entry.row;
  }
  entry.trouble = std::move(trouble);
}

void AlertState::end(std::string_view cause, std::string_view part, TimeNs at) {
  const std::string wanted = bounded(cause);
  for (auto found = m_entries.lower_bound({wanted, 0}); found != m_entries.end() && found->first.first == wanted; ++found) {
    Entry& entry = found->second;
    if (entry.over() || at < (entry.trouble ? entry.trouble->since : entry.alert.since)) continue;
    if (const auto ended = entry.parts.find(std::string(part)); ended != entry.parts.end()) ended->second.end = at;
    if (!entry.parts.empty()) {
      entry.trouble = worstOf(entry.parts);
      if (!entry.trouble->end) continue;  // other parts are ongoing
    }
    entry.alert.end = at;
    entry.dirty = entry.row;
  }
}

bool AlertState::snoozed(const Entry& entry, TimeNs now) const {
  const auto by_rule = [&](const Snooze& snooze) {
    return snooze.until && *snooze.until > now && snooze.cause.empty() && snooze.rule == entry.alert.rule;
  };
  return std::ranges::any_of(m_snoozes, by_rule) || causeSnoozed(entry, now);
}

bool AlertState::causeSnoozed(const Entry& entry, TimeNs now) const {
  return std::ranges::any_of(m_snoozes, [&](const Snooze& snooze) {
    if (!snooze.until || *snooze.until <= now || snooze.cause.empty()) return false;
    // A joined part has a cause of its own, under which it may be muted; once it has ended, its mute no longer covers the others.
    const auto part = entry.parts.find(snooze.cause);
    return snooze.cause == entry.alert.cause || (part != entry.parts.end() && !part->second.end);
  });
}

std::optional<Notification::Reason> AlertState::reasonFor(const Entry& entry, std::size_t rule, TimeNs now) const {
  using Reason = Notification::Reason;
  if (entry.again) return Reason::kAgain;
  if (!entry.trouble) return std::nullopt;  // not known yet whether it still holds
  const Trouble& trouble = *entry.trouble;
  const DurNs hold = m_options.rules[rule].hold;
  if (!entry.alert.due) {
    if (trouble.severity < m_options.rules[rule].at_least) return std::nullopt;  // withdrawn before any notification
    if (trouble.moment) return Reason::kNew;
    if (entry.over()) return hold == 0 ? std::optional(Reason::kNew) : std::nullopt;
    return now - entry.alert.since >= hold ? std::optional(Reason::kNew) : std::nullopt;
  }
  if (entry.over()) return std::nullopt;
  if (trouble.severity > entry.alert.severity) return Reason::kWorse;
  if (now - *entry.alert.due < m_options.repeat_after || (trouble.moment && entry.seen <= *entry.alert.due)) return std::nullopt;
  return Reason::kStill;
}

// An ended condition that would count as new when it recurs is dropped from memory.
void AlertState::forget(TimeNs now) {
  std::erase_if(m_entries, [&](const auto& item) {
    const Entry& entry = item.second;
    // A notification is on its way: its result must find this entry.
    if (entry.dirty || entry.again || (entry.alert.due && !entry.alert.notified)) return false;
    const bool moment = entry.trouble && entry.trouble->moment;
    const TimeNs quiet_since = entry.alert.end.value_or(entry.seen);
    if ((entry.over() || moment) && now - quiet_since >= m_options.rearm_after) return true;
    // Ended before `hold` had passed: no notification is needed.
    return entry.over() && !entry.alert.due && !entry.row && m_options.rules[item.first.second].hold > 0;
  });
}

std::vector<Notification> AlertState::decide(TimeNs now) {
  std::map<std::size_t, std::vector<Choice>> chosen;
  for (auto& [key, entry] : m_entries) {
    const auto reason = reasonFor(entry, key.second, now);
    if (!reason) continue;
    if (snoozed(entry, now)) {
      if (!entry.row) entry.row = entry.dirty = true;  // the history shows it, without a notification
      continue;
    }
    chosen[key.second].push_back({&entry, *reason});
  }
  std::vector<Notification> all;
  for (auto& [rule, choices] : chosen)
    for (Notification& one : tell(rule, choices, now)) all.push_back(std::move(one));
  forget(now);
  return all;
}

std::vector<Notification> AlertState::tell(std::size_t rule, std::vector<Choice>& chosen, TimeNs now) {
  std::deque<TimeNs>& notified = m_notified[rule];
  while (!notified.empty() && now - notified.front() >= kHour) notified.pop_front();
  const auto severity = [](const Choice& choice) {
    return choice.entry->trouble ? choice.entry->trouble->severity : choice.entry->alert.severity;
  };
  std::ranges::stable_sort(chosen, std::greater{}, severity);
  const bool group = chosen.size() > kSingly;
  const std::size_t size = group ? chosen.size() : 1;
  std::vector<Notification> all;
  for (std::size_t at = 0; at < chosen.size(); at += size) {
    if (static_cast<std::int64_t>(notified.size()) >= m_options.most_per_hour) {
      m_held_back += static_cast<std::int64_t>(chosen.size() - at);
      break;
    }
    all.push_back(notification(rule, std::span(chosen).subspan(at, size), now));
    notified.push_back(now);
  }
  return all;
}

Notification AlertState::notification(std::size_t rule, std::span<Choice> chosen, TimeNs now) {
  Notification one{.reason = chosen.front().reason, .to = m_options.rules[rule].to};
  for (const Choice& choice : chosen) {
    Entry& entry = *choice.entry;
    Alert& alert = entry.alert;
    if (entry.trouble) {
      alert.severity = entry.trouble->severity;
      alert.summary = entry.trouble->summary;
      alert.link = entry.trouble->link;
    }
    // The previous hub counted it already; a receiver recognises a repetition by its id.
    if (choice.reason != Notification::Reason::kAgain) ++alert.count;
    alert.due = now;
    alert.notified.reset();
    alert.delivery.clear();
    entry.again = false;
    entry.row = entry.dirty = true;
    one.alerts.push_back(alert);
    if (entry.trouble && one.worst.size() < Notification::kSpelled) one.worst.push_back(*entry.trouble);
  }
  return one;
}

std::vector<Alert> AlertState::takeRows() {
  std::vector<Alert> rows;
  for (auto& [key, entry] : m_entries)
    if (std::exchange(entry.dirty, false)) {
      rows.push_back(entry.alert);
      if (entry.trouble && entry.trouble->moment) rows.back().end = entry.seen;  // of its last occurrence
    }
  return rows;
}

void AlertState::delivered(std::span<const Alert> alerts, const std::string& delivery, TimeNs now) {
  for (const Alert& alert : alerts) {
    const auto rule = std::ranges::find(m_options.rules, alert.rule, &AlertRule::name);
    const auto at = m_entries.find({alert.cause, static_cast<std::size_t>(rule - m_options.rules.begin())});
    // A later notification of the same condition has its own result.
    if (at == m_entries.end() || at->second.alert.since != alert.since || at->second.alert.due != alert.due) continue;
    at->second.alert.notified = now;
    at->second.alert.delivery = delivery;
    at->second.dirty = true;
  }
}

}  // namespace runglass
