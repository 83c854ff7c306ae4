// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/alerts/alerts_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/edit_port.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

using AlertRows = std::vector<AlertRow>;
constexpr DurNs kHour = 3600 * kNsPerSecond;
constexpr DurNs kMargin = 600 * kNsPerSecond;  // around an alert, so that what came before is seen

TimeNs timeOf(const Alert& alert) { return alert.due.value_or(alert.since); }

}  // namespace

Result<AlertRows> readAlerts(Reader& reader, TimeNs now) {
  RG_ASSIGN(std::vector<Alert> alerts, reader.alerts(kAlertsShown));
  RG_ASSIGN(const std::vector<Snooze> snoozes, reader.snoozes());
  AlertRows rows;
  for (Alert& alert : alerts) {
    AlertRow& row = rows.emplace_back();
    for (const Snooze& snooze : snoozes) {
      const bool meant = snooze.cause.empty() ? snooze.rule == alert.rule : snooze.cause == alert.cause;
      if (meant && snooze.until && *snooze.until > now) row.snoozed_until = std::max(row.snoozed_until.value_or(0), *snooze.until);
    }
    row.alert = std::move(alert);
  }
  return rows;
}

QString alertState(const AlertRow& row, TimeStyle style) {
  if (row.snoozed_until) return QStringLiteral("muted until %1").arg(formatTimeOfDay(*row.snoozed_until, style));
  if (!row.alert.due) return QStringLiteral("not sent");
  if (!row.alert.told) return QStringLiteral("sending");
  const bool failed = row.alert.delivery.find(": failed after") != std::string::npos;
  if (failed)
    return row.alert.delivery.find(": sent") != std::string::npos ? QStringLiteral("partly sent") : QStringLiteral("not delivered");
  return row.alert.count > 1 ? QStringLiteral("sent %1×").arg(row.alert.count) : QStringLiteral("sent");
}

std::vector<Column<AlertRow>> alertColumns(const TimeStyle* style) {
  using R = AlertRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = QStringLiteral("when"),
                     .help = QStringLiteral("Time of the last notification; for an alert without one, its begin."),
                     .text = [style](const R& r) { return formatTime(timeOf(r.alert), *style); },
                     .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(timeOf(r.alert))); },
                     .copy = [](const R& r) { return formatTimeFull(timeOf(r.alert), TimeStyle::kUtc); },
                     .mark = [](const R& r) { return r.alert.severity; }});
  columns.push_back({.title = QStringLiteral("state"),
                     .help = QStringLiteral("State of the notification and its result per target."),
                     .text = [style](const R& r) { return alertState(r, *style); },
                     .tip = [](const R& r) { return screenText(r.alert.delivery, 1'000); }});
  columns.push_back({.title = QStringLiteral("held"),
                     .help = QStringLiteral("How long the trouble held; – while it does."),
                     .text = [](const R& r) { return r.alert.end ? formatLength(*r.alert.end - r.alert.since) : kAbsentText; }});
  columns.push_back({.title = QStringLiteral("alert"),
                     .help = QStringLiteral("The text of the notification."),
                     .text = [](const R& r) { return screenText(r.alert.summary, 300); },
                     .tip =
                         [](const R& r) {
                           return QStringLiteral("%1, rule %2\n%3\n%4")
                               .arg(QLatin1String(severityName(r.alert.severity)), screenText(r.alert.rule, 100),
                                    screenText(r.alert.summary, 1'000), screenText(r.alert.link, 1'000));
                         }});
  columns.push_back({.title = QStringLiteral("rule"), .help = QStringLiteral("The rule that matched."), .text = [](const R& r) {
                       return screenText(r.alert.rule, 100);
                     }});
  return columns;
}

AlertsView::AlertsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<AlertRow>(
          alertColumns(&m_style), [](const AlertRow& a, const AlertRow& b) { return a.alert.id == b.alert.id; }, this)),
      m_table(new TableView(m_model, tr("Alerts"), tr("Filter alerts  ( / )"), this)),
      m_page(new QWidget(this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  auto* column = new QVBoxLayout(m_page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_table, 1);
  column->addWidget(makeBar());
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_page);
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Reading the alerts …"));
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    const AlertRow* row = m_model->rowAt(index);
    if (row == nullptr) return;
    Selection selection;
    selection.run = row->alert.run;
    m_context.state->goTo(selection, TimeRange{row->alert.since - kMargin, row->alert.end.value_or(row->alert.since) + kMargin});
  });
}

QWidget* AlertsView::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  const auto button = [&](const QString& text, const QString& tip, bool whole_rule, DurNs duration) {
    auto* push = new QPushButton(text, bar);
    push->setToolTip(tip);
    push->setFocusPolicy(Qt::TabFocus);
    row->addWidget(push);
    connect(push, &QPushButton::clicked, this, [this, whole_rule, duration] {
      if (!snooze(whole_rule, duration)) m_said->setText(tr("Choose an alert first."));
    });
  };
  button(tr("Mute 2 h"), tr("Send no notification about this cause for two hours"), false, 2 * kHour);
  button(tr("Mute its rule 2 h"), tr("Send no notification of this rule for two hours"), true, 2 * kHour);
  button(tr("Unmute"), tr("Send notifications about this cause again"), false, 0);
  button(tr("Unmute the rule"), tr("Send notifications of this rule again"), true, 0);
  m_said = new QLabel(bar);
  m_said->setTextFormat(Qt::PlainText);
  row->addWidget(m_said, 1);
  return bar;
}

bool AlertsView::snooze(bool whole_rule, DurNs duration) {
  const AlertRow* row = m_model->rowAt(m_table->currentRow());
  if (row == nullptr) return false;
  const QString refusal = m_context.edits != nullptr ? m_context.edits->refusal() : tr("This store cannot be edited.");
  if (!refusal.isEmpty()) {
    m_said->setText(refusal);
    return true;
  }
  Snooze snooze{
      .rule = whole_rule ? row->alert.rule : "", .cause = whole_rule ? "" : row->alert.cause, .author = qgetenv("USER").toStdString()};
  if (duration > 0) snooze.until = m_context.clock() + duration;
  m_said->setText(tr("Saving …"));
  m_context.edits->submit(snooze, this, [this](const Status& made) {
    m_said->setText(made.ok() ? QString() : screenText(made.message()));
    ask(QueryService::Supersede::kCancelOlder);
  });
  return true;
}

void AlertsView::applyState(const ViewState& state) {
  if (m_style != state.time_style) {
    m_style = state.time_style;
    m_model->retext();
  }
  if (!m_shown) ask(QueryService::Supersede::kCancelOlder);
}

void AlertsView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

bool AlertsView::isFinal() const { return m_shown && !m_slot.busy(); }

QString AlertsView::copyText() const { return m_table->selectedTsv(); }

void AlertsView::focusFilter() { m_table->focusFilter(); }

void AlertsView::ask(QueryService::Supersede supersede) {
  m_context.queries->submit<AlertRows>(
      m_slot, supersede, [now = m_context.clock()](Reader& reader, std::stop_token) { return readAlerts(reader, now); },
      [this](const auto& answer) { showAnswer(answer); });
}

void AlertsView::showAnswer(const Result<std::shared_ptr<const AlertRows>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_panel->showFailed(tr("The alerts cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_model->setRows(*answer);
  if ((*answer)->empty()) {
    m_panel->showEmpty(tr("No alert."),
                       tr("No notification was sent about this store. Configure alert rules in a TOML file (docs/operate/alerts.md)."),
                       QStringLiteral("runglassctl serve --store STORE.rgl --alerts RULES.toml"));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  const bool first = m_stack->currentWidget() != m_page;
  m_stack->setCurrentWidget(m_page);
  if (first) m_table->fitColumns();
}

}  // namespace runglass
