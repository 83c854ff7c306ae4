// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/alerts/alerts_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/one_fault/one_fault.h"
#include "model/alert_cause.h"
#include "widgets/alerts/read_marks.h"
#include "widgets/core/edit_port.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

using AlertRows = std::vector<AlertRow>;
constexpr DurNs kHour = 3600 * kNsPerSecond;
constexpr DurNs kMargin = 600 * kNsPerSecond;  // margin around an alert, so that its lead-up is visible

// The newest finding of each cause.
std::map<std::string, std::shared_ptr<const Finding>> byCause(const std::vector<Finding>& findings, const std::vector<Run>& runs,
                                                              const std::vector<Node>& nodes) {
  std::map<std::string, std::shared_ptr<const Finding>> of;
  for (const Finding& finding : findings) {
    if (finding.severity < Severity::kWarning) continue;
    const auto run = std::ranges::find(runs, finding.run, &Run::id);
    const auto node = std::ranges::find(nodes, finding.node, &Node::id);
    const std::string cause =
        causeOfFinding(finding, node == nodes.end() ? std::string() : node->name, run == runs.end() ? std::string() : run->uuid);
    auto& newest = of[cause];
    if (newest == nullptr || newest->start.value_or(0) <= finding.start.value_or(0)) newest = std::make_shared<const Finding>(finding);
  }
  return of;
}

// As the hub joins them: a mute of one ongoing sign of a fault mutes the fault.
void joinFaults(AlertRows& rows) {
  std::vector<AlertRow*> by_time;
  for (AlertRow& row : rows) by_time.push_back(&row);
  std::ranges::stable_sort(by_time, {}, [](const AlertRow* row) { return row->alert.since; });
  OneFault faults;
  std::map<std::string, std::pair<TimeNs, std::optional<TimeNs>>> of;  // by the fault's cause: its begin, and the longest mute
  for (AlertRow* row : by_time) {
    const Alert& alert = row->alert;
    const NodeId node = row->finding != nullptr ? row->finding->node : NodeId{};
    const std::string cause =
        faults.join({.cause = alert.cause, .kind = alert.kind, .since = alert.since, .end = alert.end, .run = alert.run, .node = node})
            .cause;
    auto& [begin, muted] = of.try_emplace(cause, alert.since, std::nullopt).first->second;
    if (alert.since - begin > OneFault::kTogether) begin = alert.since, muted.reset();  // the same fault again
    if (!alert.end && row->snoozed_until) muted = std::max(muted.value_or(0), *row->snoozed_until);
    row->fault = cause + '@' + std::to_string(begin);
  }
  for (AlertRow* row : by_time)
    if (const auto& muted = of.at(row->fault.substr(0, row->fault.rfind('@'))).second; muted && !row->alert.end)
      row->snoozed_until = std::max(row->snoozed_until.value_or(0), *muted);
}

Alert alertOf(const Finding& finding, const std::string& cause) {
  return {.run = finding.run,
          .cause = cause,
          .kind = finding.kind,
          .severity = finding.severity,
          .since = finding.start.value_or(finding.published.value_or(0)),
          .end = finding.end,
          .summary = finding.summary.empty() ? finding.kind + " of " + finding.subject : finding.summary};
}

}  // namespace

TimeNs AlertRow::when() const {
  if (alert.id == 0 && finding != nullptr && finding->published) return *finding->published;
  return alert.due.value_or(alert.since);
}

QString AlertRow::key() const { return alert.id != 0 ? QStringLiteral("alert:%1:%2").arg(alert.id).arg(alert.count) : findingKey(); }

QString AlertRow::findingKey() const {
  return finding != nullptr && alert.count <= 1 ? QStringLiteral("finding:%1").arg(finding->id) : QString();
}

bool isRead(const ReadMarks& marks, const AlertRow& row) {
  return marks.isRead(row.key(), row.when()) || marks.isRead(row.findingKey(), row.when());
}

QString AlertRow::sentence(int max_chars) const {
  // The hub wrote the summary in English; if it matches a finding's summary, show that finding's translated sentence instead.
  if (finding != nullptr && finding->summary == alert.summary) return findingText(*finding, max_chars);
  return screenText(alert.summary, max_chars);
}

Object objectOf(const AlertRow& row) {
  if (row.finding != nullptr) return objectOf(*row.finding);
  Object object{.kind = ObjectKind::kEvent, .name = screenText(row.alert.summary, 300), .detail = screenText(row.alert.rule, 100)};
  object.selection.run = row.alert.run;
  object.window = TimeRange{row.alert.since - kMargin, row.alert.end.value_or(row.alert.since) + kMargin};
  object.key = "rg_alert";
  object.id = row.alert.id;
  return object;
}

Result<AlertRows> readAlerts(Reader& reader, TimeNs now) {
  RG_ASSIGN(std::vector<Alert> alerts, reader.alerts(kAlertsShown));
  RG_ASSIGN(const std::vector<Snooze> snoozes, reader.snoozes());
  RG_ASSIGN(const std::vector<Finding> findings, reader.findings(std::nullopt));
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  const auto of = byCause(findings, runs, nodes);
  AlertRows rows;
  std::set<std::string> alerted;
  for (const Alert& alert : alerts) alerted.insert(alert.cause);
  for (const auto& [cause, finding] : of)
    if (!alerted.contains(cause)) alerts.push_back(alertOf(*finding, cause));
  for (Alert& alert : alerts) {
    AlertRow& row = rows.emplace_back();
    if (const auto finding = of.find(alert.cause); finding != of.end()) row.finding = finding->second;
    for (const Snooze& snooze : snoozes) {
      const bool meant = snooze.cause.empty() ? snooze.rule == alert.rule : snooze.cause == alert.cause;
      if (meant && snooze.until && *snooze.until > now) row.snoozed_until = std::max(row.snoozed_until.value_or(0), *snooze.until);
    }
    row.alert = std::move(alert);
  }
  joinFaults(rows);
  std::ranges::stable_sort(rows, std::greater{}, &AlertRow::when);
  if (rows.size() > kAlertsShown) rows.resize(kAlertsShown);
  return rows;
}

QString alertState(const AlertRow& row, TimeStyle style) {
  if (row.snoozed_until) return AlertsView::tr("muted until %1").arg(formatTimeOfDay(*row.snoozed_until, style));
  if (row.alert.id == 0 && row.finding != nullptr) return AlertsView::tr("found");
  if (!row.alert.due) return AlertsView::tr("not sent");
  if (!row.alert.notified) return AlertsView::tr("sending");
  const bool failed = row.alert.delivery.find(": failed after") != std::string::npos;
  if (failed)
    return row.alert.delivery.find(": sent") != std::string::npos ? AlertsView::tr("partly sent") : AlertsView::tr("not delivered");
  return row.alert.count > 1 ? AlertsView::tr("sent %1×").arg(row.alert.count) : AlertsView::tr("sent");
}

std::vector<Column<AlertRow>> alertColumns(const TimeStyle* style, std::function<bool(const AlertRow&)> read) {
  using R = AlertRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = AlertsView::tr("new"),
                     .help = AlertsView::tr("● unread"),
                     .text = [read](const R& r) { return read(r) ? QString() : QStringLiteral("●"); },
                     .copy = [read](const R& r) { return read(r) ? AlertsView::tr("read") : AlertsView::tr("unread"); }});
  columns.push_back({.title = AlertsView::tr("when"),
                     .help = AlertsView::tr("Time of the last notification; for an alert without one, its begin."),
                     .text = [style](const R& r) { return formatTime(r.when(), *style); },
                     .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.when())); },
                     .copy = [](const R& r) { return formatTimeFull(r.when(), TimeStyle::kUtc); },
                     .mark = [](const R& r) { return r.alert.severity; }});
  columns.push_back({.title = AlertsView::tr("state"),
                     .help = AlertsView::tr("State of the notification and its result per target."),
                     .text = [style](const R& r) { return alertState(r, *style); },
                     .tip = [](const R& r) { return screenText(r.alert.delivery, 1'000); }});
  columns.push_back({.title = AlertsView::tr("held"),
                     .help = AlertsView::tr("How long the alert's condition held; – while it still holds."),
                     .text = [](const R& r) { return r.alert.end ? formatLength(*r.alert.end - r.alert.since) : kAbsentText; }});
  columns.push_back({.title = AlertsView::tr("alert"),
                     .help = AlertsView::tr("The text of the notification."),
                     .text = [](const R& r) { return r.sentence(300); },
                     .tip =
                         [](const R& r) {
                           return AlertsView::tr("%1, rule %2\n%3\n%4")
                               .arg(severityLabel(r.alert.severity), screenText(r.alert.rule, 100), r.sentence(1'000),
                                    screenText(r.alert.link, 1'000));
                         }});
  columns.push_back({.title = AlertsView::tr("rule"), .help = AlertsView::tr("The rule that matched."), .text = [](const R& r) {
                       return screenText(r.alert.rule, 100);
                     }});
  return columns;
}

AlertsView::AlertsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<AlertRow>(
          alertColumns(&m_style, [this](const AlertRow& row) { return m_marks == nullptr || isRead(*m_marks, row); }),
          [](const AlertRow& a, const AlertRow& b) { return a.key() == b.key(); }, this)),
      m_table(new TableView(m_model, tr("Notifications"), tr("Filter alerts  ( / )"), this)),
      m_page(new QWidget(this)),
      m_card(new FindingCard(m_context, this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  auto* column = new QVBoxLayout(m_page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_table, 1);
  column->addWidget(m_card);
  column->addWidget(makeBar());
  m_card->hide();
  connect(m_card, &FindingCard::viewRequested, this, &View::viewRequested);
  connect(m_card, &FindingCard::incidentRequested, this, &View::incidentRequested);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_page);
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Reading the alerts …"));
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    const AlertRow* row = m_model->rowAt(index);
    if (row == nullptr) return;
    const Object object = objectOf(*row);
    if (m_marks != nullptr) m_marks->markRead(row->key());
    m_context.state->goTo(object.selection, object.window);
    showCard();
  });
  connect(m_table, &TableView::menuWanted, this, [this](const QModelIndex& index, const QPoint& at) {
    if (const AlertRow* row = m_model->rowAt(index)) emit menuRequested(objectOf(*row), at);
  });
}

void AlertsView::setReadMarks(ReadMarks* marks) {
  if (m_marks == marks) return;
  m_marks = marks;
  connect(marks, &ReadMarks::changed, this, [this] { m_model->retext(); });
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
  m_all_read = new QPushButton(tr("Mark all as read"), bar);
  m_all_read->setFocusPolicy(Qt::TabFocus);
  connect(m_all_read, &QPushButton::clicked, this, [this] {
    if (m_marks != nullptr) m_marks->markAllRead(m_context.clock());
  });
  row->addWidget(m_all_read);
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

bool AlertsView::isFinal() const { return m_shown && !m_slot.busy() && m_card->isFinal(); }

void AlertsView::showCard() {
  const AlertRow* row = m_model->rowAt(m_table->currentRow());
  const bool of_finding = row != nullptr && row->finding != nullptr;
  m_card->setFinding(of_finding ? std::optional(*row->finding) : std::nullopt);
  m_card->setVisible(of_finding);
}

std::optional<IncidentSeed> AlertsView::incidentSeed() const {
  return m_card->finding() ? std::optional(IncidentSeed{.finding = m_card->finding()->id}) : std::nullopt;
}

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
    m_panel->showEmpty(
        tr("No notifications."),
        tr("No finding of warning severity or above, and no alert. Alert rules are set at the hub (docs/operate/alerts.md):"),
        QStringLiteral("runglassctl serve --store STORE.rgl --alerts RULES.toml"));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  const bool first = m_stack->currentWidget() != m_page;
  m_stack->setCurrentWidget(m_page);
  showCard();
  if (first) m_table->fitColumns();
}

}  // namespace runglass
