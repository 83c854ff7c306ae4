// SPDX-License-Identifier: Apache-2.0
// Invariant: Subject::above counts the steps of the ring that are above.
#include "analysis/step_diagnosis/persistence.h"

#include <algorithm>

namespace runglass {

void PersistenceWatch::push(std::int64_t step, const std::optional<TimeRange>& when, const std::vector<Deviation>& deviations) {
  if (m_subjects.size() < deviations.size()) m_subjects.resize(deviations.size());
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    if (!deviations[i].compared) continue;
    Subject& subject = m_subjects[i];
    const Seen seen{step, when, deviations[i]};
    take(subject, seen);
    if (subject.spell) {
      extend(subject, seen);
      if (subject.above <= kCloses) close(subject);
    } else if (subject.size == kWindow && subject.above >= kOpens) {
      open(subject, i);
    }
  }
}

void PersistenceWatch::take(Subject& subject, const Seen& seen) {
  Seen& slot = subject.ring[static_cast<std::size_t>(subject.next)];
  if (subject.size == kWindow)
    subject.above -= slot.deviation.above ? 1 : 0;
  else
    ++subject.size;
  slot = seen;
  subject.above += seen.deviation.above ? 1 : 0;
  subject.next = (subject.next + 1) % kWindow;
  ++subject.compared;
}

// It begins at the step, counting back from now, with the largest surplus of steps above over the others.
void PersistenceWatch::open(Subject& subject, std::size_t index) {
  const auto back = [&](int age) -> const Seen& {  // 0: the newest
    return subject.ring[static_cast<std::size_t>((subject.next - 1 - age + 2 * kWindow) % kWindow)];
  };
  int sum = 0, best = 0, onset = 0;
  for (int age = 0; age < kWindow; ++age) {
    sum += back(age).deviation.above ? 1 : -1;
    if (sum >= best) best = sum, onset = age;
  }
  Spell spell{.subject = index, .first_step = back(onset).step, .start = {}, .end = {}};
  if (back(onset).when) spell.start = back(onset).when->t0;
  spell.since_before = subject.compared == static_cast<std::size_t>(onset) + 1;
  subject.spell = spell;
  subject.own_sum = subject.usual_sum = 0;
  int first = onset;
  // A spell that was interrupted for only a few steps is reopened.
  const auto before = std::ranges::find(m_closed.rbegin(), m_closed.rend(), index, &Spell::subject);
  if (before != m_closed.rend() && before->last_step >= spell.first_step - kWindow) {
    while (first >= 0 && back(first).step <= before->last_step) --first;
    subject.spell = *before;
    subject.spell->open = true;
    subject.own_sum = before->own_ns * static_cast<double>(before->above);
    subject.usual_sum = before->usual_ns * static_cast<double>(before->above);
    m_closed.erase(std::next(before).base());
  }
  const std::int64_t noticed = subject.spell->noticed_step;
  for (int age = first; age >= 0; --age) extend(subject, back(age));
  subject.spell->noticed_step = subject.spell->first_step < spell.first_step ? noticed : back(0).step;
  subject.spell->steps_open = 0;
}

void PersistenceWatch::extend(Subject& subject, const Seen& seen) {
  Spell& spell = *subject.spell;
  ++spell.steps, ++spell.steps_open;
  spell.gain_ns += seen.deviation.gain_ns;
  spell.node_gain_ns += seen.deviation.node_gain_ns, spell.replica_gain_ns += seen.deviation.replica_gain_ns;
  if (!seen.deviation.above) return;
  ++spell.above;
  subject.own_sum += seen.deviation.own_ns, subject.usual_sum += seen.deviation.usual_ns;
  const auto above = static_cast<double>(spell.above);
  spell.own_ns = subject.own_sum / above, spell.usual_ns = subject.usual_sum / above;
  spell.last_step = seen.step;
  if (seen.when) spell.end = seen.when->t1;
}

void PersistenceWatch::close(Subject& subject) {
  Spell spell = *subject.spell;
  subject.spell.reset();
  spell.open = false;
  if (m_closed.size() < kMaxClosed)
    m_closed.push_back(spell);
  else
    ++m_lost;
}

std::vector<Spell> PersistenceWatch::spells() const {
  std::vector<Spell> all = m_closed;
  for (const Subject& subject : m_subjects) {
    if (!subject.spell) continue;
    all.push_back(*subject.spell);
    all.back().end.reset();
  }
  return all;
}

void PersistenceWatch::finish() {
  for (Subject& subject : m_subjects) {
    if (subject.spell) close(subject);
    subject.size = subject.next = subject.above = 0;
  }
}

}  // namespace runglass
