// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The table is shown exactly when the last good answer had a run. 2. Choosing a row changes only the shared selection; the
// table follows the selection, and a refresh never changes the selection.
#include "widgets/runs/runs_view.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <limits>

#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

struct RunsText {
  Q_DECLARE_TR_FUNCTIONS(Runs)
};

using RunList = std::vector<RunSummary>;

QVariant orAbsent(const auto& value) { return value ? QVariant::fromValue(static_cast<double>(*value)) : QVariant(); }

QString healthText(const RunSummary& run) {
  QStringList parts;
  for (const Severity severity : {Severity::kCritical, Severity::kError, Severity::kWarning}) {
    const int count = run.findings[static_cast<std::size_t>(severity)];
    if (count == 0) continue;
    parts += RunsText::tr("%1 %2").arg(formatCount(count), severityLabel(severity));
  }
  return parts.isEmpty() ? RunsText::tr("no finding") : parts.join(QStringLiteral(", "));
}

Severity worstFinding(const RunSummary& run) {
  for (std::size_t severity = run.findings.size(); severity-- > 2;)
    if (run.findings[severity] > 0) return static_cast<Severity>(severity);
  return Severity::kInfo;
}

// Worst first, then by count.
double healthRank(const RunSummary& run) {
  const Severity worst = worstFinding(run);
  return static_cast<double>(worst) * 1e6 + run.findings[static_cast<std::size_t>(worst)];
}

std::optional<DurNs> elapsed(const RunSummary& run) {
  const std::optional<TimeNs> begin = run.run.start ? run.run.start : run.first_data;
  const std::optional<TimeNs> end = run.run.end ? run.run.end : run.last_data;
  if (!begin || !end || *end <= *begin) return std::nullopt;  // one timestamp has no duration
  return *end - *begin;
}

TimeStyle styleOf(const RunSummary& run, TimeStyle style) { return run.run.time_domain == TimeDomain::kUtc ? style : TimeStyle::kRelative; }

Result<RunList> readRuns(Reader& reader, const std::stop_token& stop) {
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  RunList list;
  list.reserve(runs.size());
  for (const Run& run : runs) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "list runs: superseded");
    RG_ASSIGN(RunSummary summary, readRunSummary(reader, run, stop));
    list.push_back(std::move(summary));
  }
  // Running ones first, then the newest; runs without a clock come last, in import order.
  std::ranges::stable_sort(list, std::greater{}, [](const RunSummary& run) {
    return std::pair(run.run.state == RunState::kRunning,
                     (run.run.start ? run.run.start : run.first_data).value_or(std::numeric_limits<TimeNs>::min()));
  });
  return list;
}

}  // namespace

std::vector<Column<RunSummary>> runColumns(const RunColumnContext* context) {
  using R = RunSummary;
  const auto left = Qt::AlignLeft;
  const auto right = Qt::AlignRight;
  std::vector<Column<R>> columns;
  columns.push_back({.title = RunsText::tr("state"),
                     .help = RunsText::tr("As the run says; silent: it calls itself running, but nothing arrived for 15 s."),
                     .align = left,
                     .text = [context](const R& r) { return termText(stateWord(r, context->clock()).word); },
                     .mark = [context](const R& r) { return stateWord(r, context->clock()).severity; }});
  columns.push_back({.title = RunsText::tr("run"),
                     .help = RunsText::tr("Its name, unique in this store."),
                     .align = left,
                     .text =
                         [](const R& r) {
                           const QString name = screenText(r.run.name, 120);
                           return r.run.simulated ? RunsText::tr("%1  (simulated)").arg(name) : name;
                         },
                     .copy = [](const R& r) { return screenText(r.run.name, 4'000); },
                     .tip = [](const R& r) { return screenText(r.run.name, 400); }});
  columns.push_back({.title = RunsText::tr("health"),
                     .help = RunsText::tr("Findings of the analyses, worst first."),
                     .align = left,
                     .text = healthText,
                     .sort = [](const R& r) { return QVariant(healthRank(r)); },
                     .mark = [](const R& r) { return worstFinding(r); }});
  columns.push_back({.title = RunsText::tr("layout"),
                     .help = RunsText::tr("Parallel sizes of the newest attempt; – where nothing said them."),
                     .align = left,
                     .text = [](const R& r) { return r.attempts.empty() ? kAbsentText : layoutText(r.attempts.back().layout); },
                     .sort =
                         [](const R& r) {
                           if (r.attempts.empty() || r.attempts.back().layout.world == 0) return QVariant();
                           return QVariant(static_cast<double>(r.attempts.back().layout.world));
                         }});
  columns.push_back({.title = RunsText::tr("attempts"),
                     .help = RunsText::tr("Every restart is an attempt."),
                     .align = right,
                     .text = [](const R& r) { return formatCount(static_cast<std::int64_t>(r.attempts.size())); },
                     .sort = [](const R& r) { return QVariant(static_cast<double>(r.attempts.size())); }});
  columns.push_back({.title = RunsText::tr("last step"),
                     .help = RunsText::tr("The largest step of the newest attempt."),
                     .align = right,
                     .text = [](const R& r) { return r.last_step ? formatCount(*r.last_step) : kAbsentText; },
                     .sort = [](const R& r) { return orAbsent(r.last_step); },
                     .copy = [](const R& r) { return r.last_step ? QString::number(*r.last_step) : QString(); }});
  columns.push_back({.title = RunsText::tr("last loss"),
                     .help = RunsText::tr("The newest point of the series that the tooltip names, unsmoothed."),
                     .align = right,
                     .text = [](const R& r) { return r.loss ? formatNumber(*r.loss) : kAbsentText; },
                     .sort = [](const R& r) { return orAbsent(r.loss); },
                     .copy = [](const R& r) { return r.loss ? fullNumber(*r.loss) : QString(); },
                     .tip = [](const R& r) { return r.loss ? RunsText::tr("from \"%1\"").arg(screenText(r.loss_tag, 100)) : QString(); }});
  columns.push_back(
      {.title = RunsText::tr("tokens/s"),
       .help = RunsText::tr("Of the whole job: median of the newest 20 steps."),
       .align = right,
       .text = [](const R& r) { return r.throughput.tokens_per_s ? formatShortCount(*r.throughput.tokens_per_s) : kAbsentText; },
       .sort = [](const R& r) { return orAbsent(r.throughput.tokens_per_s); },
       .copy = [](const R& r) { return r.throughput.tokens_per_s ? fullNumber(*r.throughput.tokens_per_s) : QString(); },
       .tip = [](const R& r) { return throughputWhy(r.throughput); }});
  columns.push_back(
      {.title = RunsText::tr("per GPU"),
       .help = RunsText::tr("Tokens per second and GPU: median of the newest 20 steps."),
       .align = right,
       .text = [](const R& r) { return r.throughput.tokens_per_gpu ? formatShortCount(*r.throughput.tokens_per_gpu) : kAbsentText; },
       .sort = [](const R& r) { return orAbsent(r.throughput.tokens_per_gpu); },
       .copy = [](const R& r) { return r.throughput.tokens_per_gpu ? fullNumber(*r.throughput.tokens_per_gpu) : QString(); },
       .tip = [](const R& r) { return throughputWhy(r.throughput); }});
  columns.push_back({.title = QStringLiteral("MFU"),
                     .help = RunsText::tr("Model FLOP/s over the device's dense peak, where both are known; the tooltip shows the source."),
                     .align = right,
                     .text = [](const R& r) { return r.throughput.mfu ? formatPercent(*r.throughput.mfu) : kAbsentText; },
                     .sort = [](const R& r) { return orAbsent(r.throughput.mfu); },
                     .copy = [](const R& r) { return r.throughput.mfu ? fullNumber(*r.throughput.mfu) : QString(); },
                     .tip = [](const R& r) { return throughputWhy(r.throughput); }});
  columns.push_back({.title = RunsText::tr("nodes reporting"),
                     .help = RunsText::tr("Nodes that reported within the last 15 s, of all nodes of the run."),
                     .align = right,
                     .text =
                         [](const R& r) {
                           return r.nodes_total == 0
                                      ? kAbsentText
                                      : QStringLiteral("%1 / %2").arg(formatCount(r.nodes_heard), formatCount(r.nodes_total));
                         },
                     .sort = [](const R& r) { return r.nodes_total == 0 ? QVariant() : QVariant(static_cast<double>(r.nodes_heard)); }});
  columns.push_back({.title = RunsText::tr("started"),
                     .help = RunsText::tr("The run's own start, else its first data."),
                     .align = left,
                     .text =
                         [context](const R& r) {
                           const auto start = r.run.start ? r.run.start : r.first_data;
                           return start ? formatTime(*start, styleOf(r, context->style)) : kAbsentText;
                         },
                     .sort =
                         [](const R& r) {
                           const auto start = r.run.start ? r.run.start : r.first_data;
                           return start ? QVariant::fromValue(static_cast<qlonglong>(*start)) : QVariant();
                         },
                     .copy =
                         [context](const R& r) {
                           const auto start = r.run.start ? r.run.start : r.first_data;
                           return start ? formatTimeFull(*start, styleOf(r, context->style)) : QString();
                         }});
  columns.push_back({.title = RunsText::tr("lasted"),
                     .help = RunsText::tr("From its start to its end, or to its newest data."),
                     .align = right,
                     .text =
                         [](const R& r) {
                           const auto dur = elapsed(r);
                           return dur ? formatLength(*dur) : kAbsentText;
                         },
                     .sort = [](const R& r) { return orAbsent(elapsed(r)); },
                     .copy =
                         [](const R& r) {
                           const auto dur = elapsed(r);
                           return dur ? QString::number(*dur) : QString();
                         }});
  columns.push_back({.title = RunsText::tr("framework"),
                     .help = RunsText::tr("Writer of the data, if recorded."),
                     .align = left,
                     .text = [](const R& r) { return r.run.framework.empty() ? kAbsentText : screenText(r.run.framework, 60); },
                     .sort = [](const R& r) { return r.run.framework.empty() ? QVariant() : QVariant(screenText(r.run.framework, 60)); }});
  return columns;
}

RunsView::RunsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_columns{TimeStyle::kUtc, m_context.clock},
      m_model(new TableModel<RunSummary>(
          runColumns(&m_columns), [](const RunSummary& a, const RunSummary& b) { return a.run.id == b.run.id; }, this)),
      m_table(new TableView(m_model, tr("Runs"), tr("Filter runs  ( / )"), this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)),
      m_ledger(new GoodputPanel) {
  m_stack->addWidget(m_panel);
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  column->addWidget(m_table, 1);
  column->addWidget(m_ledger);
  m_stack->addWidget(page);
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Reading the runs of this store …"));
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    const RunSummary* run = m_model->rowAt(index);
    if (run == nullptr || m_context.state->state().selection.run == run->run.id) return;
    Selection selection;
    selection.run = run->run.id;
    m_context.state->select(selection);
  });
  connect(m_table, &TableView::menuWanted, this, [this](const QModelIndex& index, const QPoint& at) {
    const RunSummary* run = m_model->rowAt(index);
    if (run == nullptr) return;
    Object object{.kind = ObjectKind::kRun, .name = screenText(run->run.name, 120), .id = static_cast<std::int64_t>(run->run.id.value)};
    object.selection.run = run->run.id;
    emit menuRequested(object, at);
  });
  connect(m_table, &TableView::rowActivated, this, [this] { emit viewRequested(QStringLiteral("overview")); });
}

void RunsView::applyState(const ViewState& state) {
  const bool restyle = m_columns.style != state.time_style;
  m_columns.style = state.time_style;
  if (!m_shown) return ask();
  if (restyle) m_model->retext();
  markSelected();
  if (state.selection.run != m_ledger_of) askLedger(QueryService::Supersede::kCancelOlder);
}

void RunsView::refresh(Tick tick) {
  if (tick != Tick::kText) return;
  ask();
  askLedger(QueryService::Supersede::kAfterCurrent);
}

bool RunsView::isFinal() const { return m_shown && !m_slot.busy() && !m_ledger_slot.busy(); }

QString RunsView::copyText() const { return m_table->selectedTsv(); }

void RunsView::focusFilter() { m_table->focusFilter(); }

void RunsView::ask() {
  m_context.queries->submit<RunList>(
      m_slot, QueryService::Supersede::kAfterCurrent, [](Reader& reader, std::stop_token stop) { return readRuns(reader, stop); },
      [this](const auto& answer) { showAnswer(answer); });
}

void RunsView::showAnswer(const Result<std::shared_ptr<const RunList>>& answer) {
  if (!answer.ok()) {
    m_shown = true;
    m_panel->showFailed(tr("The runs cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_model->setRows(*answer);
  if ((*answer)->empty()) {
    m_panel->showEmpty(tr("No run in this store yet."),
                       tr("Runs appear as soon as a training process, an agent or an import says something about one."),
                       QStringLiteral("runglassctl import --store S.rgl LOG_OR_FOLDER"));
    m_stack->setCurrentWidget(m_panel);
  } else {
    m_stack->setCurrentIndex(1);
    if (!m_shown) m_table->fitColumns();
    if (!m_shown) askLedger(QueryService::Supersede::kAfterCurrent);
    markSelected();
  }
  m_shown = true;
}

// Of the selected run, else of the run that every view shows without a selection.
void RunsView::askLedger(QueryService::Supersede supersede) {
  m_ledger_of = m_context.state->state().selection.run;
  m_context.queries->submit<GoodputData>(
      m_ledger_slot, supersede,
      [wanted = m_ledger_of, now = m_context.clock()](Reader& reader, std::stop_token stop) -> Result<GoodputData> {
        RG_ASSIGN(const Run run, chooseRun(reader, wanted));
        RG_ASSIGN(const RunSummary summary, readRunSummary(reader, run, stop));
        return readGoodputData(reader, summary, now, stop);
      },
      [this](const Result<std::shared_ptr<const GoodputData>>& answer) {
        if (answer.ok())
          m_ledger->setData(*answer);
        else
          m_ledger->setMissing(tr("The restarts cannot be read: %1").arg(screenText(answer.status().message())));
        m_ledger->setFixedHeight(std::min(m_ledger->wantedHeight(), height() / 2));
      });
}

void RunsView::markSelected() {
  const RunId run = m_context.state->state().selection.run;
  for (int row = 0; row < m_model->rowCount(); ++row)
    if (m_model->rows()[static_cast<std::size_t>(row)].run.id == run) m_table->chooseRow(m_model->index(row, 0));
}

}  // namespace runglass
