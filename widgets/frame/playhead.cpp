// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The moment is the shared state's; this class stores no other. 2. m_step belongs to m_asked once m_step_known.
#include "widgets/frame/playhead.h"

#include <algorithm>
#include <limits>

#include "widgets/frame/time_bar.h"

namespace runglass {
namespace {

constexpr int kMarksMs = 1'000;
constexpr int kPlayMs = 100;

// A requested moment may come from outside, and be any number.
DurNs between(TimeNs from, TimeNs to) {
  DurNs apart = 0;
  if (!__builtin_sub_overflow(to, from, &apart)) return apart;
  return to > from ? std::numeric_limits<DurNs>::max() : std::numeric_limits<DurNs>::min();
}

}  // namespace

Playhead::Playhead(QueryService& queries, SharedState& state, std::function<TimeNs()> clock, TimeBar& bar, QObject* parent)
    : QObject(parent), m_queries(queries), m_state(state), m_clock(std::move(clock)), m_bar(bar) {
  m_bar.show();  // shown before the run is known: most runs have a clock, and panels that are laid out twice end up in other sizes
  connect(&m_bar.track(), &BarTrack::scrubbed, this, [this](std::int64_t time) {
    m_playing.stop();
    m_bar.setPlaying(false);
    m_state.setMoment(time, SharedState::Undo::kMerge);
  });
  connect(&m_bar.track(), &BarTrack::scrubEnded, this, [this] { m_state.endGesture(); });
  connect(&m_bar, &TimeBar::stepWanted, this, &Playhead::step);
  connect(&m_bar, &TimeBar::jumpWanted, this, &Playhead::jump);
  connect(&m_bar, &TimeBar::playWanted, this, &Playhead::play);
  connect(&m_bar, &TimeBar::nowWanted, this, &Playhead::goToNow);
  m_playing.setInterval(kPlayMs);
  connect(&m_playing, &QTimer::timeout, this, &Playhead::tick);
}

void Playhead::setRun(const RunSummary& summary) {
  const bool other = summary.run.id != m_run;
  m_run = summary.run.id;
  m_clocked = summary.run.time_domain != TimeDomain::kNone;
  m_live = summary.run.state == RunState::kRunning && summary.run.time_domain == TimeDomain::kUtc &&
           stateWord(summary, m_clock()).severity == Severity::kInfo;
  const std::optional<TimeStyle> relative =
      summary.run.time_domain == TimeDomain::kRelative ? std::optional(TimeStyle::kRelative) : std::nullopt;
  m_zone = relative.value_or(m_state.state().time_style);
  if (other) {
    m_data.reset();
    m_bar.track().setData(nullptr);
    m_asked.reset();
    m_bar_age.invalidate();
  }
  m_bar.setVisible(m_clocked);
  refresh();
  applyState();
}

void Playhead::applyState() {
  const ViewState& state = m_state.state();
  if (!state.moment && m_playing.isActive()) play();
  if (m_zone != TimeStyle::kRelative) m_zone = state.time_style;
  m_bar.track().setStyle(m_zone);
  m_bar.track().setExtent(m_state.extent());
  m_bar.track().setMoment(state.moment);
  m_bar.setSlim(m_live && !state.moment);
  if (state.moment != m_asked) m_nothing.clear();
  askStep();
  tell();
}

void Playhead::refresh() {
  if (m_clocked && (!m_bar_age.isValid() || m_bar_age.elapsed() >= kMarksMs)) askBar();
  m_bar.track().setExtent(m_state.extent());
}

void Playhead::askBar() {
  m_bar_age.start();
  m_queries.submit<RunMarks>(
      m_bar_slot, QueryService::Supersede::kAfterCurrent,
      [run = m_run](Reader& reader, std::stop_token stop) { return readRunMarks(reader, run, stop); },
      [this](const Result<std::shared_ptr<const RunMarks>>& answer) {
        if (!answer.ok() || (*answer)->run != m_run) return;
        m_data = *answer;
        m_bar.track().setData(m_data);
        tell();
      });
}

void Playhead::askStep() {
  const std::optional<TimeNs> moment = m_state.state().moment;
  if (moment == m_asked || !m_run) return;
  m_asked = moment;
  m_step_known = false;
  if (!moment) return m_step_slot.cancel();
  m_queries.submitAt<std::optional<StepMoment>>(
      m_step_slot, moment, QueryService::Supersede::kCancelOlder,
      [run = m_run, moment = *moment](const MomentReaders& readers, std::stop_token stop) {
        return stepAt(readers.whole, run, moment, std::move(stop));
      },
      [this, moment](const Result<std::shared_ptr<const std::optional<StepMoment>>>& answer) {
        if (moment != m_asked) return;
        m_step_known = true;
        m_step = answer.ok() ? **answer : std::nullopt;
        tell();
      });
}

// "as of 21:43:07, step 41,870; 2 h 05 before the end"
void Playhead::tell() {
  const std::optional<TimeNs> moment = m_state.state().moment;
  const std::optional<TimeRange> extent = m_state.extent();
  if (!moment) return m_bar.setWords(m_nothing, false);
  const bool days = extent && (m_zone == TimeStyle::kRelative ||
                               between(std::min(extent->t0, *moment), std::max(extent->t1, *moment)) > 20 * 3'600 * kNsPerSecond);
  QString words = tr("as of %1").arg(days ? formatTime(*moment, m_zone) : formatTimeOfDay(*moment, m_zone));
  if (m_step_known && m_step) words += tr(", step %1").arg(formatCount(m_step->step));
  const TimeNs end = m_live ? m_clock() : extent ? extent->t1 - 1 : *moment;
  if (*moment < end)
    words += (m_live ? tr("; %1 ago") : tr("; %1 before the end")).arg(formatAge(between(*moment, end)));
  else if (!m_live)
    words += tr("; the end");
  if (m_data) {
    const auto same = std::ranges::equal_range(m_data->marks, *moment, {}, &RunMark::time);
    if (!same.empty()) words += QStringLiteral(" · ") + same.front().text;
    if (same.size() > 1) words += tr(" (and %1 more)").arg(same.size() - 1);
  }
  if (!m_nothing.isEmpty()) words += QStringLiteral(" · ") + m_nothing;
  m_bar.setWords(words, true);
}

// Without a playhead it starts at the edge of the shown window.
TimeNs Playhead::start(int by) const {
  const ViewState& state = m_state.state();
  if (state.moment) return *state.moment;
  const TimeRange shown = state.window.range.t0 < state.window.range.t1 ? state.window.range : m_state.extent().value_or(TimeRange{0, 1});
  return by > 0 ? shown.t0 - 1 : shown.t1;
}

void Playhead::step(int by) {
  m_steps_wanted += by;
  if (!m_walk_slot.busy()) walk();
}

void Playhead::walk() {
  if (m_steps_wanted == 0 || !m_run || !m_clocked) return;
  const int by = m_steps_wanted > 0 ? 1 : -1;
  m_steps_wanted -= by;
  m_queries.submit<std::optional<StepMoment>>(
      m_walk_slot, QueryService::Supersede::kCancelOlder,
      [run = m_run, from = start(by), by](Reader& reader, std::stop_token stop) {
        return neighbourStep(reader, run, from, by, std::move(stop));
      },
      [this, by](const Result<std::shared_ptr<const std::optional<StepMoment>>>& answer) {
        if (answer.ok() && **answer) {
          m_state.setMoment((**answer)->time);
          return walk();
        }
        m_steps_wanted = 0;
        m_nothing = by > 0 ? tr("no later step") : tr("no earlier step");
        tell();
      });
}

void Playhead::jump(int by) {
  if (!m_data || !m_clocked) return;
  const RunMark* mark = neighbourMark(*m_data, start(by), by);
  if (mark != nullptr) return m_state.setMoment(mark->time);
  m_nothing = by > 0 ? tr("no event or finding after this") : tr("no event or finding before this");
  tell();
}

void Playhead::goToNow() {
  m_nothing.clear();
  m_state.setMoment(std::nullopt);
  tell();
}

void Playhead::play() {
  const bool playing = !m_playing.isActive();
  const std::optional<TimeRange> extent = m_state.extent();
  if (playing && (!extent || !m_clocked)) return;
  m_bar.setPlaying(playing);
  if (!playing) {
    m_playing.stop();
    return m_state.endGesture();
  }
  // From the start if there is no playhead, or if it has reached the end.
  const std::optional<TimeNs> moment = m_state.state().moment;
  if (!moment || *moment >= extent->t1 - 1) m_state.setMoment(extent->t0);
  m_played.start();
  m_playing.start();
}

void Playhead::tick() {
  const std::optional<TimeNs> moment = m_state.state().moment;
  const std::optional<TimeRange> extent = m_state.extent();
  if (!moment || !extent) return play();
  const auto by = static_cast<DurNs>(static_cast<double>(m_played.nsecsElapsed()) * m_bar.speed());
  m_played.start();
  const TimeNs end = extent->t1 - 1;
  const DurNs left = between(*moment, end);
  m_state.setMoment(left > by ? *moment + by : end, SharedState::Undo::kMerge);
  if (left <= by) play();
}

}  // namespace runglass
