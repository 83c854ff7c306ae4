// SPDX-License-Identifier: Apache-2.0
// AlertState: decides who is told of what, and when again. Pure: trouble and time come in, tellings and rows come out.
//
// Threading:  one thread at a time.
// Ownership:  borrows the options.
// Units:      TimeNs of the hub's wall clock.
// Errors:     none. What does not fit is counted (unkept()).
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

// Something that somebody may want to know of.
struct Trouble {
  enum class Source : std::uint8_t { kFinding, kEvent, kMetric };
  Source source = Source::kFinding;
  std::string rule;     // of a metric: the rule that made it
  std::string cause;    // equal as long as it is the same trouble of the same one
  std::string part;     // of the cause: one fault shows itself in several findings; "": the cause has no parts
  bool joined = false;  // follows from a trouble of another kind, whose cause it has: no news for those who were notified of that
  bool grown = false;   // joined, and the same trouble under another name, as a hang is that was a stall: no news though it is worse
  std::string kind, code;
  Severity severity = Severity::kInfo;
  TimeNs since = 0;
  std::optional<TimeNs> end;
  bool moment = false;  // over as soon as it is said
  RunId run;
  std::string run_uuid, run_name;
  std::string who;      // "rank:37 on n0412"
  std::string summary;  // what, in a sentence
  std::optional<double> gpu_hours_per_hour;
  std::string link;  // runglass://
};

struct Notification {
  enum class Reason : std::uint8_t { kNew, kWorse, kStill, kAgain };  // kAgain: a hub that ended may have told it
  Reason reason = Reason::kNew;
  std::vector<std::string> to;
  std::vector<Alert> alerts;   // all that it tells of, the worst first
  std::vector<Trouble> worst;  // of the first kSpelled; empty where only the store's row is known
  static constexpr std::size_t kSpelled = 3;
};

class AlertState {
 public:
  static constexpr std::size_t kMaxCauses = 20'000;
  // More than so many of one rule at once are one telling.
  static constexpr std::size_t kSingly = 3;
  // Trouble that was over for so long when it became known is history.
  static constexpr DurNs kNews = 15 * 60 * kNsPerSecond;

  explicit AlertState(const AlertOptions& options) : m_options(options) {}

  // What a hub before this one told; the newest first. What it stored as due but not as told is told (again) by the next decide().
  void load(std::span<const Alert> alerts, TimeNs now);
  void snooze(std::vector<Snooze> snoozes) { m_snoozes = std::move(snoozes); }
  void see(Trouble trouble, TimeNs now);
  // What was said of this part of the cause before `at` is over.
  void end(std::string_view cause, std::string_view part, TimeNs at);
  std::vector<Notification> decide(TimeNs now);
  // Rows that changed since the call before.
  std::vector<Alert> takeRows();
  // All targets of a telling were told or given up; its rows will be taken.
  void delivered(std::span<const Alert> alerts, const std::string& delivery, TimeNs now);

  std::size_t causes() const { return m_entries.size(); }
  std::int64_t unkept() const { return m_unkept; }       // seen while kMaxCauses were kept
  std::int64_t heldBack() const { return m_held_back; }  // decisions not to tell because of most_per_hour

 private:
  struct Entry {
    Alert alert;
    std::optional<Trouble> trouble;        // the worst part, open as long as any is; absent: only its row is known
    std::map<std::string, Trouble> parts;  // by name, as each was last seen
    TimeNs seen = 0;                       // when the trouble was last said; of a moment: when it last happened
    bool row = false;                      // the store has it, or will
    bool dirty = false;                    // the row must be stored
    bool again = false;                    // due, but perhaps not told
    bool over() const { return alert.end.has_value(); }
  };
  struct Choice {
    Entry* entry;
    Notification::Reason reason;
  };

  // Parts of one cause that different rules take are an entry each.
  using Key = std::pair<std::string, std::size_t>;  // cause, rule
  using Entries = std::map<Key, Entry>;

  std::optional<std::size_t> ruleFor(const Trouble& trouble) const;
  Entries::iterator entryOf(const Trouble& trouble, std::optional<std::size_t> rule);
  static Trouble worstOf(const std::map<std::string, Trouble>& parts);
  bool snoozed(const Entry& entry, TimeNs now) const;
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
