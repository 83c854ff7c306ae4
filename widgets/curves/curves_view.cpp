// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
//  1. The list and the plots are of one answer.
//  2. The time axis uses the shared window; steps and relative times have a window of their own, dropped when the axis changes.
#include "widgets/curves/curves_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSplitter>
#include <QSvgGenerator>
#include <QVBoxLayout>

namespace runglass {
namespace {

constexpr int kSmoothingSteps = 999, kDefaultSmoothing = 600;
constexpr int kListWidth = 60 * kGrid, kMaxPattern = 200;

}  // namespace

CurvesView::CurvesView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_list(new CurveList(this)),
      m_proxy(new QSortFilterProxyModel(this)),
      m_filter(new QLineEdit),
      m_tags(new QListView),
      m_axis(new QComboBox),
      m_smoothing(new QSlider(Qt::Horizontal)),
      m_smoothing_text(new QLabel),
      m_log(new QCheckBox(tr("log y"))),
      m_robust(new QCheckBox(tr("ignore outliers"))),
      m_plots(new PlotWidget),
      m_panel(new StatePanel),
      m_stack(nullptr),
      m_note(new QLabel) {
  m_proxy->setSourceModel(m_list);
  m_tags->setModel(m_proxy);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(kHairline);
  split->addWidget(makeSide());
  split->addWidget(makePage());
  split->setStretchFactor(1, 1);
  split->setSizes({kListWidth, 5 * kListWidth});
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(split);
  m_panel->showLoading(tr("Reading the curves …"));
  setFocusProxy(m_plots);
  connectAll();
}

QWidget* CurvesView::makeSide() {
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(2 * kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  m_filter->setPlaceholderText(tr("Filter tags, regex  ( / )"));
  m_filter->setMaxLength(kMaxPattern);
  m_filter->setClearButtonEnabled(true);
  m_tags->setFont(tableFont());
  m_tags->setUniformItemSizes(true);
  m_tags->setFrameShape(QFrame::NoFrame);
  column->addWidget(m_filter);
  column->addWidget(m_tags, 1);
  return side;
}

QWidget* CurvesView::makePage() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(2 * kGrid);
  m_axis->addItems({tr("step"), tr("time"), tr("since run begin")});
  m_smoothing->setRange(0, kSmoothingSteps);
  m_smoothing->setValue(kDefaultSmoothing);
  m_smoothing->setMaximumWidth(40 * kGrid);
  m_smoothing->setToolTip(tr("Debiased exponential moving average, as in TensorBoard; the raw curve stays visible"));
  auto* save = new QPushButton(tr("Export …"));
  connect(save, &QPushButton::clicked, this, &CurvesView::chooseExport);
  bar->addWidget(new QLabel(tr("against")));
  bar->addWidget(m_axis);
  bar->addWidget(new QLabel(tr("smoothing")));
  bar->addWidget(m_smoothing);
  bar->addWidget(m_smoothing_text);
  bar->addWidget(m_log);
  bar->addWidget(m_robust);
  m_note->setTextFormat(Qt::PlainText);
  bar->addWidget(m_note, 1);
  bar->addWidget(save);
  column->addLayout(bar);
  auto* stack_host = new QWidget;
  m_stack = new QStackedLayout(stack_host);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_plots);
  column->addWidget(stack_host, 1);
  return page;
}

void CurvesView::connectAll() {
  SharedState* state = m_context.state;
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    const QRegularExpression pattern(text, QRegularExpression::CaseInsensitiveOption);
    m_filter->setToolTip(pattern.isValid() ? QString() : pattern.errorString());
    m_proxy->setFilterRegularExpression(
        pattern.isValid() ? pattern : QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption));
  });
  connect(m_list, &CurveList::checkedChanged, this, [this] { ask(QueryService::Supersede::kCancelOlder); });
  connect(m_axis, &QComboBox::currentIndexChanged, this, [this] {
    m_window.reset();
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_smoothing, &QSlider::valueChanged, this, &CurvesView::redraw);
  connect(m_log, &QCheckBox::toggled, this, &CurvesView::redraw);
  connect(m_robust, &QCheckBox::toggled, this, &CurvesView::redraw);
  connect(m_plots, &PlotWidget::windowChanged, this, [this, state](std::int64_t x0, std::int64_t x1, bool gesture) {
    if (m_axis->currentIndex() == static_cast<int>(CurveAxis::kTime))
      return state->setWindow({x0, x1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
    m_window = {x0, x1};
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_plots, &PlotWidget::rangeSelected, this, [this](std::int64_t x0, std::int64_t x1) {
    emit m_plots->windowChanged(x0, x1, false);
    m_plots->setWindow(x0, x1);
  });
  connect(m_plots, &PlotWidget::gestureEnded, state, [state] { state->endGesture(); });
  connect(m_plots, &PlotWidget::showAll, this, [this, state] {
    m_window.reset();
    if (m_axis->currentIndex() == static_cast<int>(CurveAxis::kTime)) state->showAll();
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_plots, &PlotWidget::followEnd, state, [this, state] { state->followEnd(m_plots->x1() - m_plots->x0()); });
}

CurvesQuestion CurvesView::question() const {
  CurvesQuestion question{.tags = m_list->checkedTags(),
                          .axis = static_cast<CurveAxis>(std::max(0, m_axis->currentIndex())),
                          .window = m_window,
                          .pixels = static_cast<std::size_t>(std::max(64, m_plots->plotArea().width())),
                          .smoothing = m_smoothing->value() / 1000.0,
                          .log = m_log->isChecked(),
                          .robust = m_robust->isChecked(),
                          .style = m_state.time_style,
                          .theme = currentTheme().name};
  const TimeRange& shared = m_state.window.range;
  if (question.axis == CurveAxis::kTime && m_state.window.mode != WindowMode::kAll && shared.t1 > shared.t0)
    question.window = {shared.t0, shared.t1};
  return question;
}

void CurvesView::applyState(const ViewState& state) {
  const bool moved_by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  m_state = state;
  ask(moved_by_data ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
}

void CurvesView::refresh(Tick tick) {
  if (tick == Tick::kPictures) ask(QueryService::Supersede::kAfterCurrent);
}

void CurvesView::ask(QueryService::Supersede supersede) {
  m_smoothing_text->setText(QString::number(m_smoothing->value() / 1000.0, 'f', 3));
  m_context.queries->submit<CurvesData>(
      m_slot, supersede,
      [question = question()](Reader& reader, std::stop_token stop) { return readCurves(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const CurvesData>>& answer) { showAnswer(answer); });
}

void CurvesView::showAnswer(const Result<std::shared_ptr<const CurvesData>>& answer) {
  ++m_answers;
  if (!answer.ok()) {
    m_panel->showFailed(tr("The curves could not be read"), screenText(answer.status().message()));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_data = *answer;
  const bool first = m_list->rowCount() == 0 && !m_data->all.empty();
  m_list->setTags(m_data->all);
  if (first) {  // the list has chosen what to show; a store without steps is shown over time
    const bool scalars = std::any_of(m_data->all.begin(), m_data->all.end(), [](const CurveTag& tag) { return tag.scalar; });
    if (!scalars) {
      m_axis->setCurrentIndex(static_cast<int>(CurveAxis::kTime));
      m_list->check(0, true);
    }
    return ask(QueryService::Supersede::kCancelOlder);
  }
  if (m_data->all.empty()) {
    m_panel->showEmpty(tr("No curves yet"), tr("Nothing in this store has values over steps or time."),
                       QStringLiteral("runglassctl import --store STORE.rgl PATH"));
    m_stack->setCurrentIndex(0);
    return;
  }
  if (m_data->plots->panels.empty()) {
    m_panel->showEmpty(tr("Nothing is checked"), tr("Check a tag on the left to see its curve."));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_stack->setCurrentIndex(1);
  m_plots->setWindow(m_data->x0, m_data->x1);
  redraw();
}

// Smoothing, log and outliers are a matter of drawing.
void CurvesView::redraw() {
  m_smoothing_text->setText(QString::number(m_smoothing->value() / 1000.0, 'f', 3));
  if (!m_data || !m_data->plots) return;
  auto plots = std::make_shared<PlotData>(*m_data->plots);
  for (std::size_t i = 0; i < plots->panels.size(); ++i) {
    PlotPanel& panel = plots->panels[i];
    panel.log = m_log->isChecked();
    panel.robust = m_robust->isChecked();
    const bool scalar = panel.curves.empty() || !panel.curves.front().gaps;
    panel.smoothing = scalar ? m_smoothing->value() / 1000.0 : 0;
  }
  m_plots->setData(plots);
}

void CurvesView::chooseExport() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export curves"), QStringLiteral("curves.png"),
                                                    tr("Picture (*.png);;Vectors (*.svg);;Values (*.csv)"));
  if (path.isEmpty()) return;
  const Status status = exportTo(path);
  if (!status.ok()) m_note->setText(screenText(status.message()));
}

Status CurvesView::exportTo(const QString& path) {
  if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
    m_context.queries->submit<QByteArray>(
        m_export_slot, QueryService::Supersede::kCancelOlder,
        [question = question()](Reader& reader, std::stop_token stop) { return readCsv(reader, question, std::move(stop)); },
        [this, path](const Result<std::shared_ptr<const QByteArray>>& csv) {
          QSaveFile file(path);
          const bool written = csv.ok() && file.open(QIODevice::WriteOnly) && file.write(**csv) == (*csv)->size() && file.commit();
          m_note->setText(!csv.ok() ? screenText(csv.status().message())
                          : written ? tr("written: %1").arg(screenText(path.toStdString(), 120))
                                    : tr("cannot write %1: %2").arg(screenText(path.toStdString(), 120), file.errorString()));
        });
    return {};
  }
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setFileName(path);
    svg.setSize(m_plots->size());
    svg.setViewBox(m_plots->rect());
    QPainter painter;
    if (!painter.begin(&svg)) return {Code::kPermissionDenied, "cannot write " + path.toStdString()};
    m_plots->paintVector(painter, m_plots->rect());
    return {};
  }
  if (!m_plots->grab().save(path)) return {Code::kPermissionDenied, "cannot write " + path.toStdString()};
  return {};
}

}  // namespace runglass
