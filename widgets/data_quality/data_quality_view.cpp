// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. An issue whose code is not in the catalogue is shown as a warning that names this, never hidden. 2. The sentence, the
// table and the facts belong to one answer.
#include "widgets/data_quality/data_quality_view.h"

#include <QCoreApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "model/issue_catalog.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

struct DataQualityText {
  Q_DECLARE_TR_FUNCTIONS(DataQuality)
};

constexpr int kSideWidth = 100 * kGrid;
constexpr qint64 kUsageEveryMs = 60'000;  // reads the whole file
constexpr std::string_view kUnknownHelp =
    QT_TRANSLATE_NOOP("terms", "This program does not know this code: the store was written by a newer one.");

QLabel* plainLabel(QWidget* parent, bool muted = false) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (muted) label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

QString lossLabel(Severity severity) {
  return severity >= Severity::kError     ? DataQualityText::tr("lost")
         : severity == Severity::kWarning ? DataQualityText::tr("odd")
                                          : DataQualityText::tr("note");
}

QString timeText(const std::optional<TimeNs>& time, TimeStyle style) { return time ? formatTime(*time, style) : kAbsentText; }

QVariant timeKey(const std::optional<TimeNs>& time) { return time ? QVariant::fromValue(static_cast<qlonglong>(*time)) : QVariant(); }

}  // namespace

std::vector<Column<IssueRow>> issueColumns(const TimeStyle* style) {
  using R = IssueRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = DataQualityText::tr("severity"),
                     .help = DataQualityText::tr("lost: data is gone. odd: kept, but not as it should be. note: for information."),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return severityLabel(r.severity); },
                     .sort = [](const R& r) { return QVariant(static_cast<double>(r.severity)); },
                     .mark = [](const R& r) { return r.severity; }});
  columns.push_back({.title = DataQualityText::tr("count"),
                     .help = DataQualityText::tr("How often, since the store was made."),
                     .align = Qt::AlignRight,
                     .text = [](const R& r) { return formatCount(r.issue.count); },
                     .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.issue.count)); },
                     .copy = [](const R& r) { return QString::number(r.issue.count); }});
  columns.push_back({.title = DataQualityText::tr("code"),
                     .help = DataQualityText::tr("The name in the issue catalogue."),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return screenText(r.issue.code, 80); }});
  columns.push_back({.title = DataQualityText::tr("source"),
                     .help = DataQualityText::tr("The file, agent or series that it came from."),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return screenText(r.issue.source, 160); },
                     .copy = [](const R& r) { return screenText(r.issue.source, 4'000); },
                     .tip = [](const R& r) { return screenText(r.issue.source, 400); }});
  columns.push_back({.title = DataQualityText::tr("first"),
                     .help = DataQualityText::tr("When it was first seen; – where the source has no clock."),
                     .align = Qt::AlignLeft,
                     .text = [style](const R& r) { return timeText(r.issue.first, *style); },
                     .sort = [](const R& r) { return timeKey(r.issue.first); },
                     .copy = [](const R& r) { return r.issue.first ? formatTimeFull(*r.issue.first, TimeStyle::kUtc) : QString(); }});
  columns.push_back({.title = DataQualityText::tr("last"),
                     .help = DataQualityText::tr("When it was last seen."),
                     .align = Qt::AlignLeft,
                     .text = [style](const R& r) { return timeText(r.issue.last, *style); },
                     .sort = [](const R& r) { return timeKey(r.issue.last); },
                     .copy = [](const R& r) { return r.issue.last ? formatTimeFull(*r.issue.last, TimeStyle::kUtc) : QString(); }});
  columns.push_back({.title = DataQualityText::tr("detail"),
                     .help = DataQualityText::tr("The newest case: what, where, why."),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return screenText(r.issue.detail, 200); },
                     .copy = [](const R& r) { return screenText(r.issue.detail, 4'000); },
                     .tip = [](const R& r) { return screenText(r.issue.detail, 1'000); }});
  return columns;
}

Result<StoreHealth> readStoreHealth(Reader& reader) {
  StoreHealth health;
  RG_ASSIGN(const std::vector<Issue> issues, reader.issues());
  for (const Issue& issue : issues) {
    const IssueInfo* info = findIssue(issue.code);
    health.issues.push_back({issue, info != nullptr ? info->severity : Severity::kWarning, info != nullptr ? info->help : kUnknownHelp});
  }
  std::ranges::stable_sort(health.issues, [](const IssueRow& a, const IssueRow& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.issue.count > b.issue.count;
  });
  RG_ASSIGN(health.info, reader.info());
  return health;
}

QString healthSentence(const std::vector<IssueRow>& issues) {
  std::int64_t lost = 0, odd = 0, notes = 0;
  for (const IssueRow& row : issues) {
    if (row.severity >= Severity::kError)
      lost += row.issue.count;
    else if (row.severity == Severity::kWarning)
      odd += row.issue.count;
    else
      ++notes;
  }
  const auto times = [](std::int64_t n) {
    return n == 1 ? DataQualityText::tr("once") : DataQualityText::tr("%1 times").arg(formatCount(n));
  };
  if (lost > 0 && odd > 0) return DataQualityText::tr("Data was lost %1 and arrived odd %2.").arg(times(lost), times(odd));
  if (lost > 0) return DataQualityText::tr("Data was lost %1.").arg(times(lost));
  if (odd > 0) return DataQualityText::tr("Nothing was lost. Data arrived odd %1.").arg(times(odd));
  if (notes > 0)
    return notes == 1 ? DataQualityText::tr("Nothing was lost and nothing odd arrived; a note to know.")
                      : DataQualityText::tr("Nothing was lost and nothing odd arrived; %1 notes to know.").arg(formatCount(notes));
  return DataQualityText::tr("Nothing was lost and nothing odd arrived.");
}

std::vector<std::pair<QString, QString>> storeFacts(const StoreInfo& info, const StoreUsage* usage, TimeStyle style) {
  const auto per = [](std::int64_t bytes, std::int64_t count) {
    return count > 0 ? QStringLiteral("%1 B").arg(formatNumber(static_cast<double>(bytes) / static_cast<double>(count), 3)) : kAbsentText;
  };
  const auto counted = [usage](std::int64_t StoreUsage::*field) { return usage != nullptr ? formatCount(usage->*field) : kAbsentText; };
  return {
      {DataQualityText::tr("file"), screenText(info.path, 300)},
      {DataQualityText::tr("store"), screenText(info.store_uuid, 80)},
      {DataQualityText::tr("schema"), QString::number(info.schema_version)},
      {DataQualityText::tr("size"), formatBytes(static_cast<double>(info.file_bytes))},
      {DataQualityText::tr("journal"), formatBytes(static_cast<double>(info.journal_bytes))},
      {DataQualityText::tr("series"), formatCount(info.series_count)},
      {DataQualityText::tr("samples"), formatCount(info.sample_count)},
      {DataQualityText::tr("a sample takes"), usage != nullptr ? per(usage->sample_bytes, info.sample_count) : kAbsentText},
      {DataQualityText::tr("spans"), counted(&StoreUsage::span_count)},
      {DataQualityText::tr("a span takes"), usage != nullptr ? per(usage->span_bytes, usage->span_count) : kAbsentText},
      {DataQualityText::tr("events"), counted(&StoreUsage::event_count)},
      {DataQualityText::tr("log lines"), counted(&StoreUsage::log_count)},
      {DataQualityText::tr("first data"), timeText(info.first, style)},
      {DataQualityText::tr("last data"), timeText(info.last, style)},
  };
}

DataQualityView::DataQualityView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<IssueRow>(
          issueColumns(&m_style),
          [](const IssueRow& a, const IssueRow& b) { return a.issue.code == b.issue.code && a.issue.source == b.issue.source; }, this)),
      m_sentence(new Headline(this)),
      m_table(new TableView(m_model, tr("Issues"), tr("Filter issues  ( / )"), this)),
      m_panel(new StatePanel(this)) {
  m_sentence->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, kGrid);
  auto* left = new QWidget(this);
  m_stack = new QStackedLayout(left);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_table);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(kHairline);
  split->addWidget(left);
  split->addWidget(makeSide());
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 0);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_sentence);
  column->addWidget(split, 1);
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Reading the ingest issues …"));
  connect(m_table, &TableView::rowChosen, this, &DataQualityView::showDetail);
}

QWidget* DataQualityView::makeSide() {
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
  column->setSpacing(2 * kGrid);
  m_detail_title = plainLabel(side);
  m_detail_help = plainLabel(side);
  m_detail_text = plainLabel(side, true);
  for (QLabel* label : {m_detail_title, m_detail_help, m_detail_text}) {
    label->hide();
    column->addWidget(label);
  }
  auto* head = plainLabel(side, true);
  head->setText(tr("This store"));
  column->addWidget(head);
  m_facts = new QGridLayout;
  m_facts->setHorizontalSpacing(3 * kGrid);
  m_facts->setVerticalSpacing(kGrid);
  m_facts->setColumnStretch(1, 1);
  column->addLayout(m_facts);
  column->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setAccessibleName(tr("What is recorded"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(side);
  scroll->setWidgetResizable(true);
  scroll->setMinimumWidth(kSideWidth);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return scroll;
}

void DataQualityView::applyState(const ViewState& state) {
  const bool restyle = m_style != state.time_style;
  m_style = state.time_style;
  if (!m_shown) return ask();
  if (restyle) {
    m_model->retext();
    showFacts();
  }
}

void DataQualityView::refresh(Tick tick) {
  if (tick == Tick::kText) ask();
}

bool DataQualityView::isFinal() const { return m_shown && !m_slot.busy() && !m_usage_slot.busy(); }

QString DataQualityView::copyText() const { return m_table->selectedTsv(); }

void DataQualityView::focusFilter() { m_table->focusFilter(); }

void DataQualityView::ask() {
  m_context.queries->submit<StoreHealth>(
      m_slot, QueryService::Supersede::kAfterCurrent, [](Reader& reader, std::stop_token) { return readStoreHealth(reader); },
      [this](const auto& answer) { showAnswer(answer); });
  if (!m_usage_age.isValid() || m_usage_age.elapsed() > kUsageEveryMs) askUsage();
}

void DataQualityView::askUsage() {
  m_usage_age.start();
  m_context.queries->submit<StoreUsage>(
      m_usage_slot, QueryService::Supersede::kAfterCurrent,
      [](Reader& reader, std::stop_token stop) { return reader.usage(std::move(stop)); },
      [this](const Result<std::shared_ptr<const StoreUsage>>& answer) {
        if (!answer.ok()) return;  // the same file fails in ask(), which shows the error
        m_usage = *answer;
        showFacts();
      });
}

void DataQualityView::showAnswer(const Result<std::shared_ptr<const StoreHealth>>& answer) {
  if (!answer.ok()) {
    m_shown = true;
    m_sentence->setSentence({});
    m_panel->showFailed(tr("The ingest issues cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_health = *answer;
  m_sentence->setSentence(healthSentence(m_health->issues));
  m_model->setRows(std::shared_ptr<const std::vector<IssueRow>>(m_health, &m_health->issues));
  if (m_health->issues.empty()) {
    m_panel->showEmpty(tr("No ingest issue."),
                       tr("Everything that arrived is stored as it came. What is odd, late, damaged or dropped would be "
                          "counted here, with its source and what to do."));
    m_stack->setCurrentWidget(m_panel);
  } else {
    m_stack->setCurrentWidget(m_table);
    if (!m_shown) {
      m_table->fitColumns();
      m_table->chooseRow(m_model->index(0, 0));
    }
    showDetail(m_table->currentRow());
  }
  m_shown = true;
  showFacts();
}

void DataQualityView::showDetail(const QModelIndex& index) {
  const IssueRow* row = m_model->rowAt(index);
  for (QLabel* label : {m_detail_title, m_detail_help, m_detail_text}) label->setVisible(row != nullptr);
  if (row == nullptr) return;
  m_detail_title->setText(severityGlyph(row->severity) + u' ' + lossLabel(row->severity) + QStringLiteral(" · ") +
                          screenText(row->issue.code, 80));
  m_detail_help->setText(phraseText(row->help, 1'000));
  m_detail_text->setText(screenText(row->issue.detail, 1'000));
}

void DataQualityView::showFacts() {
  if (!m_health) return;
  const auto facts = storeFacts(m_health->info, m_usage.get(), m_style);
  for (int row = 0; row < static_cast<int>(facts.size()); ++row) {
    for (int column = 0; column < 2; ++column) {
      QLayoutItem* item = m_facts->itemAtPosition(row, column);
      auto* label = item != nullptr ? qobject_cast<QLabel*>(item->widget()) : nullptr;
      if (label == nullptr) {
        label = plainLabel(this, column == 0);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setWordWrap(column == 1);
        m_facts->addWidget(label, row, column);
      }
      const auto& [name, value] = facts[static_cast<std::size_t>(row)];
      label->setText(column == 0 ? name : value);
    }
  }
}

}  // namespace runglass
