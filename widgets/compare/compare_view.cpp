// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: everything below the fields belongs to one answer; the fields show what that answer compared.
#include "widgets/compare/compare_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "widgets/compare/compare_data.h"
#include "widgets/core/language.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kChoiceWidth = 80 * kGrid, kStepWidth = 40 * kGrid;

QString textOr(const std::optional<std::string>& value) { return value ? screenText(*value, 200) : kAbsentText; }
QString full(const std::optional<std::string>& value) { return value ? screenText(*value, 4'000) : QString(); }
QString duration(const std::optional<double>& ns) { return ns ? formatDuration(static_cast<DurNs>(std::llround(*ns))) : kAbsentText; }
QVariant sortable(const std::optional<double>& value) { return value ? QVariant(*value) : QVariant(); }

}  // namespace

std::vector<Column<FactDelta>> factColumns() {
  std::vector<Column<FactDelta>> columns;
  columns.push_back(
      {.title = CompareText::tr("what differs"),
       .help = CompareText::tr("Options of the command line, the framework's arguments, versions and variables; secrets are not shown."),
       .text = [](const FactDelta& f) { return screenText(f.key, 120); }});
  columns.push_back({.title = QStringLiteral("A"),
                     .help = CompareText::tr("– : not said"),
                     .text = [](const FactDelta& f) { return textOr(f.a); },
                     .copy = [](const FactDelta& f) { return full(f.a); },
                     .tip = [](const FactDelta& f) { return full(f.a); }});
  columns.push_back({.title = QStringLiteral("B"),
                     .help = CompareText::tr("– : not said"),
                     .text = [](const FactDelta& f) { return textOr(f.b); },
                     .copy = [](const FactDelta& f) { return full(f.b); },
                     .tip = [](const FactDelta& f) { return full(f.b); }});
  return columns;
}

std::vector<Column<WorkDelta>> workColumns() {
  std::vector<Column<WorkDelta>> columns;
  columns.push_back(
      {.title = CompareText::tr("node"), .help = CompareText::tr("Only A: it left; only B: it is new."), .text = [](const WorkDelta& w) {
         const QString node = screenText(w.node, 80);
         return !w.b_ns ? CompareText::tr("%1  (only A)").arg(node) : !w.a_ns ? CompareText::tr("%1  (only B)").arg(node) : node;
       }});
  columns.push_back({.title = CompareText::tr("own work A"),
                     .help = CompareText::tr("Mean of its ranks per step, without measured waiting."),
                     .align = Qt::AlignRight,
                     .text = [](const WorkDelta& w) { return duration(w.a_ns); },
                     .sort = [](const WorkDelta& w) { return sortable(w.a_ns); }});
  columns.push_back({.title = CompareText::tr("own work B"),
                     .help = CompareText::tr("Mean of its ranks per step, without measured waiting."),
                     .align = Qt::AlignRight,
                     .text = [](const WorkDelta& w) { return duration(w.b_ns); },
                     .sort = [](const WorkDelta& w) { return sortable(w.b_ns); }});
  columns.push_back({.title = CompareText::tr("change"),
                     .help = CompareText::tr("B over A, minus 1."),
                     .align = Qt::AlignRight,
                     .text = [](const WorkDelta& w) { return w.change() ? formatSignedPercent(*w.change()) : kAbsentText; },
                     .sort = [](const WorkDelta& w) { return sortable(w.change()); }});
  return columns;
}

CompareView::CompareView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_a(new QComboBox),
      m_b(new QComboBox),
      m_at(new QLineEdit),
      m_sentence(new Headline),
      m_warnings(new QLabel),
      m_parts(new PartBars),
      m_plots(new PlotWidget),
      m_facts(new TableModel<FactDelta>(
          factColumns(), [](const FactDelta& a, const FactDelta& b) { return a.key == b.key; }, this)),
      m_work(new TableModel<WorkDelta>(
          workColumns(), [](const WorkDelta& a, const WorkDelta& b) { return a.node == b.node; }, this)),
      m_fact_table(new TableView(m_facts, tr("Facts that differ"), tr("Filter what differs  ( / )"))),
      m_work_table(new TableView(m_work, tr("Work by node"), tr("Filter nodes"))),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(makeChoice());
  column->addLayout(m_stack, 1);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the attempts …"));
  connect(m_plots, &PlotWidget::windowChanged, this, [this](std::int64_t x0, std::int64_t x1, bool) { m_plots->setWindow(x0, x1); });
  connect(m_plots, &PlotWidget::showAll, this, [this] {
    if (m_data) m_plots->setWindow(m_data->x0, m_data->x1);
  });
}

QWidget* CompareView::makeChoice() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2 * kGrid);
  for (const auto& [box, words] : {std::pair(m_a, tr("A")), std::pair(m_b, tr("B"))}) {
    box->setMinimumWidth(kChoiceWidth);
    box->setAccessibleName(words);
    row->addWidget(new QLabel(words, bar));
    row->addWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, [this] { readFields(); });
  }
  m_at->setPlaceholderText(tr("before | after step"));
  m_at->setToolTip(tr("Compares B before this step with itself from this step on"));
  m_at->setAccessibleName(tr("Step that splits B"));
  m_at->setFixedWidth(kStepWidth);
  m_at->setMaxLength(18);
  row->addWidget(m_at);
  connect(m_at, &QLineEdit::editingFinished, this, [this] { readFields(); });
  row->addStretch(1);
  return bar;
}

QWidget* CompareView::makePage() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  m_warnings->setTextFormat(Qt::PlainText);
  m_warnings->setWordWrap(true);
  column->addWidget(m_sentence);
  column->addWidget(m_warnings);
  auto* upper = new QHBoxLayout;
  upper->setSpacing(2 * kGrid);
  upper->addWidget(m_parts, 2);
  upper->addWidget(m_plots, 3);
  column->addLayout(upper, 3);
  auto* lower = new QHBoxLayout;
  lower->setSpacing(2 * kGrid);
  lower->addWidget(m_fact_table, 3);
  lower->addWidget(m_work_table, 2);
  column->addLayout(lower, 2);
  return page;
}

void CompareView::choose(std::optional<CompareEntry> a, std::optional<CompareEntry> b, std::optional<std::int64_t> at_step) {
  m_request.a = std::move(a), m_request.b = std::move(b), m_request.at_step = at_step;
  ask(QueryService::Supersede::kCancelOlder);
}

void CompareView::readFields() {
  if (m_filling || !m_data) return;
  const auto entry = [this](const QComboBox* box) -> std::optional<CompareEntry> {
    const int index = box->currentIndex();
    if (index < 0 || static_cast<std::size_t>(index) >= m_data->entries.size()) return std::nullopt;
    return m_data->entries[static_cast<std::size_t>(index)];
  };
  bool ok = false;
  const qlonglong step = m_at->text().trimmed().toLongLong(&ok);
  const auto at = ok ? std::optional<std::int64_t>(step) : std::nullopt;
  if (at == m_data->at_step && entry(m_a) == m_data->a && entry(m_b) == m_data->b) return;
  choose(entry(m_a), entry(m_b), at);
}

void CompareView::applyState(const ViewState& state) {
  // In a live run the window moves with the data: a pending query answers the same question.
  if (m_asked && state.selection.run == m_run) return;
  m_asked = true;
  m_run = state.selection.run;
  choose({}, {}, {});
}

void CompareView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

void CompareView::ask(QueryService::Supersede supersede) {
  m_request.run = m_run;
  m_context.queries->submit<CompareData>(
      m_slot, supersede,
      [request = m_request](Reader& reader, std::stop_token stop) { return readCompare(reader, request, std::move(stop)); },
      [this](const Result<std::shared_ptr<const CompareData>>& answer) { showAnswer(answer); });
}

void CompareView::fillFields() {
  m_filling = true;
  for (const auto& [box, chosen] : {std::pair(m_a, &m_data->a), std::pair(m_b, &m_data->b)}) {
    QStringList names;
    for (const CompareEntry& entry : m_data->entries) names += entry.name;
    if (names != m_names[box]) {  // refilling would close a list that the user has open
      box->clear();
      box->addItems(names);
      m_names[box] = names;
    }
    const auto at = *chosen ? std::ranges::find(m_data->entries, **chosen) : m_data->entries.end();
    box->setCurrentIndex(at == m_data->entries.end() ? -1 : static_cast<int>(at - m_data->entries.begin()));
  }
  m_a->setEnabled(!m_data->at_step);
  if (!m_at->hasFocus()) m_at->setText(m_data->at_step ? QString::number(*m_data->at_step) : QString());
  m_filling = false;
}

void CompareView::showAnswer(const Result<std::shared_ptr<const CompareData>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_stack->setCurrentIndex(0);
    if (answer.status().code() == Code::kNotFound)
      return m_panel->showEmpty(tr("Nothing to compare yet"), screenText(answer.status().message()),
                                QStringLiteral("runglassctl import --store STORE.rgl PATH"));
    return m_panel->showFailed(tr("The comparison could not be read"), screenText(answer.status().message()));
  }
  const auto before = std::exchange(m_data, *answer);
  fillFields();
  if (!m_data->answer) {
    m_stack->setCurrentIndex(0);
    return m_panel->showEmpty(tr("Choose what to compare"), m_data->missing,
                              m_data->a ? QStringLiteral("runglassctl compare --store STORE.rgl --a RUN/ATTEMPT --b RUN/ATTEMPT")
                                        : QStringLiteral("runglassctl compare --store STORE.rgl --a RUN --at STEP"));
  }
  // A refresh of the same comparison keeps the user's zoom and expanded rows.
  const bool same = before && before->answer && before->a == m_data->a && before->b == m_data->b && before->at_step == m_data->at_step;
  const bool follows = !same || !before->plots || (m_plots->x0() == before->x0 && m_plots->x1() == before->x1);
  const ComparisonAnswer& a = *m_data->answer;
  m_stack->setCurrentIndex(1);
  m_sentence->setSentence(sentenceText(a.sentence, 600));
  QStringList notes;
  for (const words::Sentence& warning : a.comparison.warnings) notes += QStringLiteral("▲ ") + sentenceText(warning, 300);
  notes += tr("A: %1 · B: %2 · steady steps only: first steps, warm-up, evaluations and saves are left out")
               .arg(sentenceText(a.a.name, 120), sentenceText(a.b.name, 120));
  if (!m_data->plots) notes += tr("No curves: the two have no scalar with steps in common.");
  if (a.facts.empty()) notes += tr("All recorded settings and versions are identical.");
  m_fact_table->setVisible(!a.facts.empty());
  m_warnings->setText(notes.join(u'\n'));
  m_parts->setComparison(a.comparison);
  m_plots->setVisible(m_data->plots != nullptr);
  if (m_data->plots) {
    m_plots->setData(m_data->plots);
    if (follows) m_plots->setWindow(m_data->x0, m_data->x1);
  }
  m_facts->setRows(std::make_shared<const std::vector<FactDelta>>(a.facts));
  m_work->setRows(std::make_shared<const std::vector<WorkDelta>>(a.comparison.nodes));
  if (same) return;
  m_fact_table->fitColumns();
  m_work_table->fitColumns();
}

QString CompareView::copyText() const { return m_data && m_data->answer ? sentenceText(m_data->answer->sentence, 2'000) : QString(); }

}  // namespace runglass
