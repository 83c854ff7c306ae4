// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The rows belong to the run that was selected when they were asked for. 2. A click changes the shared state only.
#include "widgets/findings/findings_view.h"

#include <algorithm>

#include "widgets/core/finding_jump.h"
#include "widgets/core/run_words.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

using FindingList = std::vector<Finding>;

Result<FindingList> readFindings(Reader& reader, RunId wanted) {
  const Result<Run> run = chooseRun(reader, wanted);
  if (!run.ok()) return run.status().code() == Code::kNotFound ? Result<FindingList>(FindingList{}) : Result<FindingList>(run.status());
  RG_ASSIGN(FindingList findings, reader.findings(run->id));
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.start.value_or(0) > b.start.value_or(0);
  });
  return findings;
}

}  // namespace

std::vector<Column<Finding>> findingColumns(const TimeStyle* style) {
  std::vector<Column<Finding>> columns;
  columns.push_back({.title = QStringLiteral("since"),
                     .help = QStringLiteral("When it began; – where the source has no clock."),
                     .text = [style](const Finding& f) { return f.start ? formatTimeOfDay(*f.start, *style) : kAbsentText; },
                     .sort = [](const Finding& f) { return f.start ? QVariant::fromValue(static_cast<qlonglong>(*f.start)) : QVariant(); },
                     .copy = [](const Finding& f) { return f.start ? formatTimeFull(*f.start, TimeStyle::kUtc) : QString(); },
                     .mark = [](const Finding& f) { return f.severity; }});
  columns.push_back(
      {.title = QStringLiteral("told"),
       .help = QStringLiteral("When these words were first told while the run was watched; afterwards: they were concluded after it, "
                              "and may know more than was known at the time."),
       .text = [style](const Finding& f) { return f.told ? formatTimeOfDay(*f.told, *style) : QStringLiteral("afterwards"); },
       .sort = [](const Finding& f) { return f.told ? QVariant::fromValue(static_cast<qlonglong>(*f.told)) : QVariant(); },
       .copy = [](const Finding& f) { return f.told ? formatTimeFull(*f.told, TimeStyle::kUtc) : QString(); }});
  columns.push_back({.title = QStringLiteral("finding"),
                     .help = QStringLiteral("What the analysis says."),
                     .text = [](const Finding& f) { return screenText(f.summary.empty() ? f.kind : f.summary, 300); },
                     .tip =
                         [](const Finding& f) {
                           QString tip = QStringLiteral("%1, %2").arg(QLatin1String(severityName(f.severity)), screenText(f.kind, 60));
                           if (f.confidence) tip += QStringLiteral(", confidence %1").arg(formatPercent(*f.confidence, 0));
                           return tip + u'\n' + screenText(f.summary, 1'000);
                         }});
  return columns;
}

FindingsView::FindingsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<Finding>(
          findingColumns(&m_style), [](const Finding& a, const Finding& b) { return a.id == b.id; }, this)),
      m_table(new TableView(m_model, tr("Filter findings  ( / )"), this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_table);
  m_table->table()->setTextElideMode(Qt::ElideRight);  // sentences: who and what comes first
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Reading the findings …"));
  for (const auto signal : {&TableView::rowChosen, &TableView::rowActivated})
    connect(m_table, signal, this, [this](const QModelIndex& index) {
      if (const Finding* finding = m_model->rowAt(index)) goToFinding(*m_context.state, Finding(*finding));
    });
}

void FindingsView::applyState(const ViewState& state) {
  if (m_style != state.time_style) {
    m_style = state.time_style;
    m_model->retext();
  }
  if (m_shown && m_run == state.selection.run && m_moment == state.moment) return;
  m_run = state.selection.run;
  m_moment = state.moment;
  ask(QueryService::Supersede::kCancelOlder);
}

void FindingsView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

bool FindingsView::isFinal() const { return m_shown && !m_slot.busy(); }

QString FindingsView::copyText() const { return m_table->selectedTsv(); }

std::optional<IncidentSeed> FindingsView::incidentSeed() const {
  const Finding* const finding = m_model->rowAt(m_table->currentRow());
  return finding != nullptr ? std::optional(IncidentSeed{.finding = finding->id}) : std::nullopt;
}

void FindingsView::focusFilter() { m_table->focusFilter(); }

void FindingsView::ask(QueryService::Supersede supersede) {
  m_context.submitAtPlayhead<FindingList>(
      m_slot, supersede, [run = m_run](const MomentReaders& readers, std::stop_token) { return readFindings(readers.then, run); },
      [this](const auto& answer) { showAnswer(answer); });
}

void FindingsView::showAnswer(const Result<std::shared_ptr<const FindingList>>& answer) {
  if (!answer.ok()) {
    m_shown = true;
    m_panel->showFailed(tr("The findings cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_model->setRows(*answer);
  if ((*answer)->empty()) {
    m_panel->showEmptyAt(m_context.state->state().moment, tr("No finding."),
                         tr("This store holds no conclusion of an analysis about this run."),
                         QStringLiteral("runglassctl analyze --store STORE.rgl"));
    m_stack->setCurrentWidget(m_panel);
  } else {
    m_stack->setCurrentWidget(m_table);
    if (!m_shown) m_table->fitColumns();
  }
  m_shown = true;
}

}  // namespace runglass
