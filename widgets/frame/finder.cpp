// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/finder.h"

#include <QAction>
#include <QRegularExpression>
#include <QSettings>
#include <utility>

#include "analysis/run_summary/run_steps.h"
#include "analysis/run_summary/run_summary.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/language.h"
#include "widgets/core/moment_text.h"
#include "widgets/frame/console_settings.h"
#include "widgets/frame/guide.h"

namespace runglass {
namespace {
const QString kRecentKey = QStringLiteral("palette_recent");
}

Finder::Finder(ViewContext context, const Commands& commands, QSettings* settings, FinderActions actions, QWidget* window)
    : QObject(window),
      m_context(std::move(context)),
      m_commands(commands),
      m_settings(settings),
      m_actions(std::move(actions)),
      m_window(window) {}

void Finder::show() {
  if (m_palette) return;
  PaletteSource source{.entries = entries(), .names = m_names, .typed = {}, .open = {}, .recent = {}, .remember = {}};
  if (m_settings != nullptr) source.recent = m_settings->value(kRecentKey).toStringList();
  source.remember = [this](const QStringList& recent) {
    if (m_settings != nullptr) m_settings->setValue(kRecentKey, recent);
  };
  if (m_context.queries != nullptr) {
    source.typed = [this](const QString& pattern) { return typed(pattern); };
    source.open = m_actions.open;
    readNames();
  }
  m_palette = new Palette(std::move(source), m_window);
  m_palette->show();
}

void Finder::readNames() {
  m_context.queries->submit<PaletteNames>(
      m_names_slot, QueryService::Supersede::kCancelOlder,
      [run = m_context.state->state().selection.run](Reader& reader, std::stop_token stop) { return readPaletteNames(reader, run, stop); },
      [this](const Result<std::shared_ptr<const PaletteNames>>& answer) {
        if (!answer.ok()) return m_palette ? m_palette->setProblem(screenText(answer.status().message())) : void();
        m_names = *answer;
        if (m_palette) m_palette->setNames(m_names);
      });
}

std::vector<PaletteEntry> Finder::entries() const {
  std::vector<PaletteEntry> entries;
  // Keys are in lower case.
  const auto english = [](const char* group, const QString& title_and_detail) {
    return QLatin1String(group) + u'\n' + title_and_detail.toLower();
  };
  for (QAction* action : m_commands.all())
    entries.push_back({.group = tr("Command"),
                       .title = action->text(),
                       .detail = Commands::groupOf(action),
                       .english = english("Command", Commands::englishOf(action)),
                       .keys = Commands::keysOf(action),
                       .icon = {},
                       .run = [action] { action->trigger(); }});
  const QStringList fields = SettingsDialog::fieldNames();
  const QStringList english_fields = [] {
    const InEnglish names;
    return SettingsDialog::fieldNames();
  }();
  for (qsizetype i = 0; i < fields.size(); ++i)
    entries.push_back({.group = tr("Setting"),
                       .title = fields[i],
                       .detail = tr("Settings"),
                       .english = english("Setting", english_fields[i] + QLatin1String("\nSettings")),
                       .keys = {},
                       .icon = QStringLiteral("settings"),
                       .run = [open = m_actions.settings, field = fields[i]] { open(field); }});
  for (const QString& heading : guideHeadings())
    entries.push_back({.group = tr("Help"),
                       .title = heading,
                       .detail = tr("User guide"),
                       .english = english("Help", heading + QLatin1String("\nUser guide")),
                       .keys = {},
                       .icon = {},
                       .run = [open = m_actions.help, heading] { open(heading); }});
  return entries;
}

// A step of the run, and a time within it.
std::vector<PaletteEntry> Finder::typed(const QString& pattern) {
  // Digit groups of a number; "11:58:45,123" is a time.
  static const QRegularExpression kGroups(QStringLiteral("(?<=\\d)[,\u202F\u00A0](?=\\d{3})"));
  const TimeStyle style = m_context.state->state().time_style;
  const auto extent = m_context.state->extent();
  QString clean = pattern;
  const QString digits = clean.contains(u':') ? clean : clean.remove(kGroups);
  std::vector<PaletteEntry> found;
  const MomentText first =
      readMomentText(digits, extent ? extent->t0 : m_context.now(), extent ? std::optional(extent->t0) : std::nullopt, style);
  if (first.step && *first.step >= 0 && m_names && m_names->last_step && *first.step <= *m_names->last_step)
    found.push_back({.group = tr("Step"),
                     .title = tr("Step %1").arg(formatCount(*first.step)),
                     .detail = {},
                     .english = {},
                     .keys = {},
                     .icon = QStringLiteral("timeline"),
                     .run = [this, step = *first.step] { goToStep(step); }});
  if (!first.time || !extent) return found;
  // A time of day is on the day of the window, else on the run's last or first day.
  for (const TimeNs near : {m_context.state->state().window.range.t0, extent->t1, extent->t0}) {
    const TimeNs time = readMomentText(digits, near, extent->t0, style).time.value_or(extent->t1);
    if (time < extent->t0 || time >= extent->t1) continue;
    found.push_back({.group = tr("Time"),
                     .title = formatTime(time, style),
                     .detail = {},
                     .english = {},
                     .keys = {},
                     .icon = QStringLiteral("now"),
                     .run = [this, time] {
                       m_context.state->goTo(m_context.state->state().selection, TimeRange{time - kFindingMargin, time + kFindingMargin});
                     }});
    break;
  }
  return found;
}

void Finder::goToStep(std::int64_t step) {
  using Found = std::optional<StepMoment>;
  m_context.queries->submit<Found>(
      m_step_slot, QueryService::Supersede::kCancelOlder,
      [step, wanted = m_context.state->state().selection.run](Reader& reader, std::stop_token stop) -> Result<Found> {
        RG_ASSIGN(const Run run, chooseRun(reader, wanted));
        return momentOfStep(reader, run.id, step, std::move(stop));
      },
      [this, step](const Result<std::shared_ptr<const Found>>& answer) {
        if (!answer.ok()) return m_actions.say(screenText(answer.status().message()));
        if (!**answer) return m_actions.say(tr("No step %1 with a time is recorded.").arg(formatCount(step)));
        const StepMoment& moment = ***answer;
        Selection selection = m_context.state->state().selection;
        selection.attempt = moment.attempt;
        selection.step = step;
        m_context.state->goTo(selection, TimeRange{moment.time - kFindingMargin, moment.time + kFindingMargin});
      });
}

}  // namespace runglass
