// SPDX-License-Identifier: Apache-2.0
// PersistenceWatch: who is above a limit again and again, since when, and until when. One bit a subject and step.
//
// Threading:  one thread.
// Units:      steps; ratios; ns.
// Errors:     none. A subject that was not compared in a step keeps its place: nothing is learnt from that step.
// Cost:       O(1) a subject and step; 1.2 KB a subject.
//
// The rule is "at least 80 % of at least 20 steady steps": what comes and goes is noise, or wanders, and is nobody's.
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
  // By how much all ranks would be ready earlier if the subject, its node, its replica were as fast as usual: excess over the next slowest.
  float gain_ns = 0, node_gain_ns = 0, replica_gain_ns = 0;
};

// A stretch in which a subject was above most of the time.
struct Spell {
  std::size_t subject = 0;
  std::int64_t first_step = 0, last_step = 0;  // of those above
  std::optional<TimeNs> start, end;            // of them
  bool open = true;
  bool since_before = false;  // it was above from the first step on in which it was compared
  std::size_t steps = 0, above = 0;
  double own_ns = 0, usual_ns = 0;                            // means over the steps above
  double gain_ns = 0, node_gain_ns = 0, replica_gain_ns = 0;  // sums over its steps
  std::int64_t noticed_step = 0;
  std::size_t steps_open = 0;  // since then
  double excess() const { return own_ns - usual_ns; }
  // "Slower by": 0.05 is 5 % more than its peers. Of the two numbers that are printed with it.
  double ratio() const { return usual_ns > 0 ? own_ns / usual_ns - 1 : 0; }
};

class PersistenceWatch {
 public:
  static constexpr int kWindow = 20, kOpens = 16, kCloses = 4;  // steps of the window above the limit
  static constexpr std::size_t kMaxClosed = 10'000;             // spells that are kept

  // In order of steps; as many deviations as the widest step so far, or more.
  void push(std::int64_t step, const std::optional<TimeRange>& when, const std::vector<Deviation>& deviations);
  // Those that are over, then those that are open.
  std::vector<Spell> spells() const;
  bool isOpen(std::size_t subject) const { return subject < m_subjects.size() && m_subjects[subject].spell.has_value(); }
  // Ends what is open, as of the last step pushed; what comes then is another matter.
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
