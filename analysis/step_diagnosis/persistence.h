// SPDX-License-Identifier: Apache-2.0
// PersistenceWatch: subjects that are repeatedly above a limit, with start and end. One bit per subject and step.
//
// Threading:  one thread.
// Units:      steps; ratios; ns.
// Errors:     a step without a comparison of a subject does not change its state.
// Cost:       O(1) per subject and step; 1.2 KB per subject.
//
// The rule is "at least 80 % of at least 20 steady steps": intermittent deviations are noise, or wander, and are attributed to no subject.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/time.h"

namespace runglass {

struct Deviation {
  bool compared = false;
  bool above = false;
  float ratio = 0;  // own / usual - 1
  float own_ns = 0, usual_ns = 0;
  // How much earlier all ranks would be ready if the subject, its node, its replica had their usual speed: its lead over the next slowest.
  float gain_ns = 0, node_gain_ns = 0, replica_gain_ns = 0;
};

// An interval in which a subject was above most of the time.
struct Spell {
  std::size_t subject = 0;
  std::int64_t first_step = 0, last_step = 0;  // of the steps above
  std::optional<TimeNs> start, end;            // of those steps
  bool open = true;
  bool since_before = false;  // it was above from the first compared step on
  std::size_t steps = 0, above = 0;
  double own_ns = 0, usual_ns = 0;                            // means over the steps above
  double gain_ns = 0, node_gain_ns = 0, replica_gain_ns = 0;  // sums over its steps
  std::int64_t noticed_step = 0;
  std::size_t steps_open = 0;  // since it was noticed
  double excess() const { return own_ns - usual_ns; }
  // "Slower by": 0.05 is 5 % more than its peers. From the two numbers that are printed with it.
  double ratio() const { return usual_ns > 0 ? own_ns / usual_ns - 1 : 0; }
};

class PersistenceWatch {
 public:
  static constexpr int kWindow = 20, kOpens = 16, kCloses = 4;  // steps of the window above the limit
  static constexpr std::size_t kMaxClosed = 10'000;             // maximum number of closed spells kept

  // In step order; at least as many deviations as in any step before.
  void push(std::int64_t step, const std::optional<TimeRange>& when, const std::vector<Deviation>& deviations);
  // Closed spells, then open ones.
  std::vector<Spell> spells() const;
  bool isOpen(std::size_t subject) const { return subject < m_subjects.size() && m_subjects[subject].spell.has_value(); }
  // Closes all open spells, as of the last step pushed; later steps start new ones.
  void finish();
  std::size_t lost() const { return m_lost; }  // spells beyond kMaxClosed

 private:
  struct Seen {
    std::int64_t step = 0;
    std::optional<TimeRange> when;
    Deviation deviation;
  };
  struct Subject {
    std::array<Seen, kWindow> ring{};
    int size = 0, next = 0, above = 0;
    std::size_t compared = 0;
    std::optional<Spell> spell;
    double own_sum = 0, usual_sum = 0;
  };
  static void take(Subject& subject, const Seen& seen);
  void open(Subject& subject, std::size_t index);
  static void extend(Subject& subject, const Seen& seen);
  void close(Subject& subject);

  std::vector<Subject> m_subjects;
  std::vector<Spell> m_closed;
  std::size_t m_lost = 0;
};

}  // namespace runglass
