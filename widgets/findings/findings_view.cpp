// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The rows belong to the run that was selected when they were queried. 2. A click changes the shared state only.
#include "widgets/findings/findings_view.h"

#include <QVBoxLayout>
#include <algorithm>

#include "model/place_link.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/language.h"
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

// Times of a store may be any number.
std::optional<DurNs> lengthOf(const Finding& finding) {
  DurNs length = 0;
  if (!finding.start || !finding.end || __builtin_sub_overflow(*finding.end, *finding.start, &length)) return std::nullopt;
  return length;
}

}  // namespace

std::vector<Column<Finding>> findingColumns(const TimeStyle* style) {
  std::vector<Column<Finding>> columns;
  columns.push_back({.title = FindingsView::tr("since"),
                     .help = FindingsView::tr("When it began; – where the source has no clock."),
                     .text = [style](const Finding& f) { return f.start ? formatTimeOfDay(*f.start, *style) : kAbsentText; },
                     .sort = [](const Finding& f) { return f.start ? QVariant::fromValue(static_cast<qlonglong>(*f.start)) : QVariant(); },
                     .copy = [](const Finding& f) { return f.start ? formatTimeFull(*f.start, TimeStyle::kUtc) : QString(); },
                     .mark = [](const Finding& f) { return f.severity; }});
  columns.push_back(
      {.title = FindingsView::tr("for"),
       .help = FindingsView::tr("Duration; – while it lasts, or if the source has no clock."),
       .text = [](const Finding& f) { return lengthOf(f) ? formatLength(*lengthOf(f)) : kAbsentText; },
       .sort = [](const Finding& f) { return lengthOf(f) ? QVariant::fromValue(static_cast<qlonglong>(*lengthOf(f))) : QVariant(); },
       .copy = [](const Finding& f) { return lengthOf(f) ? formatLength(*lengthOf(f)) : QString(); }});
  columns.push_back({.title = FindingsView::tr("finding"),
                     .help = FindingsView::tr("The conclusion of the analysis."),
                     .text = [](const Finding& f) { return findingText(f, 300); },
                     .tip =
                         [style](const Finding& f) {
                           QStringList parts{severityLabel(f.severity), screenText(f.kind, 60)};
                           if (f.confidence) parts << FindingsView::tr("confidence %1").arg(formatPercent(*f.confidence, 0));
                           parts << (f.published ? FindingsView::tr("published %1").arg(formatTimeOfDay(*f.published, *style))
                                                 : FindingsView::tr("concluded after the run"));
                           return parts.join(FindingsView::tr(", ")) + u'\n' + findingText(f, 1'000);
                         }});
  return columns;
}

FindingsView::FindingsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<Finding>(
          findingColumns(&m_style), [](const Finding& a, const Finding& b) { return a.id == b.id; }, this)),
      m_table(new TableView(m_model, tr("Findings"), tr("Filter findings  ( / )"), this)),
      m_page(new QWidget(this)),
      m_card(new FindingCard(m_context, this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  auto* column = new QVBoxLayout(m_page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_table, 1);
  column->addWidget(m_card);
  connect(m_card, &FindingCard::viewRequested, this, &View::viewRequested);
  connect(m_card, &FindingCard::incidentRequested, this, &View::incidentRequested);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_page);
  m_table->setLines(2);
  m_table->table()->setTextElideMode(Qt::ElideRight);  // the subject of a sentence comes first
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Loading findings …"));
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    if (const Finding* finding = m_model->rowAt(index)) goToFinding(*m_context.state, Finding(*finding));
    showCard();
  });
  connect(m_table, &TableView::rowActivated, this, [this](const QModelIndex& index) {
    const Finding* finding = m_model->rowAt(index);
    if (finding == nullptr) return;
    const QString view = QString::fromLatin1(viewOfFinding(finding->kind));  // the rows may change when the state does
    goToFinding(*m_context.state, Finding(*finding));
    emit viewRequested(view);
  });
  connect(m_table, &TableView::menuWanted, this, [this](const QModelIndex& index, const QPoint& at) {
    if (const Finding* finding = m_model->rowAt(index)) emit menuRequested(objectOf(*finding), at);
  });
  showCard();
}

const Finding* FindingsView::chosen() const { return m_model->rowAt(m_table->currentRow()); }

void FindingsView::showCard() {
  const Finding* finding = chosen();
  m_card->setFinding(finding != nullptr ? std::optional(*finding) : std::nullopt);
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

bool FindingsView::isFinal() const { return m_shown && !m_slot.busy() && m_card->isFinal(); }

QString FindingsView::copyText() const { return m_table->selectedTsv(); }

std::optional<IncidentSeed> FindingsView::incidentSeed() const {
  const Finding* const finding = chosen();
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
    m_panel->showFailed(tr("Findings cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_model->setRows(*answer);
  if ((*answer)->empty()) {
    m_panel->showEmptyAt(m_context.state->state().moment, tr("No findings are stored for this run."),
                         tr("It was not analyzed yet, or no analysis found anything; the store does not record which. To analyze it:"),
                         QStringLiteral("runglassctl analyze --store STORE.rgl"));
    m_stack->setCurrentWidget(m_panel);
  } else {
    m_stack->setCurrentWidget(m_page);
    showCard();
    if (!m_shown) m_table->fitColumns();
  }
  m_shown = true;
}

}  // namespace runglass
