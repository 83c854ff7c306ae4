// SPDX-License-Identifier: Apache-2.0
// AlertState: decides which targets to notify of which conditions, and when again. Pure: conditions and time in, notifications and rows
// out.
//
// Threading:  one thread at a time.
// Ownership:  borrows the options.
// Units:      TimeNs of the hub's wall clock.
// Errors:     conditions beyond the limit are counted (unkept()).
// Cost:       see(): O(rules + log causes); decide(): O(causes), at most kMaxCauses.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectors/hub/alerts/alert_rules.h"
#include "model/alerts.h"

namespace runglass {

// A condition that can raise an alert.
struct Trouble {
  enum class Source : std::uint8_t { kFinding, kEvent, kMetric };
  Source source = Source::kFinding;
  std::string rule;      // of a metric: the rule that made it
  std::string cause;     // equal while the same condition of the same subject lasts
  std::string part;      // of the cause, since one fault can show in several findings; "": the cause has no parts
  bool joined = false;   // follows from a condition of another kind, whose cause it has: no news for targets notified of that one
  bool grown = false;    // joined, and the same condition under another name (a stall that became a hang): no news, although more severe
  bool failure = false;  // the job has failed: a mute of the earlier condition does not cover it
  std::string kind, code;
  Severity severity = Severity::kInfo;
  TimeNs since = 0;
  std::optional<TimeNs> end;
  bool moment = false;  // an instantaneous condition, without duration
  RunId run;
  std::string run_uuid, run_name;
  std::string who;      // "rank:37 on n0412"
  std::string summary;  // one sentence
  std::optional<double> gpu_hours_per_hour;
  std::string link;  // runglass://
};

struct Notification {
  enum class Reason : std::uint8_t { kNew, kWorse, kStill, kAgain };  // kAgain: an earlier hub may have sent it
  Reason reason = Reason::kNew;
  std::vector<std::string> to;
  std::vector<Alert> alerts;   // all alerts of the notification, the most severe first
  std::vector<Trouble> worst;  // of the first kSpelled; empty where only the store's row is known
  static constexpr std::size_t kSpelled = 3;
};

class AlertState {
 public:
  static constexpr std::size_t kMaxCauses = 20'000;
  // More than this many notifications of a rule at once are combined into one.
  static constexpr std::size_t kSingly = 3;
  // A condition that ended longer ago than this when first seen is history.
  static constexpr DurNs kNews = 15 * 60 * kNsPerSecond;

  explicit AlertState(const AlertOptions& options) : m_options(options) {}

  // Alerts of an earlier hub, newest first. Those stored as due but not as notified are sent (again) by the next decide().
  void load(std::span<const Alert> alerts, TimeNs now);
  void snooze(std::vector<Snooze> snoozes) { m_snoozes = std::move(snoozes); }
  void see(Trouble trouble, TimeNs now);
  // Ends this part of the cause at `at`, unless the condition began later.
  void end(std::string_view cause, std::string_view part, TimeNs at);
  std::vector<Notification> decide(TimeNs now);
  // Rows changed since the previous call.
  std::vector<Alert> takeRows();
  // All targets were notified or have failed; the rows will be taken.
  void delivered(std::span<const Alert> alerts, const std::string& delivery, TimeNs now);

  std::size_t causes() const { return m_entries.size(); }
  std::int64_t unkept() const { return m_unkept; }       // not kept: kMaxCauses were already there
  std::int64_t heldBack() const { return m_held_back; }  // notifications not sent because of most_per_hour

 private:
  struct Entry {
    Alert alert;
    std::optional<Trouble> trouble;        // the worst part, open as long as any is; absent: only its row is known
    std::map<std::string, Trouble> parts;  // by name, in its last seen state
    TimeNs seen = 0;                       // last time the condition was seen; of a moment: its last occurrence
    bool row = false;                      // the store has it, or will have it
    bool dirty = false;                    // the row must be stored
    bool again = false;                    // due, but perhaps not sent
    bool over() const { return alert.end.has_value(); }
  };
  struct Choice {
    Entry* entry;
    Notification::Reason reason;
  };

  // Parts of one cause that match different rules are separate entries.
  using Key = std::pair<std::string, std::size_t>;  // cause, rule
  using Entries = std::map<Key, Entry>;

  std::optional<std::size_t> ruleFor(const Trouble& trouble) const;
  Entries::iterator entryOf(const Trouble& trouble, std::optional<std::size_t> rule);
  static Trouble worstOf(const std::map<std::string, Trouble>& parts);
  void separateFailure(Trouble& trouble, TimeNs now) const;
  bool snoozed(const Entry& entry, TimeNs now) const;
  bool causeSnoozed(const Entry& entry, TimeNs now) const;
  std::optional<Notification::Reason> reasonFor(const Entry& entry, std::size_t rule, TimeNs now) const;
  void forget(TimeNs now);
  std::vector<Notification> tell(std::size_t rule, std::vector<Choice>& chosen, TimeNs now);
  Notification notification(std::size_t rule, std::span<Choice> chosen, TimeNs now);

  const AlertOptions& m_options;
  Entries m_entries;
  std::vector<Snooze> m_snoozes;
  std::map<std::size_t, std::deque<TimeNs>> m_notified;  // per rule, within the last hour
  std::int64_t m_unkept = 0, m_held_back = 0;
};

}  // namespace runglass
